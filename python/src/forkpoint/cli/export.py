"""``forkpoint export``."""

from __future__ import annotations

import os
from typing import Unpack

import click

from forkpoint.cli import drafts, oracle
from forkpoint.cli.common import CLIENT_OPTION, EXIT_CODES, FILE_ARGUMENT, ILLEGAL, JSON_OPTION, Stop, find, load, note
from forkpoint.cli.drafts import Wanted
from forkpoint.cli.inplace import refused
from forkpoint.cli.records import show
from forkpoint.transcript import select
from forkpoint.transcript.obstacles import HOLE
from forkpoint.transcript.outline import outline
from forkpoint.transcript.select import Choice


@click.command(epilog=EXIT_CODES)
@FILE_ARGUMENT
@click.option("--at", metavar="POINT", help="Where to go on from; the default is HEAD.")
@drafts.ALLOW_DAMAGE_OPTION
@drafts.new_session_options
@oracle.OPTION
@CLIENT_OPTION
@JSON_OPTION
def export(file: str, at: str | None, allow_damage: bool, with_oracle: bool, **wanted: Unpack[Wanted]) -> None:
    """Make a new session of a conversation as its records let it be seen. The original is only read.

    What `drop` and `compact` left out is not in it, the stubs are, and nothing else is changed but the parents of the entries
    behind a gap. Only the records of the conversation at POINT count. Standard output is the new session's id.

    \b
    Example:
      forkpoint export 5e551000 --name "the short version"
    """
    options, ledger = drafts.check(wanted), drafts.book(wanted)
    if with_oracle:
        oracle.require()
    transcript = load(file)
    file = os.fspath(transcript.path)
    position = None if at in (None, "HEAD") else transcript.log.position(find(transcript, at).entry.uuid)
    shown = show(file, transcript, position)
    if with_oracle:
        note(oracle.on_shown(shown))
    asked = transcript.nodes[shown.at]
    where = f"{file}:{asked.span.number}: {asked.uuid}"
    if shown.position is None:
        raise Stop(f"{where}: nothing of its conversation is left; `forkpoint undo` takes a record back", ILLEGAL)
    try:
        select.refuse_sub_agent(shown.transcript, shown.position)
    except select.Refused as error:
        raise refused(file, transcript, error) from error
    reason = select.why_not(shown.transcript, shown.position, overlooked=HOLE if allow_damage else 0)
    if reason is not None:
        near = [position for position, good in enumerate(outline(shown.transcript).resumable) if good][-1:]
        hint = "; ".join(shown.transcript.nodes[position].uuid for position in near)
        raise Stop(
            f"{where}: cannot be exported: {reason}" + (f"; the last resumable point: {hint}" if hint else ""),
            ILLEGAL,
            refused={"reason": reason, "nearest": [{"uuid": shown.transcript.nodes[each].uuid} for each in near]},
        )
    if shown.records:
        options["seen_from"] = asked.uuid
    made = drafts.draft(shown.transcript, shown.position, options)
    choice = Choice(shown.position, shown.position)
    records = [record.uuid for record in shown.active if record.covered]
    drafts.deliver(made, choice, wanted, ledger, records=records)
