"""``forkpoint tree``."""

from __future__ import annotations

import os
from typing import Any

import click

from forkpoint.cli.common import EXIT_CODES, FILE_ARGUMENT, JSON_OPTION, load, note, place, say_json, show, width
from forkpoint.transcript import outline
from forkpoint.view import tree as trees
from forkpoint.view.text import count, fit


@click.command(epilog=EXIT_CODES)
@FILE_ARGUMENT
@JSON_OPTION
def tree(file: str, as_json: bool) -> None:
    """Draw the prompts of a conversation, its forks and its tips, each with a legal fork point where there is one.

    \b
    Example:
      forkpoint tree session.jsonl
    """
    transcript = load(file)
    file = os.fspath(transcript.path)
    shape = outline.outline(transcript)
    nodes = transcript.nodes
    if as_json:
        legal, ends = shape.survey.legal, trees.turn_ends(transcript, shape)

        def point(position: int | None) -> dict[str, Any] | None:
            return None if position is None else place(nodes[position])

        say_json(
            {
                "file": file,
                "prompts": [
                    {**place(nodes[at]), "text": shape.words[at], "legal": legal[at], "point": point(ends.get(at))}
                    for at in shape.prompts
                ],
                "forks": [{**place(nodes[at]), "legal": legal[at]} for at in shape.forks],
                "tips": [{**place(nodes[at]), "legal": legal[at]} for at in shape.tips],
                "legal": [place(nodes[at]) for at in shape.legal],
            }
        )
        return
    show([*trees.draw(transcript, shape, width()), fit(trees.summary(shape), width())])
    broken = len(transcript.violations) + len(transcript.damage)
    if broken:
        note(f"{file}: {count(broken, 'damaged place')}; `forkpoint check` says where")
