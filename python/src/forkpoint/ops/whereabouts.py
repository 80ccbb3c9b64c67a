"""``where``: where a session is, whose it is, and what it comes from. Nothing is written."""

from __future__ import annotations

import os
from pathlib import Path

from forkpoint.answers.sessions import Parent, Whereabouts
from forkpoint.disk import running
from forkpoint.ops.session import Session
from forkpoint.sessions import listing
from forkpoint.sessions.lineage import lineages
from forkpoint.sessions.projects import agent_files, project_folders, working_folder


def where(session: Session) -> Whereabouts:
    """Where a session is: its file, folder and project, the versions of the client that wrote it, its size, whether a client runs
    in it, and its lineage both ways, among the sessions of every project and of its own folder. O(its bytes); O(sessions) with a
    catalog that is fresh."""
    path = session.path.absolute()
    own = os.path.realpath(path)
    found = listing.sessions(dict.fromkeys([*project_folders(), path.parent]))
    at = next((place for place, one in enumerate(found) if os.path.realpath(one.path) == own), None)
    family = None if at is None else lineages(found)[at]
    said = None if at is None else found[at].summary.cwd
    versions = sorted(session.transcript.versions)
    folder = working_folder(path, [said])
    return Whereabouts(
        file=session.file,
        id=session.id,
        title=None if at is None else found[at].title,
        folder=folder if folder is not None else said or None,
        project=os.fspath(path.parent) if path.parent in map(Path.absolute, project_folders()) else None,
        first_version=named(versions[0]) if versions else None,
        last_version=named(versions[-1]) if versions else None,
        size=session.transcript.size,
        entries=len(session.log),
        agents=len(agent_files(session.path)),
        at_work=running.at_work(session.path),
        parents=[]
        if family is None
        else [Parent(session=one.session, by=one.by, shared=one.shared, present=one.present) for one in family.parents],
        children=[] if family is None else family.children,
        alike=[] if family is None else family.alike,
    )


def named(version: tuple[int, ...]) -> str:
    """A version as it is written."""
    return ".".join(map(str, version))
