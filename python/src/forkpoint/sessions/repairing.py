"""Writing a repaired session: the report and the files that go along first, the session file last; its name is the commit."""

from __future__ import annotations

import os
from pathlib import Path

from forkpoint.clients.claude import certificate
from forkpoint.disk import files
from forkpoint.sessions import companions, projects
from forkpoint.sessions.companions import BACKUPS, OWN, Companion
from forkpoint.transcript.repair.changes import Repaired

REPORT = "report"


def go_along(source: Path, target: Path) -> list[Companion]:
    """The files that belong to a session, all of which go along, since every branch does: results of tools and sub-agents in
    its own folder, and backups of edited files."""
    found: list[Companion] = []
    history = companions.history_folder(source)
    folders = [(OWN, projects.own_folder(source))]
    if history is not None and companions.history_folder(target) is not None:
        folders.append((BACKUPS, history))
    for where, folder in folders:
        for path in sorted(folder.rglob("*")) if folder.is_dir() else []:
            if path.is_file():
                found.append(Companion(path, where, os.fspath(path.relative_to(folder)), path.stat().st_size))
    return found


def write(repaired: Repaired, source: Path, target: Path, report: Path, summary: bytes) -> None:
    """Writes a repaired session, its report and what goes along; all of it or nothing.

    Raises :class:`FileExistsError` when something has one of the names, or another :class:`OSError`. A report in another
    folder than the session comes into being on a stage of its own there.
    """
    with files.stage(target) as stage:
        stage.write(files.FILE, (line.data + b"\n" for line in repaired.lines))
        certificate.mended(stage.folder / files.FILE, (line.data for line in repaired.lines))
        companions.write(stage, go_along(source, target), target)
        near = os.path.realpath(report.parent) == os.path.realpath(target.parent)
        place = stage if near else stage.beside(report.parent)
        place.write(REPORT, [summary])
        place.publish(REPORT, report)
        stage.commit()
