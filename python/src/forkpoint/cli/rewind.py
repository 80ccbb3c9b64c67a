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
    help="A uuid or its beginning, a prompt's number, or HEAD~3 (turns). The default is HEAD~1.",
)
@click.option(
    "--before",
    metavar="PROMPT",
    shell_complete=complete_point,
    help="Take the place before this prompt. Name the prompt in the same ways.",
)
@click.option("--nearest", is_flag=True, help="If the place is no point, take the nearest point above.")
@click.option("--allow-inherited", cls=Rare, is_flag=True, help="Take a point that only a break far above holds back.")
@options.ALLOW_DAMAGE
@options.with_files
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
    files: bool,
    strict: bool,
    repository: str | None,
    as_json: bool,
    **how: Unpack[How],
) -> None:
    """Make an earlier point the head. A client that resumes the session goes on there, and leaves behind what follows.

    Clients take along what hangs below that point and is no turn of its own, such as the output of a client's command. Nothing
    gets lost: the command appends to the session's own file, in one write. It refuses if somebody else wrote to the session in
    the last minute, or since the command read it. It prints the command that undoes this step. `forkpoint fork` leaves the
    session alone.

    \b
    Example:
      forkpoint rewind 5e551000 --at HEAD~2
      forkpoint rewind 5e551000 --before 7 --files
    """
    answer = moving.rewind(
        load(file),
        at,
        before=before,
        nearest=nearest,
        allow_inherited=allow_inherited,
        allow_damage=allow_damage,
        files=options.files_asked(files, strict, repository),
        **how,
    )
    conclude(answer, how, as_json=as_json)
