"""The sessions of folders, newest first, from the catalog where it holds and from the files where it does not."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from forkpoint.clients.claude.places import is_absolute, parts_of, real_path
from forkpoint.sessions import catalog, state_files
from forkpoint.sessions.projects import project_folder, project_folders, session_files, working_folder
from forkpoint.sessions.summaries import Summary, entitled, summarize, summarize_all


@dataclass(frozen=True, slots=True)
class Session:
    """A session file and what a listing says of it."""

    path: Path
    summary: Summary
    title: str
    title_from: str
    """As in the summary; ``summary`` too when it is another file that holds the summary."""

    @property
    def id(self) -> str:
        """The session id, which is the name of the file."""
        return self.path.stem

    @property
    def empty(self) -> bool:
        """Whether there is no conversation in it: titles and bookkeeping only, or a sub-agent's entries only."""
        return self.summary.entries == self.summary.sidechain and not self.summary.damaged


def folders_here(cwd: str | os.PathLike[str] | None = None) -> list[Path]:
    """Where the sessions of a working folder are: its project folder, and the folder itself, where forks of files from
    elsewhere land."""
    return [project_folder(cwd), Path(cwd if cwd is not None else os.getcwd())]


def folders_of(place: Path) -> list[Path]:
    """Where the sessions of a folder that was named are: of a working folder as :func:`folders_here` says, else in the
    folder itself, which is a project folder or a copy of one."""
    here = folders_here(place)
    return here if here[0].is_dir() else [place]


def of_another_folder(session: Session, place: str | os.PathLike[str]) -> str | None:
    """The other working folder that a session of a working folder's project folder is of: two that differ in signs only share
    one, such as ``my-app`` and ``my_app``. None where it is of this one, or names none that has that project folder."""
    said = session.summary.cwd
    if not said or not is_absolute(said) or parts_of(real_path(said)) == parts_of(real_path(os.fspath(place))):
        return None
    name = session.path.absolute().parent.name
    return said if working_folder(session.path, [said]) == said and project_folder(place).name == name else None


def sessions(folders: Iterable[Path], *, progress: Callable[[int, int], object] | None = None) -> list[Session]:
    """The sessions of folders, the one in which something was said last first.

    Folders that are not there hold none, files that cannot be read are left out. ``progress`` is told how many files of
    how many have been read. O(files) where the catalog holds, linear in their bytes elsewhere.
    """
    stored = catalog.known(folders)
    known: dict[str, Summary] = {}
    new: dict[Path, dict[str, tuple[str, Summary]]] = {folder: {} for folder in stored}
    gone: dict[Path, set[str]] = {}
    todo: list[tuple[str, int]] = []
    places: dict[str, tuple[Path, str, str]] = {}
    for folder, before in stored.items():
        gone[folder] = set(before)
        for entry in session_files(folder):
            try:
                status = entry.stat()
            except OSError:
                continue
            gone[folder].discard(entry.name)
            mark = catalog.stamp(status)
            held, summary = before.get(entry.name, ("", None))
            if summary is not None and held == mark:
                known[entry.path] = summary
            else:
                places[entry.path] = folder, entry.name, mark
                todo.append((entry.path, status.st_size))
    for done, (path, summary) in enumerate(summarize_all(todo), 1):
        folder, name, mark = places[path]
        known[path] = summary
        new[folder][name] = mark, summary
        if progress is not None:
            progress(done, len(todo))
    if any(new.values()) or any(gone.values()):
        with catalog.opened() as connection:
            if connection is not None:
                with catalog.writing(connection):
                    for folder, found in new.items():
                        catalog.save(connection, folder, found, gone[folder])
    return _titled(known)


def _titled(known: dict[str, Summary]) -> list[Session]:
    """The sessions, newest first; one whose last entry a summary in another file names has that for a title."""
    elsewhere = {leaf: text for summary in known.values() for leaf, text in summary.leaves if text}
    found: list[Session] = []
    for path, read in _repaired(known).items():
        summary = entitled(Path(path), read)
        title, title_from = summary.title, summary.title_from
        if title_from in ("prompt", "command", "") and summary.last in elsewhere:
            title, title_from = elsewhere[summary.last], "summary"
        found.append(Session(Path(path), summary, title, title_from))
    found.sort(key=lambda session: (-session.summary.when, -session.summary.mtime_ns, session.path.name))
    return found


class _Report(msgspec.Struct):
    """What the report of a repair says of its source."""

    source: str


_report = msgspec.json.Decoder(_Report).decode
REPORT: Final = ".repair.json"
REPAIRED: Final = "repair"
"""What was done to make a session beside which such a report stands."""
LONGEST: Final = 1 << 26
"""So many bytes of a report are read."""


def _repaired(known: dict[str, Summary]) -> dict[str, Summary]:
    """The same, where each session beside which the report of its repair stands says that it was made of the damaged one."""
    found = dict(known)
    for folder in {os.path.dirname(path) for path in known}:
        with contextlib.suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                path = entry.path.removesuffix(REPORT) + ".jsonl"
                if not entry.name.endswith(REPORT) or path not in known:
                    continue
                with contextlib.suppress(*state_files.UNREADABLE):
                    source = Path(state_files.read(Path(entry.path), _report, LONGEST).source).stem
                    if source != Path(path).stem:
                        found[path] = msgspec.structs.replace(known[path], marker=source, made=REPAIRED)
    return found


def all_sessions(*, progress: Callable[[int, int], object] | None = None) -> list[Session]:
    """The sessions of every project, newest first."""
    return sessions(project_folders(), progress=progress)


def titles(paths: Collection[Path]) -> dict[Path, str]:
    """The titles of some sessions; none of one that cannot be read. Linear in the bytes of those that are not in the catalog."""
    known = catalog.known({path.parent for path in paths})
    found: dict[Path, str] = {}
    for path in paths:
        mark, summary = known[path.parent].get(path.name, ("", None))
        with contextlib.suppress(OSError):
            if summary is None or mark != catalog.stamp(path.stat()):
                summary = summarize(path)
            found[path] = entitled(path, summary).title
    return found
