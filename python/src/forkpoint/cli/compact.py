"""``forkpoint compact``."""

from __future__ import annotations

import click
from msgspec.structs import replace

from forkpoint.answers.refusals import Refusal
from forkpoint.cli import going_on, options
from forkpoint.cli.common import CLIENT_OPTION, FILE_ARGUMENT, JSON_OPTION, Command, load
from forkpoint.cli.console import conclude as say
from forkpoint.cli.console import print_bytes, tell
from forkpoint.cli.inplace import conclude
from forkpoint.ops import forking, records, side_question
from forkpoint.ops.read_text import read_text
from forkpoint.requests import CompactForkRequest, CompactRequest, ExportRequest
from forkpoint.view import answers as view


@click.command(cls=Command)
@FILE_ARGUMENT
@options.takes(CompactRequest)
@click.option(
    "--summary-file", metavar="FILE", help="The summary's file, or - for standard input; the default summary lists the prompts."
)
@click.option(
    "--ask", is_flag=True, help="Let the client write the summary, as the answer to a side question; that costs tokens."
)
@click.option("--fork", is_flag=True, help="Make a new session with the summary, and record nothing in this one.")
@going_on.EXPORTED
@CLIENT_OPTION
@JSON_OPTION
def compact(
    file: str, request: CompactRequest, summary_file: str | None, ask: bool, fork: bool, go_on: bool, as_json: bool
) -> None:
    """Replace the start of the conversation at the head, up to a point, with one summary. This deletes nothing.

    `forkpoint export` puts the summary in the place of all steps up to the last one that POINT names. You write POINT as a span;
    a prompt's number covers its turn to the end. The command appends a record of this to the session's own file, and `forkpoint
    undo` takes it back.

    \b
    Example:
      forkpoint compact 5e551000 --upto HEAD~2 --summary-file summary.md
      forkpoint compact 5e551000 --fork --resume
    """
    session = load(file)
    going_on.ready(go_on, dry_run=request.dry_run, as_json=as_json, session=session)
    if ask and (summary_file is not None or request.dry_run):
        raise Refusal("--ask excludes --summary-file and --dry-run")
    summary = None if summary_file is None else read_text(summary_file, "the summary")
    if ask:
        summary = side_question.summary(session, before=lambda said: tell(view.side_cost(said)))
    if fork:
        if request.if_head or request.force or request.operation or request.defer:
            raise Refusal("--if-head, --force, --operation and --defer are for a record, and --fork makes none")
        wanted = CompactForkRequest(upto=request.upto or None, summary=summary, dry_run=request.dry_run, sink=print_bytes)
        made = records.compact_fork(session, wanted)
        say(made, lambda: view.forked(made), as_json=as_json)
        if go_on:
            going_on.onward(made)
        return
    request = replace(request, summary=summary)
    conclude(records.compact(session, request), request, as_json=as_json)
    if go_on:
        going_on.onward(forking.export(session, ExportRequest()))
