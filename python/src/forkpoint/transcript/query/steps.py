"""The steps of a conversation, and which of them a span names.

A step stands between two places where no call is out and no API message is split; it is the least that can be left out. Steps
have the numbers ``s1``, ``s2``, ... in the conversation as it was written, so a number stays when steps are left out and when
the session grows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from forkpoint.core import rewriting
from forkpoint.core.entries import Entry, Id
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query import select
from forkpoint.transcript.query.content import calls
from forkpoint.transcript.query.estimates import weight
from forkpoint.transcript.query.outline import Outline
from forkpoint.transcript.query.overlays import Record, Shown, conversation
from forkpoint.transcript.query.queued import Queued
from forkpoint.transcript.query.tokens import Rate
from forkpoint.words import Cured

_STEP: Final = re.compile(r"s([0-9]{1,7})")
_TURN: Final = re.compile(r"[0-9]{1,7}|HEAD(?:~\d{0,9})?")
LIST: Final = "`forkpoint points --steps` lists the steps"


class BadSpan(Cured, ValueError):
    """An expression that names no steps of the conversation; the message says how to find some."""


@dataclass(frozen=True, slots=True)
class Step:
    """What stands between a cut and the next one, without records. Positions are those of the session as written."""

    number: int
    positions: Sequence[int]
    words: str | None
    """The user's, when a prompt is among the entries."""
    record: Record | None
    """The record that leaves it out, if one does."""
    joined: Sequence[tuple[str, Queued]] = ()
    """What the user said in it while the assistant worked, each with its number."""

    @property
    def name(self) -> str:
        return f"s{self.number}"


def steps(shown: Shown, outline: Outline) -> list[Step]:
    """The steps of the conversation from which a session is seen, in order. What stands behind the last cut is in none.
    ``outline`` is that of the session as written. Near-linear in the conversation."""
    transcript = shown.source
    covered = shown.covered
    typed: dict[int, list[tuple[str, Queued]]] = {}
    for each in chain.from_iterable(outline.joined.values()):
        typed.setdefault(each[1].position, []).append(each)
    return [
        Step(
            number=number,
            positions=positions,
            words=next((outline.words[position] for position in positions if position in outline.words), None),
            record=covered.get(str(transcript.log.spine.uuids[positions[0]])),
            joined=[each for position in positions for each in typed.get(position, ())],
        )
        for number, positions in enumerate(_pieces(shown), 1)
    ]


def tools(transcript: Transcript, step: Step) -> list[str]:
    """The names of the tools that are called in a step, in order. Reads its lines."""
    return [name for position in step.positions for name in calls(transcript, position).values()]


def tokens(transcript: Transcript, step: Step) -> int:
    """An estimate of what is sent of a step (:func:`forkpoint.transcript.query.estimates.estimates`). Reads its lines."""
    return Rate().tokens(sum(weight(transcript, position) for position in step.positions))


def before_recent(shown: Shown, outline: Outline, most: int) -> Step:
    """The last step before what is recent: the last turn, and of it no more than the last steps with so many tokens, by an
    estimate. Raises :class:`BadSpan` where all of it is recent. Reads the lines of those."""
    listed = [step for step in steps(shown, outline) if step.record is None]
    start = next((at for at in reversed(range(len(listed))) if listed[at].words is not None), 0)
    taken, cut = 0, len(listed)
    while cut > start and (taken := taken + tokens(shown.source, listed[cut - 1])) <= most:
        cut -= 1
    if not cut:
        raise BadSpan(f"the conversation has one turn, of about {taken:,} tokens; `--upto` a step makes it shorter", LIST)
    return listed[cut - 1]


def _pieces(shown: Shown) -> Iterator[list[int]]:
    """The positions of each step."""
    log = shown.source.log
    members = conversation(shown.source, shown.at)
    hidden = {record.position for record in shown.records}
    for start, end in rewriting.steps([log[member] for member in members]):
        positions = [member for member in members[start:end] if member not in hidden]
        if positions:
            yield positions


def names(shown: Shown) -> dict[int, str]:
    """Of each entry that is in a step the name of the step, by its position. Near-linear in the conversation."""
    return {position: f"s{number}" for number, positions in enumerate(_pieces(shown), 1) for position in positions}


def named(shown: Shown, outline: Outline, listed: Sequence[Step], expression: str) -> list[Step]:
    """The steps that a span names: ``s3`` one, a uuid or its beginning the one that holds the entry, a prompt's number or
    ``HEAD~1`` those of a turn, and ``A..B`` all from A to B. Raises :class:`BadSpan`. O(entries)."""
    first, dots, last = str(expression).partition("..")
    start = _place(shown, outline, listed, first)
    end = _place(shown, outline, listed, last) if dots else start
    chosen = listed[min(start[0], end[0]) : end[1]] if start[0] < end[1] else []
    if not chosen:
        raise BadSpan(f"{expression!r} ends before it begins")
    return list(chosen)


def _place(shown: Shown, outline: Outline, listed: Sequence[Step], expression: str) -> tuple[int, int]:
    """From which of the listed steps up to before which an end of a span goes."""
    if not listed:
        raise BadSpan("the conversation holds no whole step", LIST)
    number = _STEP.fullmatch(expression)
    if number is not None:
        step = int(number[1])
        if not 1 <= step <= len(listed):
            raise BadSpan(f"there is no step {expression}: they go from s1 to s{len(listed)}", LIST)
        return step - 1, step
    transcript = shown.source
    at = {position: index for index, step in enumerate(listed) for position in step.positions}
    try:
        turn = _TURN.fullmatch(expression) is not None and expression not in transcript.log
        position = select.prompt_of(transcript, expression, outline) if turn else select.resolve(transcript, expression, outline)
    except select.UnknownPoint as error:
        raise BadSpan(error.message, error.cure) from error
    if position not in at:
        where = f"{transcript.nodes[position].uuid} (line {transcript.span(position).number})"
        raise BadSpan(f"{where} is in no whole step of the conversation at the head", LIST)
    start = at[position]
    if not turn:
        return start, start + 1
    return start, next((index for index in range(start + 1, len(listed)) if listed[index].words is not None), len(listed))


@dataclass(frozen=True, slots=True)
class Cover:
    """What a record is to cover: entries of the session as written, and stubs that older records left among them."""

    positions: Sequence[int]
    """In the session as written, rising."""
    uuids: tuple[str, ...]
    """All that is covered, the stubs last."""


class Torn(ValueError):
    """A span that cannot be left out; ``position`` is that of the covered entry at which it would tear something."""

    def __init__(self, reason: str, position: int) -> None:
        super().__init__(reason)
        self.position = position


def cover(shown: Shown, positions: Iterable[int]) -> Cover:
    """What a record has to cover so that entries of the conversation are not seen.

    Raises :class:`Torn` when that is not whole, or not rooted, in the conversation as it is seen: then more could change than
    that it is gone (P12.9, P12.10). To be rooted is enough and not necessary. Near-linear.
    """
    transcript = shown.source
    chosen = sorted(set(positions))
    uuids = [str(transcript.log.spine.uuids[position]) for position in chosen]
    inside = frozenset(uuids)
    replaced = (record.overlay().stub for record in shown.active if inside.issuperset(record.covered))
    stubs = [str(stub.uuid) for stub in replaced if stub is not None]
    covered = frozenset([*uuids, *stubs])
    seen = shown.transcript
    if shown.position is None or not any(uuid in seen.log for uuid in covered):
        raise Torn("it is left out already", chosen[0])
    _check(shown, [seen.log[member] for member in conversation(seen, shown.position)], covered)
    return Cover(chosen, (*uuids, *stubs))


def _check(shown: Shown, entries: Sequence[Entry], covered: frozenset[str]) -> None:
    parted = rewriting.separated(entries, covered)
    if parted is not None:
        what = "they are parts of one message, or a call and its result"
        raise Torn(
            f"{_said(shown, parted.covered)} only stands together with {_said(shown, parted.left)}: {what}",
            _at(shown, parted.covered),
        )
    loose = rewriting.unrooted(entries, covered)
    if loose is not None:
        why = f"{_said(shown, loose)} continues what is not left out, so the span is no single piece of the conversation"
        raise Torn(why, _at(shown, loose))


def _said(shown: Shown, uuid: Id) -> str:
    log = shown.source.log
    return f"line {shown.source.span(log.position(uuid)).number}" if uuid in log else f"the stub {uuid}"


def _at(shown: Shown, uuid: Id) -> int:
    """The position of an entry in the session as written; of a stub, that of the record that left it."""
    log = shown.source.log
    if uuid in log:
        return log.position(uuid)
    left = (record for record in shown.active if (stub := record.overlay().stub) is not None and stub.uuid == uuid)
    return next(left).position
