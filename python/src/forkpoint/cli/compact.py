"""``forkpoint compact``."""

from __future__ import annotations

from typing import Unpack

import click

from forkpoint.cli import going_on, options
from forkpoint.cli.common import CLIENT_OPTION, FILE_ARGUMENT, JSON_OPTION, Command, complete_step, load
from forkpoint.cli.inplace import conclude
from forkpoint.ops import forking, leaving_out
from forkpoint.ops.appending import How
from forkpoint.ops.texts import read_text


@click.command(cls=Command)
@FILE_ARGUMENT
@click.option(
    "--upto",
    required=True,
    metavar="POINT",
    shell_complete=complete_step,
    help="The last to replace: a step, a uuid, a prompt's number or HEAD~3.",
)
@click.option(
    "--summary-file", metavar="FILE", help="The summary's file, or - for standard input; the default summary lists the prompts."
)
@going_on.EXPORTED
@options.appending
@options.ORACLE
@CLIENT_OPTION
@JSON_OPTION
def compact(file: str, upto: str, summary_file: str | None, go_on: bool, as_json: bool, **how: Unpack[How]) -> None:
    """Replace the start of the conversation at the head, up to a point, with one summary. This deletes nothing.

    `forkpoint export` puts the summary in the place of all steps up to the last one that POINT names. You write POINT as a span;
    a prompt's number covers its turn to the end. The command appends a record of this to the session's own file, and `forkpoint
    undo` takes it back.

    \b
    Example:
      forkpoint compact 5e551000 --upto HEAD~2 --summary-file summary.md
    """
    session = load(file)
    going_on.ready(go_on, dry_run=how.get("dry_run", False), as_json=as_json, session=session)
    summary = None if summary_file is None else read_text(summary_file, "the summary")
    conclude(leaving_out.compact(session, upto, summary=summary, **how), how, as_json=as_json)
    if go_on:
        going_on.onward(forking.export(session))
