"""``forkpoint drop``."""

from __future__ import annotations

import click

from forkpoint.answers.refusals import Refusal
from forkpoint.cli import going_on, options
from forkpoint.cli.common import CLIENT_OPTION, FILE_ARGUMENT, JSON_OPTION, Command, load
from forkpoint.cli.console import conclude as say
from forkpoint.cli.inplace import conclude
from forkpoint.cli.trim import SUGGEST
from forkpoint.ops import forking, records
from forkpoint.requests import DropRequest, ExportRequest
from forkpoint.view import overlays as view


@click.command(cls=Command)
@FILE_ARGUMENT
@options.takes(DropRequest)
@SUGGEST
@going_on.EXPORTED
@CLIENT_OPTION
@JSON_OPTION
def drop(file: str, request: DropRequest, suggest: bool, go_on: bool, as_json: bool) -> None:
    """Leave steps out of the session that `forkpoint export` makes of the conversation at the head. This deletes nothing.

    SPAN names steps, which `forkpoint points --steps` lists. s3 names one step, and a uuid or its beginning names the step that
    holds the entry. A prompt's number or HEAD~1 names the steps of a turn, and A..B names all from A to B. The command appends a
    record of this to the session's own file; `forkpoint undo` takes it back. A stub stands in the place of the span if a call in
    it may have had an effect. It also does if something that stays refers to the span, or if a prompt that stays came after it.

    \b
    Examples:
      forkpoint drop 5e551000 s4..s7
      forkpoint drop 5e551000 3 --stub "The balcony was measured: 2.5 m by 1.2 m."
      forkpoint drop 5e551000 2..3 --dry-run
    """
    session = load(file)
    if suggest == bool(request.span):
        raise Refusal("name the steps to leave out, or ask with --suggest")
    if suggest:
        found = records.suggest_drops(session)
        say(found, lambda: view.suggested(found), as_json=as_json)
        return
    going_on.ready(go_on, dry_run=request.dry_run, as_json=as_json, session=session)
    conclude(records.drop(session, request), request, as_json=as_json)
    if go_on:
        going_on.onward(forking.export(session, ExportRequest()))
