"""A conversation as a tree of its prompts: indented only where it forks, so that a long session stays one column."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from wcwidth import wcwidth

from forkpoint.transcript.outline import Outline
from forkpoint.transcript.reader import Transcript

SHORT = 8
"""How much of a uuid is shown; commands take any unique beginning."""


def fit(text: str, width: int) -> str:
    """The text on one line of at most ``width`` terminal cells, without control characters, cut with an ellipsis."""
    out: list[str] = []
    room = width
    for character in " ".join(text.split()):
        if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn"):
            continue
        cells = max(0, wcwidth(character))
        if cells > room:
            while out and room < 1:
                room += max(0, wcwidth(out.pop()))
            return "".join(out) + ("…" if width > 0 else "")
        out.append(character)
        room -= cells
    return "".join(out)


def draw(transcript: Transcript, outline: Outline, width: int) -> Iterator[str]:
    """The tree, a line at a time, each at most ``width`` cells wide."""
    nodes, parent = transcript.nodes, transcript.log.spine.parent
    size = len(nodes)
    prompts, tips = set(outline.prompts), set(outline.tips)
    shown = bytearray(size)  # a prompt or a tip stands here or below
    for position in range(size - 1, -1, -1):
        if position in prompts or (position in tips and not nodes[position].entry.sidechain):
            shown[position] = 1
        if shown[position] and parent[position] >= 0:
            shown[parent[position]] = 1
    children: list[list[int]] = [[] for _ in range(size)]
    roots: list[int] = []
    for position in range(size):
        if shown[position]:
            (children[parent[position]] if parent[position] >= 0 else roots).append(position)
    # what is still to be drawn: where a branch begins, its indent, and the indent of its first line
    todo = [(root, "", "") for root in reversed(roots)]
    while todo:
        position, indent, first = todo.pop()
        while True:
            if position in prompts:
                yield _line(first, "●", transcript, outline, position, nodes[position].text or "", width)
                first = indent
            if position in tips and not nodes[position].entry.sidechain:
                yield _line(first, "○", transcript, outline, position, "tip", width)
                first = indent
            below = children[position]
            if len(below) != 1:
                break
            position = below[0]
        if below:
            deeper = _narrow(indent, width)
            branches = [(child, deeper + "│ ", deeper + "├─") for child in below[:-1]]
            branches.append((below[-1], deeper + "  ", deeper + "└─"))
            todo.extend(reversed(branches))


def _narrow(indent: str, width: int) -> str:
    """An indent that leaves half of the terminal to the text: deep branches keep their innermost rails."""
    return indent if len(indent) <= width // 2 else "… " + indent[len(indent) - width // 2 + 2 :]


def _line(lead: str, glyph: str, transcript: Transcript, outline: Outline, position: int, text: str, width: int) -> str:
    node = transcript.nodes[position]
    mark = "✓" if outline.survey.legal[position] else " "
    head = f"{lead}{glyph}{mark}{fit(node.uuid, SHORT)}  "
    return head + fit(text, width - len(head))
