"""Finding the file that holds an entry: a session that was resumed goes on in a new file, its parents stand in the old one."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

from forkpoint.clients.claude.codec import DecodedLine, read_line
from forkpoint.clients.claude.places import AGENTS, SUFFIX
from forkpoint.clients.lines import chunks, pieces
from forkpoint.sessions.projects import project_folders
from forkpoint.transcript.repair.changes import Search

LONGEST_UUID: Final = 256
"""A longer name is not looked for."""


def search(uuids: Collection[str], file: Path, folder: Path | None = None) -> Search:
    """Looks for the files that hold entries with these uuids: in the project folder of ``file`` first, then in ``folder``
    and all below it, or in all projects. ``file`` itself is left out.

    A file is searched as bytes, and decoded only where a uuid stands; the search ends with the folder in which the last of
    them is found. Files and folders that cannot be read are passed over, and named. O(bytes), bounded memory.
    """
    wanted = {uuid for uuid in uuids if 0 < len(uuid.encode("utf-8", "surrogatepass")) <= LONGEST_UUID}
    found: dict[str, list[Path]] = {}
    searched = 0
    unread: list[Path] = []
    seen = {os.path.realpath(file)}
    for place in _places(file, folder, unread):
        if wanted <= found.keys():
            break
        for path in place:
            real = os.path.realpath(path)
            if real in seen:
                continue
            seen.add(real)
            try:
                held = _held(path, wanted)
            except OSError as error:
                _pass_over(unread, error, path)
                continue
            searched += 1
            for uuid in held:
                found.setdefault(uuid, []).append(path)
    return Search(found, searched, tuple(unread))


def project_of(file: Path) -> Path:
    """The folder in which a session, or the session of a sub-agent's file, stands."""
    whole = Path(os.path.abspath(file))
    agents = next((parent for parent in whole.parents if parent.name == AGENTS), None)  # those of a workflow stand below it
    return agents.parents[1] if agents is not None and len(agents.parents) > 1 else whole.parent


def _places(file: Path, folder: Path | None, unread: list[Path]) -> Iterator[Iterator[Path]]:
    """The folders to search, one after another, each as its transcripts; those that cannot be read come to ``unread``."""
    own = project_of(file)
    yield _transcripts(own, unread)
    if folder is not None:
        yield _below(folder, unread)
        return
    for other in project_folders():
        yield _transcripts(other, unread)


def _transcripts(folder: Path, unread: list[Path]) -> Iterator[Path]:
    """The sessions in a project folder, then the files of their sub-agents; by name."""
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        _pass_over(unread, error, folder)
        return
    yield from (folder / name for name in names if name.endswith(SUFFIX))
    for name in names:
        if not name.endswith(SUFFIX):
            yield from _below(folder / name / AGENTS, unread)


def _below(folder: Path, unread: list[Path]) -> Iterator[Path]:
    """Every transcript in a folder and below it, by name; links to folders are not followed."""
    for here, folders, names in os.walk(folder, onerror=lambda error: _pass_over(unread, error, folder)):
        folders.sort()
        yield from (Path(here, name) for name in sorted(names) if name.endswith(SUFFIX))


def _pass_over(unread: list[Path], error: OSError, folder: Path) -> None:
    """Names a folder that cannot be read, if there is one."""
    path = Path(error.filename or folder)
    if error.errno not in (errno.ENOENT, errno.ENOTDIR) and path not in unread:
        unread.append(path)


def _held(path: Path, uuids: Collection[str]) -> set[str]:
    """Those of ``uuids`` that an entry of the file has as its own; raises :class:`OSError`."""
    wanted = frozenset(uuids)
    if not stat.S_ISREG(os.stat(path).st_mode):
        return set()
    with path.open("rb", buffering=0) as file:
        held: set[str] = set()
        for chunk in chunks(pieces(file, os.fstat(file.fileno()).st_size)):
            for line in chunk.lines:
                if b'"uuid"' not in line and b"\\u" not in line:
                    continue
                found = read_line(line, last=False)
                if isinstance(found, DecodedLine) and found.uuid in wanted:
                    held.add(found.uuid)
        return held
