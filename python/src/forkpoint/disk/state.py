"""forkpoint's own private folder: what it knows of its unfinished work, where nobody else can write.

It is ``forkpoint`` in ``XDG_STATE_HOME`` when that is an absolute path, else in ``~/.local/state``, of mode 0700 and owned by
who runs the program. What stands in a folder that others can write to, such as a cloned repository, is never taken for
forkpoint's own; what stands here is. Where no such folder can be had, nothing is remembered, and nothing is swept.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import time
from pathlib import Path
from typing import Final

STAGES: Final = "stages"
WRITTEN: Final = "written"
KEPT: Final = 3600.0
"""For how many seconds it is remembered that forkpoint itself wrote a file last."""


def folder(name: str, *, make: bool = True) -> Path | None:
    """A folder inside the private one, made when it is missing if that is wanted; None when there is none that only its owner can
    write to.

    Never raises.
    """
    try:
        for place in (home(), home() / name):
            if make and not place.is_dir():
                make_folders(place)
            if not private(os.lstat(place)):
                return None
    except (OSError, ValueError):
        return None
    return home() / name


def home() -> Path:
    """Where the private folder is, or would be."""
    base = os.environ.get("XDG_STATE_HOME", "")
    return Path(base if os.path.isabs(base) else os.path.expanduser("~/.local/state")) / "forkpoint"


def make_folders(folder: Path) -> list[Path]:
    """Makes a folder and those above it that are missing, for their owner alone; those that were made, the innermost first.
    Raises :class:`OSError`."""
    wanted: list[Path] = []
    while not folder.exists():
        wanted.append(folder)
        folder = folder.parent
    made: list[Path] = []
    for missing in reversed(wanted):
        try:
            missing.mkdir(0o700)
        except FileExistsError:  # another process made it meanwhile, and needs it, too
            if not missing.is_dir():
                raise
        else:
            made.insert(0, missing)
    return made


def private(status: os.stat_result) -> bool:
    """Whether a folder belongs to who runs the program, and nobody else can look into it or write to it."""
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o077


def remember(path: Path, status: os.stat_result) -> None:
    """Notes that forkpoint itself wrote a file last, and how the file was then. Never raises: it only saves a question."""
    place = folder(WRITTEN)
    if place is None:
        return
    with contextlib.suppress(OSError):
        _forget_old(place)
        handle = os.open(place / _name(path), os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with open(handle, "wb", buffering=0) as file:
            file.write(json.dumps(_known(path, status)).encode())  # one that is torn says nothing


def written_here(path: Path, status: os.stat_result) -> bool:
    """Whether a file is as forkpoint itself left it, a moment ago. Never raises."""
    place = folder(WRITTEN)
    if place is None:
        return False
    try:
        known: object = json.loads((place / _name(path)).read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return known == _known(path, status)


def _known(path: Path, status: os.stat_result) -> dict[str, object]:
    where = os.fsencode(os.path.realpath(path)).hex()
    return {
        "path": where,
        "device": status.st_dev,
        "inode": status.st_ino,
        "size": status.st_size,
        "modified": status.st_mtime_ns,
    }


def _name(path: Path) -> str:
    return hashlib.sha256(os.fsencode(os.path.realpath(path))).hexdigest()[:32]


def _forget_old(place: Path) -> None:
    """Removes what is remembered for longer than it is asked for."""
    limit = time.time() - KEPT
    with os.scandir(place) as found:
        old = [entry.path for entry in found if entry.stat(follow_symlinks=False).st_mtime < limit]
    for path in old:
        with contextlib.suppress(OSError):
            os.unlink(path)
