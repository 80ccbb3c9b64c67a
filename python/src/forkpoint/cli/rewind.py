"""``forkpoint rewind``."""

from __future__ import annotations

import click
from msgspec.structs import replace

from forkpoint.answers.appends import Moved
from forkpoint.answers.refusals import Refusal
from forkpoint.cli import options
from forkpoint.cli.common import CLIENT_OPTION, FILE_ARGUMENT, JSON_OPTION, Command, load
from forkpoint.cli.console import agreed, show, terminal, width
from forkpoint.cli.inplace import conclude
from forkpoint.ops import head, views
from forkpoint.ops.session import Session
from forkpoint.requests import PointsRequest, RewindRequest
from forkpoint.view import answers as view
from forkpoint.view import points
from forkpoint.view.lines import Aside


@click.command(cls=Command)
@FILE_ARGUMENT
@options.takes(RewindRequest)
@CLIENT_OPTION
@JSON_OPTION
def rewind(file: str, request: RewindRequest, as_json: bool) -> None:
    """Make an earlier point the head. A client that resumes the session goes on there, and leaves behind what follows.

    On a terminal, without a point, the command lists the prompts, and you choose the last one to keep. It shows what stays and
    what you leave behind, and asks.

    Clients take along what hangs below that point and is no turn of its own, such as the output of a client's command. Nothing
    gets lost: the command appends to the session's own file, in one write. It refuses if somebody else wrote to the session in
    the last minute, or since the command read it. It prints the command that undoes this step. `forkpoint fork` leaves the
    session alone.

    \b
    Example:
      forkpoint rewind 5e551000 --at HEAD~2
      forkpoint rewind 5e551000 --before 7 --files
    """
    session = load(file)
    if request.at is None and request.before is None and terminal() and not as_json:
        at = _chosen(session, nearest=request.nearest)
        if at is None:
            return
        request = replace(request, at=at)
    conclude(head.rewind(session, request), request, as_json=as_json)


def _chosen(session: Session, *, nearest: bool) -> str | None:
    """The prompt whose turn is to be the last: the person at the terminal chooses it, and agrees to what that leaves behind."""
    listing = views.listing(session, PointsRequest())
    numbers = [str(point.number) for point in listing.points.points]
    if len(numbers) < 2:
        raise Refusal("there is no earlier prompt to go back to", file=session.file)
    show(points.lines(listing, options.today(), width()))
    at = click.prompt("keep up to the end of prompt", type=click.Choice(numbers), default=numbers[-2], show_choices=False)
    would = head.rewind(session, RewindRequest(at=at, nearest=nearest, dry_run=True))
    lines = (line for line in view.moved(would, dry_run=True) if isinstance(line, Aside)) if isinstance(would, Moved) else ()
    return at if agreed(lines, "go back?") else None
