"""``forkpoint drop``."""

from __future__ import annotations

from typing import Unpack

import click

from forkpoint.cli import options
from forkpoint.cli.common import CLIENT_OPTION, FILE_ARGUMENT, JSON_OPTION, Command, complete_step, load
from forkpoint.cli.inplace import conclude
from forkpoint.ops import leaving_out
from forkpoint.ops.appending import How


@click.command(cls=Command)
@FILE_ARGUMENT
@click.argument("span", shell_complete=complete_step)
@click.option("--stub", help="What the stub says that stands in the place of the span.")
@click.option("--no-stub", is_flag=True, help="Leave no stub; refused when the span must leave one.")
@options.appending
@options.ORACLE
@CLIENT_OPTION
@JSON_OPTION
def drop(file: str, span: str, stub: str | None, no_stub: bool, as_json: bool, **how: Unpack[How]) -> None:
    """Leave steps out of the conversation at the head, as `forkpoint export` makes a session of it. Nothing is deleted.

    SPAN names steps: s3 one, a uuid or its beginning the step that holds the entry, a prompt's number or HEAD~1 those of a turn,
    and A..B all from A to B; `forkpoint points --steps` lists them. What is left out is said by a record that is appended to the
    session's own file; `forkpoint undo` takes it back. A stub stands in the place of the span when a call in it may have had an
    effect, when something that stays refers to it, or when a prompt that stays was said after it.

    \b
    Examples:
      forkpoint drop 5e551000 s4..s7
      forkpoint drop 5e551000 3 --stub "The balcony was measured: 2.5 m by 1.2 m."
      forkpoint drop 5e551000 2..3 --dry-run
    """
    conclude(leaving_out.drop(load(file), span, stub=stub, no_stub=no_stub, **how), how, as_json=as_json)
