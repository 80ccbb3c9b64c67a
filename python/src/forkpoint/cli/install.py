"""``forkpoint install-commands``."""

from __future__ import annotations

import os

import click

from forkpoint.cli.common import JSON_OPTION, Command
from forkpoint.cli.console import agreed, conclude
from forkpoint.ops import commands
from forkpoint.view import answers as view


@click.command(cls=Command)
@click.option("--project", is_flag=True, help="For this folder alone, in its .claude; the default is for you, everywhere.")
@click.option("--uninstall", is_flag=True, help="Remove what this command wrote, and nothing else.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--dry-run", is_flag=True, help="Only say what would be written or removed.")
@JSON_OPTION
def install_commands(project: bool, uninstall: bool, yes: bool, dry_run: bool, as_json: bool) -> None:
    """Give the client slash commands for the session that you are in: /forkpoint:points, /forkpoint:fork and more.

    Each is a file in the client's folder of commands. None of them writes into the session: forks are new sessions, and what you
    leave out is deferred until the next `forkpoint export`.

    \b
    Examples:
      forkpoint install-commands
      forkpoint install-commands --uninstall
    """
    where = os.getcwd() if project else None
    act = commands.uninstall if uninstall else commands.install
    if not dry_run and not yes and not agreed(view.commands(act(where, dry_run=True)), "go on?"):
        return
    done = act(where, dry_run=dry_run)
    conclude(done, lambda: view.commands(done), as_json=as_json)
