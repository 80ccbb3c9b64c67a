"""Where two conversations part, and what each of them has added since, turn by turn.

The two stand in two sessions that share a beginning, or on two branches of one. Their entries correspond by uuid, which most
forks keep, or by ``forkedFrom.message_uuid``, by which a fork with uuids of its own names the entries that it copied.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import msgspec

from forkpoint.clients.claude.keys import FORKED_FROM, NAMES
from forkpoint.clients.claude.tools import CHANGES
from forkpoint.clients.lines import read_keys
from forkpoint.core import contexts
from forkpoint.core.entries import Id
from forkpoint.core.rendering import root_position
from forkpoint.transcript.format.compaction import crossing, preserved
from forkpoint.transcript.format.plans import nameless
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query import witness
from forkpoint.transcript.query.content import ANSWERS, CALLS, said
from forkpoint.transcript.query.outline import Outline
from forkpoint.transcript.query.reading import read


@dataclass(slots=True)
class Turn:
    """What a conversation added in one turn."""

    number: int | None
    """Of its prompt, in its own session; None before the first prompt."""
    prompt: int | None
    """The position of its prompt."""
    words: str
    goes_on: bool
    """Whether the prompt is shared, so that only a part of the turn was added."""
    entries: int = 0
    answers: int = 0
    """How many of the assistant's messages have words."""
    calls: Counter[str] = field(default_factory=Counter)
    """Its calls, by tool."""
    answer: str = ""
    """What the assistant said last."""
    files: list[str] = field(default_factory=list)
    """The files that its calls were to change, each once."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two conversations. Positions are in canonical order of its own log."""

    transcript: Transcript
    position: int
    """The entry at which it ends."""
    conversation: Sequence[int]
    added: Sequence[int]
    """What it added since the fork point, rising."""
    alone: Sequence[int]
    """What it has at the fork point already and the other has not, rising: what a client left out of a fork, or added to it."""
    turns: Sequence[Turn]
    """What was added, turn by turn."""


@dataclass(frozen=True, slots=True)
class Diff:
    """How two conversations differ."""

    a: Side
    b: Side
    shared: Mapping[int, int]
    """The positions of what both hold, in A to those in B, rising in A."""
    changed: Sequence[int]
    """The positions in A of what both hold and that says something else in B, by the witness (spec/witness.md)."""

    @property
    def fork_point(self) -> tuple[int, int] | None:
        """The last entry that both hold, by its position in A and in B; None when they hold none."""
        last = max(self.shared, default=None)
        return None if last is None else (last, self.shared[last])


def diff(a: Transcript, at_a: int, b: Transcript, at_b: int, outlines: tuple[Outline, Outline] | None = None) -> Diff:
    """Compares the conversation at a position of one transcript with that at a position of another, or of the same.

    The conversations go on above a compaction boundary, at the entry that it continues, as far as the file has it. Near-linear;
    reads the lines of both.
    """
    shape_a, shape_b = outlines or (Outline(a), Outline(b))
    ours, theirs = history(a, at_a), history(b, at_b)
    shared = partners(a, ours, b, theirs)
    back = {their: our for our, their in shared.items()}
    last = max(shared, default=None)
    return Diff(
        a=_side(a, shape_a, at_a, ours, shared, last),
        b=_side(b, shape_b, at_b, theirs, back, shared[last] if last is not None else None),
        shared=shared,
        changed=[our for our, their in shared.items() if not same(a, our, b, their)],
    )


def history(transcript: Transcript, position: int) -> list[int]:
    """The conversation at a position and, above each compaction boundary, that at the entry which the boundary continues; where
    it goes on at what a compaction preserves, the boundary and its summary too."""
    log = transcript.log
    spine = log.spine
    found: set[int] = set()
    here: int | None = position
    while here is not None:
        found.update(contexts.member_positions(log, spine.uuids[here]))
        across = crossing(transcript, here)
        if across is not None:
            found.update(contexts.member_positions(log, preserved(transcript)[across.boundary].anchor))
        root = root_position(log, spine.uuids[here])
        logical = log[root].logical_parent
        above = spine.at.get(logical) if logical is not None else None
        here = above if above is not None and above < root else None
    return sorted(found)


def partners(a: Transcript, ours: Sequence[int], b: Transcript, theirs: Sequence[int]) -> dict[int, int]:
    """The entries that some of one file and some of another share, by their positions, rising in the first: by uuid, and of those
    left over by what ``forkedFrom`` names. Near-linear; reads the lines of what has no partner by uuid."""
    by_uuid = {b.log.spine.uuids[their]: their for their in theirs}
    shared = {our: by_uuid.pop(uuid) for our in ours if (uuid := a.log.spine.uuids[our]) in by_uuid}
    named = dict(origins(a, (our for our in ours if our not in shared)))
    by_origin: dict[Id, int] = {}
    for their, origin in origins(b, by_uuid.values()):
        by_origin.setdefault(origin, their)
    if not named and not by_origin:
        return shared
    taken: set[int] = set()
    for our in ours:
        uuid, origin = a.log.spine.uuids[our], named.get(our)
        for partner in (by_origin.get(uuid), by_uuid.get(origin), by_origin.get(origin)):
            if our not in shared and partner is not None and partner not in taken:
                shared[our] = partner
                taken.add(partner)
    return dict(sorted(shared.items()))


class _Origin(msgspec.Struct, rename=NAMES):
    message_uuid: object = None


class _Line(msgspec.Struct, rename=NAMES):
    forked_from: _Origin | None = None


_decode = msgspec.json.Decoder(_Line).decode
_FORKED: Final = f'"{FORKED_FROM}"'.encode()


def origins(transcript: Transcript, positions: Iterable[int]) -> Iterator[tuple[int, Id]]:
    """Of each entry that says so the uuid of the one that it was copied from."""
    for position in positions:
        raw = transcript.line(transcript.span(position))
        if _FORKED in raw:
            line = read_keys(_decode, raw, FORKED_FROM)
            if line is not None and line.forked_from is not None and isinstance(line.forked_from.message_uuid, str):
                yield position, line.forked_from.message_uuid


def same(a: Transcript, our: int, b: Transcript, their: int) -> bool:
    """Whether two entries say the same, by the witness. Reads both lines."""
    mine, other = a.line(a.span(our)), b.line(b.span(their))
    return mine == other or witness.said(nameless(mine)) == witness.said(nameless(other))


def _side(
    transcript: Transcript,
    outline: Outline,
    position: int,
    conversation: Sequence[int],
    shared: Mapping[int, int],
    fork_point: int | None,
) -> Side:
    at_fork = set(history(transcript, fork_point)) if fork_point is not None else set()
    own = [each for each in conversation if each not in shared]
    added = [each for each in own if each not in at_fork]
    turns = _turns(transcript, outline, conversation, set(added), shared)
    return Side(transcript, position, conversation, added, [each for each in own if each in at_fork], turns)


def _turns(
    transcript: Transcript, outline: Outline, conversation: Iterable[int], added: set[int], shared: Mapping[int, int]
) -> list[Turn]:
    """What was added, by the last prompt of the conversation at or before it."""
    numbers = {position: number for number, position in enumerate(outline.prompts, 1)}
    turns: list[Turn] = []
    prompt: int | None = None
    answered: set[Id] = set()
    for position in conversation:
        if position in numbers:
            prompt = position
        if position not in added:
            continue
        if not turns or turns[-1].prompt != prompt:
            number, words = (None, "") if prompt is None else (numbers[prompt], outline.words[prompt])
            turns.append(Turn(number, prompt, words, prompt in shared))
        turn = turns[-1]
        turn.entries += 1
        parts = said(transcript, position, prompt=position in numbers).parts
        turn.calls.update(part.name for part in parts if part.kind == CALLS)
        if any(part.kind == ANSWERS for part in parts):
            message = transcript.log[position].message
            name: Id = ("entry", position) if message is None else ("message", message)
            turn.answers += name not in answered
            answered.add(name)
        for told in read(transcript, numbers.keys(), [position]) if any(part.kind in (ANSWERS, CALLS) for part in parts) else ():
            if told.kind == "words":
                turn.answer = told.text
            elif told.kind == "call" and (key := CHANGES.get(told.tool or "")) is not None:
                given = json.loads(told.text)
                name = given.get(key) if isinstance(given, dict) else None
                if isinstance(name, str) and name not in turn.files:
                    turn.files.append(name)
    return turns
