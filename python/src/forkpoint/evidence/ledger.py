"""The ledger: a file of events, one a line, to which forks and merges are appended. Nothing in it is ever changed.

The lines have the keys of the seed, and an id, which is given by who records: with the same id an event is recorded once.

    {"event": "fork", "id": …, "ts": …, "tuple": "[actor:role:authority@env(environment)]", "parent": …, "branch": …,
     "prefix-sha": …, "note": …}
    {"event": "merge", "id": …, "ts": …, "tuple": …, "inputs": […], "join": …, "gate": …, "verdict": "survives", "reviewer": …}
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
from pathlib import Path
from typing import Final, Literal, NamedTuple

import msgspec

from forkpoint.core.evidence import Event, Forked, Governance, Joined
from forkpoint.core.evidence import record as record_in_core
from forkpoint.disk.files import flush_folder, read_regular, refuse_odd
from forkpoint.evidence.reading import Name, Time, Unreadable, decode

_TUPLE: Final = re.compile(r"\[([^\s:@()\[\]]+):([^\s:@()\[\]]+):([^\s:@()\[\]]+)@env\(([^()\[\]\n]+)\)\]")
_FORM: Final = "[actor:role:authority@env(environment)]"


class Taken(ValueError):
    """An id that stands for another event in the ledger. Nothing was recorded."""

    def __init__(self, path: Path, on_record: Event) -> None:
        super().__init__(
            f"{path}: the id {on_record.id!r} stands for another event, of {on_record.at}; give the new one an id of its own"
        )
        self.on_record = on_record


class Unconfirmed(OSError):
    """The disk did not confirm an event that was written, or the ledger cannot be read again; the message says what stands."""


class Recorded(NamedTuple):
    """The event as it is on record, and whether it was recorded just now."""

    event: Event
    new: bool


def governance(text: str) -> Governance:
    """Who acts, in which role, on whose authority, in which environment, from ``[actor:role:authority@env(environment)]``; raises
    :class:`ValueError`."""
    found = _TUPLE.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is no governance tuple; write it as {_FORM}, without spaces before the environment")
    return Governance(*found.groups())


def governed(who: Governance) -> str:
    """The governance tuple as text; :func:`governance` reads it back."""
    return f"[{who.actor}:{who.role}:{who.authority}@env({who.environment})]"


def read(path: Path) -> tuple[Event, ...]:
    """The events of a ledger in the order in which they were recorded; none where there is no file.

    Raises :class:`Unreadable` for a line that is no event, for a torn last line and for an id that comes twice, and
    :class:`OSError`. O(size).
    """
    try:
        return parse(read_regular(path), path)
    except FileNotFoundError:
        return ()


def parse(text: bytes, path: Path) -> tuple[Event, ...]:
    """The events in the bytes of a ledger; ``path`` is what an error names. Raises :class:`Unreadable`. O(length)."""
    lines = text.split(b"\n")
    if lines.pop():
        cure = "take out what stands after the last newline: it was never acknowledged"
        raise Unreadable(path, f"line {len(lines) + 1}", "the last line is torn", cure)
    events: list[Event] = []
    seen: dict[object, int] = {}
    for number, line in enumerate(lines, 1):
        event = _event(line, f"{path}, line {number}")
        if event.id in seen:
            raise Unreadable(
                path, f"line {number}", f"the id {event.id!r} stands in line {seen[event.id]} too", "take one of them out"
            )
        seen[event.id] = number
        events.append(event)
    return tuple(events)


def record(path: Path, event: Event) -> Recorded:
    """Records an event at the end of a ledger, which is made if it is not there, and flushes it to the disk.

    An event whose id is on record changes nothing, and comes back as it was recorded: it may differ in its time alone, else
    :class:`Taken` is raised. Writers take turns by a lock on the file. Raises :class:`Unreadable` for a damaged ledger, and for
    an event that could not be read back, and :class:`OSError`; then nothing was recorded. O(size): the ledger is read before.
    """
    line = _line(event)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    try:
        refuse_odd(os.fstat(handle), path)
        fcntl.flock(handle, fcntl.LOCK_EX)
        text = _content(handle)
        ledger = parse(text, path)
        after = record_in_core(ledger, event)
        if len(after) == len(ledger):
            return Recorded(_on_record(ledger, event, path), False)
        _append(handle, line, len(text), path)
        if not text:
            flush_folder(path.parent)
        return Recorded(after[-1], True)
    finally:
        os.close(handle)


def as_json(event: Event) -> dict[str, object]:
    """An event with the keys of its line."""
    held: dict[str, object] = {"event": "fork" if isinstance(event, Forked) else "merge"}
    held |= {"id": event.id, "ts": event.at, "tuple": governed(event.who)}
    if isinstance(event, Forked):
        return held | {"parent": event.parent, "branch": event.branch, "prefix-sha": event.prefix, "note": event.note}
    verdict = "survives" if event.survives else "refuted"
    held |= {"inputs": sorted(map(str, event.inputs)), "join": event.version, "gate": event.gate}
    return held | {"verdict": verdict, "reviewer": event.reviewer}


class _Fork(msgspec.Struct, tag_field="event", tag="fork", forbid_unknown_fields=True):
    id: Name
    ts: Time
    tuple: Name
    parent: Name
    branch: Name
    prefix: Name = msgspec.field(name="prefix-sha")
    note: str


class _Merge(msgspec.Struct, tag_field="event", tag="merge", forbid_unknown_fields=True):
    id: Name
    ts: Time
    tuple: Name
    inputs: list[Name]
    join: Name
    gate: Name
    verdict: Literal["survives", "refuted"]
    reviewer: str


def _event(line: bytes, where: str) -> Event:
    found: _Fork | _Merge = decode(line, _Fork | _Merge, where)  # type: ignore[arg-type]  # a union is a form
    try:
        who = governance(found.tuple)
    except ValueError as error:
        raise Unreadable(where, "tuple", str(error), "correct it") from None
    at = found.ts.isoformat()
    if isinstance(found, _Fork):
        return Forked(found.id, at, who, found.parent, found.branch, found.prefix, found.note)
    survives = found.verdict == "survives"
    return Joined(found.id, at, who, frozenset(found.inputs), found.join, found.gate, survives, found.reviewer)


def _line(event: Event) -> bytes:
    """The line of an event; raises :class:`Unreadable` where it would not come back as the same."""
    try:
        line = msgspec.json.encode(as_json(event))
    except UnicodeEncodeError:
        raise Unreadable("the event", "", "it holds half of a surrogate pair", "write it in valid Unicode") from None
    back = _event(line, "the event")
    if _timeless(back) != _timeless(event):
        raise Unreadable("the event", "", "it does not come back from its line as it was", "use text for all of its parts")
    return line + b"\n"


def _timeless(event: Event) -> Event:
    return type(event)(**{**{name: getattr(event, name) for name in event.__slots__}, "at": ""})


def _on_record(ledger: tuple[Event, ...], event: Event, path: Path) -> Event:
    found = next(one for one in ledger if one.id == event.id)
    if _timeless(found) != _timeless(event):
        raise Taken(path, found)
    return found


def _content(handle: int) -> bytes:
    pieces = []
    at = 0
    while piece := os.pread(handle, 1 << 20, at):
        pieces.append(piece)
        at += len(piece)
    return b"".join(pieces)


def _append(handle: int, line: bytes, size: int, path: Path) -> None:
    """One write, flushed and read again. What a full disk took of it is taken back, unless somebody wrote behind it."""
    done = 0
    try:
        while done < len(line):
            done += os.write(handle, line[done:])
    except OSError as error:
        with contextlib.suppress(OSError):
            if done and os.fstat(handle).st_size == size + done:
                os.ftruncate(handle, size)
        if os.fstat(handle).st_size != size:
            raise OSError(error.errno, f"{error.strerror}; a part of the event stands at its end", os.fspath(path)) from error
        raise
    try:
        os.fsync(handle)
    except OSError as error:
        try:
            there = os.pread(handle, len(line), size) == line
        except OSError:
            there = False
        what = "stands in it all the same, but the disk has not confirmed it" if there else "may stand in it: read it again"
        raise Unconfirmed(error.errno, f"{error.strerror}; the event {what}", os.fspath(path)) from error
    try:
        back = os.pread(handle, len(line) + 1, size)
    except OSError as error:
        what = "the event was written, but the ledger cannot be read again"
        raise Unconfirmed(error.errno, f"{what}: {error.strerror}", os.fspath(path)) from error
    if back != line:
        raise OSError(errno.EIO, "the event does not stand in the ledger as it was written", os.fspath(path))
