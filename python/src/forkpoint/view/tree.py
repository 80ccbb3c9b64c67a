"""A conversation as a tree of its prompts: indented only where it forks, so that a long session stays one column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from forkpoint.transcript.ask.outline import Outline
from forkpoint.transcript.format.reader import Node, Transcript
from forkpoint.view.text import SHORT, abbreviation, cells, fit
from forkpoint.words import count


def draw(transcript: Transcript, outline: Outline, turn_end: Mapping[int, int], width: int) -> Iterator[str]:
    """The tree, a line at a time, each at most ``width`` cells wide; ``turn_end`` is the end of each prompt's turn.

    A prompt's line names the end of its turn, with ✓ where that is a legal fork point and ○ where one can go on there; a prompt
    that is a fork or a tip, too, has a
    second line that says so. Where long beginnings of uuids leave no room for the words, the words have a line of their own.
    """
    nodes, parent = transcript.nodes, transcript.log.spine.parent
    size = len(nodes)
    prompts, forks, tips = set(outline.prompts), set(outline.forks), set(outline.tips)
    goes_on = {entry.logical_parent for entry in (transcript.log[root] for root in range(size) if parent[root] < 0)}
    short = abbreviation(transcript, {*prompts, *forks, *tips, *turn_end.values()})
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
            point = position if outline.survey.legal[position] else None
            rows: list[tuple[str, str, int | None]] = []
            if position in prompts:
                rows.append(("●", outline.words[position], turn_end.get(position)))
            if position in forks:
                rows.append(("◆", f"fork, line {node.span.number}", point))
            if position in tips:
                after = ", goes on after a compaction" if node.uuid in goes_on else ", no answer" if position in prompts else ""
                rows.append(("○", f"tip, line {node.span.number}{after}", point))
            for glyph, text, end in rows:
                sign = "✓" if end is not None and outline.survey.legal[end] else "○"
                mark = " " * (short + 2) if end is None else f" {sign}{_beginning(nodes[end], short)}"
                under = f"{indent}    " if short > SHORT else None
                yield from _lines(f"{first}{glyph} {_beginning(node, short)}{mark}  ", text, under, width)
                first = indent
            below = children[position]
        if below:
            rails = _narrow(indent, width)
            branches = [(child, rails + "├─", rails + "│ ") for child in below[:-1]]
            branches.append((below[-1], rails + "└─", rails + "  "))
            todo.extend(reversed(branches))


def summary(outline: Outline) -> str:
    """How much of each there is in the tree."""
    prompts, forks, tips = len(outline.prompts), len(outline.forks), len(outline.tips)
    legal = count(len(outline.legal), "legal fork point")
    return f"● {count(prompts, 'prompt')}, ◆ {count(forks, 'fork')}, ○ {count(tips, 'tip')}, ✓ {legal}"


def _beginning(node: Node, short: int) -> str:
    """The beginning of a uuid, in exactly as many cells as the column has."""
    text = fit(node.uuid[:short], short)
    return text + " " * (short - cells(text))


def _narrow(rails: str, width: int) -> str:
    """Rails that leave half of the terminal to the text: of a deep branch the innermost ones are drawn."""
    return rails if len(rails) <= width // 4 else "… " + rails[len(rails) - width // 4 + 2 :]


def _lines(head: str, text: str, indent: str | None, width: int) -> Iterator[str]:
    """The text in the room behind the columns; with an ``indent`` it stands below them where that is less than a quarter."""
    room = width - cells(head)
    if indent is not None and room < min(width // 4, cells(text)):
        yield head.rstrip() if cells(head.rstrip()) <= width else fit(head, width)
        head, room = indent, width - cells(indent)
    yield (head + fit(text, room)).rstrip() if room > 0 else fit(head, width)
