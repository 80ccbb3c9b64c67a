"""Sessions of a client in a store, and back.

What a fork of a session keeps becomes the events of a worldline, line by line, in the fork's order. The id of such an event is a
chain of hashes over what the lines up to it say and where they hang, without the envelope. So two sessions have the same ids
exactly as far as they say the same: the same session again changes nothing, and forks share what they share (P14).
"""

from __future__ import annotations

import hashlib
import json
import os
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from forkpoint.client.places import SUFFIX
from forkpoint.core.entries import Entry, Kind
from forkpoint.transcript.ask.witness import said
from forkpoint.transcript.format import reader
from forkpoint.transcript.format.edits import with_parent
from forkpoint.transcript.format.written import stamp
from forkpoint.transcript.make import fork
from forkpoint.worldlines.events import Event
from forkpoint.worldlines.faults import NoSession
from forkpoint.worldlines.rows import again_id
from forkpoint.worldlines.store import Store

VERSION: Final = "2.1.330"
"""The client whose lines are written for events that no client wrote, where no line before them says another."""
NAMESPACE: Final = uuid.UUID("6f0d9c3a-4c39-5b0e-9d3f-0b6d2a7f1e55")
"""Of the uuids of such lines."""
BATCH: Final = 1000


@dataclass(frozen=True, slots=True)
class Imported:
    """Where a session stands in a store: in which worldline, up to which event; how many events were appended for it, and which
    number of its events it shares with what stood there before."""

    thread: str
    worldline: str
    event: str
    appended: int
    shared: int


def ids_of(entries: Iterable[tuple[Entry, bytes]]) -> Iterator[str]:
    """The ids of the events that entries become, each with its line, in order. O(bytes)."""
    chain = hashlib.sha256(b"forkpoint session 1").digest()
    for entry, line in entries:
        hangs = json.dumps(
            [str(entry.uuid), *(None if one is None else str(one) for one in (entry.parent, entry.logical_parent))]
        )
        chain = hashlib.sha256(chain + hashlib.sha256(hangs.encode()).digest() + hashlib.sha256(said(line)).digest()).digest()
        yield chain.hex()


def bring(store: Store, transcript: reader.Transcript, position: int) -> Imported:
    """Imports what a fork at a position keeps. Again it changes nothing; killed half-way, the next run goes on. O(bytes).

    What stands in the store already is found by its ids, from the last line back. What is new goes behind the head where the
    session went on, and otherwise into a worldline that comes from the last legal point of what is shared.
    """
    plan = fork.plan(transcript, position, session="", source="", restamp=False)
    lines = [transcript.line(transcript.span(at)) for at in plan.positions]
    ids = list(ids_of((transcript.log[at], line) for at, line in zip(plan.positions, lines, strict=True)))
    known = store.places(ids)
    shared = max((index + 1 for index, id in enumerate(ids) if id in known), default=0)
    thread = f"session-{ids[0][:32]}"
    own = f"session-{ids[-1][:32]}"
    if shared == len(ids):
        return Imported(thread, known[ids[-1]], ids[-1], 0, shared)
    store.thread(thread)
    events = [Event(id, line) for id, line in zip(ids, lines, strict=True)]
    if not shared:
        line, start = store.branch(None, own, thread=thread), 0
    else:
        line, start = store.worldline(known[ids[shared - 1]]), shared
        if line.head != ids[shared - 1]:
            base = store.legal_before(ids[shared - 1])
            start = 0 if base is None else store.length(base)
            line = store.branch(base, own, thread=thread)
            events[start:shared] = [Event(again_id(own, each.id), each.body) for each in events[start:shared]]
    head = line.head
    for at in range(start, len(events), BATCH):
        batch = events[at : at + BATCH]
        head = store.append(line.id, batch, head if at == start else events[at - 1].id).head
    store.keep(line.id, transcript.path.stem, _material(transcript, plan.sidecars, len(ids)))
    assert head is not None
    return Imported(thread, line.id, head, store.worldline(line.id).own - line.own, start)


def _material(transcript: reader.Transcript, carried: Sequence[fork.Carried], length: int) -> bytes:
    """What stands between the lines, each behind the number of events before it; for a timeline of a length."""
    rows = [b"%d " % length]
    for before, sidecar, text in carried:
        rows.append(b"%d %s" % (before, transcript.line(sidecar.span) if text is None else text))
    return b"\n".join(rows)


def transcript_of(store: Store, worldline: str, as_of: str | None = None) -> tuple[reader.Transcript, Mapping[str, int]]:
    """A session in memory that says what a worldline says, up to an event; and how many events of which type are no lines of a
    client's and were left out. O(bytes). Raises :class:`~forkpoint.worldlines.faults.NoSession`."""
    session = str(uuid.uuid4())
    lines: list[bytes] = []
    left_out: dict[str, int] = {}
    writer = _Writer(session)
    material = store.material(worldline, as_of)
    carried = list(_carried(material))
    for index, event in enumerate(store.timeline(worldline, as_of)):
        while carried and carried[0][0] <= index:
            lines.append(carried.pop(0)[1])
        line = writer.line(event)
        if line is None:
            left_out[event.type or "without a type"] = left_out.get(event.type or "without a type", 0) + 1
        else:
            lines.append(line)
    lines += [text for _, text in carried]
    if writer.last is None:
        raise NoSession(worldline, "it has no event that is a line of a client's: a user's or an assistant's message")
    found = reader.parse(b"".join(line + b"\n" for line in lines), Path(f"{session}{SUFFIX}"))
    if found.damage:
        raise NoSession(worldline, f"line {found.damage[0].line} of what would be its session {found.damage[0].reason}")
    return found, left_out


def _carried(material: bytes) -> Iterator[tuple[int, bytes]]:
    for row in material.split(b"\n")[1:]:
        number, _, line = row.partition(b" ")
        yield int(number), line


class _Writer:
    """Lines of a client for events, each behind the one before it."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._seen: set[str] = set()
        self._like: dict[str, Any] = {"version": VERSION, "cwd": os.getcwd(), "gitBranch": ""}
        self.last: str | None = None

    def line(self, event: Event) -> bytes | None:
        """The line of an event; None when a client has none for it."""
        says = event.says
        if isinstance(says.get("uuid"), str) and "sessionId" in says:
            return self._own(event, says)
        if event.kind not in (Kind.USER, Kind.ASSISTANT) or not isinstance(says.get("message"), dict):
            return None
        name = str(uuid.uuid5(NAMESPACE, event.id))
        role = {"role": event.kind.value}
        when = stamp(datetime.fromtimestamp(event.at / 1_000_000, UTC))
        line = {
            "parentUuid": self.last,
            "isSidechain": False,
            "userType": "external",
            **self._like,
            "timestamp": when,
            **{key: value for key, value in says.items() if key not in ("parentUuid", "uuid")},
            "message": {**role, **says["message"]},
            "sessionId": self._session,
            "uuid": name,
        }
        self._seen.add(name)
        self.last = name
        return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode()

    def _own(self, event: Event, says: Mapping[str, Any]) -> bytes:
        """A line that a client wrote; below what is there where its parent is not."""
        self._like |= {key: says[key] for key in self._like if isinstance(says.get(key), str)}
        parent, body = says.get("parentUuid"), event.body
        if isinstance(parent, str) and parent not in self._seen and self.last is not None:
            body = with_parent(body, self.last)
        self._seen.add(says["uuid"])
        self.last = says["uuid"]
        return body
