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
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from forkpoint.clients.claude.codec import DecodedLine, read_line
from forkpoint.clients.claude.keys import GIT_BRANCH, NAMES, PARENT, USER_TYPE
from forkpoint.clients.claude.lines import SESSION_KEY, SIDE
from forkpoint.clients.claude.places import SUFFIX
from forkpoint.clients.claude.written import custom_title, stamp, time_said, with_parent
from forkpoint.clients.kinds import SPOKEN
from forkpoint.clients.lines import read_keys
from forkpoint.core.entries import Kind
from forkpoint.transcript.format import reader
from forkpoint.transcript.query.witness import said
from forkpoint.transcript.write import fork
from forkpoint.worldlines.events import Event
from forkpoint.worldlines.faults import CHECK, BadEvent, NoSession, StaleHead, Taken
from forkpoint.worldlines.rows import Told, Worldline, again_id, now, untold
from forkpoint.worldlines.store import Store

VERSION: Final = "2.1.330"
"""The client whose lines are written for events that no client wrote, where no line before them says another."""
NAMESPACE: Final = uuid.UUID("6f0d9c3a-4c39-5b0e-9d3f-0b6d2a7f1e55")
"""Of the uuids of such lines."""
BATCH: Final = 1000
LOOK: Final = 500
"""How many events are looked for in a store at once."""
TURNS: Final = 20
"""How often an import looks again, where others import at the same time."""


class Whose(NamedTuple):
    """Which session a worldline holds: the one that a file is named for, at its head or a branch that it left behind."""

    session: str
    branch: bool = False

    def says(self) -> dict[str, str]:
        """What stands of it in the log of operations."""
        return {"session": self.session, **({"branch": "left behind"} if self.branch else {})}

    def means(self, says: Mapping[str, object]) -> bool:
        """Whether an import was of it."""
        return says.get("session") == self.session and ("branch" in says) == self.branch


@dataclass(frozen=True, slots=True)
class Imported:
    """Where a session stands in a store: in which worldline, up to which event; how many events were appended for it, and which
    number of its events it shares with what stood there before."""

    thread: str
    worldline: str
    event: str
    appended: int
    shared: int


class _Ids:
    """The ids of the events that the entries of a transcript become. What two conversations begin with is gone through once."""

    def __init__(self, transcript: reader.Transcript) -> None:
        self._transcript = transcript
        self._links: dict[int, bytes] = {}
        """Of each entry that was asked for the hashes of where it hangs and of what it says."""
        self._positions: Sequence[int] = ()
        self._ids: list[str] = []
        """What was asked for last, and what was found."""

    def of(self, positions: Sequence[int]) -> list[str]:
        """The ids of the events that entries become, in order. O(bytes of those that are new)."""
        same = _alike(self._positions, positions)
        ids = self._ids[:same]
        chain = bytes.fromhex(ids[-1]) if ids else hashlib.sha256(b"forkpoint session 1").digest()
        for position in positions[same:]:
            chain = hashlib.sha256(chain + self._link(position)).digest()
            ids.append(chain.hex())
        self._positions, self._ids = positions, ids
        return list(ids)

    def _link(self, position: int) -> bytes:
        if position not in self._links:
            transcript = self._transcript
            entry, line = transcript.log[position], transcript.line(transcript.span(position))
            above = (None if one is None else str(one) for one in (entry.parent, entry.logical_parent))
            hangs = json.dumps([str(entry.uuid), *above])
            self._links[position] = hashlib.sha256(hangs.encode()).digest() + hashlib.sha256(said(line)).digest()
        return self._links[position]


def _alike(one: Sequence[int], other: Sequence[int]) -> int:
    """How long a beginning two sequences share. O(its length), by halves."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def bring(
    store: Store,
    transcript: reader.Transcript,
    position: int,
    title: str | None = None,
    told: Told = untold,
    *,
    branch: bool = False,
    kept: Sequence[int] | None = None,
) -> Imported:
    """Imports what a fork at a position keeps, and its title; ``branch`` says that the session left it behind, ``kept`` what that
    fork keeps, where it is known. Again it changes nothing; killed half-way, the next run goes on; two at the same time share
    what they share. O(bytes), and of a conversation that begins as the one before it what is new.

    What stands in the store already is found by its ids, from the last line back. What is new goes behind the head of the
    session's own worldline where it went on, and otherwise into one that comes from the last legal point of what is shared. An
    event has the time that its line says. Whether the point may be forked is for the caller to ask.
    """
    plan = fork.plan(transcript, position, session="", source="", restamp=False, kept=kept)
    ids = transcript.once(_Ids).of(plan.positions)

    def event(at: int) -> Event:
        """One of the events, read of its line."""
        span = transcript.span(plan.positions[at])
        return Event(ids[at], transcript.line(span), _time(transcript.keys(span).get("timestamp")))

    turn, whose = 0, Whose(transcript.path.stem, branch)
    while True:
        try:
            found = _bring(store, whose, ids, event, told)
            break
        except (StaleHead, Taken):  # another import at the same time: look again what stands there by now
            turn += 1
            if turn == TURNS:
                raise
    material = _material(transcript, plan.sidecars, len(ids), title)
    store.keep(found.event, material, found.worldline, **whose.says())
    return found


def _time(stamp: object) -> int:
    """When a line says that it was written, in microseconds, but not later than now; 0 where it does not say."""
    said = time_said(stamp)
    return 0 if said is None else max(0, min(int(said.timestamp() * 1_000_000), now()))


def _bring(store: Store, whose: Whose, ids: Sequence[str], event: Callable[[int], Event], told: Told) -> Imported:
    shared, holder = _shared(store, ids)
    thread = f"session-{ids[0][:32]}"
    store.thread(thread)
    base = store.legal_before(ids[shared - 1]) if shared else None
    line, start, head = _own(store, thread, whose, ids, base, holder)
    if line is None:
        head = base
        start = 0 if base is None else store.length(base)
        name = f"session-{again_id(f'{base} {whose.session}', ids[-1])[:32]}"  # so that it is another one where less was shared
    else:
        name, base = line.id, line.base

    def new(at: int) -> Event:
        made = event(at)
        return Event(again_id(name, made.id), made.body, made.at) if at < shared else made

    if line is None and base is not None and start == len(ids):
        store.branch(base, name, thread=thread, why="import")
    for at in range(start, len(ids), BATCH):
        batch = [new(each) for each in range(at, min(at + BATCH, len(ids)))]
        if at == start and line is None:
            head = store.grow(name, base, thread, batch).head
        else:
            head = store.append(name, batch, head, as_they_were=True).head
        head = batch[-1].id
        told(at + len(batch), len(ids))
    assert head is not None
    return Imported(thread, name, head, len(ids) - start, start)


def _shared(store: Store, ids: Sequence[str]) -> tuple[int, str | None]:
    """How many of a session's events go up to the last that stands in the store already, and which worldline holds that one.
    Looked for from the last back: of what was imported before nearly all stands there."""
    for end in range(len(ids), 0, -LOOK):
        known = store.places(ids[max(0, end - LOOK) : end])
        for at in range(end - 1, max(0, end - LOOK) - 1, -1):
            if ids[at] in known:
                return at + 1, known[ids[at]]
    return 0, None


class _Standing(NamedTuple):
    """In which worldline a session stands, if in one: how many events of it, and which is the last."""

    line: Worldline | None
    events: int
    last: str | None


def _own(store: Store, thread: str, whose: Whose, ids: Sequence[str], base: str | None, last: str | None) -> _Standing:
    """Where a session stands: in a worldline that was imported from it, or in one whose import was cut off at what is shared, so
    that nobody has it. ``base`` is where a new one would come from, ``last`` the worldline that holds the last event that is
    shared. A worldline that went on by itself holds the session as long as that does not."""
    imports = store.imports(thread)
    heads: dict[str, object] = {}
    for name, says in imports:
        if whose.means(says):
            heads.setdefault(name, says.get("head"))  # of its last import
    names = list(heads)
    if last is not None and last not in {name for name, _ in imports}:
        names.append(last)
    whole = [name for name in heads if heads[name] in (ids[-1], again_id(name, ids[-1]))]
    for line in store.several(whole):
        if not line.discarded:
            return _Standing(line, len(ids), str(heads[line.id]))
    places = {id: at for at, id in enumerate(ids)}
    found = _Standing(None, 0, None)
    for line in store.several(names):
        if line.discarded:
            continue
        if line.own == 0:
            there = 0 if line.base is None or line.base != base else store.length(line.base)
        elif line.head in places:
            there = places[line.head] + 1
        else:  # its last event may be one of these that stands again there: it can only be the one in that place
            there = line.length if line.length <= len(ids) and again_id(line.id, ids[line.length - 1]) == line.head else 0
        if there > found.events:
            found = _Standing(line, there, line.head)
    return found


def _material(transcript: reader.Transcript, carried: Sequence[fork.Carried], length: int, title: str | None) -> bytes:
    """What stands between the lines, each with the number of events before it; for a timeline of a length."""
    lines = [
        [before, (transcript.line(sidecar.span) if text is None else text).decode("utf-8", "surrogateescape")]
        for before, sidecar, text in carried
    ]
    return json.dumps({"length": length, "title": title, "lines": lines}).encode()


def transcript_of(store: Store, worldline: str, as_of: str | None = None) -> tuple[reader.Transcript, Mapping[str, int]]:
    """A session in memory that says what a worldline says, up to an event; and how many events of which type are no lines of a
    client's and were left out. O(bytes). Raises :class:`~forkpoint.worldlines.faults.NoSession`."""
    session = str(uuid.uuid4())
    lines: list[bytes] = []
    left_out: dict[str, int] = {}
    writer = _Writer(session, store.rebased(worldline))
    material, upto, whole = store.material(worldline, as_of)
    title, carried = _carried(worldline, material)
    carried = [(before, text) for before, text in carried if before <= upto]  # what stands further on tells of what comes later
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
    if title is not None and whole:
        lines.append(custom_title(title, session))
    found = reader.parse(b"".join(line + b"\n" for line in lines), Path(f"{session}{SUFFIX}"))
    if found.damage:
        raise NoSession(worldline, f"line {found.damage[0].line} of what would be its session {found.damage[0].reason}")
    return found, left_out


def _carried(worldline: str, material: bytes) -> tuple[str | None, list[tuple[int, bytes]]]:
    """The title, and what stands between the lines, each with the number of events before it."""
    if not material:
        return None, []
    try:
        says = json.loads(material)
        title, lines = says["title"], says["lines"]
        found = [(int(before), line.encode("utf-8", "surrogateescape")) for before, line in lines]
        if not isinstance(title, str | None) or any(b"\n" in line for _, line in found):
            raise ValueError("a title or a line is none")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise NoSession(worldline, f"what stood between its lines cannot be read: {error}") from error
    return title, found


def line_uuid(event: Event) -> str | None:
    """The uuid of the line that an event is in a session; None where a client has none for it."""
    hangs = hangs_on(event)
    if hangs is not None:
        return hangs[0]
    return str(uuid.uuid5(NAMESPACE, event.id)) if event.kind in SPOKEN else None


def hangs_on(event: Event) -> tuple[str, str | None] | None:
    """The uuid of a line that a client wrote, and that of its parent; None of any other event."""
    line = read_line(event.body, last=False)
    if isinstance(line, str) or line.uuid is None or event.kind is Kind.OTHER:
        return None
    return line.uuid, line.parent


class _Keys(msgspec.Struct, rename=NAMES):
    """What other lines are written like."""

    cwd: str | None = None
    git_branch: str | None = None


_decode_keys = msgspec.json.Decoder(_Keys).decode


class _Writer:
    """Lines of a client for events, each behind the one before it.

    ``rebased``: the events whose line may name a parent from elsewhere.
    """

    def __init__(self, session: str, rebased: Collection[str]) -> None:
        self._session, self._rebased = session, rebased
        self._like: dict[str, Any] = {"version": VERSION, "cwd": os.getcwd(), GIT_BRANCH: ""}
        self.last: str | None = None

    def line(self, event: Event) -> bytes | None:
        """The line of an event; None when a client has none for it."""
        read = read_line(event.body, last=False)
        if isinstance(read, str):
            return None
        if read.uuid is not None and event.kind is not Kind.OTHER:
            return self._own(event, read)
        if event.kind not in SPOKEN or read.message is None:
            return None
        says = event.says
        name = str(uuid.uuid5(NAMESPACE, event.id))
        try:
            when = stamp(datetime.fromtimestamp(event.at / 1_000_000, UTC))
        except (ValueError, OverflowError, OSError) as error:
            raise BadEvent(f"the event {event.id!r} has no time that a client can write: {event.at}", CHECK) from error
        line = {
            PARENT: self.last,
            SIDE: False,
            USER_TYPE: "external",
            **self._like,
            "timestamp": when,
            **{key: value for key, value in says.items() if key not in (PARENT, "uuid")},
            "message": {"role": event.kind.value, **says["message"]},
            SESSION_KEY: self._session,
            "uuid": name,
        }
        self.last = name
        return json.dumps(line, separators=(",", ":")).encode()

    def _own(self, event: Event, read: DecodedLine) -> bytes:
        """A line that a client wrote; below what is there where its parent is not."""
        keys = read_keys(_decode_keys, event.body, *_Keys.__struct_encode_fields__) or _Keys()
        like = {"version": read.version, "cwd": keys.cwd, GIT_BRANCH: keys.git_branch}
        self._like |= {key: value for key, value in like.items() if value is not None}
        body = event.body
        if event.id in self._rebased and self.last is not None:
            body = with_parent(body, self.last)
        assert read.uuid is not None
        self.last = read.uuid
        return body
