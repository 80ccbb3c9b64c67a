"""How two conversations differ, as lines of text and as Markdown."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Final

from forkpoint.answers.diffs import ContextsCompared
from forkpoint.transcript.query.abbreviations import abbreviation
from forkpoint.transcript.query.diff import Diff, Side, Turn
from forkpoint.view.points import amount
from forkpoint.view.text import cells, fit, wrap
from forkpoint.view.tokens import calls
from forkpoint.words import count

CLIP: Final = 100
"""So many cells of a prompt stand in a table of Markdown."""
INDENT: Final = 8
BESIDE: Final = 120
"""From this width on, the two stand side by side."""
BAR: Final = " │ "
_SPECIAL: Final = re.compile(r"[\\`*_{}\[\]<>|#~&]")


def lines(found: Diff, width: int) -> Iterator[str]:
    """The fork point, and of either side what it added since, turn by turn; side by side where there is room. Each line is at
    most ``width`` cells wide, save for words that are longer."""
    yield from wrap("", shared(found), width, 2)
    if width < BESIDE or not found.shared:
        for name, side, other in _sides(found):
            yield from _column(found, name, side, other, width)
        return
    half = (width - len(BAR)) // 2
    left, right = ([fit_line(line, half) for line in _column(found, *one, half)] for one in _sides(found))
    for mine, theirs in itertools.zip_longest(left, right, fillvalue=""):
        yield f"{mine}{' ' * (half - cells(mine))}{BAR}{theirs}".rstrip()


def _column(found: Diff, name: str, side: Side, other: str, width: int) -> Iterator[str]:
    """One of the two: where it ends, and its turns."""
    yield from wrap(f"{name}  ", _side(found, side, other), width, INDENT)
    for turn in side.turns if found.shared else ():
        front = f"{'' if turn.number is None else turn.number:>{INDENT - 2}}  "
        yield front + fit(_words(turn), max(1, width - cells(front)))
        if turn.answer:
            yield f"{'':{INDENT - 2}}» " + fit(turn.answer, max(1, width - INDENT))
        yield from wrap(" " * INDENT, _counts(turn), width, INDENT)
        if turn.files:
            yield f"{'':{INDENT}}" + fit(f"changes {', '.join(turn.files)}", max(1, width - INDENT))


def fit_line(line: str, width: int) -> str:
    """A line that is no wider than that; its indent stays."""
    indent = line[: len(line) - len(line.lstrip(" "))]
    return line if cells(line) <= width else indent + fit(line, max(1, width - len(indent)))


def contexts(found: ContextsCompared, width: int) -> Iterator[str]:
    """What a client would send at two points: how much of it is alike, and what is not."""
    alike = count(found.alike, "entry")
    says = f"a client sends the same: {alike}" if found.same else f"a client sends the same at first: {alike}"
    yield from wrap("", says, width, 2)
    for name, side in (("A", found.a), ("B", found.b)):
        where = f"{side.file}, line {side.point.line}: {count(side.sent, 'entry')} sent, {amount(side.tokens_estimate)} tokens"
        yield from wrap(f"{name}  ", where, width, INDENT)
        for each in side.rest:
            front = f"{each.line:>{INDENT - 2}}  {each.kind:9}  "
            yield front + fit(each.text, max(1, width - len(front)))


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
            yield "| # | prompt | last answer | answers | calls | files | entries |"
            yield "|---:|---|---|---:|---|---|---:|"
            for turn in side.turns:
                number = "" if turn.number is None else turn.number
                words, tools = _plain(fit(_words(turn), CLIP)), _plain(calls(turn.calls))
                answer, files = _plain(fit(turn.answer, CLIP)), _plain(fit(", ".join(turn.files), CLIP))
                yield f"| {number} | {words} | {answer} | {turn.answers} | {tools} | {files} | {turn.entries} |"


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
