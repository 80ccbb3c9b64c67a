"""What holds a conversation back though its books are in order: what the file does not say, and what a compaction preserves.

A damaged line is a *hole*. It matters where it may have held a part of a message of the conversation, or an answer to one of its
calls. In files as clients write them such a line stands before the next prompt below, so what can be read of the hole decides
(the message, the tool, the parent), and where nothing can, the entry before it. A message that asks for a tool and has no call
is cut off. What a compaction preserves is sent again, and so belongs to the conversation; so do the boundary and its anchor
where a conversation goes on at what it preserves.

Each obstacle is attached to an entry: a conversation that holds the entry has it. One that lies in what a boundary sends again is
a conversation's as long as the client sends that: where the conversation goes on across a later boundary, it no longer does.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from forkpoint.clients.claude import patterns
from forkpoint.clients.claude.lines import SPEECH_TYPES
from forkpoint.clients.lines import NO_OBJECT, Damage
from forkpoint.core import rendering
from forkpoint.core.balance import BLANK, run, survey
from forkpoint.core.contexts import member_positions
from forkpoint.core.entries import Block, Id, Kind, Opaque, Use
from forkpoint.core.holes import AnswerTo, Fragment, PartOf, unkept, wants
from forkpoint.transcript.format.compaction import boundaries, crossings, preserved
from forkpoint.transcript.format.reader import Transcript

HOLE: Final = 2
"""The mark of an obstacle that a person may overlook; that of any other is 1."""


class Obstacle(NamedTuple):
    """Why a conversation that holds an entry is none at which one goes on."""

    line: int
    """The line to look at."""
    why: str
    hole: bool = False
    """Whether it is only that a damaged line may have belonged to the conversation."""

    @property
    def mark(self) -> int:
        return HOLE if self.hole else 1


class Obstacles(NamedTuple):
    """The obstacles of a transcript, each by the position of the entry to which it is attached."""

    held: Mapping[int, Obstacle]
    """Of each conversation that holds the entry; of several the first that no person may overlook, or else the first."""
    again: Mapping[int, Obstacle]
    """What is wrong with what a boundary sends again: at its anchor, and at an entry that goes on at what it preserves."""


def obstacles(transcript: Transcript) -> Obstacles:
    """The obstacles of a transcript. Found once. O(entries + damage + what is preserved), and for each boundary that is
    crossed near-linear in what stands behind it."""
    return transcript.once(_obstacles)


def _obstacles(transcript: Transcript) -> Obstacles:
    held: dict[int, Obstacle] = {}
    for position, obstacle in (*_asking(transcript), *_holes(transcript)):
        held.setdefault(position, obstacle)
    return Obstacles(held, {**dict(_preserved(transcript)), **dict(_across(transcript))})


def standing(transcript: Transcript, position: int) -> list[Obstacle]:
    """The obstacles of the conversation at an entry. Near-linear in what a fork there keeps."""
    found = obstacles(transcript)
    if not found.held and not found.again:
        return []
    log = transcript.log
    uuid = log.spine.uuids[position]
    kept = rendering.kept_positions(log, preserved(transcript), uuid)
    here = [found.held[member] for member in kept if member in found.held]
    crosser = position
    while crosser >= 0 and crosser not in crossings(transcript):
        crosser = log.spine.parent[crosser]
    sends = member_positions(log, uuid) if crosser < 0 else [crosser]
    return here + [found.again[member] for member in sends if member in found.again]


# ---- a message that was cut off before its call


def _asking(transcript: Transcript) -> Iterator[tuple[int, Obstacle]]:
    """Messages that stopped for a tool, and hold no call."""
    asking = transcript.asking
    if not asking:
        return
    log, messages = transcript.log, transcript.messages
    announced = {messages[position] for position in asking} - {None}
    lost = unkept((log[position] for position in range(len(log)) if messages[position] in announced), announced)
    for position in asking:
        if messages[position] is None or messages[position] in lost:
            line = transcript.span(position).number
            yield position, Obstacle(line, f"the message on line {line} asks for a tool, and its call is not in the file")


# ---- what a compaction preserves


def _preserved(transcript: Transcript) -> Iterator[tuple[int, Obstacle]]:
    """Boundaries that preserve calls without their results, or the other way round."""
    log = transcript.log
    for boundary, (anchor, uuids) in preserved(transcript).items():
        if anchor not in log or anchor in uuids or not rendering.resolves(log, boundary, uuids):
            continue  # nothing is sent again
        books = run(BLANK, (log.entry(uuid) for uuid in uuids))
        if books is None or books.out:
            line = transcript.span(log.position(boundary)).number
            tools = ", ".join(sorted(_unpaired(transcript, uuids)))
            why = f"the compaction on line {line} preserves calls and results that do not go together ({tools})"
            yield log.position(anchor), Obstacle(line, f"{why}: a client sends them so")


def _unpaired(transcript: Transcript, uuids: tuple[Id, ...]) -> set[str]:
    """The tool ids of a list of entries that have not one call, and later one result."""
    seen: dict[str, list[bool]] = {}
    for uuid in uuids:
        for block in transcript.log.entry(uuid).blocks:
            name = getattr(block, "id", None)
            if name is not None:
                seen.setdefault(str(name), []).append(isinstance(block, Use))
    return {tool for tool, order in seen.items() if order != [True, False]}


def _across(transcript: Transcript) -> Iterator[tuple[int, Obstacle]]:
    """Entries that go on at what a compaction before them preserves, where that is not said as clients write it: another
    compaction stands between, whose client has forgotten the entry; or calls and results are torn apart by it."""
    log, number = transcript.log, transcript.numbers
    found = crossings(transcript)
    cuts = boundaries(transcript) if found else ()
    lines = [number[at] for at in cuts]
    together = _Together(transcript)
    for position, crossing in found.items():
        boundary = log.position(crossing.boundary)
        own, at, before = (number[where] for where in (position, log.position(crossing.at), boundary))
        what = f"line {own} goes on at line {at}, which the compaction on line {before} preserves"
        last = bisect_left(lines, own) - 1
        if last >= 0 and cuts[last] != boundary:
            yield position, Obstacle(own, f"{what}, and a client forgets it at the compaction on line {lines[last]}")
        elif not together(crossing):
            yield position, Obstacle(own, f"{what}: calls and results do not go together there")


class _Together:
    """Whether calls and results go together in what is sent across boundaries, whatever balanced conversation goes on there.

    What comes before it is balanced, and so is the conversation at the entry where one goes on. Nothing else that stands behind
    the boundary shares a tool id with what is sent. Of each boundary it is found once, in what stands at its anchor and the list.
    """

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._good: dict[Id, frozenset[Id]] = {}
        self._balanced: list[bool] = []
        self._told: dict[Id, list[int]] = {}  # of each tool id the entries that hold it

    def __call__(self, crossing: rendering.Crossing) -> bool:
        log = self._transcript.log
        if not self._good:
            self._balanced = survey(log).balanced
            for at in range(len(log)):
                for name in _tools(log.spine.blocks[at]):
                    self._told.setdefault(name, []).append(at)
        if crossing.boundary not in self._good:
            self._good[crossing.boundary] = frozenset(self._ends(crossing.boundary))
        return crossing.at in self._good[crossing.boundary] and self._balanced[log.position(crossing.at)]

    def _ends(self, boundary: Id) -> Iterator[Id]:
        """The listed entries up to which what is sent before is balanced, and shares nothing."""
        log, (anchor, listed) = self._transcript.log, preserved(self._transcript)[boundary]
        again, first = [log.position(uuid) for uuid in listed], member_positions(log, anchor)
        own, before = {*again, *first}, log.position(boundary)
        if len(own) < len(again) + len(first):
            return  # no client lists what stands at the anchor anyway

        def shared(name: Id) -> bool:
            return any(at > before and at not in own for at in self._told[name])

        made, out = set[Id](), set[Id]()
        for place, at in enumerate([*first, *again]):
            for block in log.spine.blocks[at]:
                if isinstance(block, Opaque):
                    continue
                answers = not isinstance(block, Use)
                if answers is not (block.id in out) or (not answers and block.id in made) or shared(block.id):
                    return
                made.add(block.id)
                out ^= {block.id}
            if place >= len(first) and not out:
                yield log.spine.uuids[at]


def _tools(blocks: Iterable[Block]) -> Iterator[Id]:
    """The tool ids in some blocks."""
    return (block.id for block in blocks if not isinstance(block, Opaque))


# ---- holes

_EDGE: Final = 1 << 16
"""How much of a hole is looked at, from its start and from its end."""
_ID: Final = re.compile(rb'"id"\s*+:\s*+"([^"\\]++)"')
_OPENING: Final = (b'"message":{', b'"type":"message",', b'"role":"assistant",')
"""What stands right before the id of a message, but for space; or the model."""
CALL: Final = re.compile(rb'"type"\s*+:\s*+"tool_use"\s*+,\s*+"id"\s*+:\s*+"([^"\\]++)"')
"""A call in a line that cannot be read, with its id."""
_ANSWER: Final = re.compile(rb'"tool_use_id"\s*+:\s*+"([^"\\]++)"')
_OWN: Final = re.compile(rb'"uuid"\s*+:\s*+"([^"\\]++)"')
_TYPE: Final = re.compile(rb'"type"\s*+:\s*+"([\w-]++)"')


class _Readable(NamedTuple):
    """What can be read of a hole."""

    parents: list[str]
    root: bool
    messages: list[str]
    calls: list[str]
    answers: list[str]
    own: list[str]
    aside: bool
    """Whether it is of a line that is neither the user's nor the assistant's."""
    user: bool
    """Whether it is of a line of the user's side: no part of a message, and an answer only to a call without one."""


def _read(transcript: Transcript, damage: Damage) -> _Readable:
    start, end = damage.span.start, damage.span.end
    raw = transcript.source.read(start, min(end, start + _EDGE))
    if end - start > _EDGE:
        raw += b"\n" + transcript.source.read(max(start + _EDGE, end - _EDGE), end)
    parents = patterns.PARENT.findall(raw)
    types = set(_TYPE.findall(raw))
    messages = [_text(match[1]) for match in _ID.finditer(raw) if _is_messages(raw, match.start())]
    calls, answers, own = (list(map(_text, one.findall(raw))) for one in (CALL, _ANSWER, _OWN))
    return _Readable(
        parents=[_text(name) for name, _ in parents if name],
        root=any(null for _, null in parents),
        messages=messages,
        calls=calls,
        answers=answers,
        own=own,
        aside=bool(types) and not types & SPEECH_TYPES,
        user=b"user" in types and b"assistant" not in types,
    )


def _is_messages(raw: bytes, at: int) -> bool:
    """Whether the id at a place is that of the message, and not of a block in it or of something else."""
    before = b"".join(raw[max(0, at - 200) : at].split())
    if not before or before.endswith(_OPENING):
        return True
    model = before.rfind(b'"model":"')
    return model >= 0 and before.endswith(b'",') and before.count(b'"', model) == 4


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _holes(transcript: Transcript) -> Iterator[tuple[int, Obstacle]]:
    """The entries beside which a hole may have belonged to the conversation."""
    damage = [hole for hole in transcript.damage if hole.reason != NO_OBJECT]
    damage += [*([transcript.unfinished] if transcript.unfinished else [])]
    if not damage or not len(transcript.log):
        return
    seen = [(hole, _read(transcript, hole)) for hole in damage]
    near = _Near(transcript)
    others = {uuid for _, told in seen for uuid in told.own}
    for hole, told in seen:
        for position in near.beside(hole.line, told, others):
            why = f"line {hole.line}, which is damaged, may have belonged to it ({hole.reason})"
            yield position, Obstacle(hole.line, f"its conversation may lack something: {why}", True)


class _Near:
    """Where holes may have belonged."""

    def __init__(self, transcript: Transcript) -> None:
        log = self._log = transcript.log
        self._numbers = transcript.numbers
        self._order = sorted(range(len(log)), key=self._numbers.__getitem__)
        self._lines = [self._numbers[position] for position in self._order]
        aside = transcript.sidechains
        self._main = [position for position in self._order if not aside[position]]
        self._main_lines = [self._numbers[position] for position in self._main]
        self._told: set[Id] = set()
        self._messages: dict[Id, list[int]] = {}
        self._calls: dict[Id, list[int]] = {}
        self._below = [0] * len(log)  # the line of the first prompt strictly below, 0 where there is none
        parent = log.spine.parent
        prompts = transcript.prompts
        for position in range(len(log) - 1, -1, -1):
            above = parent[position]
            if above >= 0:
                own = self._numbers[position] if prompts[position] else 0
                lines = [line for line in (self._below[above], self._below[position], own) if line]
                self._below[above] = min(lines, default=0)
        for position, message in enumerate(transcript.messages):
            if message is not None and transcript.kinds[position] is Kind.ASSISTANT:
                self._messages.setdefault(message, []).append(position)
        for position, blocks in enumerate(log.spine.blocks[: len(log)]):
            for block in blocks:
                if isinstance(block, Use):
                    self._calls.setdefault(block.id, []).append(position)

    def beside(self, line: int, told: _Readable, others: set[str]) -> list[int]:
        """The entries to whose message or calls a hole may have belonged."""
        if told.aside:
            return []
        sure = [name for name in told.messages if name in self._messages]
        tools = [name for name in (*told.calls, *told.answers) if name in self._calls]
        if sure or tools:
            near = {at for name in sure if name not in self._told for at in self._messages[name]}
            near |= {at for name in tools if name not in self._told for at in self._calls[name]}
            held: list[Fragment] = [*map(PartOf, sure), AnswerTo(frozenset(tools))]
            self._told.update(sure, tools)  # one hole is enough
            return sorted(at for at in near if any(wants(self._log[at], fragment) for fragment in held))
        if told.messages or told.user or (told.answers and not told.calls):
            return []  # of a message, or to calls, that no entry of the file has
        if told.parents or told.root:
            known = [self._log.position(name) for name in told.parents if name in self._log]
            if known or all(name in others for name in told.parents):
                return [at for at in known if not 0 < self._below[at] < line]
        before, main = bisect_left(self._lines, line), bisect_left(self._main_lines, line)
        # a sub-agent may write in between: then the main line may be meant
        return sorted({*self._order[before - 1 : before], *self._main[main - 1 : main]} if before else ())
