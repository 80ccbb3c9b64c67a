"""``forkpoint export``."""

from __future__ import annotations

import click

from forkpoint.cli import options
from forkpoint.cli.common import CLIENT_OPTION, FILE_ARGUMENT, JSON_OPTION, Command, load
from forkpoint.cli.console import conclude
from forkpoint.ops import forking
from forkpoint.requests import ExportRequest
from forkpoint.view import answers as view


@click.command(cls=Command)
@FILE_ARGUMENT
@options.takes(ExportRequest)
@CLIENT_OPTION
@JSON_OPTION
def export(file: str, request: ExportRequest, as_json: bool) -> None:
    """Make a new session of a conversation as its records show it. This only reads the original.

    The new session lacks what `drop` and `compact` left out, and holds the stubs. Nothing else changes but the parents of the
    entries behind a gap. Only the records of the conversation at POINT count. Standard output is the new session's id.

    \b
    Example:
      forkpoint export 5e551000 --name "the short version"
    """
    options.refuse_bytes_and_json(request, as_json=as_json)
    answer = forking.export(load(file), request)
    conclude(answer, lambda: view.forked(answer), as_json=as_json)
