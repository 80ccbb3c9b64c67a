"""The rows of a store: how they are read, named and shown."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from forkpoint.transcript.format.collecting import no_collection
from forkpoint.worldlines import journal
from forkpoint.worldlines.database import Session
from forkpoint.worldlines.events import Event
from forkpoint.worldlines.faults import CHECK, BadEvent, NoStore, Taken, Unknown


@dataclass(frozen=True, slots=True)
class Worldline:
    """A worldline as it is in the database: ``source`` and ``base`` are the worldline and the event it comes from, ``own`` is
    how many events it appended itself, ``length`` how many its timeline has."""

    id: str
    thread: str
    name: str | None
    source: str | None
    base: str | None
    head: str | None
    own: int
    length: int
    made: int
    discarded: bool


class Summary(NamedTuple):
    """What a list of worldlines shows of one: times are microseconds since 1970, and of jobs how many are in each state."""

    id: str
    name: str | None
    source: str | None
    base: str | None
    head: str | None
    own: int
    length: int
    made: int
    messages: int
    last_event: int | None
    queued: int
    running: int
    completed: int
    failed: int
    cancelled: int
    latest_job: str | None
    last_activity: int


@dataclass(frozen=True, slots=True)
class Appended:
    """How an append ended: the head behind it, and whether it had been done before and changed nothing now."""

    worldline: str
    head: str | None
    events: int
    again: bool


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two worldlines part: the last event that both have, None where they share nothing, and what each has behind it."""

    common: str | None
    left: tuple[Event, ...]
    right: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """A line of the log of operations."""

    number: int
    at: int
    thread: str
    worldline: str | None
    kind: str
    says: Mapping[str, Any]
    undoes: int | None


Told = Callable[[int, int], object]
"""Is told how far something got: how much is done, of how much."""


def untold(done: int, whole: int) -> None:
    """Tells nobody."""


class Segment(NamedTuple):
    """A part of a timeline: the first ``size`` own events of a worldline, by its number in the database."""

    worldline: int
    size: int


class Row(NamedTuple):
    number: int
    id: str
    thread: int
    source: int | None
    place: int | None
    base: str | None
    depth: int
    made: int
    name: str | None
    discarded: int
    own: int
    head: str | None
    chain: bytes
    open: str | None
    messages: int
    last: int | None
    queued: int
    running: int
    completed: int
    failed: int
    cancelled: int
    job: str | None


class Found(NamedTuple):
    worldline: int
    place: int
    parent: str | None
    legal: int
    messages: int
    content: bytes
    chain: bytes


ROW: Final = ", ".join(f"w.{name}" for name in Row._fields)
FOUND: Final = ", ".join(Found._fields)
ORIGIN: Final = (
    f"SELECT {', '.join(f'e.{name}' for name in Found._fields)}, w.depth, w.thread, w.id, t.id FROM event e"
    " JOIN worldline w ON w.number = e.worldline JOIN thread t ON t.number = w.thread WHERE e.id = ?"
)
APPEND: Final = "INSERT INTO event (worldline, place, id, parent, at, legal, messages, content, chain, body) VALUES " + (
    "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
GO_ON: Final = """UPDATE worldline SET own = ?, head = ?, chain = ?, open = ?, messages = ?, last = ?,
    queued = queued + ?, running = running + ?, completed = completed + ?, failed = failed + ?, cancelled = cancelled + ?,
    job = coalesce(?, job) WHERE number = ? AND own = ?"""
LINEAGE: Final = """WITH RECURSIVE way (number, size, source, place) AS (
        SELECT number, own, source, place FROM worldline WHERE number = ?
        UNION ALL
        SELECT w.number, way.place + 1, w.source, w.place FROM way
            JOIN worldline w ON w.number = way.source AND w.number < way.number
    ) SELECT number, size, source FROM way"""
"""A worldline comes from an earlier one; where a row says otherwise, the way ends there, whatever it says."""


def now() -> int:
    """The time, in microseconds since 1970."""
    return time.time_ns() // 1000


BLANKS: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Characters that count as letters or signs, and show as nothing."""


def checked_id(what: str, id: str) -> str:
    """An id, or a name; refuses what cannot be seen, or is taken for another one."""
    good = isinstance(id, str) and 0 < len(id) <= 200 and id.isprintable() and id not in (".", "..")
    if not good or id != id.strip() or not BLANKS.isdisjoint(id):
        cure = "1 to 200 characters that can be seen, and no space at an end"
        raise BadEvent(f"a {what} needs {'' if what == 'name' else 'an id of '}{cure}, not {id!r:.80}")
    return id


def taken(values: Sequence[Any]) -> Row:
    """A row with its blobs as bytes, whatever the driver calls them."""
    row = Row(*values)
    return row._replace(chain=bytes(row.chain))


def row_of(session: Session, id: str, lock: str = "", *, missing: Exception | None = None) -> Row:
    found = session.execute(f"SELECT {ROW} FROM worldline w WHERE w.id = ?{lock}", (id,)).fetchone()
    if found is None:
        raise missing or Unknown("worldline", id)
    return taken(found)


def rows_of(session: Session, thread: int, discarded: bool) -> Iterator[tuple[Row, str | None]]:
    kept = "" if discarded else " AND w.discarded = 0"
    for *values, source in session.execute(
        f"SELECT {ROW}, s.id FROM worldline w LEFT JOIN worldline s ON s.number = w.source WHERE w.thread = ?{kept}"
        " ORDER BY w.number",
        (thread,),
    ):
        yield taken(values), source


def rows_by_id(session: Session, ids: Sequence[str]) -> Iterator[tuple[Row, str, str | None]]:
    """Worldlines by their ids, each with the ids of its thread and of the worldline it comes from. One query."""
    marks = ", ".join("?" * len(ids))
    for *values, thread, source in session.execute(
        f"SELECT {ROW}, t.id, s.id FROM worldline w LEFT JOIN thread t ON t.number = w.thread"
        f" LEFT JOIN worldline s ON s.number = w.source WHERE w.id IN ({marks})",
        tuple(ids),
    ):
        if thread is None:
            raise NoStore(f"worldline {values[1]!r} is of a thread that is not there", CHECK)
        yield taken(values), thread, source


def summaries_of(session: Session, thread: int) -> list[Summary]:
    """The worldlines of a thread that are not discarded, in the order in which they were made. One query; O(worldlines)."""
    found = session.execute(
        "SELECT w.id, w.name, s.id, w.base, w.head, w.own, w.depth + w.own, w.made, w.messages, w.last,"
        " w.queued, w.running, w.completed, w.failed, w.cancelled, w.job,"
        " CASE WHEN w.last IS NULL OR w.last < w.made THEN w.made ELSE w.last END"
        " FROM worldline w LEFT JOIN worldline s ON s.number = w.source WHERE w.thread = ? AND w.discarded = 0 ORDER BY w.number",
        (thread,),
    )
    with no_collection():  # of a row of numbers and texts nothing is part of a cycle
        return list(map(Summary._make, found.fetchall()))


def thread_number(session: Session, id: str) -> int:
    found = session.execute("SELECT number FROM thread WHERE id = ?", (id,)).fetchone()
    if found is None:
        raise Unknown("thread", id)
    number: int = found[0]
    return number


def make_thread(session: Session, id: str) -> None:
    """Makes a thread, where none has this id."""
    session.execute(
        "INSERT INTO thread (id, made) SELECT ?, ? WHERE NOT EXISTS (SELECT 1 FROM thread WHERE id = ?)"
        " ON CONFLICT (id) DO NOTHING",
        (id, now(), id),
    )


def keep_bytes(session: Session, digest: bytes, body: bytes) -> None:
    """Keeps bytes by their hash, where they are not there."""
    session.execute(
        "INSERT INTO piece (hash, body) SELECT ?, ? WHERE NOT EXISTS (SELECT 1 FROM piece WHERE hash = ?)"
        " ON CONFLICT (hash) DO NOTHING",
        (digest, body, digest),
    )


def bytes_of(session: Session, digest: str) -> bytes | None:
    """The bytes that are kept by a hash in hexadecimal; None where they are lost, or are others. Raises :class:`ValueError` for
    what is no hash."""
    found = session.execute("SELECT body FROM piece WHERE hash = ?", (bytes.fromhex(digest),)).fetchone()
    body = None if found is None else bytes(found[0])
    return body if body is not None and hashlib.sha256(body).hexdigest() == digest else None


def names_of(session: Session, row: Row) -> tuple[str, str | None]:
    """The ids of a worldline's thread and of the worldline it comes from."""
    found = session.execute(
        "SELECT t.id, s.id FROM thread t LEFT JOIN worldline s ON s.number = ? WHERE t.number = ?", (row.source, row.thread)
    ).fetchone()
    if found is None:
        raise NoStore(f"worldline {row.id!r} is of a thread that is not there", CHECK)
    return found[0], found[1]


def shown(row: Row, thread: str, source: str | None) -> Worldline:
    return Worldline(
        row.id, thread, row.name, source, row.base, row.head, row.own, row.depth + row.own, row.made, bool(row.discarded)
    )


def found_event(session: Session, id: str) -> Found:
    found = session.execute(f"SELECT {FOUND} FROM event WHERE id = ?", (id,)).fetchone()
    if found is None:
        raise Unknown("event", id)
    return Found(*found)._replace(content=bytes(found[5]), chain=bytes(found[6]))


def origin_of(session: Session, event: str) -> tuple[Found, int, int, str, str]:
    """An event from which a worldline may come: how long the walk to it is, the number of its thread, its worldline's id and its
    thread's."""
    found = session.execute(ORIGIN, (event,)).fetchone()
    if found is None:
        raise Unknown("event", event)
    *parts, content, chain, depth, thread, worldline, name = found
    row = Found._make((*parts, bytes(content), bytes(chain)))
    return row, depth + row.place + 1, thread, worldline, name


def time_of(session: Session, event: str | None) -> int:
    """When an event was appended; 0 of none."""
    found = None if event is None else session.execute("SELECT at FROM event WHERE id = ?", (event,)).fetchone()
    return 0 if found is None else int(found[0])


def note(
    session: Session,
    thread: int,
    worldline: int,
    kind: str,
    says: Mapping[str, object],
    undoes: int | None = None,
    **proof: object,
) -> None:
    """Writes a line of the log of operations, with a seal over it; ``proof`` is what only the check asks for. O(log rows)."""
    found = session.execute(
        "SELECT t.id, t.made, w.id, w.made, (SELECT max(number) FROM operation WHERE thread = t.number)"
        " FROM thread t JOIN worldline w ON w.number = ? WHERE t.number = ?",
        (worldline, thread),
    ).fetchone()
    if found is None:
        raise NoStore("an operation is of a thread that is not there", CHECK)
    *whose, after = found
    told = journal.Told(now(), kind, undoes, *whose)
    whole = {key: value for key, value in says.items() if value is not None}
    whole = json.loads(json.dumps({**whole, journal.PROOF: {**proof, "after": after}}))
    whole[journal.PROOF]["seal"] = journal.seal(told, whole)
    session.execute(
        "INSERT INTO operation (at, thread, worldline, kind, says, undoes) VALUES (?, ?, ?, ?, ?, ?)",
        (told.at, thread, worldline, kind, json.dumps(whole), undoes),
    )


def take_back(session: Session, row: Row, operation: int, kind: str, says: Mapping[str, Any]) -> None:
    """Undoes an operation on a worldline, unless it was changed again, or something else stands there by now."""
    later = session.execute(
        "SELECT 1 FROM operation o WHERE o.worldline = ? AND o.number > ? AND o.kind IN ('rename', 'move') AND NOT EXISTS"
        " (SELECT 1 FROM operation u WHERE u.undoes = o.number)",
        (row.number, operation),
    ).fetchone()
    changed = Taken("operation", str(operation), "cannot be undone: what it did was changed again")
    if later is not None and kind in ("rename", "move"):
        raise changed
    if kind == "rename" and row.name == says.get("to"):
        session.execute("UPDATE worldline SET name = ? WHERE number = ?", (says.get("from"), row.number))
    elif kind == "move" and row.name == says["name"]:
        session.execute("UPDATE worldline SET name = ? WHERE number = ?", (says.get("had"), row.number))
        other = row_of(session, says["from"])
        if other.name is not None:
            raise changed
        session.execute("UPDATE worldline SET name = ? WHERE number = ?", (says["name"], other.number))
    elif kind == "discard" and row.discarded:
        session.execute("UPDATE worldline SET discarded = 0 WHERE number = ?", (row.number,))
    elif kind == "branch" and not row.discarded:
        if row.own:
            raise Taken("worldline", row.id, "has events of its own; discard it")
        session.execute("UPDATE worldline SET discarded = 1 WHERE number = ?", (row.number,))
    elif kind in ("rename", "move", "discard", "branch"):
        raise changed
    else:
        raise Taken("operation", str(operation), f"is {kind!r}, which is not undone")


def same(session: Session, row: Row, event: str | None, error: Exception | None) -> Worldline:
    """The worldline that is there already, if it comes from the event."""
    if row.base != event:
        raise Taken("worldline", row.id, f"is there already, and comes from {row.base!r}, not from {event!r}") from error
    return shown(row, *names_of(session, row))


def stands(session: Session, row: Row, events: Sequence[Event]) -> bool:
    """Whether events stand in a worldline already, one behind the other, as they are to be appended. Raises :class:`Taken` where
    some do, or where an id stands for another event."""
    places: list[int] = []
    for event in events:
        found = session.execute(f"SELECT {FOUND} FROM event WHERE id = ?", (event.id,)).fetchone()
        if found is not None:
            known = Found(*found)
            if known.worldline != row.number:
                raise Taken("event", event.id, "stands in another worldline")
            if bytes(known.content) != event.content:
                raise Taken("event", event.id, "stands there already, with other content")
            places.append(known.place)
    if places and places != list(range(places[0], places[0] + len(events))):
        raise Taken("event", events[0].id, "and others of the batch: some stand there already, and not all of them in this order")
    return bool(places)


def segments_of(session: Session, row: Row) -> list[Segment]:
    """The segments of a timeline, the first one first. Raises :class:`NoStore` where they reach no worldline that comes from
    nothing. O(worldlines on the way)."""
    found = session.execute(LINEAGE, (row.number,)).fetchall()
    if not found or found[-1][2] is not None:
        raise NoStore(f"the worldline {row.id!r} comes from none that is there", "`forkpoint store check` tells more")
    return [Segment(number, size) for number, size, _ in reversed(found)]


def cut(segments: Sequence[Segment], found: Found, worldline: str) -> list[Segment]:
    """Segments up to an event, which is the last."""
    for at, segment in enumerate(segments):
        if segment.worldline == found.worldline and found.place < segment.size:
            return [*segments[:at], Segment(found.worldline, found.place + 1)]
    raise Unknown("such event in the timeline of", worldline)


def last_snapshot(session: Session, way: Sequence[Segment], name: str) -> tuple[int, int, bytes] | None:
    """The last snapshot on a way: in which segment, at which place, and the state."""
    for at in range(len(way) - 1, -1, -1):
        found = session.execute(
            "SELECT e.place, p.hash, p.body FROM snapshot s JOIN event e ON e.id = s.event JOIN piece p ON p.hash = s.hash"
            " WHERE s.name = ? AND e.worldline = ? AND e.place < ? ORDER BY e.place DESC LIMIT 1",
            (name, way[at].worldline, way[at].size),
        ).fetchone()
        if found is not None:
            state = bytes(found[2])
            if hashlib.sha256(state).digest() != bytes(found[1]):
                raise NoStore(
                    f"the snapshot {name!r} is not what was kept: its bytes have another hash",
                    "`forkpoint store check` tells more",
                )
            return at, found[0], state
    return None


def numbered(session: Session, number: int) -> Row:
    """A worldline by its number in the database. Raises :class:`~forkpoint.worldlines.faults.NoStore` where it is lost."""
    found = session.execute(f"SELECT {ROW} FROM worldline w WHERE w.number = ?", (number,)).fetchone()
    if found is None:
        raise NoStore("the worldline that an event is of is not there", CHECK)
    return taken(found)


def part(one: Sequence[Segment], other: Sequence[Segment]) -> tuple[list[Segment], tuple[list[tuple[int, int, int]], ...]]:
    """What two timelines share, and of each what is behind that: stretches of a worldline's own events, from and to a place."""
    common: list[Segment] = []
    for mine, theirs in zip(one, other, strict=False):
        if mine.worldline != theirs.worldline:
            break
        common.append(Segment(mine.worldline, min(mine.size, theirs.size)))
        if mine.size != theirs.size:
            break
    common = [segment for segment in common if segment.size]
    shared = dict(common)
    rest = tuple(
        [
            (segment.worldline, shared.get(segment.worldline, 0), segment.size)
            for segment in each
            if segment.size > shared.get(segment.worldline, 0)
        ]
        for each in (one, other)
    )
    return common, rest


def read(session: Session, segments: Sequence[Segment] | Sequence[tuple[int, int, int]], until: int | None) -> Iterator[Event]:
    """The events of some segments, or stretches, in order."""
    for segment in segments:
        worldline, first, last = (segment[0], 0, segment[1]) if len(segment) == 2 else segment
        values: list[object] = [worldline, first, last]
        before = ""
        if until is not None:
            before, values = " AND at <= ?", [*values, until]
        rows = session.execute(
            f"SELECT id, body, at FROM event WHERE worldline = ? AND place >= ? AND place < ?{before} ORDER BY place", values
        )
        for id, body, at in rows:
            yield Event(id, bytes(body), at)


def again_id(worldline: str, id: str) -> str:
    """The id of an event that stands again in another worldline."""
    return hashlib.sha256(f"{worldline}\n{id}".encode()).hexdigest()
