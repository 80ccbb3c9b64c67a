"""The store of worldlines: chapter 21's thread, kept in a database.

A worldline is a row: the event from which it comes, its own events by their places, its head. A branch copies nothing. An append
compares the head with the one that its writer expects, in the transaction that appends (P7, P8), and the id of an event tells
whether it was appended before (P18). A timeline is read by segments, one for each worldline on the way (P17).
"""

from __future__ import annotations

import hashlib
import itertools
import json
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import Final

from forkpoint.clients.claude.lines import META
from forkpoint.clients.kinds import SPOKEN
from forkpoint.evidence.ledger import governance as parse_governance
from forkpoint.worldlines import bundles
from forkpoint.worldlines.books import STATES, Books, States, legal_before, nearest, why_illegal
from forkpoint.worldlines.checking import check_pieces, check_rest, check_thread
from forkpoint.worldlines.database import Database, Exists, Session, unreadable
from forkpoint.worldlines.events import BLANK, Event, link, spoken
from forkpoint.worldlines.faults import (
    CHECK,
    BadEvent,
    BadState,
    IllegalPoint,
    NoState,
    NoStore,
    StaleHead,
    Taken,
    Unknown,
    Wrong,
)
from forkpoint.worldlines.journal import PROOF, SNAPSHOT, check_operations, said_of
from forkpoint.worldlines.opening import open_database, without_password
from forkpoint.worldlines.rows import (
    APPEND,
    GO_ON,
    ROW,
    Appended,
    Difference,
    Operation,
    Row,
    Summary,
    Told,
    Worldline,
    again_id,
    bytes_of,
    checked_id,
    cut,
    found_event,
    keep_bytes,
    last_snapshot,
    make_thread,
    names_of,
    note,
    now,
    numbered,
    origin_of,
    part,
    read,
    row_of,
    rows_by_id,
    rows_of,
    same,
    segments_of,
    shown,
    stands,
    summaries_of,
    take_back,
    taken,
    thread_number,
    time_of,
    untold,
)

TURNS: Final = 3
"""How often something is tried again that another one did at the same time."""
PIECE: Final = 500
"""How many events are read at once."""


class Store:
    """A store of worldlines.

    Safe to use from several threads and processes at once; a child process that was forked opens its own. What it raises is a
    :class:`~forkpoint.worldlines.faults.StoreError`, and nothing has changed then.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.governance: str | None = None

    @classmethod
    def open(
        cls, url: str, *, create: bool = True, wait: float = 30, durable: bool = True, governance: str | None = None
    ) -> Store:
        """The store that a URL names: ``sqlite:///path`` or ``postgresql://...``.

        ``create``: makes it where there is none. ``wait``: seconds that a writer waits for another. ``durable``: each commit is
        on the disk when it returns. ``governance``: the tuple that stands in the log of operations with each branch and merge
        that brings none of its own. Raises :class:`~forkpoint.worldlines.faults.NoStore`.
        """
        made = cls(open_database(url, create=create, wait=wait, durable=durable))
        made.governance = governance
        return made

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Store {self.url}>"

    @property
    def url(self) -> str:
        """What names it; without a password."""
        return without_password(self._database.url)

    @property
    def address(self) -> str:
        """The same, with a password where it has one: for a program that is to open it."""
        return self._database.url

    def close(self) -> None:
        """Ends its connections."""
        self._database.close()

    # ---- threads and worldlines

    def thread(self, id: str | None = None) -> str:
        """Makes a thread, and gives its id; one that is there already stays as it is."""
        id = checked_id("thread", id or str(uuid.uuid4()))
        with self._database.write() as session:
            make_thread(session, id)
        return id

    def threads(self) -> list[str]:
        """The threads, the oldest first."""
        with self._database.read() as session:
            return [id for (id,) in session.execute("SELECT id FROM thread ORDER BY number")]

    def worldlines(self, thread: str, *, discarded: bool = False) -> list[Worldline]:
        """The worldlines of a thread, in the order in which they were made. O(worldlines)."""
        with self._database.read() as session:
            return [shown(row, thread, source) for row, source in rows_of(session, thread_number(session, thread), discarded)]

    def worldline(self, id: str) -> Worldline:
        """A worldline by its id. O(1)."""
        with self._database.read() as session:
            row = row_of(session, id)
            return shown(row, *names_of(session, row))

    def several(self, ids: Sequence[str]) -> list[Worldline]:
        """Worldlines by their ids, in that order. A query for each 500 of them."""
        found: dict[str, Worldline] = {}
        with self._database.read() as session:
            for at in range(0, len(ids), 500):
                for row, thread, source in rows_by_id(session, ids[at : at + 500]):
                    found[row.id] = shown(row, thread, source)
        if missing := [id for id in ids if id not in found]:
            raise Unknown("worldline", missing[0])
        return [found[id] for id in ids]

    def summaries(self, thread: str) -> list[Summary]:
        """Of each worldline of a thread how much is in it, and when something happened there last. One query; O(worldlines)."""
        with self._database.read() as session:
            return summaries_of(session, thread_number(session, thread))

    # ---- appending

    def append(self, worldline: str, events: Sequence[Event], expected: str | None, *, as_they_were: bool = False) -> Appended:
        """Appends events to a worldline, all or none, if its head is the one that is expected; None is the head of an empty one.
        Each gets the time of now, or keeps its own ``as_they_were``, as far as these rise.

        Raises :class:`~forkpoint.worldlines.faults.StaleHead` with both heads (P7). Events that stand there already, by their
        ids, are not appended again (P18); an id that stands for something else is refused. O(events) in one transaction.
        """
        if twice := [id for id, number in Counter(event.id for event in events).items() if number > 1]:
            raise Taken("event", twice[0], "stands twice among those that are to be appended")
        try:
            with self._database.write() as session:
                row = row_of(session, worldline, self._database.lock)
                if row.head != expected:
                    raise StaleHead(worldline, expected, row.head)
                return self._append(session, row, events, as_they_were=as_they_were)
        except (Exists, StaleHead) as error:
            with self._database.read() as session:
                row = row_of(session, worldline)
                if not events or not stands(session, row, events):
                    if isinstance(error, Exists):
                        raise StaleHead(worldline, expected, row.head) from error
                    raise
                return Appended(worldline, row.head, len(events), again=True)

    def _append(self, session: Session, row: Row, events: Sequence[Event], *, as_they_were: bool = False) -> Appended:
        """Appends behind the head, whatever it is; ``as_they_were`` keeps the times that the events have."""
        last = row.last if row.last is not None else time_of(session, row.base)
        at = last if as_they_were else max(now(), last)  # a clock that was set back must not make a timeline go back
        place, head, chain, messages, job = row.own, row.head, row.chain, row.messages, row.job
        books = Books(session, row)
        states = States(session, row.number)
        added: list[tuple[object, ...]] = []
        for event in events:
            legal = books.enter(event, place)
            messages += event.kind in SPOKEN and not event.aside
            chain = link(chain, event)
            at = max(at, event.at) if as_they_were else at
            added.append((row.number, place, event.id, head, at, int(legal), messages, event.content, chain, event.body))
            if event.type == "job":
                job = states.enter(event)
            head, place = event.id, place + 1
        session.executemany(APPEND, added)
        books.write()
        states.write()
        changes = [states.changes[state] for state in STATES]
        if added:
            session.execute(GO_ON, (place, head, chain, books.text, messages, at, *changes, job, row.number, row.own))
        return Appended(row.id, head, len(events), again=False)

    def grow(self, worldline: str, base: str | None, thread: str, events: Sequence[Event]) -> Appended:
        """Makes a worldline that comes from an event, unless it is there, and appends events to it, in one transaction: so that
        none is left empty by whoever is killed. Events that stand there at its end already are not appended again. They
        keep their times, as far as these rise."""
        try:
            with self._database.write() as session:
                made = self._branch(session, base, checked_id("worldline", worldline), thread, None, {"why": "import"})
                if made.own:
                    raise Exists(worldline)  # whether it is by these events is asked below
                return self._append(session, row_of(session, made.id, self._database.lock), events, as_they_were=True)
        except Exists as error:
            with self._database.read() as session:
                row = row_of(session, worldline, missing=Taken("event", events[0].id, "or one behind it stands elsewhere"))
                if not stands(session, row, events):
                    raise StaleHead(worldline, base, row.head) from error
                return Appended(worldline, row.head, len(events), again=True)

    # ---- branching

    def branch(
        self,
        from_event: str | None,
        id: str | None = None,
        *,
        thread: str | None = None,
        name: str | None = None,
        by: str | None = None,
        why: str | None = None,
        governance: str | None = None,
    ) -> Worldline:
        """Makes a worldline that comes from an event; of None, one that comes from nothing, in a thread. One row; O(log events).

        The same id again gives the same worldline (P18). Raises :class:`~forkpoint.worldlines.faults.IllegalPoint`, with the
        nearest legal ones, where nobody can go on behind the event (P3). ``by``, ``why`` and the governance tuple stand in the
        log of operations, beside the witness of what the worldline comes from.
        """
        fresh = id is None
        id = str(uuid.uuid4()) if id is None else checked_id("worldline", id)
        says = {"by": by, "why": why, "governance": self._governed(governance)}
        try:
            with self._database.write() as session:
                return self._branch(session, from_event, id, thread, name, says, fresh=fresh)
        except Exists as error:  # another one made it meanwhile, or the name is taken
            with self._database.read() as session:
                row = row_of(session, id, missing=Taken("name", name or "", "stands for another worldline of the thread"))
                return same(session, row, from_event, error)

    def _branch(
        self,
        session: Session,
        event: str | None,
        id: str,
        thread: str | None,
        name: str | None,
        says: Mapping[str, object],
        *,
        settled: bool = False,
        fresh: bool = False,
    ) -> Worldline:
        """Makes a worldline, unless it is there; ``settled`` says that its event was a legal point when it was made, ``fresh``
        that nobody has its id."""
        there = None if fresh else session.execute(f"SELECT {ROW} FROM worldline w WHERE w.id = ?", (id,)).fetchone()
        if name is not None:
            checked_id("name", name)
        if there is not None:
            return same(session, taken(there), event, None)
        if event is None:
            if thread is None:
                raise BadEvent("a worldline that comes from nothing needs a thread")
            source, place, depth, chain, messages, number = None, None, 0, BLANK, 0, thread_number(session, thread)
            above = None
        else:
            found, depth, number, above, its = origin_of(session, event)
            reason = why_illegal(session, found) if not settled else None if found.legal else "it is no legal point"
            if reason is not None:
                raise IllegalPoint(event, reason, nearest(session, found))
            source, place, chain, messages = found.worldline, found.place, found.chain, found.messages
            if thread is not None and thread != its:
                raise Taken("event", event, f"stands in another thread than {thread!r}")
            thread = its
        made = now()
        own = session.execute(
            "INSERT INTO worldline (id, thread, source, place, base, depth, made, name, head, chain, open, messages)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING number",
            (id, number, source, place, event, depth, made, name, event, chain, "[]", messages),
        ).fetchone()[0]
        governed = {"governance": self._governed(None)} if says.get("governance") is None else {}  # an import and a rebase, too
        told = {**says, **governed, "from": event, "length": depth, "witness": chain.hex(), "name": name}
        note(session, number, own, "branch", told)
        return Worldline(id, thread, name, above, event, event, 0, depth, made, False)

    def legal(self, event: str) -> str | None:
        """Why nobody can go on behind an event; None where one can (P3). O(log events)."""
        with self._database.read() as session:
            return why_illegal(session, found_event(session, event))

    def legal_before(self, event: str) -> str | None:
        """The last legal point at or before an event in its timeline. O(log events) for each worldline on the way."""
        with self._database.read() as session:
            found = found_event(session, event)
            return event if why_illegal(session, found) is None else next(iter(legal_before(session, found, 1)), None)

    # ---- merging

    def merge(
        self,
        worldline: str,
        other: str,
        expected: str | None,
        says: str | None = None,
        *,
        by: str | None = None,
        governance: str | None = None,
    ) -> Appended:
        """Tells a worldline what another one brought: one event behind its head, from the user's side, whose second parent is the
        other one's head. Neither is rewritten otherwise.

        ``says`` is what it tells; without it, the last words of the assistant there that this one lacks. What was merged before
        is not merged again, and where nothing is left nothing changes. Raises
        :class:`~forkpoint.worldlines.faults.StaleHead`. O(what it lacks * log events).
        """
        brought = self.lacking(worldline, other)
        if not brought:
            return Appended(worldline, self.worldline(worldline).head, 0, again=True)
        end = brought[-1].id
        text = says if says is not None else next((words for each in reversed(brought) if (words := spoken(each))), "")
        body = {
            "type": "user",
            META: True,
            "message": {"role": "user", "content": text},
            "forkpoint": {"merge": "summary", "secondParent": end, "from": other, "events": len(brought)},
        }
        try:
            with self._database.write() as session:
                row = row_of(session, worldline, self._database.lock)
                if row.head != expected:
                    raise StaleHead(worldline, expected, row.head)
                made = self._append(session, row, [Event.of(again_id(worldline, end), body)])
                witness = found_event(session, end).chain.hex()
                told = {"by": by, "governance": self._governed(governance), "other": other}
                told |= {"head": row.head, "end": end, "event": made.head, "witness": witness}
                note(session, row.thread, row.number, "merge", told)
                return made
        except Exists as error:  # another one merged it meanwhile
            raise StaleHead(worldline, expected, self.worldline(worldline).head) from error

    def lacking(self, worldline: str, other: str) -> list[Event]:
        """What another worldline has behind what both have, and behind what some merge brought already. O(what it lacks)."""
        brought = list(self.diff(worldline, other).right)
        with self._database.read() as session:
            books = Books(session, row_of(session, worldline))
            for at in range(len(brought) - 1, -1, -1):
                if books.has_merged(brought[at].id):
                    return brought[at + 1 :]
        return brought

    # ---- reading

    def timeline(
        self, worldline: str, as_of: str | datetime | None = None, *, first: int = 0, limit: int | None = None
    ) -> Iterator[Event]:
        """The events of a worldline from the first on, by segments (P17); ``as_of`` an event, which is the last then, or as they
        were at a time. What comes later does not show, and the store can be used meanwhile. ``first`` is the place of the first
        one that is wanted, ``limit`` how many are. O(events given + worldlines on the way)."""
        with self._database.read() as session:
            row = row_of(session, worldline)
            segments, until = segments_of(session, row), None
            if isinstance(as_of, str):
                segments = cut(segments, found_event(session, as_of), worldline)
            elif as_of is not None:
                until = int(as_of.timestamp() * 1_000_000)
        stretches, before = list[tuple[int, int, int]](), 0
        last = None if limit is None else first + limit
        for number, size in segments:
            begin, end = max(first - before, 0), size if last is None else min(size, last - before)
            before += size
            if begin < end:
                stretches.append((number, begin, end))
        return self._pieces(stretches, until)

    def _pieces(self, stretches: Sequence[tuple[int, int, int]], until: int | None) -> Iterator[Event]:
        """Events, some at a time: they never change, so that it need not be one transaction."""
        for number, begin, end in stretches:
            for first in range(begin, end, PIECE):
                with self._database.read() as session:
                    found = list(read(session, [(number, first, min(end, first + PIECE))], until))
                if until is None and len(found) < min(end, first + PIECE) - first:
                    raise NoStore("events are missing that a worldline says it has", "`forkpoint store check` tells more")
                yield from found
                if len(found) < min(end, first + PIECE) - first:
                    return

    def event(self, id: str) -> Event:
        """An event by its id. O(log events)."""
        with self._database.read() as session:
            found = session.execute("SELECT body, at FROM event WHERE id = ?", (id,)).fetchone()
            if found is None:
                raise Unknown("event", id)
            return Event(id, bytes(found[0]), found[1])

    def places(self, events: Sequence[str]) -> dict[str, str]:
        """Of events, by their ids, the worldlines that appended those that are there. O(ids * log events)."""
        found: dict[str, str] = {}
        with self._database.read() as session:
            for at in range(0, len(events), 500):
                asked = events[at : at + 500]
                marks = ", ".join("?" * len(asked))
                found |= session.execute(
                    f"SELECT e.id, w.id FROM event e JOIN worldline w ON w.number = e.worldline WHERE e.id IN ({marks})", asked
                ).fetchall()
        return found

    def messages(self, worldline: str) -> int:
        """How many messages of the user and the assistant a worldline has. O(1)."""
        with self._database.read() as session:
            return row_of(session, worldline).messages

    def open_calls(self, worldline: str) -> list[str] | None:
        """The tool calls that have no result at the head; None where calls and results do not pair up. O(1)."""
        with self._database.read() as session:
            text = Books(session, row_of(session, worldline)).text
        return None if text is None else list(json.loads(text))

    def length(self, event: str) -> int:
        """How many events the walk by parents from an event has. O(log events)."""
        with self._database.read() as session:
            found = found_event(session, event)
            return numbered(session, found.worldline).depth + found.place + 1

    def keep(self, event: str, material: bytes, worldline: str | None = None, **says: str) -> None:
        """Keeps what stood between the lines of a session that was imported up to an event; the last that is kept counts. The
        worldline is the event's own, or one that comes from the event and has none itself."""
        with self._database.write() as session:
            line = found_event(session, event).worldline if worldline is None else row_of(session, worldline).number
            self._keep(session, numbered(session, line), event, material, says)

    def _keep(self, session: Session, row: Row, event: str | None, material: bytes, says: Mapping[str, str]) -> None:
        found = None if event is None else found_event(session, event)
        place = 0 if found is None or found.worldline != row.number else found.place + 1
        before = session.execute(
            "SELECT body FROM material WHERE worldline = ? AND place = ? ORDER BY number DESC LIMIT 1", (row.number, place)
        ).fetchone()
        if before is None or bytes(before[0]) != material:
            session.execute("INSERT INTO material (worldline, place, body) VALUES (?, ?, ?)", (row.number, place, material))
            digest = hashlib.sha256(material).hexdigest()
            note(session, row.thread, row.number, "import", {**says, "head": event}, material=digest)

    def imports(self, thread: str) -> list[tuple[str, Mapping[str, object]]]:
        """Which worldlines of a thread were imported, each with what was said of it then; the last import first. O(imports)."""
        with self._database.read() as session:
            rows = session.execute(
                "SELECT w.id, o.says FROM operation o JOIN worldline w ON w.number = o.worldline"
                " WHERE o.thread = ? AND o.kind = 'import' ORDER BY o.number DESC",
                (thread_number(session, thread),),
            ).fetchall()
        return [(id, json.loads(says)) for id, says in rows]

    def material(self, worldline: str, as_of: str | None = None) -> tuple[bytes, int, bool]:
        """What stood between the lines of the session that the timeline, up to an event, was imported from, and up to how many
        events that is of this timeline; whether all of it is. Nothing where it was not imported."""
        with self._database.read() as session:
            row = row_of(session, worldline)
            segments = segments_of(session, row)
            if as_of is not None:
                segments = cut(segments, found_event(session, as_of), worldline)
            ends = list(itertools.accumulate(size for _, size in segments))
            for (number, size), end in zip(reversed(segments), reversed(ends), strict=True):
                for order in ("place <= ? ORDER BY place DESC, number DESC", "place > ? ORDER BY place, number DESC"):
                    found = session.execute(
                        f"SELECT body, place FROM material WHERE worldline = ? AND {order} LIMIT 1", (number, size)
                    ).fetchone()
                    if found is not None:
                        return bytes(found[0]), end - size + min(size, found[1]), found[1] <= size
        return b"", 0, False

    def rebased(self, worldline: str) -> set[str]:
        """The first events behind each place at which a worldline on the way was rebased. O(worldlines on the way)."""
        with self._database.read() as session:
            found = set[str]()
            for number, _ in segments_of(session, row_of(session, worldline)):
                found |= {
                    id
                    for (id,) in session.execute(
                        "SELECT e.id FROM operation o JOIN event e ON e.worldline = o.worldline AND e.place = 0"
                        " WHERE o.worldline = ? AND o.kind = 'branch' AND o.says LIKE ?",
                        (number, '%"rebases"%'),
                    )
                }
            return found

    def diff(self, left: str, right: str) -> Difference:
        """Where two worldlines part, and what each has behind that. O(worldlines on the way + events behind)."""
        with self._database.read() as session:
            one, other = (segments_of(session, row_of(session, each)) for each in (left, right))
            common, rest = part(one, other)
            last = None
            if common:
                where = common[-1]
                found = session.execute(
                    "SELECT id FROM event WHERE worldline = ? AND place = ?", (where.worldline, where.size - 1)
                ).fetchone()
                if found is None:
                    raise NoStore(f"event {where.size - 1} of a worldline is not there", CHECK)
                last = found[0]
            mine, theirs = (tuple(read(session, behind, None)) for behind in rest)
            return Difference(last, mine, theirs)

    def check(self, thread: str | None = None, told: Told = untold) -> list[Wrong]:
        """What does not hold of a thread, or of the whole store: every row is made again from the events and compared, by the
        core's own functions. Where a table is another one, only that is said, for its rows mean nothing. ``told`` is told of each
        thread how far that got. O(length) for each timeline."""
        with self._database.read() as session:
            schema = self._database.differs(session)
            if any(map(unreadable, schema)):
                return schema
            threads = (
                [thread] if thread is not None else [id for (id,) in session.execute("SELECT id FROM thread ORDER BY number")]
            )
            found = [wrong for each in threads for wrong in check_thread(session, each, told)]
            found += [*check_rest(session), *check_operations(session, BLANK, thread), *check_pieces(session, thread)]
            return [*found, *schema]

    # ---- rebase

    def rebase(
        self, worldline: str, onto: str, id: str | None = None, *, by: str | None = None, governance: str | None = None
    ) -> Worldline:
        """Makes a worldline that comes from another event and has the same own events behind it, under ids of their own.

        The old one stays as it is. Nothing else rebases.
        Raises :class:`~forkpoint.worldlines.faults.IllegalPoint`. O(own events).
        """
        id = checked_id("worldline", id or str(uuid.uuid4()))
        try:
            return self._rebase(worldline, onto, id, {"by": by, "rebases": worldline, "governance": self._governed(governance)})
        except Exists as error:
            raise Taken("worldline", id, "is there already, and has events of its own") from error

    def _rebase(self, worldline: str, onto: str, id: str, says: Mapping[str, object]) -> Worldline:
        with self._database.write() as session:
            row = row_of(session, worldline, self._database.lock)
            own = list(read(session, [(row.number, 0, row.own)], None))
            made = self._branch(session, onto, id, None, None, says)
            if made.own:
                raise Taken("worldline", id, "is there already, and has events of its own")
            new = [Event(again_id(id, event.id), event.body) for event in own]
            self._append(session, row_of(session, id), new)
            return shown(row_of(session, id), made.thread, made.source)

    # ---- bundles

    def bundle(self, worldlines: Sequence[str], told: Told = untold) -> list[bytes]:
        """Worldlines and what they come from, as the lines of a file that :meth:`unbundle` takes, with the states that are kept
        at their events. ``told`` is told how many events are read. Raises :class:`~forkpoint.worldlines.faults.BadState` where
        bytes that a state needs are lost. O(bytes)."""
        with self._database.read() as session:
            return list(bundles.written(session, worldlines, told))

    def unbundle(self, lines: Iterable[bytes], *, by: str | None = None, told: Told = untold) -> dict[str, int]:
        """Takes the worldlines of a bundle, all or none; how many events are new in each. Again it changes nothing.

        What is there already goes on where the bundle goes on. Raises :class:`~forkpoint.worldlines.faults.Taken` for an id that
        stands for something else here, :class:`~forkpoint.worldlines.faults.BadBundle` for a file that is none. ``told`` is told
        how many events are taken. O(bytes).
        """
        found = bundles.parsed(lines)
        whole = sum(len(line.events) for line in found)
        for turn in range(TURNS):
            try:
                with self._database.write() as session:
                    new, done = dict[str, int](), 0
                    for line in found:
                        new[line.id] = self._unbundle(session, line, by)
                        done += len(line.events)
                        told(done, whole)
                    return new
            except Exists as error:  # another one took the same, or has an id: the next turn tells
                if turn == TURNS - 1:
                    raise Taken("bundle", "", f"has an id that stands for something else here: {error}") from error
        raise AssertionError

    def _unbundle(self, session: Session, line: bundles.Line, by: str | None) -> int:
        id, thread = checked_id("worldline", line.id), checked_id("thread", line.thread)
        make_thread(session, thread)
        number = thread_number(session, thread)
        taken_name = session.execute(
            "SELECT 1 FROM worldline WHERE thread = ? AND name = ? AND discarded = 0", (number, line.name)
        ).fetchone()
        name = None if taken_name is not None else line.name
        made = self._branch(session, line.base, id, thread, name, {"by": by, "why": "unbundled"}, settled=True)
        if made.thread != thread:
            raise Taken("worldline", id, f"is there already, in the thread {made.thread!r}")
        row = row_of(session, id, self._database.lock)
        for here, brought in zip(read(session, [(row.number, 0, row.own)], None), line.events, strict=False):
            if (here.id, here.content) != (brought.id, brought.content):
                raise Taken("event", brought.id, f"stands in {id!r} where {here.id!r} stands here: the two went apart")
        rest = line.events[row.own :]
        self._append(session, row, rest, as_they_were=True)
        for body in line.pieces:
            keep_bytes(session, hashlib.sha256(body).digest(), body)
        for event, what, state in line.snapshots:
            self._snapshot(session, event, state, what)
        for last, body in line.material:
            self._keep(session, row, last, body, {})
        return len(rest)

    # ---- state

    def snapshot(self, event: str, state: bytes, *, name: str = "state") -> str:
        """Keeps the state of something outside as it was at an event, by its bytes; the hash of them, in hexadecimal. What is the
        same is kept once. The same again changes nothing; another state of the same name at an event is refused."""
        with self._database.write() as session:
            return self._snapshot(session, event, state, name)

    def keep_piece(self, body: bytes) -> str:
        """Keeps bytes, once, by their hash, in hexadecimal. O(bytes)."""
        digest = hashlib.sha256(body).digest()
        with self._database.write() as session:
            keep_bytes(session, digest, body)
        return digest.hex()

    def piece(self, digest: str) -> bytes:
        """The bytes of a hash. Raises :class:`~forkpoint.worldlines.faults.BadState` where they are not there, or are others."""
        with self._database.read() as session:
            try:
                body = bytes_of(session, digest)
            except ValueError as error:
                raise BadState(f"{digest!r} is no hash") from error
        if body is None:
            raise BadState(
                f"the bytes of {digest[:12]} are not in the store as they were kept", "`forkpoint store check` tells more"
            )
        return body

    def _snapshot(self, session: Session, event: str, state: bytes, name: str) -> str:
        digest = hashlib.sha256(state).digest()
        checked_id("snapshot", name)
        number = found_event(session, event).worldline
        there = session.execute("SELECT hash FROM snapshot WHERE event = ? AND name = ?", (event, name)).fetchone()
        if there is not None and bytes(there[0]) != digest:
            raise Taken("snapshot", name, f"at {event!r} is there already, of another state")
        if there is None:
            keep_bytes(session, digest, state)
            session.execute("INSERT INTO snapshot (event, name, hash) VALUES (?, ?, ?)", (event, name, digest))
            row = numbered(session, number)
            note(session, row.thread, number, SNAPSHOT, {"event": event, "name": name, "hash": digest.hex()})
        return digest.hex()

    def state(
        self,
        event: str,
        reduce: Callable[[bytes, Event], bytes] | None = None,
        start: bytes | None = None,
        *,
        name: str = "state",
    ) -> bytes:
        """The state at an event: by the nearest snapshot at or before it in its timeline, and the events behind that through
        ``reduce`` (P15). Without a snapshot by all events, from ``start`` on.

        Never an empty state in silence: :class:`~forkpoint.worldlines.faults.NoState` where there is no snapshot and no start, or
        where events stand behind the snapshot and there is no ``reduce``. O(events behind the snapshot).
        """
        with self._database.read() as session:
            found = found_event(session, event)
            row = numbered(session, found.worldline)
            way = cut(segments_of(session, row), found, row.id)
            near = last_snapshot(session, way, name)
            if near is None:
                if start is None:
                    raise NoState(event, f"there is no snapshot {name!r} at or before it, and no state to start from")
                state, rest = start, [(each.worldline, 0, each.size) for each in way]
            else:
                at, place, state = near
                rest = [
                    (way[at].worldline, place + 1, way[at].size),
                    *((each.worldline, 0, each.size) for each in way[at + 1 :]),
                ]
        rest = [(worldline, first, size) for worldline, first, size in rest if first < size]
        if rest and reduce is None:
            why = f"events stand behind the last snapshot {name!r}, and nothing was given that says what they make of it"
            raise NoState(event, why, before=True)
        for each in self._pieces(rest, None):  # in no transaction: a reducer may use the store
            assert reduce is not None
            state = reduce(state, each)
        return state

    # ---- the log of operations

    def _governed(self, governance: str | None) -> str | None:
        """The governance tuple under which something is done; refuses what is none."""
        found = governance or self.governance
        if found is not None:
            try:
                parse_governance(found)
            except ValueError as error:
                raise BadEvent(str(error)) from error
        return found

    def rename(self, worldline: str, name: str | None, *, by: str | None = None) -> None:
        """Gives a worldline another name, or none; a name stands for one worldline of a thread. The same one changes nothing."""
        if name is not None:
            checked_id("name", name)
        try:
            with self._database.write() as session:
                row = row_of(session, worldline, self._database.lock)
                if row.name != name:
                    session.execute("UPDATE worldline SET name = ? WHERE number = ?", (name, row.number))
                    note(session, row.thread, row.number, "rename", {"by": by, "from": row.name, "to": name})
        except Exists as error:
            cure = "stands for another worldline of the thread; `forkpoint store move` lets it stand for this one"
            raise Taken("name", name or "", cure) from error

    def move(self, name: str, worldline: str, *, by: str | None = None) -> None:
        """Lets a name stand for another worldline of the same thread. The heads of both stay where they are."""
        with self._database.write() as session:
            row = row_of(session, worldline, self._database.lock)
            holder = session.execute(
                f"SELECT {ROW} FROM worldline w WHERE w.thread = ? AND w.name = ? AND w.discarded = 0{self._database.lock}",
                (row.thread, name),
            ).fetchone()
            was = None if holder is None else taken(holder)
            if was is None or was.name != name:
                raise Unknown("name", name)
            if was.number != row.number:
                session.execute("UPDATE worldline SET name = NULL WHERE number = ? AND name = ?", (was.number, name))
                session.execute("UPDATE worldline SET name = ? WHERE number = ?", (name, row.number))
                told = {"by": by, "name": name, "from": was.id, "had": row.name}
                note(session, row.thread, row.number, "move", told)

    def discard(self, worldline: str, *, by: str | None = None, why: str | None = None) -> None:
        """Leaves a worldline out of the lists. Nothing is removed, and what comes from it stays."""
        with self._database.write() as session:
            row = row_of(session, worldline, self._database.lock)
            if not row.discarded:
                session.execute("UPDATE worldline SET discarded = 1 WHERE number = ?", (row.number,))
                note(session, row.thread, row.number, "discard", {"by": by, "why": why})

    def operations(self, thread: str) -> list[Operation]:
        """What was done to the worldlines of a thread, besides appends, in order."""
        with self._database.read() as session:
            rows = session.execute(
                "SELECT o.number, o.at, o.kind, o.says, o.undoes, w.id FROM operation o LEFT JOIN worldline w"
                " ON w.number = o.worldline WHERE o.thread = ? AND o.kind <> ? ORDER BY o.number",
                (thread_number(session, thread), SNAPSHOT),
            ).fetchall()
        found = [(number, at, id, kind, said_of(number, says), undoes) for number, at, kind, says, undoes, id in rows]
        return [
            Operation(number, at, thread, id, kind, {key: value for key, value in says.items() if key != PROOF}, undoes)
            for number, at, id, kind, says, undoes in found
        ]

    def undo(self, operation: int, *, by: str | None = None) -> None:
        """Undoes a rename, a move, a discard, or a branch without events of its own, which is discarded; an operation of its own.

        Refuses one that was undone, or behind which the same thing was changed again."""
        try:
            with self._database.write() as session:
                found = session.execute(
                    "SELECT o.kind, o.says, w.id FROM operation o JOIN worldline w ON w.number = o.worldline WHERE o.number = ?",
                    (operation,),
                ).fetchone()
                if found is None:
                    raise Unknown("operation", str(operation))
                kind, says, id = found
                row = row_of(session, id, self._database.lock)
                if session.execute("SELECT 1 FROM operation WHERE undoes = ?", (operation,)).fetchone() is not None:
                    raise Taken("operation", str(operation), "was undone already")
                take_back(session, row, operation, kind, said_of(operation, says))
                note(session, row.thread, row.number, "undo", {"by": by, "of": kind}, operation)
        except Exists as error:
            raise Taken("operation", str(operation), "cannot be undone: its name stands for another worldline by now") from error
