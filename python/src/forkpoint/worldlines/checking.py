"""Whether a store holds: every row made again from the events, by the core and by nothing that wrote them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from forkpoint.clients.kinds import SPOKEN
from forkpoint.core import balance, worldlines
from forkpoint.core.balance import main_line_assistant
from forkpoint.core.entries import EntryError, Log, Result, Use
from forkpoint.worldlines.books import STATES, marked, why_illegal
from forkpoint.worldlines.database import Session
from forkpoint.worldlines.events import BLANK, Event, link, merged
from forkpoint.worldlines.faults import StoreError, Wrong
from forkpoint.worldlines.rows import Found, Row, Told, rows_of, segments_of, thread_number, untold


class _Stored(NamedTuple):
    """An event as its row has it."""

    event: Event
    found: Found
    place: int


def check_thread(session: Session, thread: str, told: Told = untold) -> Iterator[Wrong]:
    """What does not hold of a thread. O(length) for each timeline."""
    rows = [row for row, _ in rows_of(session, thread_number(session, thread), discarded=True)]
    at = {row.number: index for index, row in enumerate(rows)}
    own: dict[int, list[_Stored]] = {}
    for row in rows:
        own[row.number] = []
        try:
            own[row.number] += _own(session, row)
            yield from _row(row, own[row.number], rows, at, own)
        except StoreError as error:
            yield Wrong(f"worldline {row.id}", str(error))
    yield from _model(thread, rows, at, own)
    for number, row in enumerate(rows):
        told(number, len(rows))
        try:
            yield from _points(session, row, rows, at, own)
        except StoreError as error:
            yield Wrong(f"worldline {row.id}", str(error))
    told(len(rows), len(rows))


def _own(session: Session, row: Row) -> Iterator[_Stored]:
    for place, id, parent, when, legal, messages, content, chain, body in session.execute(
        "SELECT place, id, parent, at, legal, messages, content, chain, body FROM event WHERE worldline = ? ORDER BY place",
        (row.number,),
    ):
        event = Event(id, bytes(body), when)
        yield _Stored(event, Found(row.number, place, parent, legal, messages, bytes(content), bytes(chain)), place)


def _row(row: Row, own: list[_Stored], rows: list[Row], at: dict[int, int], all_own: dict[int, list[_Stored]]) -> Iterator[Wrong]:
    """What does not hold of a row and of its own events, one by one."""
    where = f"worldline {row.id}"
    head, chain, messages, depth, last = row.base, BLANK, 0, 0, 0
    if row.source is not None and row.place is not None:
        source = all_own.get(row.source, ())
        if row.source not in at or at[row.source] >= at[row.number] or not 0 <= row.place < len(source):
            yield Wrong(where, f"it comes from {row.base!r}, which no earlier worldline appended")
            return
        above = source[row.place]
        if above.event.id != row.base:
            yield Wrong(where, f"it comes from {row.base!r}, and {above.event.id!r} stands in that place")
        chain, messages, depth = above.found.chain, above.found.messages, rows[at[row.source]].depth + row.place + 1
        last = above.event.at
    jobs: dict[str, str] = {}
    status: str | None = None
    for index, (event, found, place) in enumerate(own):
        here = f"{where}, event {event.id}"
        try:
            kind = event.kind
        except StoreError as error:
            yield Wrong(here, str(error))
            return
        chain = link(chain, event)
        messages += kind in SPOKEN and not event.aside
        wanted: dict[str, tuple[object, object]] = {
            "place": (place, index),
            "parent": (found.parent, head),
            "content": (found.content, hashlib.sha256(event.body).digest()),
            "chain": (found.chain, chain),
            "number of messages": (found.messages, messages),
            "legality": (found.legal in (0, 1), True),
        }
        yield from _compared(here, wanted)
        if event.at < last:
            yield Wrong(here, "it is older than the event before it")
        if event.type == "job":
            status = str(event.says.get("status"))
            jobs[str(event.says.get("job"))] = status
        head, last = event.id, event.at
    counted = {state: sum(each == state for each in jobs.values()) for state in STATES}
    rowed: dict[str, tuple[object, object]] = {
        "number of own events": (row.own, len(own)),
        "head": (row.head, head),
        "chain": (row.chain, chain),
        "number of messages": (row.messages, messages),
        "depth": (row.depth, depth),
        "last activity": (row.last, own[-1].event.at if own else None),
        "latest job": (row.job, status),
        **{f"number of {state} jobs": (getattr(row, state), counted[state]) for state in STATES},
    }
    yield from _compared(where, rowed)


def _model(thread: str, rows: list[Row], at: dict[int, int], own: dict[int, list[_Stored]]) -> Iterator[Wrong]:
    """What does not hold of the thread as chapter 21 has it: the log is well-formed, and timelines are walks (P17)."""
    log = Log()
    try:
        for row in rows:
            for event, found, _ in own[row.number]:
                log = log.append(event.entry(found.parent))
    except (EntryError, StoreError) as error:
        yield Wrong(f"thread {thread}", str(error))
        return
    lines = tuple(
        worldlines.Worldline(
            row.id,
            None if row.source is None else worldlines.Origin(at.get(row.source, -1), row.base),
            tuple(each.event.id for each in own[row.number]),
        )
        for row in rows
    )
    for index, row in enumerate(rows):
        if row.source is not None and not own[row.number]:
            continue  # its timeline is the beginning of its source's, and its head stands there
        try:
            by_segments, by_parents = worldlines.timeline(lines, index), worldlines.walk(log, row.head)
        except (EntryError, IndexError, ValueError) as error:
            yield Wrong(f"worldline {row.id}", f"its timeline cannot be read: {error}")
            continue
        if by_segments != by_parents:
            yield Wrong(f"worldline {row.id}", "its timeline by segments is not the walk by parents from its head (P17)")


def _points(session: Session, row: Row, rows: list[Row], at: dict[int, int], own: dict[int, list[_Stored]]) -> Iterator[Wrong]:
    """Where a row says of an own event that one can go on behind it, or not, and the core says otherwise of its timeline (P3)."""
    try:
        segments = segments_of(session, row)
    except StoreError as error:
        yield Wrong(f"worldline {row.id}", str(error))
        return
    if row.source is not None and not own[row.number]:  # all before is its source's, and nobody can go on behind an open call
        above = own.get(row.source, ())[row.place or 0 :][:1]
        if above and not above[0].found.legal:  # what came behind it later does not count here
            yield Wrong(f"worldline {row.id}", f"nobody can go on behind {row.base!r}, from which it comes (P3)")
        segments = []
    above_it = [each for number, size in segments[:-1] for each in own.get(number, ())[: max(size, 0)] if number in at]
    way, first = [*above_it, *own[row.number]], len(above_it)  # its own are counted elsewhere
    yield from _marks(session, row, way, first)
    yield from _held(session, row, way, first)
    yield from _jobs(session, row, own[row.number])
    log, parent = Log(), None
    for each in way:
        try:
            log = log.append(each.event.entry(parent))
        except (EntryError, StoreError):
            return  # said already
        parent = each.event.id
    found = balance.survey(log)
    for index in range(first, len(way)):
        each = way[index]
        if (why_illegal(session, each.found) is None) != found.legal[index]:
            legal = "a legal point" if found.legal[index] else "no legal point"
            yield Wrong(f"worldline {row.id}, event {each.event.id}", f"it is {legal}, and the store has it otherwise (P3)")
    where = f"worldline {row.id}"
    books = balance.run(balance.BLANK, (log[position] for position in range(len(log))))
    try:
        said = None if row.open is None else json.loads(row.open)
        has = sorted(map(str, said)) if isinstance(said, list) else None if row.open is None else ["what is no list"]
    except (ValueError, TypeError, RecursionError):
        has = ["what is no list"]
    should = None if books is None else sorted(map(str, books.out))
    if has != should:
        yield Wrong(where, f"its open calls are {_text(has)}, and should be {_text(should)}")


def _marks(session: Session, row: Row, way: list[_Stored], first: int) -> Iterator[Wrong]:
    """What later appends ask for, and is not as the timeline has it: where tools, messages and merges are named first."""
    above: set[str] = set()
    wanted: dict[str, int] = {}
    for index, (event, _, place) in enumerate(way):
        named = [f"t{block.id}" for block in event.blocks if isinstance(block, Use)]
        named += [f"m{event.message}"] if event.message is not None else []
        ends = merged(event)
        named += [f"s{ends}"] if ends is not None else []
        if index < first:
            above.update(named)
            continue
        answered = [f"t{block.id}" for block in event.blocks if isinstance(block, Result)]
        for word in (*named, *(each for each in answered if each in above)):
            wanted.setdefault(word, place if word not in above or word.startswith("s") else 0)
    should = {marked(word): place for word, place in wanted.items()}
    has = dict(session.execute("SELECT word, place FROM mark WHERE worldline = ?", (row.number,)).fetchall())
    if has != should:
        odd = len({*has.items()} ^ {*should.items()})
        yield Wrong(f"worldline {row.id}", f"{odd} of the marks by which later appends find calls and messages are wrong")


def _held(session: Session, row: Row, way: list[_Stored], first: int) -> Iterator[Wrong]:
    """Own events that are not marked as the ends of what the assistant says with no call open, and otherwise; and stretches in
    which nobody can go on that are not those of the timeline: each from what a later event goes on with up to that."""
    above, begun, stretches = set[str](), dict[str, int](), list[list[int]]()
    out: set[str] | None = set()
    for index, (event, found, place) in enumerate(way):
        goes_on: list[str] = []
        for block in event.blocks:
            tool = f"t{block.id}" if isinstance(block, Use | Result) else ""
            if isinstance(block, Use):
                out = None if out is None or tool in above or tool in begun else out | {tool}
                _name(tool, index < first, place, above, begun)
            elif isinstance(block, Result):
                if out is None or tool not in out:
                    out = None
                    goes_on.append(tool)
                else:
                    out = out - {tool}
        ends = out == set() and main_line_assistant(event.entry(None))
        if index >= first and found.legal != ends:
            why = f"it has {found.legal!r} as its mark of an end, and not {int(ends)}"
            yield Wrong(f"worldline {row.id}, event {event.id}", why)
        if event.message is not None:
            goes_on.append(f"m{event.message}")
        for word in goes_on if index >= first else ():
            since = begun.get(word, 0 if word in above else place)
            if since < place:
                stretches.append([since, place])
        if event.message is not None:
            _name(f"m{event.message}", index < first, place, above, begun)
    should: list[list[int]] = []
    for since, last in sorted(stretches):
        if should and since <= should[-1][1]:
            should[-1][1] = max(should[-1][1], last)
        else:
            should.append([since, last])
    has = session.execute("SELECT first, last FROM held WHERE worldline = ? ORDER BY first", (row.number,)).fetchall()
    if [list(each) for each in has] != should:
        yield Wrong(f"worldline {row.id}", f"it says of {has} that what stands there goes on, and should say so of {should}")


def _name(word: str, inherited: bool, place: int, above: set[str], begun: dict[str, int]) -> None:
    """Notes where something is named first: above, or at a place of the own events."""
    if inherited:
        above.add(word)
    elif word not in above:
        begun.setdefault(word, place)


def _jobs(session: Session, row: Row, own: list[_Stored]) -> Iterator[Wrong]:
    """Jobs whose state is not the last that an event gave them."""
    should = {str(each.event.says.get("job")): each.event.says.get("status") for each in own if each.event.type == "job"}
    has = dict(session.execute("SELECT id, status FROM job WHERE worldline = ?", (row.number,)).fetchall())
    if has != should:
        yield Wrong(f"worldline {row.id}", f"its jobs are {has}, and should be {should}")


def check_rest(session: Session) -> Iterator[Wrong]:
    """What belongs to nothing: worldlines of no thread, and events, marks, snapshots and operations of what is not there."""
    for what, query in {
        "worldline": "SELECT w.id FROM worldline w LEFT JOIN thread t ON t.number = w.thread WHERE t.number IS NULL",
        "event": "SELECT e.id FROM event e LEFT JOIN worldline w ON w.number = e.worldline WHERE w.number IS NULL",
        "mark": "SELECT m.word FROM mark m LEFT JOIN worldline w ON w.number = m.worldline WHERE w.number IS NULL",
        "job": "SELECT j.id FROM job j LEFT JOIN worldline w ON w.number = j.worldline WHERE w.number IS NULL",
        "snapshot of no event": "SELECT s.event FROM snapshot s LEFT JOIN event e ON e.id = s.event WHERE e.id IS NULL",
        "snapshot of no bytes": "SELECT s.event FROM snapshot s LEFT JOIN piece p ON p.hash = s.hash WHERE p.hash IS NULL",
        "material": "SELECT m.number FROM material m LEFT JOIN event e ON e.worldline = m.worldline AND e.place = m.place - 1"
        " LEFT JOIN worldline w ON w.number = m.worldline WHERE w.number IS NULL OR (e.id IS NULL AND m.place != 0)",
        "worldline that no operation made": "SELECT w.id FROM worldline w WHERE NOT EXISTS"
        " (SELECT 1 FROM operation o WHERE o.worldline = w.number AND o.kind = 'branch')",
    }.items():
        for (id,) in session.execute(query):
            yield Wrong(f"{what} {id}", "what it belongs to is not there")


def _of(thread: str | None, column: str) -> str:
    """The condition of a query that asks of one thread."""
    return "" if thread is None else f" WHERE {column} = (SELECT number FROM thread WHERE id = ?)"


def check_pieces(session: Session, thread: str | None = None) -> Iterator[Wrong]:
    """Bytes that have another hash, and snapshots of a thread, or of all, that need bytes that are not there."""
    there: set[str] = set()
    for digest, body in session.execute("SELECT hash, body FROM piece"):
        there.add(bytes(digest).hex())
        if hashlib.sha256(bytes(body)).digest() != bytes(digest):
            yield Wrong(f"snapshot {bytes(digest).hex()[:12]}", "its bytes have another hash")
    for event, name, body in session.execute(
        "SELECT s.event, s.name, p.body FROM snapshot s JOIN piece p ON p.hash = s.hash JOIN event e ON e.id = s.event"
        f" JOIN worldline w ON w.number = e.worldline{_of(thread, 'w.thread')} ORDER BY s.event, s.name",
        () if thread is None else (thread,),
    ):
        lost = [each for each in pieces_of(bytes(body)) if each not in there]
        for each in lost[:NAMED]:
            yield Wrong(f"snapshot {name!r} at {event}", f"the bytes {each[:12]} that it needs are not there")
        if len(lost) > NAMED:
            yield Wrong(f"snapshot {name!r} at {event}", f"so are {len(lost) - NAMED} more")


NAMED: Final = 10
"""So many lost bytes of one snapshot are named."""
STATE: Final = "forkpoint-state"
"""The key by which the list of a folder's files, or of a database's one, is known among states."""


def pieces_of(state: bytes) -> list[str]:
    """The hashes of the bytes that a state needs: those of the files in a list, none of any other state."""
    try:
        says = json.loads(state)
        if not isinstance(says, dict) or STATE not in says:
            return []
        return sorted({str(item["hash"]) for item in says["items"] if item.get("kind") == "file"})
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return []  # whoever restores it says so


def _compared(where: str, values: Mapping[str, tuple[object, object]]) -> Iterator[Wrong]:
    """What is not as it should be."""
    for what, (has, should) in values.items():
        if has != should:
            yield Wrong(where, f"its {what} is {_text(has)}, and should be {_text(should)}")


def _text(value: object) -> str:
    return value.hex()[:16] if isinstance(value, bytes) else repr(value)
