"""``forkpoint repair``."""

from __future__ import annotations

import click

from forkpoint.answers.new_sessions import Forked
from forkpoint.cli import options
from forkpoint.cli.common import FILE_ARGUMENT, JSON_OPTION, Command, load
from forkpoint.cli.console import conclude
from forkpoint.ops import repairing
from forkpoint.requests import RepairRequest
from forkpoint.view import answers as view


@click.command(cls=Command)
@FILE_ARGUMENT
@options.takes(RepairRequest)
@JSON_OPTION
def repair(file: str, request: RepairRequest, as_json: bool) -> None:
    """Write a healthy copy of a damaged transcript as a new session, and a report of what the command did.

    The copy keeps every branch. Each line of the original stands in the new file as it was, or verbatim in the report. Sound
    conversations stay as they are. For a healthy file the command writes nothing, unless the API refuses something of its
    conversation, as `doctor` says: then the new session lacks just that.

    \b
    Example:
      forkpoint repair session.jsonl
    """
    options.refuse_bytes_and_json(request, as_json=as_json)
    answer = repairing.repair(load(file), request)
    if isinstance(answer, Forked):
        made = answer
        conclude(made, lambda: view.forked(made), as_json=as_json)
    else:
        repaired = answer
        conclude(repaired, lambda: view.repaired(repaired, dry_run=request.dry_run), as_json=as_json)
