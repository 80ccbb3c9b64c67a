"""Files that forkpoint puts into a client's folder of slash commands, and takes out again as it put them there.

What was written is noted in forkpoint's own folder before it is written. What is taken out is only what is noted, and still holds
what was written.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from forkpoint.clients.claude.places import COMMANDS
from forkpoint.disk import files
from forkpoint.sessions import state_files
from forkpoint.sessions.projects import config_dir

PLACE: Final = "commands"
OWN: Final = "forkpoint"
"""The folder of the files, which a client puts before their names: ``/forkpoint:points``."""
LONGEST: Final = 1 << 16
"""Bytes of a file, and of a note, that are read."""
_ODD: Final = (errno.EISDIR, errno.EINVAL, errno.ELOOP, errno.ENXIO)
"""What something else than a file is opened with."""
_NAME: Final = re.compile(r"[a-z][a-z-]{0,40}\.md")


class Note(msgspec.Struct, frozen=True):
    """What is kept of what was written: the folder, the hash of each file by its name, and the folders that were made for it, the
    innermost first."""

    folder: str
    hashes: dict[str, str]
    made: list[str]


_decode = msgspec.json.Decoder(Note).decode


def folder(project: str | None = None) -> Path:
    """Where the files stand: in the user's folder of the client, or in that of a project."""
    own = config_dir() if project is None else Path(project) / ".claude"
    return Path(os.path.realpath(own)) / COMMANDS / OWN


def note_of(place: Path) -> Note | None:
    """What is noted of a folder; None where nothing is, or it is not as it was written."""
    noted = state_files.of_path(PLACE, place)
    if noted is None:
        return None
    try:
        note = state_files.read(noted, _decode, LONGEST)
    except state_files.UNREADABLE:
        return None
    return note if note.folder == os.fspath(place) and all(map(_NAME.fullmatch, note.hashes)) else None


def taken(place: Path, texts: Iterable[str]) -> list[Path]:
    """What stands where files are to be written, or were."""
    return [place / name for name in texts if os.path.lexists(place / name)]


def write(place: Path, texts: Mapping[str, bytes]) -> None:
    """Notes files, and writes them new, all or none. Raises :class:`FileExistsError` for one that is there, and another
    :class:`OSError`. What a killed process wrote is noted, so that :func:`remove` takes it out."""
    noted = state_files.of_path(PLACE, place, make=True)
    if noted is None:
        raise OSError("forkpoint has no folder of its own that only you can write to")
    missing = [each for each in (place, place.parent, place.parent.parent) if not each.is_dir()]
    note = Note(os.fspath(place), {name: _hash(text) for name, text in texts.items()}, [os.fspath(each) for each in missing])
    noted.unlink(missing_ok=True)
    files.write_new(noted, [msgspec.json.encode(note)])
    try:
        place.mkdir(0o755, parents=True, exist_ok=True)
        for name, text in texts.items():
            files.write_new(place / name, [text])
    except OSError:
        remove(place, note)
        raise


def remove(place: Path, note: Note, *, dry_run: bool = False) -> tuple[list[str], list[str]]:
    """Takes out what is noted: the names of the files that went, and of those that stay, as they hold something else now. Raises
    :class:`OSError`; then it is noted still."""
    gone, left = list[str](), list[str]()
    for name, wanted in note.hashes.items():
        try:
            with files.open_regular(place / name) as file:
                same = _hash(file.read(LONGEST)) == wanted
        except FileNotFoundError:
            continue
        except OSError as error:
            if error.errno not in _ODD:
                raise
            same = False
        (gone if same else left).append(name)
        if same and not dry_run:
            (place / name).unlink()
    if not dry_run:
        own = [os.fspath(each) for each in (place, place.parent, place.parent.parent)]
        for made in note.made:
            if made in own:
                with contextlib.suppress(OSError):  # somebody else has something there
                    os.rmdir(made)
        noted = state_files.of_path(PLACE, place)
        if noted is None:
            raise OSError("forkpoint's own folder cannot be read")
        noted.unlink(missing_ok=True)
    return gone, left


def _hash(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()
