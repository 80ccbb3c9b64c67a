"""``forkpoint stats``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import click

from forkpoint.cli.common import EXIT_CODES, JSON_OPTION, Progress, Stop, complete_session, load, note, say_json, show, width
from forkpoint.store import listing
from forkpoint.store.projects import agent_files, agents_beside, project_folders, session_files
from forkpoint.transcript import reader
from forkpoint.transcript import stats as figures
from forkpoint.view import stats as view
from forkpoint.view.text import count


@click.command(epilog=EXIT_CODES)
@click.argument("file", required=False, shell_complete=complete_session)
@click.option("--project", metavar="DIR", help="The sessions of a working folder, or of a folder that holds session files.")
@click.option("--all", "everywhere", is_flag=True, help="The sessions of every project.")
@click.option("--with-forks", is_flag=True, help="Count the forks that forkpoint made, too.")
@JSON_OPTION
def stats(file: str | None, project: str | None, everywhere: bool, with_forks: bool, as_json: bool) -> None:
    """Count what a session, a project or all of them hold: types of lines, the shape of the tree, tools, versions.

    Without an argument it counts the sessions of this folder. The forks that forkpoint made are left out, for they repeat
    what they were made from, unless one is named or asked for.

    \b
    Example:
      forkpoint stats session.jsonl
      forkpoint stats --all
    """
    if (file is not None) + (project is not None) + everywhere > 1:
        raise Stop("a session, --project and --all exclude each other")
    unreadable: list[str] = []
    forks = agents = 0
    found = figures.Stats()
    if file is not None:
        transcript = load(file)
        found = figures.stats(transcript)
        agents = len(agent_files(transcript.path))
        where = file
    else:
        folders, where = _folders(project, everywhere=everywhere)
        paths = sorted(path for folder in folders for path in _paths(folder))
        beside = {folder: agents_beside(folder) for folder in folders}
        progress = Progress(f"counting {count(len(paths), 'session')}")
        for done, path in enumerate(paths):
            progress(done, len(paths))
            try:
                transcript = reader.read(path)
            except OSError as error:
                unreadable.append(f"{path}: {error.strerror}")
                continue
            if not with_forks and figures.is_fork(transcript):
                forks += 1
            else:
                found.add(figures.stats(transcript))
                agents += len(agent_files(path, beside[path.parent]))
        progress.end()
    if as_json:
        say_json({"where": where, "forks_left_out": forks, "unreadable": unreadable, "agent_files": agents, **found.figures()})
        return
    show(view.lines(found, agents, width()))
    for line in unreadable:
        note(f"cannot read {line}")
    if forks:
        verb, them = ("is", "it") if forks == 1 else ("are", "them")
        note(f"{count(forks, 'fork')} made by forkpoint {verb} left out; --with-forks counts {them}")


def _folders(project: str | None, *, everywhere: bool) -> tuple[list[Path], str]:
    """The folders of sessions that were asked for, and what to call them."""
    if everywhere:
        return project_folders(), "all projects"
    if project is None:
        return listing.folders_here(), os.getcwd()
    if not os.path.isdir(project):
        raise Stop(f"--project: {project} is no folder")
    return listing.folders_of(Path(project)), project


def _paths(folder: Path) -> Iterator[Path]:
    return (Path(entry.path) for entry in session_files(folder))
