"""``forkpoint rewind``."""

from __future__ import annotations

from typing import Unpack

import click

from forkpoint.cli import options
from forkpoint.cli.common import CLIENT_OPTION, FILE_ARGUMENT, JSON_OPTION, Command, Rare, complete_point, load
from forkpoint.cli.inplace import conclude
from forkpoint.ops import moving
from forkpoint.ops.appending import How


@click.command(cls=Command)
@FILE_ARGUMENT
@click.option(
    "--at",
    metavar="POINT",
    shell_complete=complete_point,
    help="A uuid or its beginning, a prompt's number, HEAD~3 (turns). The default is HEAD~1.",
)
@click.option(
    "--before", metavar="PROMPT", shell_complete=complete_point, help="The place before a prompt, named in the same ways."
)
@click.option("--nearest", is_flag=True, help="Take the nearest point above where the place itself is none.")
@click.option("--allow-inherited", cls=Rare, is_flag=True, help="Take a point that only a violation far above holds back.")
@options.ALLOW_DAMAGE
@options.appending
@CLIENT_OPTION
@JSON_OPTION
def rewind(
    file: str,
    at: str | None,
    before: str | None,
    nearest: bool,
    allow_inherited: bool,
    allow_damage: bool,
    as_json: bool,
    **how: Unpack[How],
) -> None:
    """Make an earlier point the head: a client that resumes the session goes on there, and what follows is left behind.

    What hangs below that point and is no turn of its own, such as the output of a client's command, is taken along by clients.
    Nothing is lost: this appends to the session's own file, in one write. It is refused when the session was written to in
    the last minute or since it was read. The command that undoes it is printed. `forkpoint fork` leaves the session alone.

    \b
    Example:
      forkpoint rewind 5e551000 --at HEAD~2
      forkpoint rewind 5e551000 --before 7
    """
    answer = moving.rewind(
        load(file),
        at,
        before=before,
        nearest=nearest,
        allow_inherited=allow_inherited,
        allow_damage=allow_damage,
        **how,
    )
    conclude(answer, how, as_json=as_json)
