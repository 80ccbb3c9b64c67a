"""``forkpoint where``."""

from __future__ import annotations

import click

from forkpoint.cli.common import FILE_ARGUMENT, JSON_OPTION, Command, load
from forkpoint.cli.console import conclude
from forkpoint.ops import whereabouts
from forkpoint.view import sessions as view


@click.command(cls=Command)
@FILE_ARGUMENT
@JSON_OPTION
def where(file: str, as_json: bool) -> None:
    """Say where a session is: its file, its folder, its client, its size, and which sessions it comes from and led to.

    \b
    Example:
      forkpoint where 5e551000
    """
    answer = whereabouts.where(load(file))
    conclude(answer, lambda: view.where(answer), as_json=as_json)
