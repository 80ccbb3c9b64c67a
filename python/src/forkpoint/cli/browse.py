"""``forkpoint browse``."""

from __future__ import annotations

import click

from forkpoint.answers.refusals import Refusal
from forkpoint.cli.common import NO_CATALOG, Argument, Command, complete_session
from forkpoint.cli.console import tell, terminal
from forkpoint.ops.session import find
from forkpoint.view import answers as view


@click.command(cls=Command)
@click.argument(
    "file",
    cls=Argument,
    required=False,
    shell_complete=complete_session,
    text="The session to open: a file, an id or its beginning, or a title.",
)
@NO_CATALOG
def browse(file: str | None) -> None:
    """Look at sessions on the whole terminal: their trees, what was said, and a key for each operation.

    Every key shows first what it would do, and names the command that does the same. `?` lists the keys.

    \b
    Example:
      forkpoint browse session.jsonl
    """
    name = None if file is None else find(file)
    if not terminal():
        raise Refusal("browse needs a terminal", cure="`forkpoint tree` and `forkpoint print` do not")
    try:
        from forkpoint.tui.app import Browse
    except ImportError as error:
        raise Refusal("browse needs its extra", cure="pip install 'forkpoint[browse]'") from error
    started = Browse(name).run()
    if started is not None:
        tell(view.started(started))
