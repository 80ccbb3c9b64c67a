"""Chapter 4 behind contracts: the context of an entry."""

from __future__ import annotations

from icontract import ensure, require

from forkpoint.core import contexts, definitions
from forkpoint.core.contracts import FULL, called
from forkpoint.core.entries import Entry, Id, Log, UnknownEntry


@called
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
@ensure(lambda uuid, result: result[-1].uuid == uuid)
@ensure(lambda log, uuid, result: definitions.uuids(result) == definitions.members(tuple(log), uuid), enabled=FULL)
@ensure(lambda log, uuid, result: definitions.closed(tuple(log.as_of(uuid)), definitions.uuids(result)), enabled=FULL)
@ensure(lambda log, result: result == definitions.keep(tuple(log), definitions.uuids(result)), enabled=FULL)
def context(log: Log, uuid: Id) -> tuple[Entry, ...]:
    """The conversation at ``uuid``, :func:`forkpoint.core.contexts.context`; raises :class:`UnknownEntry`."""
    return contexts.context(log, uuid)


@called
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
@ensure(lambda log, uuid, result: result == definitions.settled(tuple(log), uuid), enabled=FULL)
def settled(log: Log, uuid: Id) -> bool:
    """Whether nothing of the conversation comes later, :func:`forkpoint.core.contexts.settled`; raises
    :class:`UnknownEntry`."""
    return contexts.settled(log, uuid)
