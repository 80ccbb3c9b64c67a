"""``forkpoint undo`` and ``forkpoint redo``."""

from __future__ import annotations

import click

from forkpoint.cli import options
from forkpoint.cli.common import CLIENT_OPTION, FILE_ARGUMENT, JSON_OPTION, Command, load
from forkpoint.cli.inplace import conclude
from forkpoint.ops import records
from forkpoint.requests import RedoRequest, UndoRequest


@click.command(cls=Command)
@FILE_ARGUMENT
@options.takes(UndoRequest)
@CLIENT_OPTION
@JSON_OPTION
def undo(file: str, request: UndoRequest, as_json: bool) -> None:
    """Take back a `drop` or `compact`: the last that counts, or the one that RECORD names.

    The command appends a record that supersedes the older one. The session then looks as if the older one had never been.
    `forkpoint redo` takes the undo back in turn. `forkpoint overlays` lists the records.

    \b
    Example:
      forkpoint undo 5e551000
    """
    conclude(records.undo(load(file), request), request, as_json=as_json)


@click.command(cls=Command)
@FILE_ARGUMENT
@options.takes(RedoRequest)
@CLIENT_OPTION
@JSON_OPTION
def redo(file: str, request: RedoRequest, as_json: bool) -> None:
    """Take back an `undo`: the last that counts, or the one that RECORD names.

    \b
    Example:
      forkpoint redo 5e551000
    """
    conclude(records.redo(load(file), request), request, as_json=as_json)
