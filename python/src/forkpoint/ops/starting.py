"""``resume`` and ``clear``: the client is started in a session, or with a new one."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import uuid as uuids
from collections.abc import Callable
from pathlib import Path
from typing import Final, NoReturn

import msgspec

from forkpoint.answers.client import Started
from forkpoint.answers.refusals import Code, Refusal, accessing
from forkpoint.clients.claude import programs
from forkpoint.clients.claude.places import SESSION_ID, SUFFIX
from forkpoint.clients.lines import read_keys
from forkpoint.disk import files, running
from forkpoint.ops import checking, forking, searching
from forkpoint.ops.session import Progress, Tell, ignore, refuse_others_file
from forkpoint.ops.session import open as open_session
from forkpoint.requests import ForkPoint, ForkRequest, SearchRequest, SessionsRequest
from forkpoint.sessions import listing, locate
from forkpoint.sessions.forking import in_projects
from forkpoint.sessions.projects import session_of_agent, working_folder
from forkpoint.sessions.summaries import entitled, summarize

BEFORE: Final = "-"
"""The session before the newest one, as ``cd -`` names a folder."""
TAIL: Final = 1 << 16
"""So many bytes at the end of a session are looked at for its working folder."""
_ID: Final = re.compile(r"[0-9a-fA-F-]{4,36}")
DIGITS: Final = 3
"""A number of the list has at most so many; more are the beginning of an id."""


class _Line(msgspec.Struct, gc=False):
    cwd: object = None


_decode = msgspec.json.Decoder(_Line).decode


def resume(
    what: str | None = None,
    at: str | None = None,
    *,
    nearest: bool = False,
    folder: str | None = None,
    remark: str | None = None,
    tell: Tell = ignore,
    progress: Callable[[str], Progress] | None = None,
) -> Started:
    """How the client goes on in a session.

    ``what`` names it: nothing is the newest session of this folder, ``-`` the one before it, a number that of the list; else a
    file, an id or its beginning, a title, or words that were said in it, of which the newest hit counts. ``at`` is a point in it:
    it is forked there (or at the ``nearest`` point above), and the fork is meant. ``folder`` is its working folder, where that is
    known; ``remark`` is something that the model is told, and that lands in no transcript. Nothing is started. Refuses where
    there is no such session, and, before anything is forked, where no client finds it, and where its folder is gone. O(bytes of
    the session), and what :func:`forkpoint.ops.checking.sessions` or a search takes.
    """
    path = Path(_named(what, tell, progress))
    folder = folder_of(path, folder)  # before anything is made
    if at is not None:
        made = forking.fork(open_session(path, tell=tell), ForkRequest(point=ForkPoint(at=at, nearest=nearest)))
        assert made.path is not None
        path = Path(made.path)
    with accessing("read", path):
        summary = entitled(path, summarize(path))
    if (why := running.at_work(path)) is not None:
        tell(f"note: {path}: {why}")
    return _started(path.stem, programs.resume(path.stem, remark), folder, path, summary.title)


def folder_of(path: Path, folder: str | None = None) -> str:
    """The working folder in which a client finds a session: one that is known, those that its entries and the sessions beside it
    name, or the current one. Refuses where there is none, or it is gone. O(bytes) of the session, O(sessions) beside it."""
    with accessing("read", path):
        refuse_others_file(path)
        said = [folder, summarize(path).cwd, os.getcwd(), _last_folder(path)]
    found = None
    if in_projects(path) and SESSION_ID.fullmatch(path.stem) and path.suffix == SUFFIX:
        found = working_folder(path, said)
        if found is None:
            found = working_folder(path, [one.summary.cwd for one in listing.sessions([path.parent])])
    name = shlex.quote(os.fspath(path))
    if found is None:
        cure = f"resume it in its folder, or `forkpoint fork {name} --cwd DIR` makes a session that it finds"
        raise Refusal("no client finds the session from here", Code.ILLEGAL, file=path, cure=cure)
    if not os.path.isdir(found):
        cure = f"make it, or `forkpoint fork {name} --cwd DIR` for another folder"
        raise Refusal(f"the working folder of the session, {found}, is gone", Code.ILLEGAL, file=path, cure=cure)
    return found


def _last_folder(path: Path) -> object:
    """The working folder that the last whole lines of a session name; None where they name none."""
    with files.open_regular(path) as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - TAIL))
        lines = file.read(TAIL).split(b"\n")
    for line in reversed(lines):
        found = read_keys(_decode, line, "cwd")
        if found is not None and found.cwd is not None:
            return found.cwd
    return None


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
    if what is None or (what == BEFORE and not os.path.isfile(what)):
        return _of_list(1 if what is None else 2, progress, found_by_clients=True)
    if what.isascii() and what.isdigit() and len(what) <= DIGITS and not os.path.isfile(what):
        return _of_list(int(what), progress)
    try:
        return os.fspath(locate.locate(what))
    except locate.AmbiguousSession as error:
        raise Refusal(error) from error
    except locate.UnknownSession as error:
        if os.sep in what or what.endswith(SUFFIX) or _ID.fullmatch(what):  # that is no word that somebody said
            raise Refusal(error) from error
        try:
            hits = searching.search(SearchRequest(words=what.split(), limit=1), progress).hits
        except Refusal:
            hits = []
        if not hits:
            raise Refusal(error) from error
        hit = hits[0]
        tell(f"{what!r} is no session; it was said in {hit.session}, on line {hit.line}")
        return os.fspath(session_of_agent(Path(hit.file)))


def _of_list(number: int, progress: Callable[[str], Progress] | None, *, found_by_clients: bool = False) -> str:
    found = checking.sessions(SessionsRequest(), progress)
    listed = [session for session, _ in found.listed if not found_by_clients or in_projects(session.path)]
    own = [session for session in listed if session.path not in found.others]
    if found_by_clients and number > len(own) and len(listed) > len(own):
        other = found.others[listed[len(own)].path]
        cure = f"in {other} there are {len(listed) - len(own)}, in the same project folder: name one, or resume it there"
        raise Refusal(f"there is no session {number} of {os.getcwd()}", file=found.where, cure=cure)
    if not 1 <= number <= len(listed):
        there = "there are none" if not listed else f"there are {len(listed)}"
        cure = "`forkpoint sessions --all` lists those of every folder"
        raise Refusal(f"there is no session {number} in {found.where}: {there}", cure=cure)
    return os.fspath(listed[number - 1].path)


def installed() -> str:
    """The client's program; refuses where it is not installed."""
    program = shutil.which(programs.PROGRAM)
    if program is None:
        raise Refusal(f"{programs.PROGRAM} is not on the PATH", cure="install the client, or take the command that --print shows")
    return os.path.abspath(program)  # it is started in another folder


def start(started: Started) -> NoReturn:
    """Turns this process into the client. Refuses where it is not installed, or its folder is gone."""
    program = installed()
    try:
        os.chdir(started.folder)
        os.execv(program, started.command)
    except OSError as error:
        raise Refusal(f"cannot start {program} in {started.folder}: {error.strerror}") from error
