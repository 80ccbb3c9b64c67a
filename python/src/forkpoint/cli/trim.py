"""``forkpoint trim``."""

from __future__ import annotations

from typing import Unpack

import click

from forkpoint.cli import going_on, options
from forkpoint.cli.common import CLIENT_OPTION, FILE_ARGUMENT, JSON_OPTION, Argument, Command, complete_step, load
from forkpoint.cli.common import conclude as say
from forkpoint.cli.inplace import conclude
from forkpoint.ops import forking, leaving_out
from forkpoint.ops.appending import HowRecorded
from forkpoint.ops.refusals import Refusal
from forkpoint.view import overlays as view

SUGGEST = click.option("--suggest", is_flag=True, help="List what is of no more use, the largest first; append nothing.")


@click.command(cls=Command)
@FILE_ARGUMENT
@click.argument(
    "what",
    cls=Argument,
    required=False,
    shell_complete=complete_step,
    text="A step or span such as s4..s7, the id of a call, or duplicate, superseded or base64.",
)
@click.option(
    "--kind", "kinds", multiple=True, help="results, inputs, images, thinking or texts; the default is results and images."
)
@click.option(
    "--over", type=click.IntRange(0), default=400, help="Take the parts of a span with more characters than this.  [400]"
)
@click.option("--text", help="What stands in their place; {characters} and {what} are filled in.")
@SUGGEST
@going_on.EXPORTED
@options.recording
@options.ORACLE
@CLIENT_OPTION
@JSON_OPTION
def trim(
    file: str,
    what: str | None,
    kinds: tuple[str, ...],
    over: int,
    text: str | None,
    suggest: bool,
    go_on: bool,
    as_json: bool,
    **how: Unpack[HowRecorded],
) -> None:
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
    if suggest == (what is not None):
        raise Refusal("name what is to be trimmed, or ask with --suggest")
    if suggest:
        found = leaving_out.suggest_trims(session)
        say(found, lambda: view.suggested(found), as_json=as_json)
        return
    going_on.ready(go_on, dry_run=how.get("dry_run", False), as_json=as_json, session=session)
    chosen = kinds or ("results", "images")
    conclude(leaving_out.trim(session, what or "", kinds=chosen, over=over, text=text, **how), how, as_json=as_json)
    if go_on:
        going_on.onward(forking.export(session))
