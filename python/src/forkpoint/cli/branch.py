"""``forkpoint branch``."""

from __future__ import annotations

import click

from forkpoint.cli import going_on, options
from forkpoint.cli.common import CLIENT_OPTION, FILE_ARGUMENT, JSON_OPTION, Command, load
from forkpoint.cli.console import conclude
from forkpoint.ops import forking
from forkpoint.requests import BranchRequest
from forkpoint.view import answers as view


@click.command(cls=Command)
@FILE_ARGUMENT
@options.takes(BranchRequest)
@going_on.RESUME
@CLIENT_OPTION
@JSON_OPTION
def branch(file: str, request: BranchRequest, go_on: bool, as_json: bool) -> None:
    """Branch a session as the client's /branch does. This only reads the original.

    Each line of the branch has its own session id, and each entry says where it comes from. `forkpoint fork` can do more, and
    keeps each line byte for byte.

    \b
    Examples:
      forkpoint branch 5e551000
      forkpoint branch 5e551000 "another way" --at 4 --resume
    """
    going_on.ready(go_on, dry_run=request.dry_run, as_json=as_json)
    options.refuse_bytes_and_json(request, as_json=as_json)
    answer = forking.branch(load(file), request)
    conclude(answer, lambda: view.forked(answer), as_json=as_json)
    if go_on:
        going_on.onward(answer)
