"""``forkpoint checkpoint``."""

from __future__ import annotations

import sys

import click

from forkpoint.answers.refusals import Refusal
from forkpoint.cli import options
from forkpoint.cli.common import JSON_OPTION, Command
from forkpoint.cli.console import agreed, conclude, note
from forkpoint.ops import checkpoints
from forkpoint.view import answers as view

MOST = 1 << 20
"""Bytes of what a client tells a hook that are read."""


@click.command(cls=Command)
@click.option("--install", is_flag=True, help="Put the hook into the client's settings; the command asks first.")
@click.option("--uninstall", is_flag=True, help="Take the hook out again.")
@click.option("--every", "minutes", type=click.IntRange(min=0), default=0, metavar="MINUTES", help="Not more often than this.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--dry-run", is_flag=True, help="Only say what would change in the settings.")
@JSON_OPTION
def checkpoint(install: bool, uninstall: bool, minutes: int, yes: bool, dry_run: bool, as_json: bool) -> None:
    """Set a ref at the end of each turn, by a hook in the client's settings.

    Such a ref is called auto- and the time in UTC; a session keeps the newest hundred. The client runs this command without
    options, and tells it the session. `forkpoint ref list` lists the refs.

    \b
    Examples:
      forkpoint checkpoint --install --every 30
      forkpoint checkpoint --uninstall
    """
    if install and uninstall:
        raise Refusal("--install and --uninstall exclude each other", cure="choose one")
    if not install and not uninstall:
        if sys.stdin is None or sys.stdin.isatty():
            raise Refusal("a client's hook runs this", cure="--install puts the hook into the client's settings")
        answer = checkpoints.checkpoint(sys.stdin.buffer.read(MOST), minutes=minutes, now=options.when())
        conclude(answer, lambda: iter(()), as_json=as_json)  # what a hook prints, the client may show
        return
    if not dry_run and not yes:
        planned = checkpoints.install(minutes=minutes, dry_run=True) if install else checkpoints.uninstall(dry_run=True)
        if not agreed(view.hook(planned, dry_run=True), "change the settings?"):
            return
    done = checkpoints.install(minutes=minutes, dry_run=dry_run) if install else checkpoints.uninstall(dry_run=dry_run, tell=note)
    conclude(done, lambda: view.hook(done, dry_run=dry_run), as_json=as_json)
