"""The tree of a session as rows, one below another, of which a screen shows those in view."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from forkpoint.ops.pages import Stop, Whole
from forkpoint.view.points import CAN, NOTHING, amount
from forkpoint.view.tree import COMPACTED, END, HEAD, LEFT, MERGE, OUT, PROMPT, RECORD, SPLIT
from forkpoint.words import SHORT, count

SIGNS = {"merge": MERGE, "compaction": COMPACTED, "record": RECORD, "fork": SPLIT}


class Row(NamedTuple):
    """A stop of a branch: which branch, which of its stops, how deep it stands, and how many branches leave it there."""

    line: int
    at: int
    depth: int
    below: int


def rows(whole: Whole, closed: Collection[tuple[int, int]] = ()) -> Iterator[Row]:
    """The rows of a tree from top to bottom; what leaves a stop that is closed (branch, number of the stop) is not among them."""
    below: dict[tuple[int, int], list[int]] = {}
    for number, line in enumerate(whole.lines):
        if line.source >= 0:
            below.setdefault((line.source, line.behind), []).append(number)
    todo = [(number, 0, 0) for number, line in reversed(list(enumerate(whole.lines))) if line.source < 0]
    while todo:
        number, at, depth = todo.pop()
        kids = below.get((number, at), [])
        if kids or not _silent(whole, number, at):
            yield Row(number, at, depth, len(kids))
        if at + 1 < len(whole.lines[number].stops):
            todo.append((number, at + 1, depth))
        if (number, at) not in closed:
            todo += [(kid, 0, depth + 1) for kid in reversed(kids)]


def _silent(whole: Whole, number: int, at: int) -> bool:
    """Whether a stop is the end of a branch that is one prompt without an answer: the prompt's row says so."""
    line = whole.lines[number]
    stop = line.stops[at]
    above = line.stops[at - 1] if at else None
    silent = stop.kind == "end" and not line.live and not stop.brought
    return silent and above is not None and above.kind == "prompt" and above.entry == stop.entry


def sign(whole: Whole, row: Row) -> str:
    """What stands in front of a row, as `tree` has it."""
    line = whole.lines[row.line]
    stop = line.stops[row.at]
    if stop.left_out:
        return OUT
    if stop.kind == "prompt":
        return PROMPT if line.live else LEFT
    return SIGNS.get(stop.kind, HEAD if line.live else END)


def can(whole: Whole, row: Row) -> str:
    """Of a prompt the mark of the end of its turn, as `points` has it; a blank of what is none."""
    return CAN.get(whole.lines[row.line].stops[row.at].can or "", NOTHING)


def words(whole: Whole, row: Row) -> str:
    """What a row says."""
    line = whole.lines[row.line]
    stop = line.stops[row.at]
    if stop.kind == "prompt":
        return " ".join((stop.text or "").split()) or "(no words)"
    if stop.kind == "compaction":
        return "compaction" + (f", preserves {count(stop.entries, 'entry')}" if stop.entries else "")
    if stop.kind == "merge":
        return f"merge: brings {(stop.brought or '')[:SHORT]}"
    if stop.kind == "fork":
        return "fork"
    if stop.kind == "record":
        return _record(stop)
    merged = f", merged at {stop.brought[:SHORT]}" if stop.brought else ""
    return f"{'HEAD' if line.live else 'end'} {stop.uuid[:SHORT]}, {amount(stop.tokens)} tokens{merged}"


def _record(stop: Stop) -> str:
    leaves = f": leaves out {count(stop.entries, 'entry')}" if stop.entries else ""
    return f"{stop.what}{leaves}" + ("" if stop.counts or stop.what in ("undo", "redo") else ", undone")
