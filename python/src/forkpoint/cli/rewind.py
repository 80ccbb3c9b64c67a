"""``forkpoint rewind``."""

from __future__ import annotations

from typing import Unpack

import click

from forkpoint.cli import options
from forkpoint.cli.common import (
    CLIENT_OPTION,
    FILE_ARGUMENT,
    JSON_OPTION,
    Command,
    Rare,
    agreed,
    complete_point,
    load,
    show,
    terminal,
    width,
)
from forkpoint.cli.inplace import conclude
from forkpoint.ops import looking, moving
from forkpoint.ops.answers import Moved
from forkpoint.ops.appending import How
from forkpoint.ops.refusals import Refusal
from forkpoint.ops.session import Session
from forkpoint.view import answers as view
from forkpoint.view import points
from forkpoint.view.lines import Aside


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

    On a terminal, without a point, the command lists the prompts, and you choose the last one to keep. It shows what stays and
    what you leave behind, and asks.

    Clients take along what hangs below that point and is no turn of its own, such as the output of a client's command. Nothing
    gets lost: the command appends to the session's own file, in one write. It refuses if somebody else wrote to the session in
    the last minute, or since the command read it. It prints the command that undoes this step. `forkpoint fork` leaves the
    session alone.

    \b
    Example:
      forkpoint rewind 5e551000 --at HEAD~2
      forkpoint rewind 5e551000 --before 7 --files
    """
    session = load(file)
    if at is None and before is None and terminal() and not as_json:
        at = _chosen(session, nearest=nearest)
        if at is None:
            return
    answer = moving.rewind(
        session,
        at,
        before=before,
        nearest=nearest,
        allow_inherited=allow_inherited,
        allow_damage=allow_damage,
        files=options.files_asked(files, strict, repository),
        **how,
    )
    conclude(answer, how, as_json=as_json)


def _chosen(session: Session, *, nearest: bool) -> str | None:
    """The prompt whose turn is to be the last: the person at the terminal chooses it, and agrees to what that leaves behind."""
    listing = looking.listing(session)
    numbers = [str(point.number) for point in listing.points.points]
    if len(numbers) < 2:
        raise Refusal("there is no earlier prompt to go back to", file=session.file)
    show(points.lines(listing, options.today(), width()))
    at = click.prompt("keep up to the end of prompt", type=click.Choice(numbers), default=numbers[-2], show_choices=False)
    would = moving.rewind(session, at, nearest=nearest, dry_run=True)
    lines = (line for line in view.moved(would, dry_run=True) if isinstance(line, Aside)) if isinstance(would, Moved) else ()
    return at if agreed(lines, "go back?") else None
