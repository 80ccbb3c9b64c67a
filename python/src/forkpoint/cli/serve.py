"""``forkpoint serve``."""

from __future__ import annotations

import os

import click

from forkpoint.cli.common import Command
from forkpoint.cli.console import needs, note
from forkpoint.cli.store import STORE
from forkpoint.ops.read_text import read_text

TOKEN = "FORKPOINT_TOKEN"


@click.command(cls=Command)
@STORE
@click.option("--host", default="127.0.0.1", metavar="ADDRESS", help="The address to serve at.  [default: 127.0.0.1]")
@click.option("--port", type=click.IntRange(0, 65535), default=8377, help="The port; 0 takes a free one.  [default: 8377]")
@click.option(
    "--token-file",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help=f"Whoever asks needs the token in this file.  [env: {TOKEN} has the token itself]",
)
def serve(url: str | None, host: str, port: int, token_file: str | None) -> None:
    """Serve a store over HTTP, with a page to look at it, until Ctrl-C. Other machines need a token.

    \b
    Example:
      forkpoint serve --port 8377
    """
    token = read_text(token_file, "the token").strip() if token_file is not None else os.environ.get(TOKEN)
    with needs("service"):
        from forkpoint.server.serve import serve as run
    run(url, host, port, token, note)
