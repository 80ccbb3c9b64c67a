"""Chapter 4 behind contracts: the context of an entry."""

from __future__ import annotations

from icontract import require

from forkpoint.contracts import behind
from forkpoint.core import contexts
from forkpoint.core.entries import Entry, Id, Log, UnknownEntry


@behind(contexts.context, "turns")
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
def context(log: Log, uuid: Id) -> tuple[Entry, ...]:
    return contexts.context(log, uuid)


@behind(contexts.settled)
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
def settled(log: Log, uuid: Id) -> bool:
    return contexts.settled(log, uuid)
