"""``forkpoint promote``."""

from __future__ import annotations

import click

from forkpoint.cli import options
from forkpoint.cli.common import JSON_OPTION, Argument, Command, complete_session, load
from forkpoint.cli.console import conclude
from forkpoint.ops import forking
from forkpoint.requests import PromoteRequest
from forkpoint.view import answers as view


@click.command(cls=Command)
@click.argument(
    "file",
    cls=Argument,
    shell_complete=complete_session,
    text="The sub-agent's file, or a session: a file, an id or its beginning, or a title.",
)
@options.takes(PromoteRequest)
@JSON_OPTION
def promote(file: str, request: PromoteRequest, as_json: bool) -> None:
    """Make a new session of a sub-agent's conversation, so that a client can go on in it. This only reads the original.

    FILE is the sub-agent's file, or a session that holds sub-agents. If it holds several, POINT names an entry of the one that
    you mean. Each line stays as it was, but no longer says that a sub-agent speaks. Standard output is the new session's id.

    \b
    Example:
      forkpoint promote subagents/agent-7f3c.jsonl
    """
    options.refuse_bytes_and_json(request, as_json=as_json)
    answer = forking.promote(load(file), request)
    conclude(answer, lambda: view.forked(answer), as_json=as_json)
