"""Chapter 3, said plainly over tuples of entries and computed slowly."""

from __future__ import annotations

from forkpoint.core.entries import Id
from forkpoint.laws.definitions.entries import Entries


def is_root_path(log: Entries, way: Entries, uuid: Id) -> bool:
    """A way through the log from a root to ``uuid`` along parent links."""
    return (
        len(way) > 0
        and all(entry in log for entry in way)
        and way[0].parent is None
        and way[-1].uuid == uuid
        and all(way[i].parent == way[i - 1].uuid for i in range(1, len(way)))
    )


def ancestry(log: Entries, uuid: Id) -> Entries:
    """The entries from the root to ``uuid``, by recursion on the end of the log."""
    last, before = log[-1], log[:-1]
    if last.uuid != uuid:
        return ancestry(before, uuid)
    return (last,) if last.parent is None else (*ancestry(before, last.parent), last)
