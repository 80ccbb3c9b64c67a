"""``forkpoint thinkback``."""

from __future__ import annotations

import click

from forkpoint.cli import options
from forkpoint.cli.common import JSON_OPTION, NO_CATALOG, Argument, Command, Progress
from forkpoint.cli.console import note, say_json, show, width
from forkpoint.ops import year as operation
from forkpoint.view import year as view


@click.command(cls=Command)
@click.argument("year", cls=Argument, type=int, required=False, text="The year; the default is the present one.")
@click.option("--project", metavar="DIR", help="Only the sessions of a working folder, or of a folder that holds session files.")
@NO_CATALOG
@JSON_OPTION
def thinkback(year: int | None, project: str | None, as_json: bool) -> None:
    """Say what was done in a year: prompts, hours, kinds of work, tools, projects, the longest and the most forked session.

    Every message counts once, in however many forks it stands. Times are in UTC.

    \b
    Example:
      forkpoint thinkback 2026
    """
    progress = Progress("reading sessions")
    found = operation.thinkback(year, project=project, now=options.today(), progress=progress.called)
    progress.end()
    if as_json:
        say_json(found.shape())
        return
    show(view.lines(found, width()))
    for text in found.unreadable:
        note(text)
