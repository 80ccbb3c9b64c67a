"""``forkpoint catalog``."""

from __future__ import annotations

import click

from forkpoint.cli.common import JSON_OPTION, Command
from forkpoint.cli.console import conclude
from forkpoint.ops import searching
from forkpoint.view import search as view


@click.group(invoke_without_command=True)
@JSON_OPTION
@click.pass_context
def catalog(context: click.Context, as_json: bool) -> None:
    """Say what is kept of sessions to be faster, and where; or remove it.

    The catalog is made anew as sessions are read. An answer is the same without it, as long as nobody changes what it holds.
    What a command writes is held against the session's own bytes. FORKPOINT_CATALOG=off does without.

    \b
    Examples:
      forkpoint catalog
      forkpoint catalog drop
    """
    if context.invoked_subcommand is None:
        answer = searching.kept()
        conclude(answer, lambda: view.catalog(answer), as_json=as_json)


@catalog.command("drop", cls=Command)
@JSON_OPTION
def drop(as_json: bool) -> None:
    """Remove the catalog, and with it all words that were kept of sessions."""
    answer = searching.drop()
    conclude(answer, lambda: view.catalog(answer), as_json=as_json)
