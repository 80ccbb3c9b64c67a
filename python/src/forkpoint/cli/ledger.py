"""``forkpoint ledger``."""

from __future__ import annotations

import click

from forkpoint.cli.common import JSON_OPTION, Argument, Command
from forkpoint.cli.console import say_json, show
from forkpoint.ops import evidence
from forkpoint.view import answers as view


@click.command(cls=Command)
@click.argument("file", cls=Argument, type=click.Path(), text="The ledger.")
@JSON_OPTION
def ledger(file: str, as_json: bool) -> None:
    """List the events of a ledger in recorded order: who forked what, who merged what, and the verdicts.

    If a line is no event, the message names its number and its key.

    \b
    Example:
      forkpoint ledger ledger.jsonl
    """
    found = evidence.ledger(file)
    if as_json:
        say_json(found.shape())
    else:
        show(view.events(found))
