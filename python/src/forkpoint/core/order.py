"""Chapter 2: canonical order, parents first and otherwise as in the file.

Mirrors ``dafny/02-Order.dfy``; the sweep is the method of ``dafny/02-Order.Fast.dfy``.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush

from forkpoint.core.entries import Entry, Id, Log, no_dangling_parents


def arrange(entries: Sequence[Entry]) -> list[int]:
    """The file positions in canonical order: again and again the first entry whose parent is out.

    A parent that is not among the entries counts as none. Entries on a cycle of parents, and below one, never come out,
    so the list is shorter than the file exactly if there is a cycle. Uuids must be unique. O(n log n), O(n) when the
    file stands parents first.
    """
    known = {entry.uuid for entry in entries}
    out: list[int] = []
    gone: set[Id] = set()
    waiting: dict[Id, list[int]] = {}  # by the uuid of a parent that is not out yet
    ready: list[int] = []  # a heap of positions behind the sweep whose parent has come out
    for position, entry in enumerate(entries):
        parent = entry.parent
        if parent is not None and parent not in gone and parent in known:
            waiting.setdefault(parent, []).append(position)
            continue
        out.append(position)
        gone.add(entry.uuid)
        for child in waiting.pop(entry.uuid, ()):
            heappush(ready, child)
        while ready:
            first = heappop(ready)
            out.append(first)
            uuid = entries[first].uuid
            gone.add(uuid)
            for child in waiting.pop(uuid, ()):
                heappush(ready, child)
    return out


def acyclic(entries: Sequence[Entry]) -> bool:
    """Whether no entry is its own ancestor. Uuids must be unique. O(n log n)."""
    return len(arrange(entries)) == len(entries)


def canonical(entries: Sequence[Entry]) -> Log | None:
    """The log in canonical order, or ``None`` when a parent is missing or there is a cycle. Uuids must be unique."""
    order = arrange(entries)
    if len(order) != len(entries) or not no_dangling_parents(entries):
        return None
    return Log(entries[position] for position in order)
