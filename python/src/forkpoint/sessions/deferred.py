"""Deferred records: what an export is to leave out of a session that nobody may append to now, as a client runs in it.

They stand in forkpoint's own folder, numbered, each a file that is written whole and never over another one, and names the one
before it. What is read back is data: each is appended to the session as it is then, in memory, and has to fit as a record of the
file has to. Where it is not known which there are, nothing goes on: to pass over one would put back what it leaves out.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

import msgspec

from forkpoint.clients.claude.places import SESSION_ID
from forkpoint.disk import files, state
from forkpoint.sessions import state_files
from forkpoint.words import Cured

PLACE: Final = "deferred"
LONGEST: Final = 1 << 26
"""Bytes of a deferred record that are read: one names every entry that it covers, and a summary may stand in it."""
MOST: Final = 1000
"""So many records can be deferred in a session."""
CURE: Final = "remove it, and what is numbered after it, to go on without them"


class BadDeferred(Cured, ValueError):
    """A deferred record cannot be read or kept; the message names its file and the cure."""


class Deferred(msgspec.Struct, frozen=True, kw_only=True):
    """A record that is not appended yet: its uuid, that of the one before it, what it says, what clients show of it, what it does
    in words, and when it was deferred."""

    uuid: str
    after: str | None
    says: dict[str, Any]
    notice: str
    words: str
    created: str


_decode = msgspec.json.Decoder(Deferred).decode


def of(session: str) -> list[Deferred]:
    """The deferred records of a session, in their order. Raises :class:`BadDeferred` for one that is not as it was written, and
    where one is lacking. O(records)."""
    found: list[Deferred] = []
    for path in _files(session):
        try:
            said = state_files.read(path, _decode, LONGEST)
        except state_files.UNREADABLE as error:
            raise BadDeferred(f"{path} cannot be read as a deferred record: {error}", CURE) from error
        if path.name != _name(len(found)) or said.after != (found[-1].uuid if found else None):
            raise BadDeferred(f"{path} does not follow what stands before it: one is lacking, or moved", CURE)
        if not SESSION_ID.fullmatch(said.uuid) or said.uuid in (one.uuid for one in found) or "overlay" not in said.says:
            raise BadDeferred(f"{path} is no deferred record", CURE)
        found.append(said)
    return found


def add(session: str, record: Deferred, behind: int) -> Path:
    """Keeps a record behind so many others; where it stands. Raises :class:`FileExistsError` where somebody deferred another one
    meanwhile, :class:`BadDeferred` and :class:`OSError`."""
    place = _folder(session, make=True)
    if place is None:
        raise BadDeferred("forkpoint has no folder of its own that only you can write to, where a record could be deferred")
    if behind >= MOST:
        raise BadDeferred(f"{MOST:,} records are deferred in {place}", "export the session, or remove them")
    path = place / _name(behind)
    files.write_new(path, [msgspec.json.encode(record), b"\n"])
    return path


def path_of(session: str, number: int) -> Path:
    """Where a record of a session stands, counted from 0."""
    return state.home() / PLACE / session.lower() / _name(number)


def _name(number: int) -> str:
    return f"{number:06}.json"


def _files(session: str) -> list[Path]:
    """The files of a session's records, in order. Raises :class:`BadDeferred` where it cannot be known which there are."""
    place = _folder(session)
    if place is None:
        return []
    try:
        names = sorted(os.listdir(place))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise BadDeferred(f"the deferred records in {place} cannot be read: {error.strerror}") from error
    return [place / name for name in names if not files.STAGE.fullmatch(name)]


def _folder(session: str, *, make: bool = False) -> Path | None:
    """The folder of a session's deferred records, where there is one; made where it is wanted. Raises :class:`BadDeferred` where
    others can look into it."""
    own = state_files.of_session(PLACE, session, make=make)
    if own is None and state.folder(PLACE, make=False) is None and os.path.lexists(state.home() / PLACE):
        raise BadDeferred(
            f"{state.home() / PLACE} holds deferred records, and it is not yours alone: `chmod 700` it and its folder"
        )
    return own
