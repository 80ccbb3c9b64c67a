"""Chapter 3 behind contracts: ancestry and lineage."""

from __future__ import annotations

from icontract import require

from forkpoint.contracts import behind
from forkpoint.core import ancestries
from forkpoint.core.ancestries import Line
from forkpoint.core.entries import Entry, Id, Log, UnknownEntry


@behind(ancestries.ancestry)
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
def ancestry(log: Log, uuid: Id) -> tuple[Entry, ...]:
    return ancestries.ancestry(log, uuid)


@behind(ancestries.lineage)
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
def lineage(log: Log, uuid: Id) -> Line:
    return ancestries.lineage(log, uuid)
