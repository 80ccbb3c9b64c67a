"""``forkpoint mcp``."""

from __future__ import annotations

import click

from forkpoint.cli.common import Command
from forkpoint.cli.console import needs


@click.command(cls=Command)
def mcp() -> None:
    """Offer a model in a client what is safe from inside its session, by MCP, on standard input and output.

    The tools list points and steps, search, compare, fork and branch. They leave steps out of the next `forkpoint export`, and
    take that back. None writes into the session's file.

    \b
    Example:
      claude mcp add forkpoint -- forkpoint mcp
    """
    with needs("mcp"):
        from forkpoint.server import tools
    tools.offer(tools.calls())
