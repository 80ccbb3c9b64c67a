"""``forkpoint drop``."""

from __future__ import annotations

from typing import Unpack

import click

from forkpoint.cli import going_on, options
from forkpoint.cli.common import CLIENT_OPTION, FILE_ARGUMENT, JSON_OPTION, Argument, Command, complete_step, load
from forkpoint.cli.common import conclude as say
from forkpoint.cli.inplace import conclude
from forkpoint.cli.trim import SUGGEST
from forkpoint.ops import forking, leaving_out
from forkpoint.ops.appending import HowRecorded
from forkpoint.ops.refusals import Refusal
from forkpoint.view import overlays as view


@click.command(cls=Command)
@FILE_ARGUMENT
@click.argument(
    "span", cls=Argument, required=False, shell_complete=complete_step, text="The steps to leave out, such as s4 or s4..s7."
)
@click.option("--stub", help="The words of the stub that stands in the place of the span.")
@SUGGEST
@click.option("--no-stub", is_flag=True, help="Leave no stub. The command refuses if the span must leave one.")
@going_on.EXPORTED
@options.recording
@options.ORACLE
@CLIENT_OPTION
@JSON_OPTION
def drop(
    file: str,
    span: str | None,
    stub: str | None,
    suggest: bool,
    no_stub: bool,
    go_on: bool,
    as_json: bool,
    **how: Unpack[HowRecorded],
) -> None:
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
    if suggest == (span is not None):
        raise Refusal("name the steps to leave out, or ask with --suggest")
    if suggest:
        found = leaving_out.suggest_drops(session)
        say(found, lambda: view.suggested(found), as_json=as_json)
        return
    going_on.ready(go_on, dry_run=how.get("dry_run", False), as_json=as_json, session=session)
    conclude(leaving_out.drop(session, span or "", stub=stub, no_stub=no_stub, **how), how, as_json=as_json)
    if go_on:
        going_on.onward(forking.export(session))
