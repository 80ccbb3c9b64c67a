"""``forkpoint verify-fork``."""

from __future__ import annotations

import click

from forkpoint.cli import options
from forkpoint.cli.common import FILE_ARGUMENT, JSON_OPTION, Command, load
from forkpoint.cli.console import conclude
from forkpoint.ops import checking
from forkpoint.requests import VerifyForkRequest
from forkpoint.view import answers as view


@click.command("verify-fork", cls=Command)
@FILE_ARGUMENT
@options.takes(VerifyForkRequest)
@JSON_OPTION
def verify_fork(file: str, request: VerifyForkRequest, as_json: bool) -> None:
    """Check that a fork still holds what it took from its source, by its marker and by the source itself.

    If you do not give SOURCE, the command finds it by what the fork says of itself. What a resumed fork grew after its fork point
    counts, and passes. If the fork has no marker, the command compares the entries that both hold.

    \b
    Example:
      forkpoint verify-fork 7c21bb3e
    """
    found = checking.verify_fork(load(file), request)
    conclude(found, lambda: view.verified(found), as_json=as_json)
