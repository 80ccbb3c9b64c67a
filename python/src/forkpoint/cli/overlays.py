"""``forkpoint overlays``."""

from __future__ import annotations

import click

from forkpoint.cli.common import CLIENT_OPTION, FILE_ARGUMENT, JSON_OPTION, Command, complete_point, conclude, load
from forkpoint.ops import looking
from forkpoint.view import overlays as view


@click.command("overlays", cls=Command)
@FILE_ARGUMENT
@click.option(
    "--at",
    metavar="POINT",
    shell_complete=complete_point,
    help="List the records of the conversation at this point; the default is HEAD.",
)
@CLIENT_OPTION
@JSON_OPTION
def overlays_command(file: str, at: str | None, as_json: bool) -> None:
    """List what `drop`, `compact`, `undo` and `redo` recorded in a conversation, and say which of it counts.

    \b
    Example:
      forkpoint overlays 5e551000
    """
    found = looking.records(load(file), at)
    conclude(found, lambda: view.lines(found), as_json=as_json)
