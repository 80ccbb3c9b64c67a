"""``forkpoint branch``."""

from __future__ import annotations

import click

from forkpoint.cli import going_on, options
from forkpoint.cli.common import CLIENT_OPTION, FILE_ARGUMENT, JSON_OPTION, Argument, Command, complete_point, conclude, load
from forkpoint.ops import forking
from forkpoint.view import answers as view


@click.command(cls=Command)
@FILE_ARGUMENT
@click.argument("name", cls=Argument, required=False, text="Its title. The default is its title at that point and (Branch).")
@click.option("--at", default="HEAD", metavar="POINT", shell_complete=complete_point, help="Where to branch.")
@click.option("--legal", is_flag=True, help="Branch only at the end of an assistant's turn.")
@click.option("--nearest", is_flag=True, help="If you cannot branch at the point, take the nearest one above where you can.")
@options.ALLOW_DAMAGE
@click.option("--dry-run", is_flag=True, help="Only say what the branch would hold.")
@going_on.RESUME
@CLIENT_OPTION
@JSON_OPTION
def branch(
    file: str,
    name: str | None,
    at: str,
    legal: bool,
    nearest: bool,
    allow_damage: bool,
    dry_run: bool,
    go_on: bool,
    as_json: bool,
) -> None:
    """Branch a session as the client's /branch does. This only reads the original.

    Each line of the branch has its own session id, and each entry says where it comes from. `forkpoint fork` can do more, and
    keeps each line byte for byte.

    \b
    Examples:
      forkpoint branch 5e551000
      forkpoint branch 5e551000 "another way" --at 4 --resume
    """
    going_on.ready(go_on, dry_run=dry_run, as_json=as_json)
    answer = forking.branch(
        load(file),
        at,
        legal=legal,
        nearest=nearest,
        allow_damage=allow_damage,
        name=name,
        now=options.when(None),
        dry_run=dry_run,
    )
    conclude(answer, lambda: view.forked(answer), as_json=as_json)
    if go_on:
        going_on.onward(answer)
