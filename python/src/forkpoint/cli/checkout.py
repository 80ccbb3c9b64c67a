"""``forkpoint checkout``."""

from __future__ import annotations

import click

from forkpoint.cli import options
from forkpoint.cli.common import CLIENT_OPTION, FILE_ARGUMENT, JSON_OPTION, Command, load
from forkpoint.cli.inplace import conclude
from forkpoint.ops import head
from forkpoint.requests import CheckoutRequest


@click.command(cls=Command)
@FILE_ARGUMENT
@options.takes(CheckoutRequest)
@CLIENT_OPTION
@JSON_OPTION
def checkout(file: str, request: CheckoutRequest, as_json: bool) -> None:
    """Make the end of another branch the head. A client that resumes the session goes on there.

    The command appends to the session's own file in one write, and changes nothing that stands there. It refuses if somebody else
    wrote to the session in the last minute, or since the command read it. It prints the command that undoes this step.

    \b
    Example:
      forkpoint checkout 5e551000 --at 08d12e6b
    """
    conclude(head.checkout(load(file), request), request, as_json=as_json)
