"""Refs: names that people give to points of sessions. Each is a file in forkpoint's own folder, and no session knows of it.

A file is written whole or not at all, and never over another one. What is read back counts only where it is as it was written:
its uuid is looked up in the session before anything is done there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from forkpoint.clients.claude.places import SESSION_ID
from forkpoint.disk import files, state
from forkpoint.sessions import state_files

PLACE: Final = "refs"
LONGEST: Final = 1 << 12
"""Bytes of a ref that are read: those that are written have some hundred."""
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_TAKEN: Final = re.compile(r"s\d++|[0-9a-f-]++", re.IGNORECASE)
"""What means something else where a point is named."""


class NoFolder(OSError):
    """There is no folder that only its owner can write to."""


class Stored(msgspec.Struct, frozen=True, kw_only=True):
    """What stands in a file of a ref: the uuid of an entry, and when it was set."""

    uuid: str
    created: str


_decode = msgspec.json.Decoder(Stored).decode


def wrong(name: str) -> str | None:
    """Why a text can be no name of a ref; None where it can."""
    if not _NAME.fullmatch(name):
        return "it has up to 64 letters, digits, dots, dashes and underscores, a letter or digit first"
    if _TAKEN.fullmatch(name) or name.upper().startswith("HEAD") or ".." in name or name.endswith("."):
        return "it reads like a uuid, a number, a step, a stretch or HEAD"
    return None


def of(session: str) -> dict[str, Stored]:
    """The refs of a session, by name. What cannot be read, and what is none, is left out. O(refs)."""
    place = state_files.of_session(PLACE, session)
    found: dict[str, Stored] = {}
    for path in _files(place) if place is not None else ():
        try:
            said = state_files.read(path, _decode, LONGEST)
        except state_files.UNREADABLE:
            continue
        found[path.name] = said
    return found


def sessions() -> list[str]:
    """The ids of the sessions that have refs, in order."""
    place = state.folder(PLACE, make=False)
    try:
        names = sorted(os.listdir(place)) if place is not None else []
    except OSError:
        return []
    return [name for name in names if SESSION_ID.fullmatch(name)]


def add(session: str, name: str, ref: Stored) -> None:
    """Sets a ref; raises :class:`FileExistsError` where there is one of that name, :class:`NoFolder`, or another
    :class:`OSError`."""
    place = state_files.of_session(PLACE, session, make=True)
    if place is None:
        raise NoFolder("forkpoint has no folder of its own that only you can write to")
    files.write_new(place / name, [msgspec.json.encode(ref), b"\n"])


def remove(session: str, name: str) -> None:
    """Removes a ref; raises :class:`FileNotFoundError` where there is none, or another :class:`OSError`."""
    place = state_files.of_session(PLACE, session)
    if place is None:
        raise FileNotFoundError(name)
    (place / name).unlink()


def _files(place: Path) -> Iterator[Path]:
    try:
        names = sorted(os.listdir(place))
    except OSError:
        return
    yield from (place / name for name in names if wrong(name) is None)
