"""``forkpoint undo`` and ``forkpoint redo``."""

from __future__ import annotations

from typing import Unpack

import click

from forkpoint.cli import options
from forkpoint.cli.common import CLIENT_OPTION, FILE_ARGUMENT, JSON_OPTION, Command, load
from forkpoint.cli.inplace import conclude
from forkpoint.ops import leaving_out
from forkpoint.ops.appending import How


@click.command(cls=Command)
@FILE_ARGUMENT
@click.argument("which", metavar="[RECORD]", required=False)
@options.appending
@options.ORACLE
@CLIENT_OPTION
@JSON_OPTION
def undo(file: str, which: str | None, as_json: bool, **how: Unpack[How]) -> None:
    """Take back a `drop` or `compact`: by default the last that counts, or the one whose uuid, or its beginning, is given.

    A record is appended that supersedes it, so the session is seen again as if it had never been; `forkpoint redo` takes that
    back in turn. `forkpoint overlays` lists the records.

    \b
    Example:
      forkpoint undo 5e551000
    """
    conclude(leaving_out.undo(load(file), which, **how), how, as_json=as_json)


@click.command(cls=Command)
@FILE_ARGUMENT
@click.argument("which", metavar="[RECORD]", required=False)
@options.appending
@options.ORACLE
@CLIENT_OPTION
@JSON_OPTION
def redo(file: str, which: str | None, as_json: bool, **how: Unpack[How]) -> None:
    """Take back an `undo`: by default the last that counts, or the one whose uuid, or its beginning, is given.

    \b
    Example:
      forkpoint redo 5e551000
    """
    conclude(leaving_out.redo(load(file), which, **how), how, as_json=as_json)
