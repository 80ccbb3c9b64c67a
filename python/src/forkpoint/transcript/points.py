"""The numbered prompts of a session, and what it takes to go back to each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import accumulate, pairwise

from forkpoint.core.balance import Walk
from forkpoint.core.entries import Id
from forkpoint.transcript import select
from forkpoint.transcript.compaction import crossings, preserved, sent_again
from forkpoint.transcript.head import Head, path, stamp
from forkpoint.transcript.outline import Outline
from forkpoint.transcript.reader import Transcript
from forkpoint.transcript.said import said
from forkpoint.transcript.tokens import Rate


@dataclass(frozen=True, slots=True)
class Place:
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
    before: Place | None
    end: Place
    tokens: int
    """An estimate of how many tokens the conversation has at the end of the turn (:func:`estimates`)."""


def points(transcript: Transcript, outline: Outline, head: Head) -> list[Point]:
    """Every prompt of a session, by number. Near-linear."""
    log = transcript.log
    parent = log.spine.parent
    way = path(log, head.position)
    turns = ends_of_turns(transcript, outline, way)
    tokens = estimates(transcript)
    carried = select.inherited(transcript, outline)
    compacted = _compacted(outline, {at for at in way if parent[at] < 0 or at in crossings(transcript)}, way)
    on_path = set(way)

    def place(position: int) -> Place:
        return Place(position, outline.resumable[position], outline.survey.legal[position], carried[position])

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
    """The end of each prompt's turn; ``way`` is the one to HEAD. O(entries)."""
    marks = [at for at, position in enumerate(way) if position in outline.words]
    ends: dict[int, int] = {}
    for at, after in pairwise([*marks, len(way)]):
        ends[way[at]] = select.end_of_turn(transcript, outline, way[at], way[at : after + 1])
    for prompt in outline.prompts:
        if prompt not in ends:
            ends[prompt] = select.end_of_turn(transcript, outline, prompt, ())
    return ends


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


def weight(transcript: Transcript, position: int) -> int:
    """How many bytes of an entry count in :func:`estimates`. Reads its line."""
    return sum(part.weight for part in said(transcript, position, prompt=False).parts)


def estimates(transcript: Transcript) -> list[int]:
    """Of each entry how many tokens its conversation has, estimated: the bytes of what its entries say
    (:mod:`forkpoint.transcript.said`) at the rate of the real transcripts. Near-linear; reads every line of such an entry."""
    log = transcript.log
    size = [0] * len(log)
    weights: dict[int, int] = {}
    walk = Walk(log)
    for position in walk:
        above = walk.base
        total = size[above] if above >= 0 else 0
        for added in walk.added:
            if added not in weights:
                weights[added] = weight(transcript, added)
            total += weights[added]
        size[position] = total
    rate = Rate()
    moved = _compacted_away(transcript, size, weights)
    return [rate.tokens(total + by) for total, by in zip(size, moved, strict=True)]


def _compacted_away(transcript: Transcript, size: Sequence[int], weights: Mapping[int, int]) -> list[int]:
    """Of each entry what a client sends beyond the conversation because of a compaction, less what it leaves out: what the
    compaction preserves comes behind the anchor, or up to where the conversation goes on there in the place of what is above."""
    log = transcript.log
    parent, at = log.spine.parent, log.spine.at
    again, across = sent_again(transcript), crossings(transcript)
    upto: dict[Id, dict[Id, int]] = {}  # of each boundary that is crossed, what its list weighs up to each entry

    def listed_upto(boundary: Id, uuid: Id) -> int:
        if boundary not in upto:
            uuids = preserved(transcript)[boundary].uuids
            upto[boundary] = dict(zip(uuids, accumulate(weights[at[one]] for one in uuids), strict=True))
        return upto[boundary][uuid]

    by = [0] * len(log)
    for position in range(len(log)) if again else ():
        if position in across:
            boundary, there = across[position]
            sent = size[at[preserved(transcript)[boundary].anchor]] + listed_upto(boundary, there)
            by[position] = sent - size[at[there]]
        else:  # a boundary that is its own anchor is a root, and the list comes behind it
            above = by[parent[position]] if parent[position] >= 0 else 0
            by[position] = above + sum(weights[listed] for listed in again.get(position, ()))
    return by
