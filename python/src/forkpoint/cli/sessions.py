"""``forkpoint sessions``."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import click

from forkpoint.cli.common import EXIT_CODES, JSON_OPTION, Progress, Stop, note, say_json, show, width
from forkpoint.store import listing
from forkpoint.store.lineage import Lineage, lineages
from forkpoint.store.listing import Session
from forkpoint.store.projects import project_folder, project_folders, projects_dir
from forkpoint.view import sessions as tables


@click.command(epilog=EXIT_CODES)
@click.option("--all", "everywhere", is_flag=True, help="The sessions of every project.")
@click.option("--project", metavar="DIR", help="The sessions of another working folder, or of a folder that holds session files.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only the N that changed last.")
@click.option("--no-index", is_flag=True, help="Read every file; keep nothing for next time. FORKPOINT_CACHE=off does the same.")
@JSON_OPTION
def sessions(everywhere: bool, project: str | None, limit: int | None, no_index: bool, as_json: bool) -> None:
    """List the sessions of this folder, the one that changed last first.

    A line names the session, how long ago it changed, its size, the client's version, its branches, the session that it
    was forked from, and its title. Any command takes a session id, the beginning of one, or a title in place of a file.

    \b
    Example:
      forkpoint sessions --limit 10
    """
    if everywhere and project is not None:
        raise Stop("--all and --project exclude each other")
    if project is not None and not os.path.isdir(project):
        raise Stop(f"--project: {project} is no folder")
    if everywhere:
        folders, where = project_folders(), projects_dir()
    elif project is not None:
        folders = listing.folders_of(Path(project))
        where = folders[0]
    else:
        folders, where = listing.folders_here(), project_folder()
    progress = Progress("reading sessions")
    found = listing.sessions(folders, use_index=not no_index, progress=progress)
    progress.end()
    families = lineages(found)
    shown = [at for at, session in enumerate(found) if not session.empty]
    empty = len(found) - len(shown)
    shown = shown[:limit]
    if as_json:
        say_json(
            {
                "folders": [os.fspath(folder) for folder in folders],
                "sessions": [_session(found[at], families[at]) for at in shown],
                "empty": empty,
            }
        )
        return
    if not found:
        note(f"no sessions in {where}; --all lists those of every project" if not everywhere else f"no sessions in {where}")
        return
    show(tables.table([found[at] for at in shown], [families[at] for at in shown], time.time(), width(), projects=everywhere))
    if empty:
        note(f"{empty} without a conversation left out")


def _session(session: Session, family: Lineage) -> dict[str, Any]:
    summary = session.summary
    return {
        "id": session.id,
        "path": os.fspath(session.path),
        "title": session.title,
        "titleFrom": session.title_from,
        "modified": summary.mtime_ns / 1e9,
        "created": summary.created,
        "size": summary.size,
        "entries": summary.entries,
        "sidechain": summary.sidechain,
        "prompts": summary.prompts,
        "branches": summary.branches,
        "damaged": summary.damaged,
        "firstVersion": summary.first_version,
        "lastVersion": summary.last_version,
        "cwd": summary.cwd,
        "gitBranch": summary.git_branch,
        "parents": [
            {"session": parent.session, "by": parent.by, "shared": parent.shared, "present": parent.present}
            for parent in family.parents
        ],
        "children": family.children,
        "alike": family.alike,
    }
