"""``forkpoint undo`` and ``forkpoint redo``."""

from __future__ import annotations

from typing import Unpack

import click

from forkpoint.cli import options
from forkpoint.cli.common import CLIENT_OPTION, FILE_ARGUMENT, JSON_OPTION, Argument, Command, load
from forkpoint.cli.inplace import conclude
from forkpoint.ops import leaving_out
from forkpoint.ops.appending import HowRecorded


@click.command(cls=Command)
@FILE_ARGUMENT
@click.argument(
    "which",
    cls=Argument,
    metavar="[RECORD]",
    required=False,
    text="The uuid of the record, or its beginning; the default is the last `drop` or `compact` that counts.",
)
@options.recording
@options.ORACLE
@CLIENT_OPTION
@JSON_OPTION
def undo(file: str, which: str | None, as_json: bool, **how: Unpack[HowRecorded]) -> None:
    """Take back a `drop` or `compact`: the last that counts, or the one that RECORD names.

    The command appends a record that supersedes the older one. The session then looks as if the older one had never been.
    `forkpoint redo` takes the undo back in turn. `forkpoint overlays` lists the records.

    \b
    Example:
      forkpoint undo 5e551000
    """
    conclude(leaving_out.undo(load(file), which, **how), how, as_json=as_json)


@click.command(cls=Command)
@FILE_ARGUMENT
@click.argument(
    "which",
    cls=Argument,
    metavar="[RECORD]",
    required=False,
    text="The uuid of the record, or its beginning; the default is the last `undo` that counts.",
)
@options.recording
@options.ORACLE
@CLIENT_OPTION
@JSON_OPTION
def redo(file: str, which: str | None, as_json: bool, **how: Unpack[HowRecorded]) -> None:
    """Take back an `undo`: the last that counts, or the one that RECORD names.

    \b
    Example:
      forkpoint redo 5e551000
    """
    conclude(leaving_out.redo(load(file), which, **how), how, as_json=as_json)
