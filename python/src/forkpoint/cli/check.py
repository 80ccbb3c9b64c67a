"""``forkpoint check``."""

from __future__ import annotations

import click

from forkpoint.cli import options
from forkpoint.cli.common import FILE_ARGUMENT, JSON_OPTION, Command, load
from forkpoint.cli.console import conclude, folding, show
from forkpoint.ops import checking
from forkpoint.requests import CheckRequest
from forkpoint.view import check as view


@click.command(cls=Command)
@FILE_ARGUMENT
@options.takes(CheckRequest)
@JSON_OPTION
def check(file: str, request: CheckRequest, as_json: bool) -> None:
    """Check every property of a transcript: unique uuids (P1), no dangling parents (P2), balanced calls (P3).

    \b
    Example:
      forkpoint check session.jsonl
      forkpoint check session.jsonl --as 2.1.330
    """
    if request.version is not None:
        checking.require(request.version)
    found = checking.check(load(file), request)
    if not as_json:
        show(view.lines(found, folding()))
    conclude(found, lambda: (), as_json=as_json)
