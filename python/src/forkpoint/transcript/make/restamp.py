"""Restamping: kept lines with the fork's own session id and where each came from, as the client's ``/branch`` writes them.

``sessionId`` is replaced and ``forkedFrom`` set by splicing: every byte outside the values of these two keys stays where it
was. No uuid, ``message.id`` or ``requestId`` changes.
"""

from __future__ import annotations

from typing import Final

from forkpoint.client.versions import LAST_TO_RESTAMP
from forkpoint.core import splice
from forkpoint.core.entries import Version
from forkpoint.core.splice import Addition
from forkpoint.transcript.format.written import dump

_SESSION: Final = tuple(b"sessionId")
_FORKED: Final = tuple(b"forkedFrom")


def restamp_session(line: bytes, session: str) -> bytes:
    """The line with the session id replaced wherever the key stands; a line without one stays as it is. Raises
    :class:`ValueError` when the line holds no object. O(length)."""
    return _set(line, _SESSION, dump(session))[0]


def restamp_entry(line: bytes, session: str, source: str, uuid: str) -> bytes:
    """An entry's line with the session id of the fork and ``forkedFrom`` naming the source session and the entry itself.

    A key that is not there is added before the closing brace. Raises like :func:`restamp_session`. O(length).
    """
    line, found = _set(line, _SESSION, dump(session))
    missing = [] if found else [Addition(b'"sessionId"', dump(session))]
    origin = dump({"sessionId": source, "messageUuid": uuid})
    line, found = _set(line, _FORKED, origin)
    if not found:
        missing.append(Addition(b'"forkedFrom"', origin))
    return splice.splice(line, missing) if missing else line


def restamp_by_default(version: Version) -> bool:
    """Whether entries written by this client version are restamped unless told otherwise. An unknown one is not."""
    return () < version <= LAST_TO_RESTAMP


def _set(line: bytes, key: tuple[int, ...], value: bytes) -> tuple[bytes, bool]:
    """The line with the value of a top-level key replaced, at each place where the key is repeated; whether it stood there."""
    found = splice.scan(line)
    if found is None:
        raise ValueError("the line holds no JSON object")
    pieces: list[bytes] = []
    at = 0
    for member in found.members:
        if splice.decode(line[member.key_start : member.key_end]) == key:
            pieces += (line[at : member.value_start], value)
            at = member.value_end
    return b"".join((*pieces, line[at:])), bool(pieces)
