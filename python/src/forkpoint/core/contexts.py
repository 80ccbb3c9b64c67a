"""Chapter 4: the context of an entry, which is what the conversation at that entry is.

Mirrors ``dafny/04-Contexts.dfy``; the worklist is the method of ``dafny/04-Contexts.Fast.dfy``.
"""

from __future__ import annotations

from collections.abc import Iterable

from forkpoint.core.entries import Entry, Id, Log


def gathered_positions(log: Log, uuids: Iterable[Id]) -> list[int]:
    """The positions of the contexts of several entries together, rising. Near-linear in the answer, sorting included.

    The latest comes first: its context holds all that an earlier entry in it needs, so no entry is looked at twice.
    """
    spine = log.spine
    parent, opens, joiners = spine.parent, spine.opens, spine.joiners
    inside: set[int] = set()
    opened: set[int] = set()
    for last in sorted(map(log.position, uuids), reverse=True):
        todo = [] if last in inside else [last]
        inside.add(last)
        while todo:
            position = todo.pop()
            above = parent[position]
            if above >= 0 and above not in inside:
                inside.add(above)
                todo.append(above)
            for hub in opens[position]:
                if hub not in opened:
                    opened.add(hub)
                    for joiner in joiners[hub]:
                        if joiner > last:  # not yet there as of ``last``; joiners stand in order
                            break
                        if joiner not in inside:
                            inside.add(joiner)
                            todo.append(joiner)
    return sorted(inside)


def member_positions(log: Log, uuid: Id) -> list[int]:
    """The positions of the context of ``uuid``, rising. Near-linear in the answer, sorting included."""
    return gathered_positions(log, (uuid,))


def members(log: Log, uuid: Id) -> frozenset[Id]:
    """The uuids of the conversation at ``uuid``: the least closed set, as of ``uuid``, that contains it."""
    uuids = log.spine.uuids
    return frozenset(uuids[position] for position in member_positions(log, uuid))


def context(log: Log, uuid: Id) -> tuple[Entry, ...]:
    """The conversation at ``uuid``: its members in the order of the log, ``uuid`` last."""
    entries = log.spine.entries
    return tuple(entries[position] for position in member_positions(log, uuid))


def later_members(log: Log, uuid: Id) -> list[int]:
    """The positions after ``uuid`` that its context needs: empty exactly if the context is settled."""
    spine = log.spine
    last = log.position(uuid)
    found: set[int] = set()
    for hub in {hub for position in member_positions(log, uuid) for hub in spine.opens[position]}:
        for joiner in reversed(spine.joiners[hub]):
            if joiner <= last:
                break
            if joiner < len(log):
                found.add(joiner)
    return sorted(found)


def settled(log: Log, uuid: Id) -> bool:
    """Whether nothing that belongs to the conversation at ``uuid`` comes later."""
    return not later_members(log, uuid)
