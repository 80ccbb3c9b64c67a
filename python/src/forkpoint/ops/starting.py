"""``resume`` and ``clear``: the client is started in a session, or with a new one."""

from __future__ import annotations

import os
import shutil
import uuid as uuids
from collections.abc import Callable
from pathlib import Path
from typing import Final, NoReturn

from forkpoint.client import programs
from forkpoint.client.places import SESSION_ID, SUFFIX
from forkpoint.disk import running
from forkpoint.ops import checking, searching
from forkpoint.ops.answers import Started
from forkpoint.ops.refusals import Code, Refusal
from forkpoint.ops.session import Progress, Tell, find, ignore
from forkpoint.ops.session import open as open_session
from forkpoint.store.forking import in_projects
from forkpoint.store.projects import session_of_agent, working_folder
from forkpoint.store.sessions import summarize

BEFORE: Final = "-"
"""The session before the newest one, as ``cd -`` names a folder."""
DIGITS: Final = 3
"""A number of the list has at most so many; more are the beginning of an id."""


def resume(
    what: str | None = None,
    at: str | None = None,
    *,
    tell: Tell = ignore,
    progress: Callable[[str], Progress] | None = None,
) -> Started:
    """How the client goes on in a session.

    ``what`` names it: nothing is the newest session of this folder, ``-`` the one before it, a number that of the list; else a
    file, an id or its beginning, a title, or words that were said in it, of which the newest hit counts. ``at`` is a point in it:
    it is forked there, and the fork is meant. Nothing is started. Refuses where there is no such session, where no client finds
    it, and where its folder is gone. O(bytes of the session), and what :func:`forkpoint.ops.checking.sessions` or a search takes.
    """
    path = Path(_named(what, tell, progress))
    if at is not None:
        made = open_session(path, tell=tell).fork(at)
        assert made.path is not None
        path = Path(made.path)
    try:
        summary = summarize(path)
    except OSError as error:
        raise Refusal(f"cannot read {path}: {error.strerror}") from error
    folder = working_folder(path, [summary.cwd]) if in_projects(path) else None
    if folder is None or not SESSION_ID.fullmatch(path.stem) or path.suffix != SUFFIX:
        cure = f"`forkpoint fork {path} --cwd DIR` makes a session that it finds"
        raise Refusal(f"{path}: no client finds the session there; {cure}", Code.ILLEGAL)
    if not os.path.isdir(folder):
        cure = f"make it, or `forkpoint fork {path} --cwd DIR` for another folder"
        raise Refusal(f"{path}: the working folder of the session, {folder}, is gone; {cure}", Code.ILLEGAL)
    if (why := running.at_work(path)) is not None:
        tell(f"note: {path}: {why}")
    return _started(path.stem, programs.resume(path.stem), folder, path, summary.title)


def clear(name: str | None = None) -> Started:
    """How the client begins a new session in the working folder of one, by default in the current folder. Nothing is started, and
    the old session stays as it is."""
    folder = os.getcwd() if name is None else resume(name).folder
    own = str(uuids.uuid4())
    return _started(own, programs.begin(own), folder, None, None)


def _started(session: str, command: list[str], folder: str, path: Path | None, title: str | None) -> Started:
    return Started(
        session=session,
        file=None if path is None else os.fspath(path),
        title=title or None,
        folder=folder,
        command=command,
        shell=programs.shell(command, folder),
    )


def _named(what: str | None, tell: Tell, progress: Callable[[str], Progress] | None) -> str:
    """The file of the session that is meant."""
    number = 1 if what is None else 2 if what == BEFORE else None
    if what is not None and what.isascii() and what.isdigit() and len(what) <= DIGITS and not os.path.lexists(what):
        number = int(what)
    if number is not None:
        return _of_list(number, progress)
    assert what is not None
    try:
        return find(what)
    except Refusal:
        try:
            hits = searching.search(what.split(), limit=1, progress=progress).hits
        except Refusal:
            hits = []
        if not hits:
            raise
        hit = hits[0]
        tell(f"{what!r} is no session; it was said in {hit.session}, on line {hit.line}")
        return os.fspath(session_of_agent(Path(hit.file)))


def _of_list(number: int, progress: Callable[[str], Progress] | None) -> str:
    found = checking.sessions(progress=progress)
    listed = [session for session, _ in found.listed]
    if not 1 <= number <= len(listed):
        there = "there are none" if not listed else f"there are {len(listed)}"
        cure = "`forkpoint sessions --all` lists those of every folder"
        raise Refusal(f"there is no session {number} in {found.where}: {there}; {cure}")
    return os.fspath(listed[number - 1].path)


def installed() -> str:
    """The client's program; refuses where it is not installed."""
    program = shutil.which(programs.PROGRAM)
    if program is None:
        raise Refusal(f"{programs.PROGRAM} is not on the PATH; install the client, or take the command that --print shows")
    return program


def start(started: Started) -> NoReturn:
    """Turns this process into the client. Refuses where it is not installed, or its folder is gone."""
    program = installed()
    try:
        os.chdir(started.folder)
        os.execv(program, started.command)
    except OSError as error:
        raise Refusal(f"cannot start {program} in {started.folder}: {error.strerror}") from error
