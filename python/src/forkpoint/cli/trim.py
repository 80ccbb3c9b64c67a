"""``forkpoint trim``."""

from __future__ import annotations

import click

from forkpoint.answers.refusals import Refusal
from forkpoint.cli import going_on, options
from forkpoint.cli.common import CLIENT_OPTION, FILE_ARGUMENT, JSON_OPTION, Command, load
from forkpoint.cli.console import conclude as say
from forkpoint.cli.inplace import conclude
from forkpoint.ops import forking, records
from forkpoint.requests import ExportRequest, TrimRequest
from forkpoint.view import overlays as view

SUGGEST = click.option("--suggest", is_flag=True, help="List what is of no more use, the largest first; append nothing.")


@click.command(cls=Command)
@FILE_ARGUMENT
@options.takes(TrimRequest)
@SUGGEST
@going_on.EXPORTED
@CLIENT_OPTION
@JSON_OPTION
def trim(file: str, request: TrimRequest, suggest: bool, go_on: bool, as_json: bool) -> None:
    """Put short words in the place of large or stale parts of messages, in the session that `forkpoint export` makes.

    Every entry stays, and every call keeps its result: only the content of the parts is covered. The command appends a record to
    the session's own file; `forkpoint undo` takes it back. `--suggest` lists results that stand again later, results of files
    that were touched later, and data of images.

    \b
    Examples:
      forkpoint trim 5e551000 --suggest
      forkpoint trim 5e551000 superseded
      forkpoint trim 5e551000 s4..s7 --kind results --over 2000
    """
    session = load(file)
    if suggest == bool(request.what):
        raise Refusal("name what is to be trimmed, or ask with --suggest")
    if suggest:
        found = records.suggest_trims(session)
        say(found, lambda: view.suggested(found), as_json=as_json)
        return
    going_on.ready(go_on, dry_run=request.dry_run, as_json=as_json, session=session)
    conclude(records.trim(session, request), request, as_json=as_json)
    if go_on:
        going_on.onward(forking.export(session, ExportRequest()))
