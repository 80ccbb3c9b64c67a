"""From what a user calls a session to its file: a path, a session id, the beginning of one, or a title."""

from __future__ import annotations

import difflib
import errno
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from forkpoint.clients.claude.places import HERE, RUNNING, SESSION_ID, SUFFIX
from forkpoint.disk import running
from forkpoint.disk.files import can_be
from forkpoint.sessions import catalog
from forkpoint.sessions.listing import Session, folders_here, sessions
from forkpoint.sessions.projects import config_dir, project_folders, projects_dir, session_files
from forkpoint.words import SHORT, Cured

SHORTEST: Final = 4
"""How much of a session id is needed."""
SHOWN: Final = 5
"""How many candidates a message names."""
_ID_CHARACTERS: Final = frozenset("0123456789abcdefABCDEF-")


class UnknownSession(Cured, LookupError):
    """No session has this name; ``path`` is the file that it names, where it is the name of one."""

    def __init__(self, message: str, cure: str = "", path: str | None = None) -> None:
        super().__init__(message, cure)
        self.path = path


class AmbiguousSession(Cured, LookupError):
    """More than one session has this name; ``paths`` are theirs."""

    def __init__(self, message: str, cure: str, paths: list[Path]) -> None:
        super().__init__(message, cure)
        self.paths = paths


def locate(name: str, cwd: str | os.PathLike[str] | None = None) -> Path:
    """The file of the session that ``name`` names.

    ``@`` is the session that the client around is in; else an existing file comes first. Then, among the sessions of the working
    folder and after them among those of all projects, come a session id, the beginning of one (at least four characters), a
    title, and a title in other letter case.
    Raises :class:`UnknownSession` or :class:`AmbiguousSession`, whose text names candidates and says what to do. Ids cost
    a look at the names of files, titles the listing of :mod:`forkpoint.sessions.listing`.
    """
    if name == HERE:
        return _around()
    if name and not can_be(name):
        raise UnknownSession(f"no file and no session has the name {name!r}", "`forkpoint sessions` lists what there is")
    path = Path(name)
    if os.path.lexists(name) and not os.path.isdir(name):
        return path
    if not name or os.sep in name or name.endswith(SUFFIX):
        why = "it is a folder" if os.path.isdir(name) else os.strerror(errno.ENOENT)
        what = f"cannot read {name or 'a file without a name'}: {why}"
        raise UnknownSession(what, "`forkpoint sessions` lists what there is", name or None)
    here = list(dict.fromkeys(folders_here(cwd)))
    elsewhere = [folder for folder in project_folders() if folder not in here]
    for folders in (here, elsewhere):
        found = _by_id(name, folders)
        if not found and not SESSION_ID.fullmatch(name):
            found = _by_title(name, folders)
        if len(found) == 1:
            return found[0]
        if found:
            raise AmbiguousSession(*_ambiguous(name, found), found)
    raise UnknownSession(*_unknown(name, here, elsewhere))


def _around() -> Path:
    """The file of the session that the client is in which started this process."""
    session = running.client_around(config_dir() / RUNNING)
    if session is None or not SESSION_ID.fullmatch(session):
        raise UnknownSession(
            f"{HERE} is the session of the client around, and none says which that is", "`forkpoint sessions` lists all"
        )
    found = _by_id(session, project_folders())
    if not found:
        raise UnknownSession(f"the client around is in session {session}, which has no file yet")
    if len(found) > 1:
        raise AmbiguousSession(*_ambiguous(session, found), found)
    return found[0]


def called(path: Path, cwd: str | os.PathLike[str] | None = None) -> str:
    """The shortest of what :func:`locate` takes for a session: the beginning of its id, its id, or else its path.
    O(files)."""
    here = list(dict.fromkeys(folders_here(cwd)))
    for name in (path.stem[:SHORT], path.stem):
        found = _by_id(name, here) or _by_id(name, [folder for folder in project_folders() if folder not in here])
        if found == [path] and not os.path.lexists(name):
            return name
    return os.fspath(path)


def complete(start: str, cwd: str | os.PathLike[str] | None = None) -> list[tuple[str, str]]:
    """The ids of the working folder's sessions that begin so, newest first, each with its title where the catalog knows it; then
    the titles that begin so, each with its id. Reads no session."""
    found: list[tuple[float, str, str]] = []
    titled: list[tuple[float, str, str]] = []
    stored = catalog.known(folders_here(cwd))
    for folder, known in stored.items():
        for file in session_files(folder):
            summary = known[file.name][1] if file.name in known else None
            title = "" if summary is None else summary.title
            when, name = -(file.stat().st_mtime if summary is None else summary.when), file.name.removesuffix(SUFFIX)
            if name.lower().startswith(start.lower()):
                found.append((when, name, title))
            elif start and title.isprintable() and title.casefold().startswith(start.casefold()):
                titled.append((when, title, name))
    return [(name, more) for each in (found, titled) for _, name, more in sorted(each)]


def _by_id(name: str, folders: Iterable[Path]) -> list[Path]:
    """The sessions whose ids begin so; all ids have one length."""
    if len(name) < SHORTEST or not _ID_CHARACTERS.issuperset(name):
        return []
    start = name.lower()
    return [Path(file.path) for folder in folders for file in session_files(folder) if file.name.lower().startswith(start)]


def _by_title(name: str, folders: Iterable[Path]) -> list[Path]:
    listed = sessions(folders)
    tests: tuple[Callable[[Session], bool], ...] = (
        lambda session: session.title == name,
        lambda session: session.title.casefold() == name.casefold(),
    )
    for test in tests:
        found = [session.path for session in listed if session.title and test(session)]
        if found:
            return found
    return []


def _ambiguous(name: str, found: list[Path]) -> tuple[str, str]:
    """Which sessions have the name, and what to do."""
    listed = {session.path: session for session in sessions(dict.fromkeys(path.parent for path in found))}
    several = len({path.stem for path in found}) > 1
    titles = {path: f" ({listed[path].title})" for path in found if path in listed and listed[path].title}
    names = [(path.stem if several else os.fspath(path)) + titles.get(path, "") for path in found[:SHOWN]]
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    cure = "give more of the session id" if several else "give the path"
    return f"{name} names {len(found)} sessions: {'; '.join(names)}{more}", cure


def _unknown(name: str, here: list[Path], elsewhere: list[Path]) -> tuple[str, str]:
    """That none has the name, with the nearest, and what to do."""
    listed = sessions([*here, *elsewhere])
    if not listed:
        return f"no file {name} and no sessions in {projects_dir()}", "give the path of a transcript, or set CLAUDE_CONFIG_DIR"
    by_name = {session.title: session for session in reversed(listed) if session.title}
    by_name.update((session.id[: len(name)], session) for session in listed if len(name) >= SHORTEST)
    near = [by_name[match] for match in difflib.get_close_matches(name, by_name, SHOWN)]
    kind = "the nearest" if near else "the newest"
    candidates = "; ".join(f"{session.id[:8]} ({session.title})" for session in (near or listed[: SHOWN - 2]))
    return f"no file and no session is called {name}; {kind}: {candidates}", "`forkpoint sessions --all` lists all of them"
