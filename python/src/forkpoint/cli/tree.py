"""``forkpoint tree``."""

from __future__ import annotations

import click

from forkpoint.cli.common import EXIT_CODES, FILE_ARGUMENT, JSON_OPTION, load, note, place, say_json, show, width
from forkpoint.transcript import outline
from forkpoint.view import tree as trees


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
    shape = outline.outline(transcript)
    nodes = transcript.nodes
    if as_json:
        legal = shape.survey.legal
        say_json(
            {
                "file": file,
                "prompts": [{**place(nodes[at]), "text": shape.words[at], "legal": legal[at]} for at in shape.prompts],
                "forks": [place(nodes[at]) for at in shape.forks],
                "tips": [{**place(nodes[at]), "legal": legal[at]} for at in shape.tips],
                "legal": [place(nodes[at]) for at in shape.legal],
            }
        )
        return
    summary = (
        f"● {len(shape.prompts)} prompts, ◆ {len(shape.forks)} forks, ○ {len(shape.tips)} tips,"
        f" ✓ {len(shape.legal)} legal fork points"
    )
    show([*trees.draw(transcript, shape, width()), trees.fit(summary, width())])
    broken = len(transcript.violations) + len(transcript.damage)
    if broken:
        note(f"{file}: {broken} damaged places; `forkpoint check` lists them")
