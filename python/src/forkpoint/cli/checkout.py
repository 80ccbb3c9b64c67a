"""``forkpoint checkout``."""

from __future__ import annotations

from typing import Unpack

import click

from forkpoint.cli import options
from forkpoint.cli.common import CLIENT_OPTION, FILE_ARGUMENT, JSON_OPTION, Command, complete_point, load
from forkpoint.cli.inplace import conclude
from forkpoint.ops import moving
from forkpoint.ops.appending import How


@click.command(cls=Command)
@FILE_ARGUMENT
@click.option(
    "--at",
    required=True,
    metavar="TIP",
    shell_complete=complete_point,
    help="The end of a branch: a uuid, the beginning of one, or a prompt's number.",
)
@options.with_files
@options.appending
@CLIENT_OPTION
@JSON_OPTION
def checkout(file: str, at: str, files: bool, strict: bool, repository: str | None, as_json: bool, **how: Unpack[How]) -> None:
    """Make the end of another branch the head. A client that resumes the session goes on there.

    The command appends to the session's own file in one write, and changes nothing that stands there. It refuses if somebody else
    wrote to the session in the last minute, or since the command read it. It prints the command that undoes this step.

    \b
    Example:
      forkpoint checkout 5e551000 --at 08d12e6b
    """
    asked = options.files_asked(files, strict, repository)
    conclude(moving.checkout(load(file), at, files=asked, **how), how, as_json=as_json)
