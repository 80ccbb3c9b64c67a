"""``forkpoint promote``."""

from __future__ import annotations

from typing import Unpack

import click

from forkpoint.cli import options
from forkpoint.cli.common import JSON_OPTION, Argument, Command, complete_point, complete_session, conclude, load
from forkpoint.cli.options import Wanted
from forkpoint.ops import forking
from forkpoint.view import answers as view


@click.command(cls=Command)
@click.argument(
    "file",
    cls=Argument,
    shell_complete=complete_session,
    text="The sub-agent's file, or a session: a file, an id or its beginning, or a title.",
)
@click.option(
    "--at",
    metavar="POINT",
    shell_complete=complete_point,
    help="The point at which the new session goes on; the default is the end of the sub-agent's conversation.",
)
@options.new_session
@JSON_OPTION
def promote(file: str, at: str | None, as_json: bool, **wanted: Unpack[Wanted]) -> None:
    """Make a new session of a sub-agent's conversation, so that a client can go on in it. This only reads the original.

    FILE is the sub-agent's file, or a session that holds sub-agents. If it holds several, POINT names an entry of the one that
    you mean. Each line stays as it was, but no longer says that a sub-agent speaks. Standard output is the new session's id.

    \b
    Example:
      forkpoint promote subagents/agent-7f3c.jsonl
    """
    new = options.new(wanted, as_json=as_json)
    answer = forking.promote(load(file), at, **new)
    conclude(answer, lambda: view.forked(answer), as_json=as_json)
