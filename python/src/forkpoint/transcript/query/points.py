"""The numbered prompts of a session, and what it takes to go back to each."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from itertools import pairwise

from forkpoint.transcript.format.compaction import crossings
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query import select
from forkpoint.transcript.query.estimates import estimates
from forkpoint.transcript.query.head import Head, path, stamp
from forkpoint.transcript.query.outline import Outline


@dataclass(frozen=True, slots=True)
class PointPlace:
    """A place where a conversation can perhaps be forked."""

    position: int
    resumable: bool
    legal: bool
    inherited: bool
    """Only an inherited break holds it back."""


@dataclass(frozen=True, slots=True)
class Point:
    """A prompt. ``before`` is the place before it, None when nothing stands there; ``end`` is that at the end of its turn."""

    number: int
    position: int
    words: str
    timestamp: str | None
    """As in the file."""
    on_path: bool
    """Whether it stands on the way to HEAD."""
    compacted: bool
    """Whether a compaction stands between the prompt before it on the way to HEAD, or the start, and this one."""
    before: PointPlace | None
    end: PointPlace
    tokens: int
    """An estimate of how many tokens the conversation has at the end of the turn (:func:`estimates`)."""


def points(transcript: Transcript, outline: Outline, head: Head) -> list[Point]:
    """Every prompt of a session, by number. Near-linear."""
    log = transcript.log
    parent = log.spine.parent
    way = path(log, head.position)
    turns = ends_of_turns(transcript, outline, way)
    tokens = transcript.once(estimates)
    carried = select.inherited(transcript, outline)
    compacted = _compacted(outline, {at for at in way if parent[at] < 0 or at in crossings(transcript)}, way)
    on_path = set(way)

    def place(position: int) -> PointPlace:
        return PointPlace(position, outline.resumable[position], outline.survey.legal[position], carried[position])

    return [
        Point(
            number=number,
            position=position,
            words=outline.words[position],
            timestamp=stamp(transcript, position),
            on_path=position in on_path,
            compacted=position in compacted,
            before=place(parent[position]) if parent[position] >= 0 else None,
            end=place(turns[position]),
            tokens=tokens[turns[position]],
        )
        for number, position in enumerate(outline.prompts, 1)
    ]


def ends_of_turns(transcript: Transcript, outline: Outline, way: list[int]) -> dict[int, int]:
    """The end of each prompt's turn, as :func:`forkpoint.transcript.query.select.end_of_turn` says; ``way`` is the one to HEAD.
    O(entries)."""
    marks = [at for at, position in enumerate(way) if position in outline.words]
    ends: dict[int, int] = {}
    for at, after in pairwise([*marks, len(way)]):
        ends[way[at]] = select.end_of_turn(transcript, outline, way[at], way[at : after + 1])
    parent, turns, last = transcript.log.spine.parent, outline.turns, outline.last
    elsewhere: dict[int, int] = {}
    for lowest in {last[prompt] for prompt in outline.prompts if prompt not in ends}:
        here = lowest
        while here >= 0 and (prompt := turns[here]) >= 0 and last[prompt] == lowest:  # above, the last written is another
            elsewhere[prompt] = here
            here = parent[prompt]
    return ends | {prompt: elsewhere[prompt] for prompt in outline.prompts if prompt not in ends}


def _compacted(outline: Outline, starts: Set[int], way: list[int]) -> set[int]:
    """The prompts on a path with a compaction boundary between them and the prompt before; ``starts`` are the entries of the path
    in front of which a client sends one."""
    found: set[int] = set()
    boundary = False
    for at, position in enumerate(way):
        boundary = boundary or (at > 0 and position in starts)
        if position in outline.words:
            if boundary:
                found.add(position)
            boundary = False
    return found
