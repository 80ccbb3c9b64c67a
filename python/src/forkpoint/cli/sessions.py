"""``forkpoint sessions``."""

from __future__ import annotations

import time

import click

from forkpoint.answers.refusals import Refusal
from forkpoint.cli import options
from forkpoint.cli.common import JSON_OPTION, NO_CATALOG, Command, Progress
from forkpoint.cli.console import note, say_json, show, width
from forkpoint.ops import checking
from forkpoint.requests import SessionsRequest
from forkpoint.view import sessions as view


@click.command(cls=Command)
@options.takes(SessionsRequest)
@click.option("--tree", "as_tree", is_flag=True, help="Draw them as a tree: each fork under what it was forked from.")
@NO_CATALOG
@JSON_OPTION
def sessions(request: SessionsRequest, as_tree: bool, as_json: bool) -> None:
    """List the sessions of this folder, the one in which something was said last first.

    A line names the session, how long ago that was, its size, the client's version, its branches, the source of a fork, and its
    title. Any command takes a session id, the beginning of one, or a title in place of a session's file.

    \b
    Example:
      forkpoint sessions --limit 10
    """
    if as_tree and (request.cost or request.prices is not None) and not as_json:
        raise Refusal("--tree shows no costs", cure="`forkpoint sessions --cost` does, or --json")
    progress = Progress("reading sessions")
    found = checking.sessions(request, progress.called)
    progress.end()
    if as_json:
        say_json(found.answer().shape())
        return
    if not found.any:
        note(f"no sessions in {found.where}" + ("" if request.everywhere else "; --all lists those of every project"))
        return
    listed = [session for session, _ in found.listed], [family for _, family in found.listed]
    if as_tree:
        show(view.family_tree(*listed, time.time(), width(), found.others))
    else:
        show(view.table(*listed, time.time(), width(), projects=request.everywhere, dollars=found.dollars, others=found.others))
    if found.empty:
        note(f"{found.empty} without a conversation left out")
