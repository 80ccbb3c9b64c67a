"""``forkpoint search``."""

from __future__ import annotations

import click
from msgspec.structs import replace

from forkpoint.answers.refusals import Refusal
from forkpoint.cli import options
from forkpoint.cli.common import JSON_OPTION, NO_CATALOG, Command, Progress
from forkpoint.cli.console import conclude, note, show, width
from forkpoint.ops import searching
from forkpoint.requests import NewSession, SearchRequest
from forkpoint.view import answers as view
from forkpoint.view import search as found


@click.command(cls=Command)
@options.takes(SearchRequest, "wanted")
@click.option("--fork", "number", type=int, metavar="N", help="Fork at the point of hit N, with the options of `fork`.")
@options.takes(NewSession)
@NO_CATALOG
@JSON_OPTION
def search(
    number: int | None,
    as_json: bool,
    wanted: SearchRequest,
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
    limit = wanted.limit if number is None else max(wanted.limit, number)
    answer = searching.search(replace(wanted, limit=limit, now=now), progress.called)
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
