"""Chapter 4 by the generated code: the context of an entry."""

from __future__ import annotations

from collections.abc import Iterable

from forkpoint.core.entries import Entry, Id, Log
from forkpoint.oracle import convert
from forkpoint.oracle.generated import ContextsFast


def member_positions(log: Log, uuid: Id) -> list[int]:
    """The positions of the context of ``uuid``, rising."""
    made = convert.prepared(log)
    return convert.marked(ContextsFast.default__.FastMembers(made.links, made.position(uuid)))


def gathered_positions(log: Log, uuids: Iterable[Id]) -> list[int]:
    """The positions of the contexts of several entries together, rising."""
    return sorted({position for uuid in uuids for position in member_positions(log, uuid)})


def members(log: Log, uuid: Id) -> frozenset[Id]:
    """The uuids of the conversation at ``uuid``."""
    return frozenset(entry.uuid for entry in context(log, uuid))


def context(log: Log, uuid: Id) -> tuple[Entry, ...]:
    """The conversation at ``uuid``: its members in the order of the log."""
    made = convert.prepared(log)
    return convert.entries_of(ContextsFast.default__.FastContext(made.links, made.log, made.position(uuid)))


def settled(log: Log, uuid: Id) -> bool:
    """Whether nothing that belongs to the conversation at ``uuid`` comes later."""
    made = convert.prepared(log)
    position = made.position(uuid)
    mark = ContextsFast.default__.FastMembers(made.links, position)
    return bool(ContextsFast.default__.FastSettled(made.links, position, mark))
