"""Chapter 23: what hangs below calls and their results, and is sent. A client puts a chain of entries that nobody answered, such
as what a hook said, back into the conversation, if the chain hangs below a call or a result of it and does not fork.

Mirrors ``dafny/23-Below.dfy``. What the model takes as a map beside the log comes here as something that can be asked, since it
stands in lines that few conversations need.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from forkpoint.core.entries import Id, Kind, Log, Result, Use
from forkpoint.core.rendering import NOTHING_PRESERVED, Preservation, crossed, kept_positions

ASIDE = frozenset({Kind.USER, Kind.SYSTEM, Kind.ATTACHMENT})
"""The kinds of side entries."""
UNSEEN = frozenset({Kind.PROGRESS, Kind.OTHER})
"""The kinds of what a client does not see."""
SPOKEN = (Kind.USER, Kind.ASSISTANT)
"""The kinds of what somebody says."""


class Sides(NamedTuple):
    """What a reader tells of entries beside the log: which are side entries (attachments, what the system says, words that no
    user said), and what each entry says of the side that it is on, if it says anything."""

    aside: Container[Id]
    said: Mapping[Id, object]


NOTHING_TOLD = Sides(frozenset(), {})


def _silent(log: Log, position: int) -> bool:
    """Whether an entry is no part of a message, and holds neither a call nor a result. No entry is made for it."""
    spine = log.spine
    return not spine.opens[position] and not any(isinstance(block, Use | Result) for block in spine.blocks[position])


def _is_aside(log: Log, sides: Sides, position: int) -> bool:
    """Whether an entry is a side entry: the reader says so, it is no part of a message, and it is silent."""
    return _silent(log, position) and log[position].kind in ASIDE and log.spine.uuids[position] in sides.aside


def _side(sides: Sides, uuid: Id) -> tuple[object, ...]:
    """What an entry says of its side; nothing where it says nothing. O(the line), where the reader takes it from there."""
    return (sides.said[uuid],) if uuid in sides.said else ()


def _on_one_side(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    """Whether what two entries say of their side is the same, or both say nothing."""
    return len(one) == len(other) and (not one or one[0] == other[0])


def _passed_over(log: Log, position: int) -> bool:
    """Whether a client does not see an entry: what hangs below it hangs on its parent."""
    return _silent(log, position) and log[position].kind is Kind.PROGRESS


def _seen(log: Log, position: int) -> bool:
    """Whether a client sees an entry: it is neither a progress line nor a line of an unknown type."""
    return log[position].kind not in UNSEEN


def way_positions(log: Log, preserved: Preservation, uuid: Id) -> list[int]:
    """The positions of an entry and its ancestors, rising, but for those that a boundary which it crosses left behind. O(depth),
    and as :func:`forkpoint.core.rendering.crossed`."""
    parent = log.spine.parent
    across = crossed(log, preserved, uuid)
    last = -1 if across is None else log.position(across.at)
    way, position = [], log.position(uuid)
    while position > last:
        way.append(position)
        position = parent[position]
    return way[::-1]


class Tree:
    """The entries of a log as of a position as a client hangs them below each other, but for what it takes anyway."""

    def __init__(self, log: Log, sides: Sides, way: Sequence[int], last: int) -> None:
        self._log, self._sides, self._way, self._last = log, sides, way, last
        self.calls, self.results, self.taken = self._take()

    @cached_property
    def _below(self) -> dict[int, list[int]]:
        """For each parent what hangs directly below it, rising, but for what was taken and speaks. Made when it is asked for:
        below no call nothing hangs."""
        log, parent, taken = self._log, self._log.spine.parent, self.taken
        found: dict[int, list[int]] = {}
        for position in range(self._last + 1):
            if parent[position] >= 0 and (position not in taken or _silent(log, position)):
                found.setdefault(parent[position], []).append(position)
        return found

    def _take(self) -> tuple[set[int], set[int], set[int]]:
        """The parts of messages on the way that make a call, the results of their calls, and all that a client takes: the way,
        the messages on it, and these results."""
        spine, last = self._log.spine, self._last
        calls, made, taken = set[int](), set[int](), set(self._way)
        for message in {hub for position in self._way for hub in self._message(position)}:
            parts = [position for position in spine.joiners[message] if position <= last]
            uses = {hub for part in parts for hub in spine.opens[part] if hub != message}
            taken.update(parts)
            if uses:
                calls.update(parts)
                made |= uses
        # messages may make one call over and over: its results are gone through once
        results = {position for use in made for position in spine.joiners[use] if position <= last}
        return calls, results, taken | results

    def _message(self, position: int) -> Iterator[int]:
        """The hub of the message that an entry is a part of: the one that it opens and joins. One that a user entry opens and
        joins is a call that it makes and answers itself."""
        spine = self._log.spine
        for hub in spine.opens[position]:
            joined = spine.joiners[hub]
            at = bisect_left(joined, position)
            if at < len(joined) and joined[at] == position and self._is_assistant(position):
                yield hub

    def _is_assistant(self, position: int) -> bool:
        """Whether an entry that opens a hub and joins it is the assistant's: no entry is made of one without results."""
        results = any(isinstance(block, Result) for block in self._log.spine.blocks[position])
        return not results or self._log[position].kind is Kind.ASSISTANT

    def children(self, position: int) -> Iterator[int]:
        """What hangs on an entry, as a client sees it, and was not taken; below what is passed over on the way, too."""
        todo = [*reversed(self._below.get(position, ()))]
        while todo:
            child = todo.pop()
            if _passed_over(self._log, child):
                todo += reversed(self._below.get(child, ()))
            elif child not in self.taken and _seen(self._log, child):
                yield child

    def anchors(self) -> set[int]:
        """The entries below which chains hang: the parts of messages that make calls, the results of these, and the side entries
        on the way that hang on such an entry."""
        found = self.calls | self.results  # a client sees each of them
        parent = self._log.spine.parent
        above = parent[self._way[0]]
        while above >= 0 and _passed_over(self._log, above):
            above = parent[above]
        for position in self._way:  # each is the parent of the next
            if position not in found and above in found and _is_aside(self._log, self._sides, position):
                found.add(position)
            if not _passed_over(self._log, position):
                above = position
        return found

    def chain(self, position: int) -> list[int] | None:
        """The chain that begins with an entry: side entries on one side, each the only child, and nothing hangs on the last; None
        where it is not whole."""
        uuids, found = self._log.spine.uuids, [position]
        side: tuple[object, ...] | None = None
        while _is_aside(self._log, self._sides, found[-1]):
            below = list(self.children(found[-1]))
            if not below:
                return found
            if len(below) > 1:
                return None
            side = _side(self._sides, uuids[position]) if side is None else side
            following = _side(self._sides, uuids[below[0]])
            if not _on_one_side(side, following):
                return None
            found.append(below[0])
            side = following
        return None

    def hanging(self) -> Iterator[tuple[int, list[int]]]:
        """The anchors with each whole chain that hangs on one, and what is passed over between, with the first that has it."""
        uuids, parent = self._log.spine.uuids, self._log.spine.parent
        for anchor in self.anchors():
            between, side = set[int](), None
            for first in self.children(anchor):
                side = _side(self._sides, uuids[anchor]) if side is None else side  # once, whatever hangs there
                if not _on_one_side(side, _side(self._sides, uuids[first])):
                    continue
                found = self.chain(first) or []
                for position in tuple(found):
                    above = parent[position]
                    while above >= 0 and above not in between and _passed_over(self._log, above):
                        found.append(above)
                        between.add(above)
                        above = parent[above]
                yield anchor, found

    def chains(self) -> list[int]:
        """The positions of all that stands in whole chains below anchors, and of what is passed over between, rising."""
        return sorted({position for _, found in self.hanging() for position in found})


def loaded(log: Log, uuid: Id) -> frozenset[Id]:
    """The uuids of what a client takes of a conversation that no boundary cuts: the way from the root, the messages on it, and
    the results of their calls, one step from the way, as the file is up to ``uuid``.

    Raises :class:`~forkpoint.core.entries.UnknownEntry`. O(entries as of ``uuid``).
    """
    position = log.position(uuid)
    tree = Tree(log, NOTHING_TOLD, way_positions(log, NOTHING_PRESERVED, uuid), position)
    return frozenset(log.spine.uuids[at] for at in tree.taken)


def beneath_positions(log: Log, preserved: Preservation, sides: Sides, uuid: Id, kept: Iterable[int] | None = None) -> list[int]:
    """The positions of what hangs below the conversation at ``uuid``, as of ``uuid``, and is not kept anyway, rising.

    ``kept`` is what :func:`forkpoint.core.rendering.kept_positions` gives, where that is known. O(entries as of ``uuid``), and
    near-linear in what is kept.
    """
    tree = Tree(log, sides, way_positions(log, preserved, uuid), log.position(uuid))
    found = tree.chains() if tree.calls else []
    return _without(found, log, preserved, uuid, kept)


def trailing_positions(log: Log, sides: Sides, uuid: Id, end: int) -> list[int]:
    """The positions of what trails behind the last words at or above ``uuid``, rising: attachments, and what the system says,
    that hang below these words through such entries alone; and what is passed over between. ``end`` is how many entries the log
    has then; at least those as of ``uuid``. O(``end``)."""
    parent = log.spine.parent
    said = last = log.position(uuid)
    while said >= 0 and log[said].kind not in SPOKEN:
        said = parent[said]
    inside, found = {said}, set[int]()
    for position in range(said + 1, min(max(end, last + 1), len(log))) if said >= 0 else ():
        if parent[position] not in inside:
            continue
        if _passed_over(log, position):
            inside.add(position)
        elif _is_aside(log, sides, position) and log[position].kind is not Kind.USER:
            inside.add(position)
            above = position
            while above != said and above not in found:
                found.add(above)
                above = parent[above]
    return sorted(found)


def beside_positions(
    log: Log, preserved: Preservation, sides: Sides, uuid: Id, end: int = 0, kept: Iterable[int] | None = None
) -> list[int]:
    """The positions of what is sent at ``uuid`` beside what is kept, where the log has ``end`` entries, rising: what hangs below,
    and what trails behind. ``kept`` and cost as :func:`beneath_positions`."""
    trails = trailing_positions(log, sides, uuid, end)
    beneath = beneath_positions(log, preserved, sides, uuid, kept)
    return sorted({*beneath, *_without(trails, log, preserved, uuid, kept)})


def _without(found: Iterable[int], log: Log, preserved: Preservation, uuid: Id, kept: Iterable[int] | None) -> list[int]:
    """Positions without those of what is kept anyway."""
    some = set(found)
    return sorted(some.difference(kept_positions(log, preserved, uuid) if kept is None else kept)) if some else []


def beneath(log: Log, preserved: Preservation, sides: Sides, uuid: Id) -> frozenset[Id]:
    """The uuids of what hangs below the conversation at ``uuid``: :func:`beneath_positions`."""
    return frozenset(log.spine.uuids[position] for position in beneath_positions(log, preserved, sides, uuid))


def trailing(log: Log, sides: Sides, uuid: Id) -> frozenset[Id]:
    """The uuids of what trails in the whole log: :func:`trailing_positions`."""
    return frozenset(log.spine.uuids[position] for position in trailing_positions(log, sides, uuid, len(log)))


def sent_beside(log: Log, preserved: Preservation, sides: Sides, uuid: Id, end: int) -> frozenset[Id]:
    """The uuids of what is sent at ``uuid`` beside what is kept: :func:`beside_positions`."""
    return frozenset(log.spine.uuids[position] for position in beside_positions(log, preserved, sides, uuid, end))


def fork_below(log: Log, preserved: Preservation, sides: Sides, uuid: Id) -> Log:
    """The fork that keeps what hangs below: what a fork keeps, and that, each entry unchanged, ``uuid`` last."""
    kept = kept_positions(log, preserved, uuid)
    return _fork(log, [*kept, *beneath_positions(log, preserved, sides, uuid, kept)])


def fork_sent(log: Log, preserved: Preservation, sides: Sides, uuid: Id, end: int) -> Log:
    """The fork that keeps all that is sent at ``uuid``, where the log has ``end`` entries, each entry unchanged, in its order."""
    kept = kept_positions(log, preserved, uuid)
    return _fork(log, [*kept, *beside_positions(log, preserved, sides, uuid, end, kept)])


def _fork(log: Log, positions: Iterable[int]) -> Log:
    entries = log.spine.entries
    return Log(entries[position] for position in sorted(positions))
