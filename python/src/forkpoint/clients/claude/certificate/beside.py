"""What must stand beside a new session: the files beside its source that its lines name, said once more and plainly.

Who wrote the session has a list of what goes along. A list from which something was forgotten is as easily copied as a whole one,
so this asks the other way round: of each file beside the source that does not stand beside the new session, whether a line of
that one names it. The forms are those in which clients write such names; they are looked for by their bytes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from forkpoint.clients.claude import second_reader
from forkpoint.clients.claude.lines import SNAPSHOTS
from forkpoint.clients.claude.places import AGENTS, RESULTS, SUFFIX, WORKFLOWS

AGENT_FORMS: Final = (b'"agentId":"', b"agentId: ", b"<task-id>")
"""What stands before the id of a sub-agent."""
RUN_FORMS: Final = (b'"runId":"', b"subagents/workflows/")
"""What stands before the name of a workflow's run."""
RESULT_FORMS: Final = (b"/tool-results/",)
"""What stands before the name of a file with the result of a tool; it ends where the text or its line does."""
CALL_FORMS: Final = (b'"id":"',)
BACKUP_FORMS: Final = (b'"backupFileName":"',)
_WORD: Final = re.compile(rb"[A-Za-z0-9_-]++")
_TEXT: Final = re.compile(rb'[^"\\]{1,255}+(?="|\\n)')
_AGENT_FILE: Final = re.compile(r"agent-([A-Za-z0-9_-]++)\..++")
PIECE: Final = 1 << 20
"""So much of a file is looked at at once, and the rest of its last line."""

Folders = tuple[Path, Path]
"""A folder of the source's, and the one of the new session's that stands for it."""
Line = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Places:
    """Where files stand that belong to a session: in its own folder, beside it in a project's, in its file history; each for the
    source and for what was made of it. None where the new session has no such place. What came or changed since a time, in
    nanoseconds of the system's clock, is not asked for: whoever chose may not have seen it."""

    own: Folders | None
    project: Folders | None
    history: Folders | None
    since: int


def missing(session: Path, places: Places) -> str | None:
    """Which file beside the source the lines of a new session name, and does not stand beside it, in words; None where none.

    Reads the new session where some file of its source does not stand beside it, else the folders only. O(its bytes); holds a
    piece of it. Raises :class:`OSError`.
    """
    texts = [session]
    if places.own is not None:
        texts += [path for path in _files(places.own[1] / AGENTS) if path.suffix == SUFFIX]
    wanted = [
        _Wanted(_absent(places, places.own, _results), RESULT_FORMS, _TEXT, _is_entry, texts[:1]),
        _Wanted(_absent(places, places.own, _calls), CALL_FORMS, _TEXT, _calls_it, texts[:1]),
        _Wanted(_absent(places, places.own, _own_agents), AGENT_FORMS, _WORD, _is_entry, texts),
        _Wanted(_absent(places, places.own, _runs), RUN_FORMS, _WORD, _is_entry, texts),
        _Wanted(_absent(places, places.project, _agents_beside), AGENT_FORMS, _WORD, _is_entry, texts),
        _Wanted(_absent(places, places.history, _backups), BACKUP_FORMS, _TEXT, _has_backup, texts[:1]),
    ]
    for one in wanted:
        for path in one.texts if one.absent else ():
            for name in _named(path, one):
                return f"{one.absent[name]} is named there, and does not stand beside it"
    return None


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Files that do not stand beside a new session, by the names that a line may give them, and how it does."""

    absent: Mapping[bytes, Path]
    forms: Iterable[bytes]
    name: re.Pattern[bytes]
    line: Callable[[Line, str], bool]
    """Whether a line names a file so."""
    texts: Iterable[Path]


def _named(path: Path, wanted: _Wanted) -> Iterator[bytes]:
    with open(path, "rb", buffering=0) as raw, open(raw.fileno(), "rb", closefd=False) as file:
        while piece := file.read(PIECE) + file.readline():
            for form in wanted.forms:
                at = piece.find(form)
                while at >= 0:
                    at += len(form)
                    match = wanted.name.match(piece, at)
                    if match is not None and match[0] in wanted.absent and _says(piece, at, match[0], wanted.line):
                        yield match[0]
                    at = piece.find(form, at)


def _says(piece: bytes, at: int, name: bytes, names: Callable[[Line, str], bool]) -> bool:
    """Whether the line around a place is one that names a file."""
    end = piece.find(b"\n", at)
    value = second_reader.value(piece[piece.rfind(b"\n", 0, at) + 1 : end if end >= 0 else len(piece)])
    return value is not None and names(value, name.decode("utf-8", "surrogateescape"))


def _is_entry(line: Line, name: str) -> bool:
    return line.get("uuid") is not None


def _calls_it(line: Line, name: str) -> bool:
    message = line.get("message") if _is_entry(line, name) and line.get("type") == "assistant" else None
    content = message.get("content") if isinstance(message, dict) else None
    blocks = content if isinstance(content, list) else []
    return any(isinstance(one, dict) and one.get("type") == "tool_use" and one.get("id") == name for one in blocks)


def _has_backup(line: Line, name: str) -> bool:
    if _is_entry(line, name) or line.get("type") not in SNAPSHOTS:
        return False
    snapshot = line.get("snapshot")
    tracked = snapshot.get("trackedFileBackups") if isinstance(snapshot, dict) else None
    found = [*(tracked.values() if isinstance(tracked, dict) else ()), line.get("backup")]
    return any(isinstance(one, dict) and one.get("backupFileName") == name for one in found)


def _absent(places: Places, folders: Folders | None, names: Callable[[Path], Iterator[tuple[str, Path]]]) -> dict[bytes, Path]:
    """The files of a source's folder that do not stand in the new one, by the names that lines give them."""
    if folders is None:
        return {}
    before, now = folders
    found = ((name, path) for name, path in names(before) if not _stands(now / path.relative_to(before)))
    return {os.fsencode(name): path for name, path in found if path.stat().st_ctime_ns < places.since}


def _stands(path: Path) -> bool:
    """Whether something has a name. Raises :class:`OSError` where nobody can tell: what cannot be looked at is not absent."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())


def _results(own: Path) -> Iterator[tuple[str, Path]]:
    files = [*_files(own / RESULTS)]
    for path in files:
        if not any(other.name != path.name and other.name.startswith(path.name) for other in files):  # the longest name counts
            yield path.name, path


def _calls(own: Path) -> Iterator[tuple[str, Path]]:
    return ((path.stem, path) for path in _files(own / RESULTS))


def _own_agents(own: Path) -> Iterator[tuple[str, Path]]:
    runs = own / AGENTS / WORKFLOWS
    return _agents(path for path in _files(own / AGENTS) if runs not in path.parents)


def _agents_beside(project: Path) -> Iterator[tuple[str, Path]]:
    return _agents(path for path in sorted(project.glob(f"agent-*{SUFFIX}")) if path.is_file())


def _agents(files: Iterable[Path]) -> Iterator[tuple[str, Path]]:
    return ((match[1], path) for path in files if (match := _AGENT_FILE.fullmatch(path.name)))


def _runs(own: Path) -> Iterator[tuple[str, Path]]:
    runs = own / AGENTS / WORKFLOWS
    return ((path.relative_to(runs).parts[0], path) for path in _files(runs) if path.parent != runs)


def _backups(history: Path) -> Iterator[tuple[str, Path]]:
    return ((path.name, path) for path in sorted(history.glob("*")) if path.is_file())
