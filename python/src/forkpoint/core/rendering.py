"""Chapter 10: rendered contexts. After a compaction a conversation starts at a boundary, and the client sends again, right after
the summary, entries that stand before the boundary. A conversation may also go on at one of these: then its ancestry does not
meet the boundary, and the client sends the boundary all the same.

Mirrors ``dafny/10-Rendering.dfy``; the algorithms are the methods of ``dafny/10-Rendering.Fast.dfy``. What the boundaries of
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


class Crossing(NamedTuple):
    """A boundary, and the entry on its list at which a conversation goes on behind it."""

    boundary: Id
    at: Id


def resolves(log: Log, boundary: Id, uuids: tuple[Id, ...]) -> bool:
    """Whether every uuid of a list stands before the boundary in the log, and none is listed twice. O(list)."""
    at = log.spine.at
    last = log.position(boundary)
    return len(set(uuids)) == len(uuids) and all(at.get(uuid, last) < last for uuid in uuids)


def heeds(log: Log, preserved: Preservation, inside: Container[int], position: int) -> bool:
    """Whether a conversation, given by its positions, heeds what the entry at ``position`` preserves.

    It does if the entry is a boundary and a root of it, the anchor belongs to it and is not itself preserved, and the whole
    list resolves. Where one fails nothing is sent again (spec/10 says where the client differs).
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


def crossed(log: Log, preserved: Preservation, uuid: Id) -> Crossing | None:
    """The boundary that the ancestry of ``uuid`` crosses, and where.

    On the way up, the first entry that goes on at one which a boundary before it preserves, and the last such boundary. Each
    entry is judged by what stands before it. O(depth + what is preserved), and near-linear in the conversation at the anchor of
    each boundary that is asked.
    """
    spine = log.spine
    position = log.position(uuid)
    boundaries = _Boundaries(log, preserved)
    while boundaries.any and (above := spine.parent[position]) >= 0:
        boundary = boundaries.crossed_by(position)
        if boundary is not None:
            return Crossing(spine.uuids[boundary], spine.uuids[above])
        position = above
    return None


def crossers(log: Log, preserved: Preservation) -> dict[int, Crossing]:
    """Of every entry that crosses a boundary by itself, by its position, the last such boundary. O(entries), and as
    :func:`crossed`."""
    spine = log.spine
    boundaries = _Boundaries(log, preserved)
    found: dict[int, Crossing] = {}
    for position in range(len(log)) if boundaries.any else ():
        boundary = boundaries.crossed_by(position)
        if boundary is not None:
            found[position] = Crossing(spine.uuids[boundary], spine.uuids[spine.parent[position]])
    return found


class _Boundaries:
    """The boundaries of a log, by what they list, and what is known of each: whether the conversation at its own anchor heeds
    it."""

    def __init__(self, log: Log, preserved: Preservation) -> None:
        spine, end = log.spine, len(log)
        self._log, self._preserved = log, preserved
        self._heeded: dict[int, bool] = {}
        self._listing: dict[int, list[int]] = {}  # of each listed entry the boundaries that list it, rising
        roots = [at for boundary in preserved if (at := spine.at.get(boundary, end)) < end and spine.parent[at] < 0]
        for root in sorted(roots):
            for listed in dict.fromkeys(preserved[spine.uuids[root]].uuids):
                self._listing.setdefault(spine.at.get(listed, end), []).append(root)

    @property
    def any(self) -> bool:
        """Whether any lists anything."""
        return bool(self._listing)

    def crossed_by(self, position: int) -> int | None:
        """The position of the last boundary that an entry crosses by itself."""
        spine = self._log.spine
        for boundary in reversed(self._listing.get(spine.parent[position], ())):
            anchor = self._preserved[spine.uuids[boundary]].anchor
            if spine.at.get(anchor, position) < position and self._heeds(boundary, anchor):
                return boundary
        return None

    def _heeds(self, boundary: int, anchor: Id) -> bool:
        if boundary not in self._heeded:
            inside = set(member_positions(self._log, anchor))
            self._heeded[boundary] = heeds(self._log, self._preserved, inside, boundary)
        return self._heeded[boundary]


def sent_again(preserved: Preservation, crossing: Crossing) -> tuple[Id, ...]:
    """What a crossing sends again: what its boundary preserves, up to the entry at which the conversation goes on."""
    uuids = preserved[crossing.boundary].uuids
    return uuids[: len(uuids) - uuids[::-1].index(crossing.at)]


def rendered_positions(log: Log, preserved: Preservation, uuid: Id) -> list[int]:
    """The positions of what is sent at ``uuid``, in the order in which it is sent.

    The context, and right after the anchor what its boundary preserves; an entry that is preserved stands there and nowhere
    else. Across a boundary: the context at the anchor, what is sent again, and what the conversation has beyond the one at which
    it goes on. They rise unless something is sent again. Near-linear in the answer, and in what :func:`crossed` looks at.
    """
    crossing = crossed(log, preserved, uuid)
    if crossing is not None:
        return _across(log, preserved, crossing, uuid)
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


def _across(log: Log, preserved: Preservation, crossing: Crossing, uuid: Id) -> list[int]:
    """The positions of what is sent across a boundary."""
    again = [log.spine.at[listed] for listed in sent_again(preserved, crossing)]
    moved = set(again)
    first = member_positions(log, preserved[crossing.boundary].anchor)
    behind = moved.union(first, member_positions(log, crossing.at))
    sent = [position for position in first if position not in moved] + again
    return sent + [position for position in member_positions(log, uuid) if position not in behind]


def rendered(log: Log, preserved: Preservation, uuid: Id) -> tuple[Entry, ...]:
    """The conversation at ``uuid`` as the client sends it."""
    entries = log.spine.entries
    return tuple(entries[position] for position in rendered_positions(log, preserved, uuid))


def kept_positions(log: Log, preserved: Preservation, uuid: Id) -> list[int]:
    """The positions of what a fork at ``uuid`` keeps, rising: so the client sends the same and every kept entry has its context.

    The conversation, and the conversation at each entry that it reaches: what a boundary which it heeds preserves, and the anchor
    and the whole list of one that it crosses, since a client heeds no part of a list. Near-linear in the answer for each entry
    reached that the conversation at a later one does not hold; there is mostly one such.
    """
    own = member_positions(log, uuid)
    spine = log.spine
    members = set(own)
    reached: list[Id] = []
    for position in own:
        if spine.parent[position] < 0 and heeds(log, preserved, members, position):
            reached += preserved[spine.uuids[position]].uuids
    crossing = crossed(log, preserved, uuid)
    if crossing is not None:
        reached += (preserved[crossing.boundary].anchor, *preserved[crossing.boundary].uuids)
    if not reached:
        return own
    kept = members
    for listed in reversed(reached):  # the last one mostly holds the others
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
