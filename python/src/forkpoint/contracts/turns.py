"""Chapter 6 behind contracts: the legal fork points nearest to an entry."""

from __future__ import annotations

from collections.abc import Sequence

from icontract import require

from forkpoint.contracts import behind
from forkpoint.core import turns
from forkpoint.core.entries import Id, Log, UnknownEntry


@behind(turns.nearest_legal_ancestor)
@require(lambda log, legal: len(legal) == len(log))
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
def nearest_legal_ancestor(log: Log, legal: Sequence[bool], uuid: Id) -> Id | None:
    """``legal`` is a survey's; raises :class:`UnknownEntry`."""
    return turns.nearest_legal_ancestor(log, legal, uuid)


@behind(turns.first_legal_descendants)
@require(lambda log, legal: len(legal) == len(log))
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
def first_legal_descendants(log: Log, legal: Sequence[bool], uuid: Id) -> tuple[Id, ...]:
    """``legal`` is a survey's; raises :class:`UnknownEntry`."""
    return turns.first_legal_descendants(log, legal, uuid)
