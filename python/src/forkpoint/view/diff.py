"""How two conversations differ, as lines of text and as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from forkpoint.transcript.ask.diff import Diff, Side, Turn
from forkpoint.view.text import abbreviation, cells, fit, wrap
from forkpoint.view.tokens import calls
from forkpoint.words import count

CLIP: Final = 100
"""So many cells of a prompt stand in a table of Markdown."""
INDENT: Final = 8
_SPECIAL: Final = re.compile(r"[\\`*_{}\[\]<>|#~&]")


def lines(found: Diff, width: int) -> Iterator[str]:
    """The fork point, and of either side what it added since, turn by turn; each line at most ``width`` cells wide, save for
    words that are longer."""
    yield from wrap("", shared(found), width, 2)
    for name, side, other in _sides(found):
        yield from wrap(f"{name}  ", _side(found, side, other), width, INDENT)
        if found.shared:
            for turn in side.turns:
                front = f"{'' if turn.number is None else turn.number:>{INDENT - 2}}  "
                yield front + fit(_words(turn), max(1, width - cells(front)))
                yield from wrap(" " * INDENT, _counts(turn), width, INDENT)


def markdown(found: Diff) -> Iterator[str]:
    """The same in Markdown, a table a side."""
    yield "# Two conversations compared"
    yield ""
    yield _plain(shared(found))
    for name, side, other in _sides(found):
        yield ""
        yield f"## {name}"
        yield ""
        yield _plain(_side(found, side, other))
        if found.shared and side.turns:
            yield ""
            yield "| # | prompt | answers | calls | entries |"
            yield "|---:|---|---:|---|---:|"
            for turn in side.turns:
                number = "" if turn.number is None else turn.number
                words, tools = _plain(fit(_words(turn), CLIP)), _plain(calls(turn.calls))
                yield f"| {number} | {words} | {turn.answers} | {tools} | {turn.entries} |"


def shared(found: Diff) -> str:
    """What the two have in common, in a sentence."""
    point = found.fork_point
    if point is None:
        return "A and B have no entry in common"
    mine, other = (side.transcript.span(position).number for side, position in zip((found.a, found.b), point, strict=True))
    text = (
        f"fork point {_short(found.a, point[0])}, line {mine} of A, line {other} of B; {count(len(found.shared), 'entry')} shared"
    )
    if found.changed:
        first = found.changed[0]
        places = [
            f"line {side.transcript.span(position).number} of {name}"
            for name, side, position in (("A", found.a, first), ("B", found.b, found.shared[first]))
        ]
        verb = "says" if len(found.changed) == 1 else "say"
        text += f"; {len(found.changed)} of them {verb} something else, the first on {' and '.join(places)}"
    return text


def _sides(found: Diff) -> Iterator[tuple[str, Side, str]]:
    yield "A", found.a, "B"
    yield "B", found.b, "A"


def _side(found: Diff, side: Side, other: str) -> str:
    where = f"{side.transcript.path} at {_short(side, side.position)}, line {side.transcript.span(side.position).number}"
    text = f"{count(len(side.added), 'entry')} in {count(len(side.turns), 'turn')}" if side.added else "nothing"
    if found.shared:
        text += " since"
    if side.alone:
        text += f"; {count(len(side.alone), 'entry')} before the fork point that {other} has not"
    return f"{where}: {text}"


def _short(side: Side, position: int) -> str:
    return side.transcript.nodes[position].uuid[: abbreviation(side.transcript, [position])]


def _words(turn: Turn) -> str:
    if turn.prompt is None:
        return "(before the first prompt)"
    return f"(goes on) {turn.words}" if turn.goes_on else turn.words


def _counts(turn: Turn) -> str:
    parts = [count(turn.answers, "answer"), count(turn.calls.total(), "call"), count(turn.entries, "entry")]
    if turn.calls:
        parts[1] += f" ({calls(turn.calls)})"
    return ", ".join(parts)


def _plain(text: str) -> str:
    """A text on one line that Markdown shows as it is."""
    return _SPECIAL.sub(lambda found: "\\" + found[0], " ".join(text.split()))
