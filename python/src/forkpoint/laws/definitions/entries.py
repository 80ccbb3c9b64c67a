"""Chapter 1, said plainly over tuples of entries and computed slowly."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from forkpoint.core.entries import Entry, Id

Entries: TypeAlias = tuple[Entry, ...]


def uuids(log: Iterable[Entry]) -> frozenset[Id]:
    """The ids that stand in a log."""
    return frozenset(entry.uuid for entry in log)


def unique_uuids(log: Entries) -> bool:
    """P1, pair by pair."""
    return all(log[i].uuid != log[j].uuid for j in range(len(log)) for i in range(j))


def no_dangling_parents(log: Entries) -> bool:
    """P2, entry by entry."""
    return all(e.parent is None or any(f.uuid == e.parent for f in log) for e in log)


def parents_first(log: Entries) -> bool:
    """Every parent stands before its children."""
    return all(log[i].parent is None or any(f.uuid == log[i].parent for f in log[:i]) for i in range(len(log)))


def acyclic(log: Entries) -> bool:
    """Nobody meets itself on the way up. For unique uuids."""
    for start in log:
        here: Entry | None = start
        for _ in log:
            here = next((e for e in log if here is not None and e.uuid == here.parent), None)
            if here is not None and here.uuid == start.uuid:
                return False
    return True


def well_formed(log: Entries) -> bool:
    """P1 and parents first, by recursion on the end of the log."""
    return not log or (well_formed(log[:-1]) and fits(log[:-1], log[-1]))


def fits(log: Entries, entry: Entry) -> bool:
    """An entry that may follow a log."""
    return entry.uuid not in uuids(log) and (entry.parent is None or entry.parent in uuids(log))


def index_of(log: Entries, uuid: Id) -> int:
    """The position of an entry."""
    return next(i for i in range(len(log)) if log[i].uuid == uuid)


def as_of(log: Entries, uuid: Id) -> Entries:
    """The log as it was when ``uuid`` was its last entry."""
    return log[: index_of(log, uuid) + 1]


def keep(log: Entries, ids: frozenset[Id]) -> Entries:
    """The entries whose uuids are in a set, in the order of the log."""
    return tuple(entry for entry in log if entry.uuid in ids)
