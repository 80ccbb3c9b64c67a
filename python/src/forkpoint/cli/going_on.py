"""What commands share that go on in the client."""

from __future__ import annotations

from typing import Final

import click

from forkpoint.answers.new_sessions import Forked
from forkpoint.answers.refusals import Refusal
from forkpoint.cli.console import note
from forkpoint.ops.session import Session

RESUME: Final = click.option("--resume", "go_on", is_flag=True, help="Go on in the new session at once: start the client there.")
EXPORTED: Final = click.option(
    "--resume", "go_on", is_flag=True, help="Go on at once: make a session without what is left out, and start the client there."
)


def ready(go_on: bool, *, dry_run: bool, as_json: bool, session: Session | None = None) -> None:
    """Stops, before anything is done, where the client is to be started and cannot be. ``session`` is to be changed first."""
    if go_on and dry_run:
        raise Refusal("--resume and --dry-run exclude each other", cure="choose one")
    if go_on and as_json:
        raise Refusal("--resume and --json exclude each other", cure="choose one")
    if go_on:
        from forkpoint.ops import starting  # most go on later

        starting.installed()
        if session is not None:
            starting.folder_of(session.path)


def onward(made: Forked) -> None:
    """Turns this process into the client in a session that was made. Where that cannot be, the session stands all the same."""
    if made.path is None:
        raise Refusal("--resume needs a session in a file")
    from forkpoint.ops import starting, worktrees

    started = starting.resume(made.path, folder=made.folder, remark=worktrees.told(made))
    note(f"$ {started.shell}")
    starting.start(started)
