"""``forkpoint discard``."""

from __future__ import annotations

import click

from forkpoint.cli import options
from forkpoint.cli.common import FILE_ARGUMENT, JSON_OPTION, Command, load
from forkpoint.cli.console import conclude
from forkpoint.ops import discarding
from forkpoint.requests import DiscardRequest
from forkpoint.view import answers as view


@click.command(cls=Command)
@FILE_ARGUMENT
@options.takes(DiscardRequest)
@JSON_OPTION
def discard(file: str, request: DiscardRequest, as_json: bool) -> None:
    """Remove a fork that forkpoint made and that nobody resumed, with the files that went along with it.

    The command refuses anything else: a session without the marker of a fork, a fork in which somebody went on, and one that
    holds what stands nowhere else.

    \b
    Example:
      forkpoint discard 5e551000 --dry-run
    """
    answer = discarding.discard(load(file), request)
    conclude(answer, lambda: view.removed(answer), as_json=as_json)
