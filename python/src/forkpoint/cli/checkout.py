"""``forkpoint checkout``."""

from __future__ import annotations

import click

from forkpoint.cli import inplace as moving
from forkpoint.cli.common import CLIENT_OPTION, EXIT_CODES, FILE_ARGUMENT, ILLEGAL, JSON_OPTION, Stop, place
from forkpoint.transcript import inplace, select
from forkpoint.transcript.outline import Outline
from forkpoint.transcript.reader import Transcript


@click.command(epilog=EXIT_CODES)
@FILE_ARGUMENT
@click.option("--at", required=True, metavar="TIP", help="The end of a branch: a uuid or its beginning, or a prompt's number.")
@moving.IF_HEAD_OPTION
@moving.FORCE_OPTION
@moving.OPERATION_OPTION
@moving.DRY_RUN_OPTION
@CLIENT_OPTION
@JSON_OPTION
def checkout(file: str, at: str, if_head: str | None, force: bool, operation: str | None, dry_run: bool, as_json: bool) -> None:
    """Make the end of another branch the head: there a client that resumes the session goes on.

    This appends to the session's own file, in one write; nothing that stands there changes. It is refused when the session
    was written to in the last minute or since it was read. The command that undoes it is printed.

    \b
    Example:
      forkpoint checkout 5e551000 --at 08d12e6b
    """

    def choose(transcript: Transcript, outline: Outline) -> int:
        position = select.resolve(transcript, at, outline)
        end = inplace.tip(outline, transcript, position)
        if end is not None:
            return end
        nodes = transcript.nodes
        tips = ", ".join(f"{nodes[tip].uuid} (line {nodes[tip].span.number})" for tip in outline.tips[-4:])
        raise Stop(
            f"{file}:{nodes[position].span.number}: {nodes[position].uuid} is not the end of a branch: the conversation goes on"
            f" below it; `forkpoint rewind` makes it the head. The last ends of branches: {tips}",
            ILLEGAL,
            refused={"reason": "it is not the end of a branch", "nearest": [place(nodes[tip]) for tip in outline.tips]},
        )

    moving.move(moving.Asked(file, if_head, force, dry_run, as_json, operation=operation), choose)
