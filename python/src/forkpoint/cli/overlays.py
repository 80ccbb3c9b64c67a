"""``forkpoint overlays``."""

from __future__ import annotations

import click

from forkpoint.cli import options
from forkpoint.cli.common import CLIENT_OPTION, FILE_ARGUMENT, JSON_OPTION, Command, load
from forkpoint.cli.console import conclude
from forkpoint.ops import views
from forkpoint.requests import OverlaysRequest
from forkpoint.view import overlays as view


@click.command("overlays", cls=Command)
@FILE_ARGUMENT
@options.takes(OverlaysRequest)
@CLIENT_OPTION
@JSON_OPTION
def overlays_command(file: str, request: OverlaysRequest, as_json: bool) -> None:
    """List what `drop`, `compact`, `undo` and `redo` recorded in a conversation, and say which of it counts.

    \b
    Example:
      forkpoint overlays 5e551000
    """
    found = views.records(load(file), request)
    conclude(found, lambda: view.lines(found), as_json=as_json)
