"""Chapter 11: rendered contexts. After a compaction a conversation starts at a boundary, and the client sends again, right after
the summary, entries that stand before the boundary.

Mirrors ``dafny/11-Rendering.dfy``; the algorithms are the methods of ``dafny/11-Rendering.Fast.dfy``. What the boundaries of
a log preserve stands beside it, as a mapping from their uuids.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import NamedTuple, TypeAlias

from forkpoint.core.contexts import member_positions
from forkpoint.core.entries import Entry, Id, Log


class Preserved(NamedTuple):
    """What a boundary preserves: entries that are sent again in this order, right after the anchor (the summary)."""

    anchor: Id
    uuids: tuple[Id, ...]


Preservation: TypeAlias = Mapping[Id, Preserved]
"""What the boundaries of a log preserve, by their uuids."""

NOTHING_PRESERVED: Preservation = {}


def resolves(log: Log, boundary: Id, uuids: tuple[Id, ...]) -> bool:
    """Whether every uuid of a list stands before the boundary in the log, and none is listed twice. O(list)."""
    at = log.spine.at
    last = log.position(boundary)
    return len(set(uuids)) == len(uuids) and all(at.get(uuid, last) < last for uuid in uuids)


def heeds(log: Log, preserved: Preservation, inside: Container[int], position: int) -> bool:
    """Whether a conversation, given by its positions, heeds what the entry at ``position`` preserves.

    It does if the entry is a boundary and a root of it, the anchor belongs to it and is not itself preserved, and the whole
    list resolves. Where one fails nothing is sent again (spec/11 says where the client differs).
    """
    spine = log.spine
    uuid = spine.uuids[position]
    if position not in inside or uuid not in preserved or spine.parent[position] >= 0:
        return False
    anchor, uuids = preserved[uuid]
    return anchor in spine.at and spine.at[anchor] in inside and anchor not in uuids and resolves(log, uuid, uuids)


def root_position(log: Log, uuid: Id) -> int:
    """The position of the root of the ancestry of ``uuid``. O(depth)."""
    parent = log.spine.parent
    position = log.position(uuid)
    while parent[position] >= 0:
        position = parent[position]
    return position


def resent(log: Log, preserved: Preservation, uuid: Id) -> Preserved | None:
    """What is sent again in the conversation at ``uuid``: what the root of its ancestry preserves, if it is heeded."""
    root = root_position(log, uuid)
    if log.spine.uuids[root] not in preserved:
        return None
    return preserved[log.spine.uuids[root]] if heeds(log, preserved, set(member_positions(log, uuid)), root) else None


def rendered_positions(log: Log, preserved: Preservation, uuid: Id) -> list[int]:
    """The positions of what is sent at ``uuid``, in the order in which it is sent.

    The context, and right after the anchor what its boundary preserves; an entry that is preserved stands there and nowhere
    else. They rise unless something is sent again. Near-linear in the answer.
    """
    positions = member_positions(log, uuid)
    spine = log.spine
    root = root_position(log, uuid)
    if spine.uuids[root] not in preserved or not heeds(log, preserved, set(positions), root):
        return positions
    anchor, uuids = preserved[spine.uuids[root]]
    again = [spine.at[listed] for listed in uuids]
    moved = set(again)
    sent: list[int] = []
    for position in positions:
        if position not in moved:
            sent.append(position)
            if spine.uuids[position] == anchor:
                sent += again
    return sent


def rendered(log: Log, preserved: Preservation, uuid: Id) -> tuple[Entry, ...]:
    """The conversation at ``uuid`` as the client sends it."""
    entries = log.spine.entries
    return tuple(entries[position] for position in rendered_positions(log, preserved, uuid))


def kept_positions(log: Log, preserved: Preservation, uuid: Id) -> list[int]:
    """The positions of what a fork at ``uuid`` keeps, rising: so the client sends the same and every kept entry has its context.

    The conversation, and the conversation at each entry that a boundary which it heeds preserves. Near-linear in the answer for
    each preserved entry that the conversation at a later one does not hold; there is mostly one such.
    """
    own = member_positions(log, uuid)
    spine = log.spine
    boundaries = [position for position in own if spine.parent[position] < 0 and spine.uuids[position] in preserved]
    if not boundaries:
        return own
    members = set(own)
    kept = set(own)
    for position in boundaries:
        if heeds(log, preserved, members, position):
            for listed in reversed(preserved[spine.uuids[position]].uuids):  # the last one mostly holds the others
                if spine.at[listed] not in kept:
                    kept.update(member_positions(log, listed))
    return sorted(kept)


def fork_kept(log: Log, preserved: Preservation, uuid: Id) -> Log:
    """The fork of a session that was compacted: exactly what is kept, each entry unchanged, ``uuid`` last.

    Where nothing is preserved it is :func:`forkpoint.core.forks.fork`. Near-linear in what is kept, as
    :func:`kept_positions`.
    """
    positions = kept_positions(log, preserved, uuid)
    if len(positions) == log.position(uuid) + 1:
        return log.as_of(uuid)
    entries = log.spine.entries
    return Log(entries[position] for position in positions)
