"""The numbered prompts of a session as a table, one prompt a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

from msgspec import UNSET

from forkpoint.answers.trees import Joined, Point, PointPlace
from forkpoint.ops.views import Listing
from forkpoint.view.text import fit, wrap, wrapped
from forkpoint.words import count

LEGAL: Final = "✓"
RESUMABLE: Final = "○"
INHERITED: Final = "!"
NOT: Final = "✗"
NOTHING: Final = " "
LEFT_OUT: Final = "×"
CAN: Final = {"legal": LEGAL, "resumable": RESUMABLE, "inherited": INHERITED, "no": NOT}
LEGEND: Final = f"{LEGAL} legal, {RESUMABLE} resumable, {INHERITED} held back by an older break, {NOT} not resumable"
TIMES: Final = 150
"""From this width on, the time of a prompt is shown besides its age."""

UNITS: Final = (
    (timedelta(days=365), "y"),
    (timedelta(days=1), "d"),
    (timedelta(hours=1), "h"),
    (timedelta(minutes=1), "min"),
)


def lines(listing: Listing, now: datetime, width: int) -> Iterator[str]:
    """The prompts that were asked for, as a table; how many more there are; and where HEAD is."""
    answer = listing.points
    if listing.aside is not None:
        yield from wrap("", f"a sub-agent's file; last entry {listing.aside.uuid}, line {listing.aside.line}", width, 2)
        return
    hidden = answer.total - len(answer.points) - listing.earlier
    yield from table(answer.points, now, width, listing.short)
    earlier = f", and {listing.earlier} before" if listing.earlier else ""
    others = f"; {hidden} on other branches (--all)" if hidden else ""
    yield fit(f"{count(len(answer.points), 'prompt')}{earlier}{others}", width)
    if hidden and listing.begins is not None:
        line, logical = listing.begins
        why = "an entry without a parent" if logical is None else f"a compaction of what the file does not hold ({logical})"
        yield from wrapped(f"the conversation at HEAD begins on line {line}: {why}", width)
    at = "no HEAD" if answer.head is None else f"HEAD {answer.head.uuid[: listing.short]}"
    yield from wrapped(f"{at}: {answer.why}", width)
    left_out = any(point.left_out for point in answer.points)
    yield from wrapped(LEGEND + (f", {LEFT_OUT} left out" if left_out else ""), width)


def table(points: Sequence[Point], now: datetime, width: int, short: int) -> Iterator[str]:
    """A head line and a line for each prompt, each at most ``width`` cells wide; of uuids ``short`` characters are shown.

    Columns: number, age, the mark of the place before the prompt and that of the end of its turn, tokens, the uuid of
    the end's entry, and the words. A prompt off the way to HEAD has a bar before its words, one that a record leaves out the
    mark of that, and a line tells where a compaction stands between two prompts.
    """
    digits = max(
        [len(str(point.number)) for point in points] + [len(one.label) for each in points for one in _joined(each)] + [1]
    )
    wide = width >= TIMES
    stamp = f"{'written':16}  " if wide else ""
    lines = f"{'line':>7}  " if wide else ""
    yield fit_line(f"{'#':>{digits}}  {'age':>5}  {stamp}{lines}b e  {'tokens':>7}  {'end':{short}}  ", "prompt", width)
    for point in points:
        if point.compacted:
            yield fit("── compaction ──", width)
        written = moment(point.timestamp)
        stamp = f"{written.astimezone().strftime('%Y-%m-%d %H:%M') if written else '':16}  " if wide else ""
        lines = f"{point.line:>7}  " if wide else ""
        front = f"{point.number:>{digits}}  {age(written, now):>5}  {stamp}{lines}"
        marks = f"{mark(point.before)} {mark(point.end)}  {amount(point.tokens_estimate):>7}  {point.end.uuid[:short]:{short}}  "
        before = f"{LEFT_OUT} " if point.left_out else "" if point.on_path else "│ "
        yield fit_line(front + marks, before + point.text, width)
        for one in _joined(point):
            written = moment(one.timestamp)
            stamp = f"{written.astimezone().strftime('%Y-%m-%d %H:%M') if written else '':16}  " if wide else ""
            lines = f"{one.line:>7}  " if wide else ""
            front = f"{one.label:>{digits}}  {age(written, now):>5}  {stamp}{lines}"
            yield fit_line(front + " " * len(marks), before + one.text, width)


def _joined(point: Point) -> Sequence[Joined]:
    """The prompts that joined the turn of one."""
    return () if point.joined is UNSET else point.joined


def mark(place: PointPlace | None) -> str:
    """One character that says whether a place can be forked."""
    return NOTHING if place is None else CAN[place.can]


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
