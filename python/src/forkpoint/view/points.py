"""The numbered prompts of a session as a table, one prompt a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from datetime import datetime, timedelta
from typing import Final

from forkpoint.ops.answers import PointPlace
from forkpoint.ops.looking import Listed
from forkpoint.ops.session import Session
from forkpoint.transcript.ask.abbreviations import abbreviation
from forkpoint.transcript.ask.head import path
from forkpoint.transcript.ask.points import Place, Point
from forkpoint.transcript.format.reader import Transcript
from forkpoint.view.text import fit, wrap
from forkpoint.words import count

LEGAL: Final = "✓"
RESUMABLE: Final = "○"
INHERITED: Final = "!"
NOT: Final = "✗"
NOTHING: Final = " "
LEFT_OUT: Final = "×"
LEGEND: Final = f"{LEGAL} legal, {RESUMABLE} resumable, {INHERITED} held back by an older break, {NOT} not resumable"
TIMES: Final = 150
"""From this width on, the time of a prompt is shown besides its age."""

UNITS: Final = (
    (timedelta(days=365), "y"),
    (timedelta(days=1), "d"),
    (timedelta(hours=1), "h"),
    (timedelta(minutes=1), "min"),
)


def is_sub_agents(session: Session) -> bool:
    """Whether a file holds nothing but a sub-agent's entries."""
    aside = session.transcript.sidechains
    return bool(aside) and all(aside)


def lines(session: Session, listed: Listed, now: datetime, width: int) -> Iterator[str]:
    """The prompts that were asked for, as a table; how many more there are; and where HEAD is."""
    transcript, head, points = session.transcript, session.head, listed.points
    if is_sub_agents(session):
        last = transcript.nodes[max(range(len(transcript.nodes)), key=transcript.numbers.__getitem__)]
        yield from wrap("", f"a sub-agent's file; last entry {last.uuid}, line {last.span.number}", width, 2)
        return
    ends = [point.end.position for point in points]
    short = abbreviation(transcript, ends if head.position is None else [*ends, head.position])
    hidden = listed.total - len(points)
    yield from table(transcript, points, listed.left_out, now, width, short)
    yield fit(f"{count(len(points), 'prompt')}" + (f"; {hidden} on other branches (--all)" if hidden else ""), width)
    start = path(transcript.log, head.position)[:1]
    if hidden and start and start[0] > 0:
        why = _start(transcript, start[0])
        yield fit(f"the conversation at HEAD begins on line {transcript.span(start[0]).number}: {why}", width)
    at = "no HEAD" if head.position is None else f"HEAD {transcript.nodes[head.position].uuid[:short]}"
    yield fit(f"{at}: {head.why}", width)
    yield fit(LEGEND + (f", {LEFT_OUT} left out" if listed.left_out else ""), width)


def _start(transcript: Transcript, position: int) -> str:
    """Why a conversation begins in the middle of a file."""
    logical = transcript.log[position].logical_parent
    if logical is None:
        return "an entry without a parent"
    return f"a compaction of what the file does not hold ({logical})"


def table(
    transcript: Transcript, points: Sequence[Point], left_out: Set[int], now: datetime, width: int, short: int
) -> Iterator[str]:
    """A head line and a line for each prompt, each at most ``width`` cells wide; of uuids ``short`` characters are shown.

    Columns: number, age, the mark of the place before the prompt and that of the end of its turn, tokens, the uuid of
    the end's entry, and the words. A prompt off the way to HEAD has a bar before its words, one that a record leaves out the
    mark of that, and a line tells where a compaction stands between two prompts.
    """
    digits = max([len(str(point.number)) for point in points] + [1])
    wide = width >= TIMES
    stamp = f"{'written':16}  " if wide else ""
    lines = f"{'line':>7}  " if wide else ""
    yield fit_line(f"{'#':>{digits}}  {'age':>5}  {stamp}{lines}b e  {'tokens':>7}  {'end':{short}}  ", "prompt", width)
    for point in points:
        if point.compacted:
            yield fit("── compaction ──", width)
        written = moment(point.timestamp)
        stamp = f"{written.astimezone().strftime('%Y-%m-%d %H:%M') if written else '':16}  " if wide else ""
        lines = f"{transcript.span(point.position).number:>7}  " if wide else ""
        end = transcript.nodes[point.end.position].uuid[:short]
        front = f"{point.number:>{digits}}  {age(written, now):>5}  {stamp}{lines}"
        marks = f"{mark(point.before)} {mark(point.end)}  {amount(point.tokens):>7}  {end:{short}}  "
        before = f"{LEFT_OUT} " if point.position in left_out else "" if point.on_path else "│ "
        yield fit_line(front + marks, before + point.words, width)


def mark(place: Place | PointPlace | None) -> str:
    """One character that says whether a place can be forked."""
    if place is None:
        return NOTHING
    if place.legal:
        return LEGAL
    if place.resumable:
        return RESUMABLE
    return INHERITED if place.inherited else NOT


def fit_line(front: str, text: str, width: int) -> str:
    """Columns and, in the room that is left, a text. The columns' spaces stay."""
    room = width - len(front)
    return (front + fit(text, room)).rstrip() if room > 0 else fit(front, width)


def amount(tokens: int) -> str:
    """An estimate, so short that nobody takes it for exact: ``~12k``."""
    if tokens < 1000:
        return f"~{tokens}"
    return f"~{tokens / 1000:.0f}k" if tokens < 1_000_000 else f"~{tokens / 1_000_000:.1f}M"


def age(when: datetime | None, now: datetime) -> str:
    """How long ago, in the largest unit that fits: ``now``, ``5min``, ``3h``, ``12d``, ``2y``; ``?`` when nobody knows."""
    if when is None:
        return "?"
    past = now - when
    for unit, name in UNITS:
        if past >= unit:
            return f"{past // unit}{name}"
    return "now"


def moment(stamp: str | None) -> datetime | None:
    """The time that an entry says; None where it says none with its zone."""
    try:
        when = datetime.fromisoformat(stamp) if stamp is not None else None
    except ValueError:
        return None
    return when if when is not None and when.tzinfo is not None else None
