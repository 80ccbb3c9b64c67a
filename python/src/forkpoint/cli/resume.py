"""``forkpoint resume`` and ``forkpoint clear``."""

from __future__ import annotations

import click

from forkpoint.answers.client import Started
from forkpoint.answers.refusals import Refusal
from forkpoint.cli.common import JSON_OPTION, NO_CATALOG, Argument, Command, Progress, complete_point, complete_session
from forkpoint.cli.console import conclude, note, tell, terminal, width
from forkpoint.ops import checking, starting
from forkpoint.requests import SessionsRequest
from forkpoint.view import answers as view
from forkpoint.view import sessions as listed

PRINT = click.option("--print", "only_print", is_flag=True, help="Print the command that starts the client, and start nothing.")


@click.command(cls=Command)
@click.argument(
    "what",
    cls=Argument,
    required=False,
    shell_complete=complete_session,
    text="The session: a number of the list, - for the one before the newest, an id or its beginning, a title, a file, or words"
    " that somebody said in it.",
)
@click.option("--at", metavar="POINT", shell_complete=complete_point, help="Fork at this point first, and go on in the fork.")
@click.option("--nearest", is_flag=True, help="If you cannot fork at the point, take the nearest one above where you can.")
@PRINT
@NO_CATALOG
@JSON_OPTION
def resume(what: str | None, at: str | None, nearest: bool, only_print: bool, as_json: bool) -> None:
    """Go on in a session: start the client in its folder.

    Without WHAT it shows the sessions of this folder, so that you can choose one. Without a terminal it takes the
    newest one. `forkpoint tree` shows the branches of a session, and --at goes on in one of them.

    \b
    Examples:
      forkpoint resume
      forkpoint resume -
      forkpoint resume "rate limit"
      forkpoint resume 2 --at 7
    """
    show_only = only_print or as_json
    if not show_only:
        starting.installed()
    if what is None and not show_only and terminal():
        _act(_chosen(), show_only=False, as_json=False)
        return
    progress = Progress("reading sessions")
    started = starting.resume(what, at, nearest=nearest, tell=note, progress=progress.called)
    progress.end()
    _act(started, show_only=show_only, as_json=as_json)


@click.command(cls=Command)
@click.argument("what", cls=Argument, required=False, shell_complete=complete_session, text="A session: its folder is meant.")
@PRINT
@NO_CATALOG
@JSON_OPTION
def clear(what: str | None, only_print: bool, as_json: bool) -> None:
    """Start the client with a new session, in this folder or in that of a session. Every old session stays as it is.

    \b
    Example:
      forkpoint clear
    """
    show_only = only_print or as_json
    if not show_only:
        starting.installed()
    _act(starting.clear(what), show_only=show_only, as_json=as_json)


def _act(started: Started | None, *, show_only: bool, as_json: bool) -> None:
    if started is None:
        return
    if show_only:
        conclude(started, lambda: view.started(started), as_json=as_json)
        return
    tell(view.starting(started))
    starting.start(started)


def _chosen() -> Started | None:
    """The session that the person at the terminal chooses: in the application, or by its number where that is not installed."""
    try:
        from forkpoint.tui.app import Browse
    except ImportError:
        found = checking.sessions(SessionsRequest())
        if not found.listed:
            raise Refusal(
                f"no sessions in {found.where}", cure="`forkpoint sessions --all` lists those of every folder"
            ) from None
        tell(listed.numbered([session for session, _ in found.listed], width(), found.others))
        number = click.prompt("resume", type=click.IntRange(1, len(found.listed)), default=1)
        return starting.resume(str(found.listed[number - 1][0].path))
    return Browse().run()
