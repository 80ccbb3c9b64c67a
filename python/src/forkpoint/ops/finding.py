"""The search for parents that a file lacks, in other files."""

from __future__ import annotations

from pathlib import Path

from forkpoint.ops.session import Session
from forkpoint.sessions.find_parent import search
from forkpoint.transcript.repair.changes import Finder


def finder(session: Session, folder: str | None) -> Finder:
    """The search for lost parents, from a file on."""
    return lambda uuids: search(uuids, session.path, Path(folder) if folder else None)
