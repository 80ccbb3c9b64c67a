"""``forkpoint rewind``."""

from __future__ import annotations

import click

from forkpoint.cli import drafts
from forkpoint.cli import inplace as moving
from forkpoint.cli.common import CLIENT_OPTION, EXIT_CODES, FILE_ARGUMENT, JSON_OPTION, Stop, note
from forkpoint.transcript import select
from forkpoint.transcript.outline import Outline
from forkpoint.transcript.reader import Transcript


@click.command(epilog=EXIT_CODES)
@FILE_ARGUMENT
@click.option("--at", metavar="POINT", help="A uuid or its beginning, a prompt's number, HEAD~3 (turns). The default is HEAD~1.")
@click.option("--before", metavar="PROMPT", help="The place before a prompt, named in the same ways.")
@click.option("--nearest", is_flag=True, help="Take the nearest point above where the place itself is none.")
@click.option("--allow-inherited", is_flag=True, help="Take a point that only a violation far above holds back.")
@drafts.ALLOW_DAMAGE_OPTION
@moving.IF_HEAD_OPTION
@moving.FORCE_OPTION
@moving.OPERATION_OPTION
@moving.DRY_RUN_OPTION
@CLIENT_OPTION
@JSON_OPTION
def rewind(
    file: str,
    at: str | None,
    before: str | None,
    nearest: bool,
    allow_inherited: bool,
    allow_damage: bool,
    if_head: str | None,
    force: bool,
    operation: str | None,
    dry_run: bool,
    as_json: bool,
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
    if at is not None and before is not None:
        raise Stop("--at and --before name two places; choose one")

    def choose(transcript: Transcript, outline: Outline) -> int:
        chosen = select.choose(
            transcript,
            outline,
            before or at or "HEAD~1",
            before=before is not None,
            nearest=nearest,
            allow_inherited=allow_inherited,
            allow_damage=allow_damage,
        )
        if chosen.position != chosen.asked:
            line, taken = (transcript.span(position).number for position in (chosen.asked, chosen.position))
            left = f"{len(chosen.left_out)} entries are left out"
            note(f"line {line} is no point to go on from: {chosen.reason}; line {taken} is taken, {left}")
        return chosen.position

    moving.move(moving.Asked(file, if_head, force, dry_run, as_json, operation=operation), choose)
