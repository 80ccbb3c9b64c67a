"""``forkpoint tree``."""

from __future__ import annotations

import click

from forkpoint.cli.common import FILE_ARGUMENT, JSON_OPTION, Command, load, note, say_json, show, width
from forkpoint.ops import looking
from forkpoint.view import tree as view
from forkpoint.view.text import damaged, fit


@click.command(cls=Command)
@FILE_ARGUMENT
@JSON_OPTION
def tree(file: str, as_json: bool) -> None:
    """Draw the prompts of a session, its forks and its tips, each with a legal fork point if there is one.

    \b
    Example:
      forkpoint tree session.jsonl
    """
    session = load(file)
    if as_json:
        say_json(looking.tree(session).shape())
        return
    show(
        [
            *view.draw(session.transcript, session.outline, looking.turn_ends(session), width()),
            fit(view.summary(session.outline), width()),
        ]
    )
    for text in damaged(session.transcript):
        note(text)
