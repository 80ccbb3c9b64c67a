"""``forkpoint backfill``."""

from __future__ import annotations

import click

from forkpoint.cli import options
from forkpoint.cli.common import FILE_ARGUMENT, JSON_OPTION, Command, load
from forkpoint.cli.console import conclude
from forkpoint.ops import backfill as operation
from forkpoint.requests import BackfillRequest
from forkpoint.view import answers as view


@click.command(cls=Command)
@FILE_ARGUMENT
@options.takes(BackfillRequest)
@JSON_OPTION
def backfill(file: str, request: BackfillRequest, as_json: bool) -> None:
    """Write a new file whose entries have the keys that a later client version requires.

    The command fills in only keys with a default that means "nothing special", and values that the log holds (the session id). It
    puts them before the closing brace of the line; every old byte stays. It reports keys that say who, when or where, and never
    makes them up.

    \b
    Example:
      forkpoint backfill session.jsonl --to 2.1.161
      forkpoint backfill session.jsonl --to 2.1.161 --dry-run
    """
    options.refuse_bytes_and_json(request, as_json=as_json)
    answer = operation.backfill(load(file), request)
    conclude(answer, lambda: view.backfilled(answer, dry_run=request.dry_run), as_json=as_json)
