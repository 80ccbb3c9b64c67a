"""``forkpoint export``."""

from __future__ import annotations

from typing import Unpack

import click

from forkpoint.cli import options
from forkpoint.cli.common import CLIENT_OPTION, FILE_ARGUMENT, JSON_OPTION, Command, complete_point, conclude, load
from forkpoint.cli.options import Wanted
from forkpoint.ops import forking
from forkpoint.view import answers as view


@click.command(cls=Command)
@FILE_ARGUMENT
@click.option(
    "--at",
    metavar="POINT",
    shell_complete=complete_point,
    help="The point at which the new session goes on; the default is HEAD.",
)
@options.ALLOW_DAMAGE
@options.new_session
@options.ORACLE
@CLIENT_OPTION
@JSON_OPTION
def export(file: str, at: str | None, allow_damage: bool, oracle: bool, as_json: bool, **wanted: Unpack[Wanted]) -> None:
    """Make a new session of a conversation as its records show it. This only reads the original.

    The new session lacks what `drop` and `compact` left out, and holds the stubs. Nothing else changes but the parents of the
    entries behind a gap. Only the records of the conversation at POINT count. Standard output is the new session's id.

    \b
    Example:
      forkpoint export 5e551000 --name "the short version"
    """
    new = options.new(wanted, as_json=as_json)
    answer = forking.export(load(file), at, allow_damage=allow_damage, oracle=oracle, **new)
    conclude(answer, lambda: view.forked(answer), as_json=as_json)
