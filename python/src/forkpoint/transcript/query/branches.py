"""A session as its branches: of each what stands on it from top to bottom, and which others leave it there.

The way to HEAD is one branch. Any other goes on with the child below which most stands, so that branches nest at most
logarithmically deep, however often a conversation was rewound. A compaction goes on where it says that it does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from forkpoint.transcript.format.compaction import preserved, starts_anew
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query.head import Head, path
from forkpoint.transcript.query.merges import merges
from forkpoint.transcript.query.outline import Outline
from forkpoint.transcript.query.points import Point
from forkpoint.transcript.query.points import points as points_of

Kind = Literal["prompt", "compaction", "merge", "record", "fork", "end"]


class Noted(NamedTuple):
    """What a record says: ``drop``, ``compact``, ``undo`` or ``redo``; how many entries it covers; whether it counts at HEAD."""

    what: str
    covers: int
    counts: bool


@dataclass(slots=True)
class Stop:
    """An entry that is shown: a prompt, a compaction, a merge, a record, the end of a branch, or a fork above all of them."""

    position: int
    kind: Kind
    point: Point | None = None
    """Of a prompt its number, its words, and where one can go on behind its turn."""
    left_out: bool = False
    """Whether a record leaves it out of the conversation at HEAD."""
    brought: str | None = None
    """Of a merge the uuid of the entry at which what it brought ends; of such an end, that of the merge."""
    kept: int = 0
    """Of a compaction how many entries it preserves, of a record how many it leaves out."""
    record: Noted | None = None
    """Of a record what it says."""
    branches: list[Branch] = field(default_factory=list)
    """Those that leave the branch here or further on, before its next stop."""


@dataclass(slots=True)
class Branch:
    """A stretch of a session: where it leaves the one above (-1: nowhere), and what stands on it; its last stop is its end."""

    base: int
    live: bool
    """Whether it is the way to HEAD."""
    root: int
    """Its first entry, shown or not."""
    stops: list[Stop] = field(default_factory=list)
    way: list[int] = field(default_factory=list)
    """The entries from its first to its last stop, without what hangs beside."""

    def all(self) -> Iterator[Branch]:
        """It and those that leave it, each before those that leave it."""
        todo = [self]
        while todo:
            found = todo.pop()
            yield found
            todo += [each for stop in reversed(found.stops) for each in reversed(stop.branches)]


def branches(
    transcript: Transcript,
    outline: Outline,
    head: Head,
    records: Mapping[int, Noted],
    covered: Set[str],
) -> list[Branch]:
    """The branches of a session that leave no other one, the way to HEAD as one of them. Near-linear.

    ``records`` are the entries that leave something out, each with what it says, ``covered`` what is left out at HEAD. A session
    without a user's or an assistant's entry has none.
    """
    log, size = transcript.log, len(transcript.log)
    uuids, above = log.spine.uuids, list(log.spine.parent[:size])
    kept = preserved(transcript)
    anew: dict[int, int] = {}
    for at in range(size):
        if above[at] < 0 and starts_anew(transcript, at):
            anew[at] = len(kept[uuids[at]].uuids) if uuids[at] in kept else 0
            before = log[at].logical_parent
            if before is not None and before in log and log.position(before) < at:
                above[at] = log.position(before)
    joined = {log.position(node): str(end) for node, end in merges(transcript).items()}
    ends = {end: str(uuids[node]) for node, end in joined.items()}
    prompts = {point.position: point for point in points_of(transcript, outline, head)}
    shown = {*prompts, *outline.tips, *anew, *joined, *records, *(() if head.position is None else (head.position,))}
    live = set(path(log, head.position))
    counted = [int(at in shown) for at in range(size)]  # how much stands at or below an entry
    children: list[list[int]] = [[] for _ in range(size)]
    roots: list[int] = []
    for at in range(size - 1, -1, -1):
        if counted[at]:
            if above[at] >= 0:
                counted[above[at]] += counted[at]
            (children[above[at]] if above[at] >= 0 else roots).append(at)

    def stops(at: int, *, last: bool) -> Iterator[Stop]:
        """What is shown of an entry."""
        left_out = str(uuids[at]) in covered
        if at in prompts:
            yield Stop(at, "prompt", prompts[at], left_out)
        elif at in joined:
            yield Stop(at, "merge", left_out=left_out, brought=joined[at])
        elif at in anew:
            yield Stop(at, "compaction", left_out=left_out, kept=anew[at])
        elif at in records:
            yield Stop(at, "record", left_out=left_out, kept=records[at].covers, record=records[at])
        if last:
            yield Stop(at, "end", left_out=left_out, brought=ends.get(str(uuids[at])))

    found = [Branch(-1, root in live, root) for root in reversed(roots)]
    todo = list(zip(found, reversed(roots), strict=True))
    while todo:
        branch, at = todo.pop()
        onward: int | None = at
        while onward is not None:
            at, below = onward, children[onward][::-1]
            branch.way.append(at)
            onward = None if at == head.position else next((child for child in below if child in live), None)
            if onward is None and below and at != head.position:
                onward = max(below, key=lambda child: (counted[child], child))
            branch.stops += stops(at, last=onward is None)
            others = [child for child in below if child != onward]
            if others and not branch.stops:
                branch.stops.append(Stop(at, "fork"))
            for child in others:
                branch.stops[-1].branches.append(Branch(at, False, child))
                todo.append((branch.stops[-1].branches[-1], child))
    return found


def owners(transcript: Transcript, every: Sequence[Branch]) -> tuple[list[int], list[int]]:
    """Of each entry the number of the branch that it is on, -1 where it is on none, and the entry of the branch's way at or below
    which it stands. O(entries)."""
    parent, size = transcript.log.spine.parent, len(transcript.log)
    owner, anchor = [-1] * size, list(range(size))
    for number, branch in enumerate(every):
        for at in branch.way:
            owner[at] = number
    for at in range(size):
        above = parent[at]
        if owner[at] < 0 <= above:
            owner[at], anchor[at] = owner[above], anchor[above]
    return owner, anchor
