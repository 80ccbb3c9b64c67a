"""Bundles: worldlines in a file, to be moved between stores and people, and verified when they are read.

A bundle is JSON, one object a line. The first says what it is, and the SHA-256 of all lines behind it. Then come worldlines, each
behind the one that it comes from, as far as others need it, and behind each its events, in order, and the states that are kept at
them. The bytes that a list of files needs stand once, in front of the first such list.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, Final, NamedTuple

from forkpoint.worldlines.checking import pieces_of
from forkpoint.worldlines.database import Session
from forkpoint.worldlines.events import Event
from forkpoint.worldlines.faults import BadBundle, BadEvent, BadState
from forkpoint.worldlines.rows import Segment, Told, bytes_of, checked_id, names_of, now, numbered, read, row_of, segments_of

SCHEME: Final = 1
LONGEST_HEAD: Final = 1 << 26
"""So many bytes of the first line are read."""
DAY: Final = 86_400_000_000
"""By how many microseconds the clock of whoever wrote a bundle may be ahead."""


class Line(NamedTuple):
    """A worldline in a bundle: its first events, up to those that others come from, or all."""

    id: str
    thread: str
    name: str | None
    base: str | None
    events: list[Event]
    snapshots: list[tuple[str, str, bytes]]
    """Of each its event, its name, and the state."""
    pieces: list[bytes]
    """The bytes that the states need."""
    material: list[tuple[str | None, bytes]]
    """What stood between the lines of a session that was imported, by its last event here; None where all is before it."""


def written(session: Session, worldlines: Sequence[str], told: Told) -> Iterator[bytes]:
    """The lines of a bundle of some worldlines, without newlines; ``told`` is told how many events are read. Raises
    :class:`~forkpoint.worldlines.faults.BadState` where the store has lost bytes that a state needs. O(bytes)."""
    wanted: dict[int, int] = {}
    for id in worldlines:
        for segment in segments_of(session, row_of(session, id)):
            wanted[segment.worldline] = max(wanted.get(segment.worldline, 0), segment.size)
    lines: list[bytes] = []
    whole, done, had = sum(wanted.values()), 0, set[str]()
    for number in sorted(wanted):
        for at, line in enumerate(_line(session, Segment(number, wanted[number]), had)):
            lines.append(line)
            told(done + min(at, wanted[number]), whole)
        done += wanted[number]
    told(whole, whole)
    head = {"forkpoint-bundle": SCHEME, "worldlines": list(worldlines), "sha256": _digest(lines)}
    yield json.dumps(head, ensure_ascii=False).encode()
    yield from lines


def _digest(lines: Iterable[bytes]) -> str:
    found = hashlib.sha256()
    for line in lines:
        found.update(line + b"\n")
    return found.hexdigest()


def _line(session: Session, segment: Segment, had: set[str]) -> Iterator[bytes]:
    """The lines of a worldline; ``had`` are the hashes of the bytes that stand before them, and gets theirs."""
    row = numbered(session, segment.worldline)
    thread, source = names_of(session, row)
    yield _json({"worldline": row.id, "thread": thread, "name": row.name, "source": source, "base": row.base})
    for event in read(session, [segment], None):
        yield _json({"event": event.id, "at": event.at, **_bytes(event.body)})
    for event_id, name, body in session.execute(
        "SELECT s.event, s.name, p.body FROM snapshot s JOIN event e ON e.id = s.event JOIN piece p ON p.hash = s.hash"
        " WHERE e.worldline = ? AND e.place < ? ORDER BY e.place, s.name",
        segment,
    ).fetchall():
        for digest in pieces_of(bytes(body)):
            if digest not in had:
                had.add(digest)
                yield _json({"piece": digest, **_bytes(_piece(session, digest, event_id, name))})
        yield _json({"snapshot": event_id, "name": name, **_bytes(bytes(body))})
    for event_id, body in session.execute(
        "SELECT e.id, m.body FROM material m LEFT JOIN event e ON e.worldline = m.worldline AND e.place = m.place - 1"
        " WHERE m.worldline = ? AND m.place <= ? ORDER BY m.number",
        segment,
    ):
        yield _json({"material": event_id, **_bytes(bytes(body))})


def _piece(session: Session, digest: str, event: str, name: str) -> bytes:
    try:
        body = bytes_of(session, digest)
    except ValueError:
        body = None
    if body is None:
        what = f"the state {name!r} at {event} needs the bytes {digest[:12]}"
        raise BadState(f"{what}, which the store has lost", "`forkpoint store check` tells more")
    return body


def _json(value: Mapping[str, object]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _bytes(body: bytes) -> dict[str, str]:
    """Bytes as JSON: as the text that they are, where they are one."""
    try:
        return {"text": body.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(body).decode()}


def lines_of(file: BinaryIO) -> list[bytes]:
    """The lines of a file that begins as a bundle does; of any other no more than the first is read, and not all of that. Raises
    :class:`~forkpoint.worldlines.faults.BadBundle`, and :class:`OSError`."""
    head = file.readline(LONGEST_HEAD)
    _head(head)
    return [head, *file]


def _head(line: bytes) -> dict[str, Any]:
    """What the first line says."""
    found = _object(line, 1) if line else {}
    if found.get("forkpoint-bundle") != SCHEME:
        raise BadBundle(1, f"it is no bundle of scheme {SCHEME}", "make it with `forkpoint store bundle`")
    return found


def parsed(lines: Iterable[bytes]) -> list[Line]:
    """The worldlines of a bundle. Raises :class:`~forkpoint.worldlines.faults.BadBundle`, which names the line. O(bytes)."""
    every = [line.rstrip(b"\n") for line in lines]
    head = _head(every[0] if every else b"")
    if head.get("sha256") != _digest(every[1:]):
        raise BadBundle(1, "what stands behind it has another digest: it was changed or cut off", "ask for it again")
    found: list[Line] = []
    pieces: set[str] = set()
    for number, text in enumerate(every[1:], 2):
        says = _object(text, number)
        if "worldline" in says:
            found.append(_worldline(says, number))
        elif not found:
            raise BadBundle(number, "it stands before any worldline")
        elif "event" in says:
            found[-1].events.append(_event(says, number))
        elif "piece" in says:
            body = _body(says, number)
            if hashlib.sha256(body).hexdigest() != says["piece"]:
                raise BadBundle(number, "its bytes have another hash than it says")
            pieces.add(says["piece"])
            found[-1].pieces.append(body)
        elif "snapshot" in says:
            if lost := set(pieces_of(_body(says, number))) - pieces:
                raise BadBundle(number, f"the state needs the bytes {min(lost)[:12]}, which the bundle lacks: make it again")
            found[-1].snapshots.append((_text(says, "snapshot", number), _text(says, "name", number), _body(says, number)))
        elif "material" in says:
            last = None if says["material"] is None else _text(says, "material", number)
            found[-1].material.append((last, _body(says, number)))
        else:
            raise BadBundle(number, "it is no worldline, event, piece, snapshot or material")
    return found


def _object(text: bytes, number: int) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadBundle(number, f"it is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise BadBundle(number, "it is no object")
    return found


def _text(says: Mapping[str, Any], key: str, number: int) -> str:
    found = says.get(key)
    if not isinstance(found, str) or not found:
        raise BadBundle(number, f"its {key!r} is no text")
    return _good(found, number)


def _good(text: str, number: int) -> str:
    """An id or a name that a store can have."""
    try:
        return checked_id("bundle's line", text)
    except BadEvent as error:
        raise BadBundle(number, str(error)) from error


def _worldline(says: Mapping[str, Any], number: int) -> Line:
    name, base = says.get("name"), says.get("base")
    if not isinstance(name, str | None) or not isinstance(base, str | None):
        raise BadBundle(number, "its name or base is no text")
    for text in (name, base):
        if text is not None:
            _good(text, number)
    return Line(_text(says, "worldline", number), _text(says, "thread", number), name, base, [], [], [], [])


def _event(says: Mapping[str, Any], number: int) -> Event:
    at = says.get("at")
    if not isinstance(at, int) or not 0 <= at <= now() + DAY:
        raise BadBundle(number, "its time is no number of microseconds since 1970, or lies in the future")
    try:
        return Event(_text(says, "event", number), _body(says, number), at)
    except BadEvent as error:
        raise BadBundle(number, str(error)) from error


def _body(says: Mapping[str, Any], number: int) -> bytes:
    text, coded = says.get("text"), says.get("base64")
    try:
        if isinstance(text, str):
            return text.encode()
        if isinstance(coded, str):
            return base64.b64decode(coded, validate=True)
    except ValueError as error:
        raise BadBundle(number, f"its bytes cannot be read: {error}") from error
    raise BadBundle(number, "it has no bytes")
