"""Chapter 5: P3 tools-balanced, over contexts, by id and by order; resumable points and legal fork points.

Mirrors ``dafny/05-Balance.dfy``. :class:`Walk` does in one walk what the methods of ``dafny/05-Balance.Fast.dfy`` do in two.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

from forkpoint.core.contexts import member_positions, settled
from forkpoint.core.entries import Block, Entry, Id, Kind, Log, Opaque, Use


class Books(NamedTuple):
    """The books of a conversation: the calls that are out, and the calls ever made."""

    out: frozenset[Id]
    made: frozenset[Id]


BLANK = Books(frozenset(), frozenset())


def run(books: Books | None, entries: Iterable[Entry]) -> Books | None:
    """The books after more entries; ``None`` when they are broken, by a use id that was used before or a result that
    answers no open call. O(blocks)."""
    return _run(books, (entry.blocks for entry in entries))


def _run(books: Books | None, each: Iterable[tuple[Block, ...]]) -> Books | None:
    """The books after the blocks of more entries."""
    if books is None:
        return None
    out, made = set(books.out), set(books.made)
    if not all(_enter(out, made, blocks) for blocks in each):
        return None
    return Books(frozenset(out), frozenset(made))


def _enter(out: set[Id], made: set[Id], blocks: Iterable[Block]) -> bool:
    """Enters blocks into books, the calls that are out and those ever made; whether the books are whole still."""
    for block in blocks:
        if isinstance(block, Opaque):
            continue
        if isinstance(block, Use):
            if block.id in made:
                return False
            made.add(block.id)
            out.add(block.id)
        elif block.id in out:
            out.remove(block.id)
        else:
            return False
    return True


def sound(entries: Iterable[Entry]) -> bool:
    """Whether no use comes twice and every result answers an open use; calls may be out."""
    return run(BLANK, entries) is not None


def balanced(entries: Iterable[Entry]) -> bool:
    """P3: sound, and no call is out."""
    books = run(BLANK, entries)
    return books is not None and not books.out


def resumable(log: Log, uuid: Id) -> bool:
    """Whether the conversation at ``uuid`` is balanced and nothing that belongs to it comes later."""
    blocks = log.spine.blocks
    books = _run(BLANK, (blocks[position] for position in member_positions(log, uuid)))
    return books is not None and not books.out and settled(log, uuid)


def main_line_assistant(entry: Entry) -> bool:
    """Whether the assistant itself wrote the entry, in the main line."""
    return entry.kind is Kind.ASSISTANT and not entry.sidechain


def legal(log: Log, uuid: Id) -> bool:
    """Whether ``uuid`` is a legal fork point: resumable, and the end of a complete assistant turn."""
    return main_line_assistant(log.entry(uuid)) and resumable(log, uuid)


_Heap: TypeAlias = "tuple[int, int, int, _Heap | None, _Heap | None]"
"""Hubs by their next joiner, the first on top, as a leftist heap that never changes: its rank, the joiner, the hub, the two
heaps below. What was before is there again at no cost when the walk goes back."""


def _merged(one: _Heap | None, other: _Heap | None) -> _Heap | None:
    """Two heaps as one. O(log size)."""
    if one is None or other is None:
        return one or other
    if other[1] < one[1]:
        one, other = other, one
    left, right = one[3], _merged(one[4], other)
    if left is None or (right is not None and left[0] < right[0]):
        left, right = right, left
    return (1 if right is None else right[0] + 1, one[1], one[2], left, right)


class Tally:
    """Uses and results of one tool id inside the current context.

    Each block has a place in the log, one rising number. ``lead`` is the places of the results less those of the uses:
    where there is one of each, it says by how much the result comes later, whatever the order of coming and going.
    """

    __slots__ = ("lead", "results", "uses")

    def __init__(self) -> None:
        self.uses = self.results = self.lead = 0

    @property
    def paired(self) -> bool:
        """No block of this id is inside, or one use and, later, one result."""
        if self.uses == 1:
            return self.results == 1 and self.lead > 0
        return self.uses == 0 and self.results == 0


NOTHING: Final[list[tuple[int, int]]] = []
"""The hubs that an entry moves which moves none."""


class Walk:
    """Visits every entry of a log depth first and keeps the context of the one it is at.

    Iterating yields positions. At each, ``inside`` marks the positions of the context, ``base`` is an entry of the context
    that was visited before (-1: there is none), ``added`` lists those that the context of ``base`` lacks. The context of
    ``base`` is a part of the one that the walk is at. ``unpaired`` has the tool ids, by their numbers in ``tools``, that are not
    paired in it, ``pending`` the hubs whose later joiners the context needs (None: none): the context is balanced exactly if
    ``unpaired`` is empty and settled exactly if ``pending`` is None. Near-linear in the log for the logs that clients write; no
    recursion on depth.
    """

    def __init__(self, log: Log) -> None:
        self._log = log
        self.inside = bytearray(len(log))
        self.added: list[int] = []
        self.base = -1
        self.unpaired: set[int] = set()
        self.pending: _Heap | None = None
        self.tools: dict[Id, int] = {}
        self.blocks: list[list[tuple[int, bool, int]]] = []
        place = 0
        for blocks in islice(log.spine.blocks, len(log)):
            marks: list[tuple[int, bool, int]] = []
            for block in blocks:
                place += 1
                if not isinstance(block, Opaque):
                    marks.append((self.tools.setdefault(block.id, len(self.tools)), isinstance(block, Use), place))
            self.blocks.append(marks)
        self.tallies = [Tally() for _ in self.tools]

    def __iter__(self) -> Iterator[int]:
        spine, size = self._log.spine, len(self._log)
        parent, opens, joiners = spine.parent, spine.opens, spine.joiners
        inside, blocks, count = self.inside, self.blocks, self._count
        reached = [-1] * len(joiners)  # how many joiners of a hub are inside; -1 while no member opens it
        children: list[list[int]] = [[] for _ in range(size)]
        roots: list[int] = []
        base = bases(self._log)
        for position in range(size):
            (children[base[position]] if base[position] >= 0 else roots).append(position)
        # a frame: what entering added, the hubs it moved with where they stood, the parent's pending hubs
        frames: list[tuple[list[int], list[tuple[int, int]], _Heap | None]] = []
        todo = [~root for root in reversed(roots)]  # ~p: enter p; otherwise leave the entry on top of the frames
        while todo:
            step = todo.pop()
            if step >= 0:
                added, moved, self.pending = frames.pop()
                for position in added:
                    inside[position] = 0
                    if blocks[position]:
                        count(position, -1)
                for hub, stood in reversed(moved):
                    reached[hub] = stood
                continue
            current = ~step
            pending = heap = self.pending
            above = parent[current]
            if not opens[current] and (above < 0 or inside[above]) and (heap is None or heap[1] > current):
                inside[current] = 1  # it adds itself, and moves nothing
                if blocks[current]:
                    count(current, 1)
                self.added = [current]
                self.base = base[current]
                frames.append((self.added, NOTHING, pending))
                yield current
                todo.append(0)
                below = children[current]
                todo += [~below[0]] if len(below) == 1 else [~child for child in reversed(below)]
                continue
            added, moved = [], []
            queue = [current]
            while heap is not None and heap[1] <= current:
                hub = heap[2]
                heap = _merged(heap[3], heap[4])
                stood = reached[hub]
                moved.append((hub, stood))
                joining = joiners[hub]
                while stood < len(joining) and joining[stood] <= current:
                    queue.append(joining[stood])
                    stood += 1
                reached[hub] = stood
                if stood < len(joining) and joining[stood] < size:
                    heap = _merged(heap, (1, joining[stood], hub, None, None))
            while queue:
                position = queue.pop()
                if inside[position]:
                    continue
                inside[position] = 1
                added.append(position)
                if blocks[position]:
                    count(position, 1)
                above = parent[position]
                if above >= 0 and not inside[above]:
                    queue.append(above)
                for hub in opens[position]:
                    if reached[hub] < 0:
                        moved.append((hub, -1))
                        joining = joiners[hub]
                        stood = 0
                        while stood < len(joining) and joining[stood] <= current:
                            queue.append(joining[stood])
                            stood += 1
                        reached[hub] = stood
                        if stood < len(joining) and joining[stood] < size:
                            heap = _merged(heap, (1, joining[stood], hub, None, None))
            frames.append((added, moved, pending))
            self.pending = heap
            self.added = added
            self.base = base[current]
            yield current
            todo.append(0)
            below = children[current]
            todo += [~below[0]] if len(below) == 1 else [~child for child in reversed(below)]

    def _count(self, position: int, by: int) -> None:
        """Enters the blocks of an entry that comes (1) or goes (-1) into the tallies."""
        for tool, is_use, place in self.blocks[position]:
            tally = self.tallies[tool]
            was = tally.paired
            if is_use:
                tally.uses += by
                tally.lead -= by * place
            else:
                tally.results += by
                tally.lead += by * place
            if was != tally.paired:
                (self.unpaired.add if was else self.unpaired.remove)(tool)


FEW: Final = 4
"""How many of the hubs that an entry opens, and of the entries that open a hub, are asked for a base."""


def bases(log: Log) -> list[int]:
    """For each entry one before it that its context holds, the one that holds most of it; -1 for a root with none.

    The context of a member is a part of the context, since contexts only grow with what stands later. So a walk from bases has
    to enter only what the base lacks. A parent will do; but of parts of a message, side by side or in one branch after the
    other, and of their results, each context holds nearly all of the one before it, and little of it is the parent's. What
    counts is the size of the context, which is more than that of its base by at least the entry and those asked that stand
    after the base. Asked are the last few where an entry opens many hubs or many entries open one hub, and the last joiner of
    the next entry above that opens one: where every line stands twice, its context is most of it. What is found is a base all
    the same. O(blocks).
    """
    spine, size = log.spine, len(log)
    parent, opens, joiners = spine.parent, spine.opens, spine.joiners
    joins: list[list[int]] = [[] for _ in range(size)]
    for hub, positions in enumerate(joiners):
        for position in positions:
            if position < size:
                joins[position].append(hub)
    openers: list[dict[int, None]] = [{} for _ in joiners]  # of each hub the hubs whose joiners so far open it, and
    holders: list[list[int]] = [[] for _ in joiners]  # the entries that open it: of both the last few
    latest = [-1] * len(joiners)  # of each hub the last joiner so far, of it or of a hub that one of its joiners opens
    newest = [-1] * size  # of each entry the last joiner so far of a hub that it opens
    carrier = [-1] * (size + 1)  # of each entry itself or the next one above that opens a hub; the last is for no entry
    depth = [0] * (size + 1)  # how many entries stand above it, itself counted
    held = [0] * (size + 1)  # of each entry about how many its context holds; the last is for no entry
    found: list[int] = []
    for position in range(size):
        above = parent[position]
        few = (*opens[position][:FEW], *(opens[above][:FEW] if above >= 0 else ()))
        carrying = carrier[above]
        near = (newest[carrying] if carrying >= 0 else -1, *[latest[hub] for hub in few])
        base = above
        for member in near:
            if held[member] > held[base] or (held[member] == held[base] and member > base):
                base = member
        found.append(base)
        carrier[position] = position if opens[position] else carrying
        depth[position] = depth[above] + 1
        held[position] = held[base] + 1
        if max(near) > base:
            held[position] += len({member for member in near if member > base})
        if base == near[0] != above:
            held[position] += depth[above] - depth[carrying]
        for hub in joins[position]:
            latest[hub] = position
            for opener in openers[hub]:
                latest[opener] = position
            for holder in holders[hub]:
                newest[holder] = position
        for opened in opens[position]:
            holders[opened] = [*holders[opened][1 - FEW :], position]
            for hub in joins[position]:
                if opened != hub:
                    openers[opened].pop(hub, None)
                    openers[opened][hub] = None
                    if len(openers[opened]) > FEW:
                        del openers[opened][next(iter(openers[opened]))]
                    latest[hub] = max(latest[hub], latest[opened])
    return found


class Survey(NamedTuple):
    """For every position of a log: whether its context is balanced, settled, and whether it is a legal fork point."""

    balanced: list[bool]
    settled: list[bool]
    legal: list[bool]

    @classmethod
    def blank(cls, size: int) -> Survey:
        """A survey in which nothing is judged yet. O(size)."""
        return cls([False] * size, [False] * size, [False] * size)

    def judge(self, walk: Walk, position: int, main: bool) -> None:
        """Enters the verdicts on the entry that a walk is at; ``main`` says whether :func:`main_line_assistant` holds. O(1)."""
        balanced = self.balanced[position] = not walk.unpaired
        settled = self.settled[position] = not walk.pending
        self.legal[position] = balanced and settled and main

    def resumable(self, position: int) -> bool:
        """Balanced and settled."""
        return self.balanced[position] and self.settled[position]


def survey(log: Log) -> Survey:
    """Balance, settledness and legality of all entries in one pass. Near-linear, as :class:`Walk` says."""
    answer = Survey.blank(len(log))
    walk = Walk(log)
    for position in walk:
        answer.judge(walk, position, main_line_assistant(log[position]))
    return answer
