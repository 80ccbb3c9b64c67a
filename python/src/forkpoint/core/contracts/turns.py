"""Chapter 6 behind contracts: the legal fork points nearest to an entry."""

from __future__ import annotations

from collections.abc import Sequence

from icontract import ensure, require

from forkpoint.core import definitions, turns
from forkpoint.core.contracts import FULL, called
from forkpoint.core.entries import Id, Log, UnknownEntry


@called
@require(lambda log, legal: len(legal) == len(log))
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
@ensure(lambda log, legal, result: result is None or legal[log.position(result)])
@ensure(lambda log, uuid, result: result == definitions.nearest_legal_ancestor(tuple(log), uuid), enabled=FULL)
def nearest_legal_ancestor(log: Log, legal: Sequence[bool], uuid: Id) -> Id | None:
    """The closest legal point above, :func:`forkpoint.core.turns.nearest_legal_ancestor`; ``legal`` is a survey's; raises
    :class:`UnknownEntry`."""
    return turns.nearest_legal_ancestor(log, legal, uuid)


@called
@require(lambda log, legal: len(legal) == len(log))
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
@ensure(lambda log, legal, result: all(legal[log.position(found)] for found in result))
@ensure(lambda log, uuid, result: set(result) == definitions.first_legal_descendants(tuple(log), uuid), enabled=FULL)
def first_legal_descendants(log: Log, legal: Sequence[bool], uuid: Id) -> tuple[Id, ...]:
    """The first legal points below, :func:`forkpoint.core.turns.first_legal_descendants`; ``legal`` is a survey's; raises
    :class:`UnknownEntry`."""
    return turns.first_legal_descendants(log, legal, uuid)
