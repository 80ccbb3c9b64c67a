"""``forkpoint archive`` and ``forkpoint gc``."""

from __future__ import annotations

import click

from forkpoint.answers.refusals import Refusal
from forkpoint.cli import options
from forkpoint.cli.common import JSON_OPTION, NO_CATALOG, Argument, Command, Progress, complete_session
from forkpoint.cli.console import Group, conclude, say
from forkpoint.ops import archiving
from forkpoint.view import answers as view

PROJECT = click.option(
    "--project", metavar="DIR", help="The sessions of a working folder, or of a folder that holds session files."
)
DRY_RUN = click.option("--dry-run", is_flag=True, help="Only say what the command would do.")
ALL = click.option("--all", "everywhere", is_flag=True, help="The sessions of every project.")


@click.group(cls=Group)
def archive() -> None:
    """Keep sessions for good. Clients delete a session in silence when it is 30 days old.

    An archive is a folder: FORKPOINT_ARCHIVE, or forkpoint/archive in XDG_DATA_HOME. It has each file once, compressed. The
    command reads it again before anything counts as kept.

    \b
    Examples:
      forkpoint archive keep --all
      forkpoint archive list
      forkpoint archive restore 5e551000
      forkpoint archive timer | crontab -
    """


@archive.command(cls=Command)
@click.argument(
    "names", cls=Argument, nargs=-1, shell_complete=complete_session, text="The sessions; without any, those of this folder."
)
@PROJECT
@ALL
@NO_CATALOG
@DRY_RUN
@JSON_OPTION
def keep(names: tuple[str, ...], project: str | None, everywhere: bool, dry_run: bool, as_json: bool) -> None:
    """Keep sessions, with the files of their sub-agents, large results and backups."""
    if names and (project is not None or everywhere):
        raise Refusal("sessions that are named exclude --project and --all")
    progress = Progress("archiving sessions")
    now = options.when()
    answer = archiving.keep(names, project=project, everywhere=everywhere, now=now, progress=progress.called, dry_run=dry_run)
    progress.end()
    conclude(answer, lambda: view.archived(answer, dry_run=dry_run), as_json=as_json)


@archive.command("list", cls=Command)
@JSON_OPTION
def list_archive(as_json: bool) -> None:
    """List the sessions in the archive, the one that was kept last first."""
    answer = archiving.listed()
    conclude(answer, lambda: view.archive_list(answer), as_json=as_json)


@archive.command(cls=Command)
@click.argument("name", cls=Argument, text="The session: its id, the beginning of it, or its title.")
@click.option("--as-of", metavar="TIME", help="The version of this time, or of a time that begins so; the default is the newest.")
@click.option("--cwd", metavar="DIR", help="Restore it for this working folder; the default is where it was.")
@DRY_RUN
@JSON_OPTION
def restore(name: str, as_of: str | None, cwd: str | None, dry_run: bool, as_json: bool) -> None:
    """Write a session from the archive where it was. It replaces nothing."""
    answer = archiving.restore(name, cwd=cwd, as_of=as_of, dry_run=dry_run)
    conclude(answer, lambda: view.from_archive(answer, dry_run=dry_run), as_json=as_json)


@archive.command(cls=Command)
def timer() -> None:
    """Print the line of a crontab that keeps every session at night."""
    say(archiving.timer())


@click.command(cls=Command)
@PROJECT
@ALL
@click.option(
    "--days", type=click.IntRange(min=0), default=archiving.DAYS, show_default=True, help="When an unused fork is stale."
)
@click.option(
    "--remove", "names", multiple=True, metavar="ID", help="Archive this session, and remove it; you may give it again."
)
@NO_CATALOG
@DRY_RUN
@JSON_OPTION
def gc(project: str | None, everywhere: bool, days: int, names: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    """Say which sessions could go, and how much each would free: copies, stale forks, empty ones.

    A copy holds no entry that another session does not hold. A stale fork was made by forkpoint, and nobody went on in it. The
    command removes nothing but what --remove names, and that only after it stands in the archive.

    \b
    Examples:
      forkpoint gc --all
      forkpoint gc --remove 5e551000
    """
    progress = Progress("reading sessions")
    now, told = options.when(), progress.called
    if names:
        answer = archiving.collect(
            names, project=project, everywhere=everywhere, days=days, now=now, progress=told, dry_run=dry_run
        )
    else:
        answer = archiving.garbage(project, everywhere=everywhere, days=days, now=now, progress=told)
    progress.end()
    conclude(answer, lambda: view.garbage(answer), as_json=as_json)
