"""Chapter 11 behind contracts: what is sent after a compaction, and the fork that keeps it."""

from __future__ import annotations

from icontract import ensure, require

from forkpoint.core import definitions, rendering
from forkpoint.core.contracts import FULL, called
from forkpoint.core.entries import Entry, Id, Log, UnknownEntry
from forkpoint.core.rendering import Crossing, Preservation


@called
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
@ensure(lambda log, preserved, uuid, result: result == definitions.crossed(tuple(log), preserved, uuid), enabled=FULL)
def crossed(log: Log, preserved: Preservation, uuid: Id) -> Crossing | None:
    """The boundary that the ancestry crosses, :func:`forkpoint.core.rendering.crossed`; raises :class:`UnknownEntry`."""
    return rendering.crossed(log, preserved, uuid)


@called
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
@ensure(lambda result: len({entry.uuid for entry in result}) == len(result))
@ensure(lambda log, preserved, uuid, result: result == definitions.rendered(tuple(log), preserved, uuid), enabled=FULL)
@ensure(
    lambda log, preserved, uuid, result: (
        definitions.uuids(result) <= definitions.kept(tuple(log), preserved, uuid)
        and (definitions.members(tuple(log), uuid) <= definitions.uuids(result) or bool(crossed(log, preserved, uuid)))
    ),
    enabled=FULL,
)
def rendered(log: Log, preserved: Preservation, uuid: Id) -> tuple[Entry, ...]:
    """The conversation as the client sends it, :func:`forkpoint.core.rendering.rendered`; raises :class:`UnknownEntry`."""
    return rendering.rendered(log, preserved, uuid)


@called
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
@ensure(lambda uuid, result: result[-1].uuid == uuid)
@ensure(
    lambda log, preserved, uuid, result: (
        tuple(result) == definitions.keep(tuple(log), definitions.kept(tuple(log), preserved, uuid))
    ),
    enabled=FULL,
)
@ensure(
    lambda log, result: all(
        definitions.context(tuple(result), e.uuid) == definitions.context(tuple(log), e.uuid)
        and definitions.ancestry(tuple(result), e.uuid) == definitions.ancestry(tuple(log), e.uuid)
        for e in result
    ),
    enabled=FULL,
)
@ensure(
    lambda log, preserved, uuid, result: all(
        definitions.rendered(tuple(result), preserved, e) == definitions.rendered(tuple(log), preserved, e)
        for e in definitions.uuids(result)
        if definitions.kept(tuple(log), preserved, e) <= definitions.uuids(result)
    ),
    enabled=FULL,
)
@ensure(lambda uuid, result: definitions.settled(tuple(result), uuid), enabled=FULL)
@ensure(
    lambda log, result: all(definitions.legal(tuple(result), e.uuid) for e in result if definitions.legal(tuple(log), e.uuid)),
    enabled=FULL,
)
def fork_kept(log: Log, preserved: Preservation, uuid: Id) -> Log:
    """A new log of exactly what is kept so that the client sends the same and every kept entry has its context,
    :func:`forkpoint.core.rendering.fork_kept`; raises :class:`UnknownEntry`. Whether the point is legal does not depend on
    what is preserved, and is not asked."""
    return rendering.fork_kept(log, preserved, uuid)
