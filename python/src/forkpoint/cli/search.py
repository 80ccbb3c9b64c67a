"""``forkpoint search``."""

from __future__ import annotations

import click

from forkpoint.answers.refusals import Refusal
from forkpoint.cli import options
from forkpoint.cli.common import JSON_OPTION, NO_CATALOG, Argument, Command, Progress
from forkpoint.cli.console import conclude, note, show, width
from forkpoint.ops import searching
from forkpoint.requests import NewSession
from forkpoint.view import answers as view
from forkpoint.view import search as found


@click.command(cls=Command)
@click.argument("words", cls=Argument, nargs=-1, text="Words, 'a phrase', or the beginning of a word with a star: deploy*.")
@click.option(
    "--project", metavar="DIR", help="Search only in the sessions of a working folder, or of a folder with session files."
)
@click.option("--since", metavar="TIME", help="Search only what was said since: 2026-11-20, 7d, 12h.")
@click.option("--role", type=click.Choice(["user", "assistant", "tool"]), help="Search only in what this one says.")
@click.option("--tool", metavar="NAME", help="Search only in calls of this tool, and their results.")
@click.option("--file", metavar="PATH", help="Find the calls that touch this file: its path, or the end of it.")
@click.option(
    "--limit", type=click.IntRange(min=1), default=searching.LIMIT, metavar="N", help="Show the N newest; 10 if not said."
)
@click.option("--fork", "number", type=int, metavar="N", help="Fork at the point of hit N, with the options of `fork`.")
@options.takes(NewSession)
@NO_CATALOG
@JSON_OPTION
def search(
    words: tuple[str, ...],
    project: str | None,
    since: str | None,
    role: str | None,
    tool: str | None,
    file: str | None,
    limit: int,
    number: int | None,
    as_json: bool,
    request: NewSession,
) -> None:
    """Find what was said in any session, the newest first, and where you can go on from there.

    All words must be in what one line of a session says. The first search reads all sessions; later ones read what is new.

    \b
    Examples:
      forkpoint search deploy "rate limit" --since 7d
      forkpoint search --file src/app.py --tool Edit
      forkpoint search "rate limit" --fork 2
    """
    options.refuse_bytes_and_json(request, as_json=as_json)
    if number is None and (used := options.given(NewSession)):
        raise Refusal(f"{used} goes with --fork")
    progress = Progress("reading sessions")
    now = options.today()
    answer = searching.search(
        words,
        project=project,
        since=since,
        role=role,
        tool=tool,
        file=file,
        now=now,
        limit=limit if number is None else max(limit, number),
        progress=progress.called,
    )
    progress.end()
    if number is not None:
        forked = searching.fork(answer, number, request)
        conclude(forked, lambda: view.forked(forked), as_json=as_json)
    elif as_json:
        conclude(answer, tuple, as_json=True)
    else:
        show(found.hits(answer, now.timestamp(), width()))
        if (said := found.aside(answer)) is not None:
            note(said)
