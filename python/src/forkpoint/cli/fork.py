"""``forkpoint fork``."""

from __future__ import annotations

import click

from forkpoint.cli import going_on, options
from forkpoint.cli.common import CLIENT_OPTION, FILE_ARGUMENT, JSON_OPTION, Command, load
from forkpoint.cli.console import conclude
from forkpoint.ops import worktrees
from forkpoint.requests import WorktreeForkRequest
from forkpoint.view import answers as view


@click.command("fork", cls=Command)
@FILE_ARGUMENT
@options.takes(WorktreeForkRequest)
@going_on.RESUME
@CLIENT_OPTION
@JSON_OPTION
def fork_command(file: str, request: WorktreeForkRequest, go_on: bool, as_json: bool) -> None:
    """Fork a conversation at a past point into a new session. This only reads the original.

    The fork holds exactly the entries of the conversation at that point, each line byte for byte, and the files that belong to
    it. It lands beside a client's session, so that the client finds it, else in the current folder. Standard output is its
    session id.

    \b
    Examples:
      forkpoint fork session.jsonl --at 3f2a9c1e
      forkpoint fork session.jsonl --at 4 --before --name "another way"
      forkpoint fork session.jsonl --at HEAD~2 --dry-run
      forkpoint fork session.jsonl --at 4 --worktree ../another-way --resume
    """
    going_on.ready(go_on, dry_run=request.dry_run, as_json=as_json)
    options.refuse_bytes_and_json(request, as_json=as_json)
    answer = worktrees.fork(load(file), request)
    conclude(answer, lambda: view.forked(answer), as_json=as_json)
    if go_on:
        going_on.onward(answer)
