"""What forkpoint keeps in its own folder: where the files of a session, or those about a path, stand, and how one is read back.
What is read is data, whoever wrote it; who reads it checks what is more than its shape."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from forkpoint.clients.claude.places import SESSION_ID
from forkpoint.disk import files, state

T = TypeVar("T")

UNREADABLE: Final = (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""What :func:`read` raises: there is no such file, or none of that shape."""


def read(path: Path, decode: Callable[[bytes], T], longest: int) -> T:
    """What a file says, of which so many bytes are read. Raises one of :data:`UNREADABLE`."""
    with files.open_regular(path) as file:
        return decode(file.read(longest))


def of_session(name: str, session: str, *, make: bool = False) -> Path | None:
    """The folder of what is kept of a session under a name, where there can be one; made where it is wanted. Raises
    :class:`OSError`."""
    place = state.folder(name, make=make)
    if place is None or not SESSION_ID.fullmatch(session):
        return None
    own = place / session.lower()
    if make:
        own.mkdir(0o700, exist_ok=True)
    return own


def of_path(name: str, path: Path, *, make: bool = False) -> Path | None:
    """The file of what is kept of a path under a name, where there can be one. Raises :class:`OSError`."""
    own = state.folder(name, make=make)
    return None if own is None else own / f"{hashlib.sha256(os.fsencode(path)).hexdigest()[:32]}.json"
