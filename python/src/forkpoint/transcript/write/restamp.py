"""Restamping: kept lines with the fork's own session id and where each came from, as the client's ``/branch`` writes them.

``sessionId`` is replaced and ``forkedFrom`` set by splicing: every byte outside the values of these two keys stays where it
was. No uuid, ``message.id`` or ``requestId`` changes.
"""

from __future__ import annotations

from typing import Final

from forkpoint.clients.claude.keys import FORKED_FROM, MESSAGE_UUID
from forkpoint.clients.claude.lines import SESSION_KEY
from forkpoint.clients.claude.versions import LAST_TO_RESTAMP
from forkpoint.clients.edits import compact, joined
from forkpoint.clients.jsontext import dump
from forkpoint.core import splice
from forkpoint.core.entries import Version
from forkpoint.core.splice import Addition

_SESSION: Final = f'"{SESSION_KEY}"'.encode()
_FORKED: Final = f'"{FORKED_FROM}"'.encode()


def restamp_session(line: bytes, session: str) -> bytes:
    """The line with the session id replaced wherever the key stands; a line without one stays as it is. Raises
    :class:`ValueError` when the line holds no object. O(length). All other bytes stay (P6b.16)."""
    members = compact(line)
    if members is not None:
        return joined(members | {SESSION_KEY: dump(session)}) if SESSION_KEY in members else line
    return splice.replace(line, _SESSION, dump(session))


def restamp_entry(line: bytes, session: str, source: str, uuid: str) -> bytes:
    """An entry's line with the session id of the fork and ``forkedFrom`` naming the source session and the entry itself.

    A key that is not there is added before the closing brace. Raises like :func:`restamp_session`. O(length).
    """
    origin = dump({SESSION_KEY: source, MESSAGE_UUID: uuid})
    members = compact(line)
    if members is not None:
        return joined(members | {SESSION_KEY: dump(session), FORKED_FROM: origin})
    stamp = [Addition(_SESSION, dump(session)), Addition(_FORKED, origin)]
    for key, value in stamp:
        line = splice.replace(line, key, value)
    return splice.fill(line, stamp)


def restamp_by_default(version: Version) -> bool:
    """Whether entries written by this client version are restamped unless told otherwise. An unknown one is not."""
    return () < version <= LAST_TO_RESTAMP
