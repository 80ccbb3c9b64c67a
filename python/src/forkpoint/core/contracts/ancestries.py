"""Chapter 3 behind contracts: ancestry and lineage."""

from __future__ import annotations

from icontract import ensure, require

from forkpoint.core import ancestries, definitions
from forkpoint.core.ancestries import Line
from forkpoint.core.contracts import FULL, called
from forkpoint.core.entries import Entry, Id, Log, UnknownEntry


@called
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
@ensure(lambda uuid, result: result[-1].uuid == uuid and result[0].parent is None)
@ensure(lambda log, uuid, result: definitions.is_root_path(tuple(log), result, uuid), enabled=FULL)
@ensure(lambda log, uuid, result: result == definitions.ancestry(tuple(log), uuid), enabled=FULL)
def ancestry(log: Log, uuid: Id) -> tuple[Entry, ...]:
    """The entries from the root to ``uuid``, :func:`forkpoint.core.ancestries.ancestry`; raises :class:`UnknownEntry`."""
    return ancestries.ancestry(log, uuid)


@called
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
@ensure(lambda uuid, result: result.entries[-1].uuid == uuid)
@ensure(lambda log, uuid, result: result.entries[-len(ancestries.ancestry(log, uuid)) :] == ancestries.ancestry(log, uuid))
@ensure(lambda result: result.entries[0].parent is None and result.entries[0].logical_parent == result.outside)
def lineage(log: Log, uuid: Id) -> Line:
    """Ancestry across boundaries, :func:`forkpoint.core.ancestries.lineage`; raises :class:`UnknownEntry`."""
    return ancestries.lineage(log, uuid)
