"""The sessions of folders, newest first, from the index where it holds and from the files where it does not."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from forkpoint.store import index
from forkpoint.store.projects import project_folder, project_folders, session_files
from forkpoint.store.sessions import Summary, summarize_all


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


def sessions(
    folders: Iterable[Path], *, use_index: bool = True, progress: Callable[[int, int], object] | None = None
) -> list[Session]:
    """The sessions of folders, the one that changed last first.

    Folders that are not there hold none, files that cannot be read are left out. ``progress`` is told how many files of
    how many have been read. O(files) where the index holds, linear in their bytes elsewhere.
    """
    use_index = use_index and index.enabled()
    known: dict[str, Summary] = {}
    kept: dict[Path, dict[str, Summary]] = {}
    stale: set[Path] = set()
    todo: list[tuple[str, int]] = []
    places: dict[str, tuple[Path, str]] = {}
    for folder in dict.fromkeys(folders):
        stored = index.load(folder) if use_index else {}
        names = 0
        for entry in session_files(folder):
            try:
                stat = entry.stat()
            except OSError:
                continue
            names += 1
            places[entry.path] = folder, entry.name
            summary = stored.get(entry.name)
            if summary is not None and summary.size == stat.st_size and summary.mtime_ns == stat.st_mtime_ns:
                known[entry.path] = summary
                kept.setdefault(folder, {})[entry.name] = summary
            else:
                todo.append((entry.path, stat.st_size))
                stale.add(folder)
        if names != len(stored):
            stale.add(folder)
    for done, (path, summary) in enumerate(summarize_all(todo), 1):
        folder, name = places[path]
        known[path] = summary
        kept.setdefault(folder, {})[name] = summary
        if progress is not None:
            progress(done, len(todo))
    if use_index:
        for folder in stale:
            if folder in kept or index.load(folder):
                index.save(folder, kept.get(folder, {}))
    return _titled(known)


def _titled(known: dict[str, Summary]) -> list[Session]:
    """The sessions, newest first; one whose last entry a summary in another file names has that for a title."""
    elsewhere = {leaf: text for summary in known.values() for leaf, text in summary.leaves if text}
    found: list[Session] = []
    for path, summary in known.items():
        title, title_from = summary.title, summary.title_from
        if title_from in ("prompt", "command", "") and summary.last in elsewhere:
            title, title_from = elsewhere[summary.last], "summary"
        found.append(Session(Path(path), summary, title, title_from))
    found.sort(key=lambda session: (-session.summary.mtime_ns, session.path.name))
    return found


def all_sessions(*, use_index: bool = True, progress: Callable[[int, int], object] | None = None) -> list[Session]:
    """The sessions of every project, newest first."""
    return sessions(project_folders(), use_index=use_index, progress=progress)
