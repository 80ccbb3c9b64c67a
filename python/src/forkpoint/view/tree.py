"""A conversation as a tree of its prompts: indented only where it forks, so that a long session stays one column."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from wcwidth import wcwidth

from forkpoint.transcript.outline import Outline
from forkpoint.transcript.reader import Node, Transcript

SHORT = 8
"""How much of a uuid is shown; commands take any unique beginning."""


def fit(text: str, width: int) -> str:
    """The text on one line of at most ``width`` terminal cells, without control characters, cut with an ellipsis."""
    out: list[str] = []
    used: list[int] = []
    room = width
    for character in " ".join(text.split()):
        if unicodedata.category(character)[0] == "C" or "\ufe00" <= character <= "\ufe0f":  # selectors change widths
            continue
        taken = max(0, wcwidth(character))
        if taken > room:
            while out and room < 1:
                out.pop()
                room += used.pop()
            return "".join(out) + ("…" if room > 0 else "")
        out.append(character)
        used.append(taken)
        room -= taken
    return "".join(out)


def cells(text: str) -> int:
    """How many terminal cells a text without control characters takes."""
    return sum(max(0, wcwidth(character)) for character in text)


def draw(transcript: Transcript, outline: Outline, width: int) -> Iterator[str]:
    """The tree, a line at a time, each at most ``width`` cells wide.

    A prompt's line names the last legal fork point of its turn, if it has one.
    """
    nodes, parent = transcript.nodes, transcript.log.spine.parent
    size = len(nodes)
    prompts, forks, tips = set(outline.prompts), set(outline.forks), set(outline.tips)
    turn_end = _turn_ends(outline)
    shown = bytearray(size)  # something to draw stands here or below
    for position in range(size - 1, -1, -1):
        if position in prompts or position in tips:
            shown[position] = 1
        if shown[position] and parent[position] >= 0:
            shown[parent[position]] = 1
    children: list[list[int]] = [[] for _ in range(size)]
    roots: list[int] = []
    for position in range(size):
        if shown[position]:
            (children[parent[position]] if parent[position] >= 0 else roots).append(position)
    # what is still to be drawn: where a branch begins, the indent of its first line, and that of the others
    todo = [(root, "", "") for root in reversed(roots)]
    while todo:
        position, first, indent = todo.pop()
        below = [position]
        while len(below) == 1:
            position = below[0]
            node = nodes[position]
            text, point = None, position if outline.survey.legal[position] else None
            if position in prompts:
                text, glyph, point = outline.words[position], "●", turn_end.get(position)
            elif position in forks:
                text, glyph = f"fork, line {node.span.number}", "◆"
            elif position in tips:
                text, glyph = f"tip, line {node.span.number}", "○"
            if text is not None:
                mark = " " * (SHORT + 2) if point is None else f" ✓{_short(nodes[point])}"
                yield _line(f"{first}{glyph} {_short(node)}{mark}  ", text, width)
                first = indent
            below = children[position]
        if below:
            rails = _narrow(indent, width)
            branches = [(child, rails + "├─", rails + "│ ") for child in below[:-1]]
            branches.append((below[-1], rails + "└─", rails + "  "))
            todo.extend(reversed(branches))


def _turn_ends(outline: Outline) -> dict[int, int]:
    """For each prompt the last legal point below it with no other prompt between."""
    return {outline.turns[position]: position for position in outline.legal if outline.turns[position] >= 0}


def _short(node: Node) -> str:
    """The beginning of a uuid, in exactly as many cells as the column has."""
    text = fit(node.uuid[:SHORT], SHORT)
    return text + " " * (SHORT - cells(text))


def _narrow(rails: str, width: int) -> str:
    """Rails that leave half of the terminal to the text: of a deep branch the innermost ones are drawn."""
    return rails if len(rails) <= width // 4 else "… " + rails[len(rails) - width // 4 + 2 :]


def _line(head: str, text: str, width: int) -> str:
    room = width - cells(head)
    return (head + fit(text, room)).rstrip() if room > 0 else fit(head, width)
