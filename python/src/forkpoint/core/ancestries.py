"""Chapter 3: ancestry follows parent links to the root; lineage goes on across compaction boundaries.

Mirrors ``dafny/03-Ancestries.dfy``.
"""

from __future__ import annotations

from typing import NamedTuple

from forkpoint.core.entries import Entry, Id, Log


class Line(NamedTuple):
    """A lineage, oldest first, and the logical parent at which it leaves the log, or ``None``."""

    entries: tuple[Entry, ...]
    outside: Id | None


def ancestry(log: Log, uuid: Id) -> tuple[Entry, ...]:
    """The entries from the root to ``uuid``. O(length of the answer)."""
    spine = log.spine
    position = log.position(uuid)
    way: list[Entry] = []
    while position >= 0:
        way.append(spine.entries[position])
        position = spine.parent[position]
    way.reverse()
    return tuple(way)


def is_ancestor(log: Log, above: Id, uuid: Id) -> bool:
    """Whether ``above`` is ``uuid`` or an ancestor of it; raises :class:`UnknownEntry` for ``uuid`` alone. O(depth)."""
    position = log.position(uuid)
    if above not in log:
        return False
    goal = log.position(above)
    while position > goal:
        position = log.spine.parent[position]
    return position == goal


def is_boundary(entry: Entry) -> bool:
    """Whether an entry is a root that continues an older entry."""
    return entry.parent is None and entry.logical_parent is not None


def lineage(log: Log, uuid: Id) -> Line:
    """Ancestry continued across boundaries. A logical parent that does not stand before its boundary is outside."""
    spine = log.spine
    position = log.position(uuid)
    way: list[Entry] = []
    while True:
        entry = spine.entries[position]
        way.append(entry)
        above = spine.parent[position]
        if above < 0:
            logical = entry.logical_parent
            if logical is None:
                return Line(tuple(reversed(way)), None)
            found = spine.at.get(logical)
            if found is None or found >= position:
                return Line(tuple(reversed(way)), logical)
            above = found
        position = above
