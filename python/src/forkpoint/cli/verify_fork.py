"""``forkpoint verify-fork``."""

from __future__ import annotations

import click

from forkpoint.cli.common import FILE_ARGUMENT, JSON_OPTION, Command, conclude, load
from forkpoint.ops import checking
from forkpoint.view import answers as view


@click.command("verify-fork", cls=Command)
@FILE_ARGUMENT
@click.argument("source", required=False)
@JSON_OPTION
def verify_fork(file: str, source: str | None, as_json: bool) -> None:
    """Check that a fork still holds what was forked: by its marker, and by the session it was forked from.

    SOURCE is found by what the fork says of itself when it is not given. What a resumed fork grew after its fork point is
    counted and passes. A fork without a marker is compared with its source by the entries that both hold.

    \b
    Example:
      forkpoint verify-fork 7c21bb3e
    """
    found = checking.verify_fork(load(file), source)
    conclude(found, lambda: view.verified(found), as_json=as_json)
