"""``forkpoint ledger``."""

from __future__ import annotations

import click

from forkpoint.cli.common import JSON_OPTION, Command, say_json, show
from forkpoint.ops import evidence
from forkpoint.view import answers as view


@click.command(cls=Command)
@click.argument("file", type=click.Path())
@JSON_OPTION
def ledger(file: str, as_json: bool) -> None:
    """List the events of a ledger in the order in which they were recorded: who forked and who merged what, and the verdicts.

    A line that is no event is named with its number and its key.

    \b
    Example:
      forkpoint ledger ledger.jsonl
    """
    found = evidence.ledger(file)
    if as_json:
        say_json(found.shape())
    else:
        show(view.events(found))
