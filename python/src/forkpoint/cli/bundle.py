"""``forkpoint bundle`` and ``forkpoint unbundle``."""

from __future__ import annotations

import click

from forkpoint.answers.refusals import Refusal
from forkpoint.cli import options
from forkpoint.cli.archive import ALL, DRY_RUN, PROJECT
from forkpoint.cli.common import JSON_OPTION, NO_CATALOG, Argument, Command, Progress, complete_session
from forkpoint.cli.console import conclude, note, print_bytes
from forkpoint.ops import bundling
from forkpoint.requests import STANDARD_OUTPUT
from forkpoint.view import answers as view


@click.command(cls=Command)
@click.argument("names", cls=Argument, nargs=-1, shell_complete=complete_session, text="Without any, this folder's sessions.")
@click.option("--out", required=True, metavar="FILE", help="The new file, or - for standard output.")
@PROJECT
@ALL
@NO_CATALOG
@DRY_RUN
@JSON_OPTION
def bundle(names: tuple[str, ...], out: str, project: str | None, everywhere: bool, dry_run: bool, as_json: bool) -> None:
    """Put sessions, with sub-agents, results and backups, into one file, to take them to another folder or machine.

    \b
    Examples:
      forkpoint bundle 5e551000 --out garden.bundle
      forkpoint bundle --project /srv/garden --out garden.bundle
    """
    if names and (project is not None or everywhere):
        raise Refusal("sessions that are named exclude --project and --all")
    if out == STANDARD_OUTPUT and as_json:
        raise Refusal("--json and --out - both want standard output")
    progress = Progress("bundling sessions")
    answer = bundling.bundle(
        out,
        names,
        project=project,
        everywhere=everywhere,
        now=options.when(),
        sink=print_bytes,
        tell=note,
        progress=progress.called,
        dry_run=dry_run,
    )
    progress.end()
    conclude(answer, lambda: view.sessions_bundled(answer, dry_run=dry_run), as_json=as_json)


@click.command(cls=Command)
@click.argument("file", cls=Argument, text="The bundle.")
@click.option("--cwd", metavar="DIR", help="Write all sessions for this working folder.")
@click.option("--map", "maps", multiple=True, metavar="OLD=NEW", help="Take what was below OLD to the same place below NEW.")
@click.option("--dry-run", is_flag=True, help="Only say where the sessions would stand.")
@JSON_OPTION
def unbundle(file: str, cwd: str | None, maps: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    """Write the sessions of a bundle where a client finds them. It replaces nothing, and changes no line.

    \b
    Examples:
      forkpoint unbundle garden.bundle
      forkpoint unbundle garden.bundle --map /home/ada=/Users/ada
    """
    if cwd is not None and maps:
        raise Refusal("--cwd and --map exclude each other", cure="choose one")
    answer = bundling.unbundle(file, cwd=cwd, maps=maps, dry_run=dry_run, tell=note)
    conclude(answer, lambda: view.unbundled(answer, dry_run=dry_run), as_json=as_json)
