"""Constellations: agents that work together, each a worldline, with what they remember; forked, merged back, promoted.

A constellation is a worldline of its own, its **book**. The events of a book say what the constellation is: which agents it has
and where each begins, what they remember by the hash of its bytes, who may fork and merge, and all that happened to it. So a
change of a constellation is an append by compare-and-swap like any other (P7, P8), a fork of a fork is nothing special, and
nothing is removed. Memories are those of chapter 16.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from forkpoint.clients.claude.written import with_parent
from forkpoint.clients.kinds import SPOKEN
from forkpoint.evidence import states
from forkpoint.evidence.memory import FULL, Everything, ForkSpec, Recent, Since, fork_memory, left
from forkpoint.evidence.states import Field, Fork, State
from forkpoint.worldlines.events import Event, merged
from forkpoint.worldlines.faults import BadState, IllegalPoint, StaleHead, StoreError, Taken, Unknown
from forkpoint.worldlines.rows import Worldline, again_id, now
from forkpoint.worldlines.sessions import hangs_on, line_uuid
from forkpoint.worldlines.store import Store

THREAD: Final = "constellations"
"""The thread of all books."""
MEMORY, BASE = "memory", "base"
"""The names of the states that a bundle takes along."""
EMPTY: Final = State(frozenset(), {}, {}, {})
LONGEST_ID: Final = 150
"""So that the ids of turns, which are longer, have room."""
SECOND: Final = 1_000_000
"""In microseconds."""


class NotAllowed(StoreError):
    """Somebody who is not on the list of those who may fork and merge."""


@dataclass(frozen=True)
class Member:
    """An agent of a constellation: its worldline, how many messages it began with, and how many of the worldline's own events
    are copies of what was there before."""

    worldline: str
    began: int
    copied: int = 0


@dataclass(frozen=True)
class Batch:
    """A turn of an agent that began and was not put into its worldline yet; ``until`` is when nobody waits for it any more.
    The first ``copied`` own events of its worldline stand in that of the agent already."""

    id: str
    agent: str
    worldline: str
    until: int
    copied: int
    ended: str | None


@dataclass(frozen=True)
class Constellation:
    """A constellation as its book says: ``head`` is the last event of the book. Of a fork ``source`` and
    ``source_book`` are what it was forked from, ``base`` the hash of what it remembered then, ``bases`` by book what it had
    when it was merged there last, and ``merged`` the events of other books that say so. Times are microseconds since 1970."""

    name: str
    book: str
    head: str
    made: int
    agents: Mapping[str, Member]
    memory: str
    partners: tuple[str, ...]
    source: str | None = None
    source_book: str | None = None
    base: str | None = None
    bases: Mapping[str, str] = field(default_factory=dict)
    merged: frozenset[str] = frozenset()
    history: str = "full"
    blocks: str = "full"
    shared: bool = False
    merges: tuple[Mapping[str, Any], ...] = ()
    batches: tuple[Batch, ...] = ()


def book_of(name: str, number: int = 1) -> str:
    """The worldline of a book; of a name that was used before the second, third ..."""
    return f"constellation/{_escaped(name)}" + (f"#{number}" if number > 1 else "")


def _escaped(name: str) -> str:
    """A name in an id, so that two names never make one id."""
    return name.replace("%", "%25").replace("/", "%2F").replace("#", "%23")


def _agents_line(store: Store, book: str, agent: str) -> str:
    """An id for a worldline of an agent that is not taken: one is there where a program was killed half-way."""
    first = f"{book}/{_escaped(agent)}"
    if len(first) > LONGEST_ID:
        raise BadState(f"the names of a constellation and its agent are too long together: {agent!r:.80}")
    id, number = first, 2
    while _there(store, id):
        id, number = f"{first}#{number}", number + 1
    return id


def _there(store: Store, worldline: str) -> bool:
    try:
        store.worldline(worldline)
    except Unknown:
        return False
    return True


def find(store: Store, name: str) -> Constellation:
    """The constellation of a name. O(events of its book)."""
    found = _line(store, name)
    if found is None or found.discarded or found.head is None:
        raise Unknown("constellation", name)
    return _read(store, name, found)


def every(store: Store) -> tuple[list[Constellation], list[str]]:
    """All constellations, the oldest first, and why some are none. O(events of their books)."""
    found, odd = list[Constellation](), list[str]()
    for line in store.worldlines(THREAD) if THREAD in store.threads() else []:
        if line.head is not None and line.name is not None:
            try:
                found.append(_read(store, line.name, line))
            except BadState as error:
                odd.append(str(error))
    return found, odd


def _line(store: Store, name: str) -> Worldline | None:
    """The last book that had a name."""
    found, number = None, 1
    while True:
        try:
            found = store.worldline(book_of(name, number))
        except Unknown:
            return found
        if not found.discarded:
            return found
        number += 1


def _read(store: Store, name: str, line: Worldline) -> Constellation:
    made: Constellation | None = None
    for event in store.timeline(line.id, line.head):
        says = event.says
        try:
            made = _entered(made, name, line.id, event, says)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise BadState(f"the book of {name!r} is no constellation's: the event {event.id!r} lacks {error}") from error
    if made is None:
        raise Unknown("constellation", name)
    return made


def _entered(made: Constellation | None, name: str, book: str, event: Event, says: Mapping[str, Any]) -> Constellation:
    """A constellation after one more event of its book."""
    if made is None:
        return Constellation(
            name,
            book,
            event.id,
            event.at,
            {
                str(agent): Member(str(one["worldline"]), int(one["began"]), int(one["copied"]))
                for agent, one in says["agents"].items()
            },
            str(says["memory"]),
            tuple(map(str, says["partners"])),
            says.get("source"),
            says.get("source_book"),
            says.get("base"),
            history=says.get("history", "full"),
            blocks=says.get("blocks", "full"),
            shared=bool(says.get("shared", False)),
        )
    made = replace(made, head=event.id)
    kind = says.get("type")
    if kind == "memory":
        return replace(made, memory=str(says["memory"]))
    if kind == "merge":
        return replace(made, memory=str(says["memory"]), merges=(*made.merges, {**says, "id": event.id}))
    if kind == "merged":
        bases = {**made.bases, str(says["book"]): str(says["base"])}
        return replace(made, bases=bases, merged=made.merged | {str(says["merge"])})
    if kind == "promoted":
        return replace(made, source=None, source_book=None, base=None)
    if kind == "batch":
        batch = Batch(event.id, str(says["agent"]), str(says["worldline"]), int(says["until"]), int(says["copied"]), None)
        return replace(made, batches=(*made.batches, batch))
    if kind == "batch-end":
        ended = [replace(each, ended=str(says["status"])) if each.id == says["batch"] else each for each in made.batches]
        return replace(made, batches=tuple(ended))
    if kind == "batch-read":
        return replace(made, batches=tuple(each for each in made.batches if each.id != says["batch"]))
    return made


def allowed(one: Constellation, by: str) -> None:
    """Refuses whoever may not fork, merge, delete or promote."""
    if by not in one.partners:
        raise NotAllowed(f"{by!r} may not do this to {one.name!r}: its partners are {', '.join(map(repr, one.partners))}")


# ---- what agents remember


def remembered(store: Store, digest: str) -> State:
    """What agents remember, by the hash of its bytes."""
    try:
        return states.decoded(store.piece(digest), Path(f"memory {digest[:12]}"))
    except ValueError as error:
        raise BadState(str(error)) from error


def remember(store: Store, name: str, memory: State, expected: str, by: str) -> Constellation:
    """Gives a constellation another memory, if its book ends as expected. O(memory)."""
    one = find(store, name)
    body = {"type": "memory", "memory": store.keep_piece(states.encoded(memory)), "by": by}
    store.append(one.book, [Event.of(again_id(expected, json.dumps(body)), body)], expected)
    return find(store, name)


def fork_of(store: Store, one: Constellation, into: str | None = None) -> Fork:
    """What a fork began with, or had when it was merged last, into a book, by default its source's; and what it remembers now."""
    if one.source is None or one.base is None:
        raise Taken("constellation", one.name, "is no fork")
    base = one.bases.get(into or one.source_book or "", one.base)
    return Fork(one.name, remembered(store, base), remembered(store, one.memory))


def changes_of(store: Store, one: Constellation) -> tuple[int, int]:
    """How many blocks and texts of a fork were changed, and how many blocks of its archive are new."""
    fork = fork_of(store, one)
    before = {key[:3] for key in fork.base.fields}
    after = {key[:3] for key in fork.now.fields}
    new = {block for block in after - before if block[1] == "archival"}
    blocks = {
        str(Field(*block, ""))
        for block in before | after
        if block not in new and _block(fork.base, block) != _block(fork.now, block)
    }
    texts = {each.name for each in left(fork) if "/texts/" in each.name}
    return len(blocks | texts), len(new)


def _block(state: State, block: tuple[str, ...]) -> Mapping[str, bytes]:
    return {key.name: value for key, value in state.fields.items() if key[:3] == block}


# ---- making


def create(
    store: Store, name: str, agents: Mapping[str, str | None], memory: State, partners: Sequence[str], by: str
) -> Constellation:
    """A constellation of agents, each with a worldline that comes from one that is there, or from nothing.

    Raises :class:`~forkpoint.worldlines.faults.Taken` where the name is taken. O(agents)."""
    book = _new(store, name)
    members: dict[str, Member] = {}
    for agent, worldline in agents.items():
        id = _agents_line(store, book, agent)
        if worldline is None:
            store.branch(None, id, thread=store.thread(id), name=agent, by=by)
            members[agent] = Member(id, 0)
        else:
            members[agent] = _carried(store, Member(worldline, 0), id, FULL, by)
    known = replace(memory, agents=memory.agents | set(agents))
    return _written(store, name, book, members, known, partners, by)


def _written(
    store: Store,
    name: str,
    book: str,
    members: Mapping[str, Member],
    memory: State,
    partners: Sequence[str],
    by: str,
    **more: object,
) -> Constellation:
    """Writes the first event of a book; of two that have one name, one wins (P8)."""
    body = {
        "type": "constellation",
        "name": name,
        "agents": {
            agent: {"worldline": one.worldline, "began": one.began, "copied": one.copied} for agent, one in members.items()
        },
        "memory": store.keep_piece(states.encoded(memory)),
        "partners": list(partners),
        "by": by,
        "attempt": str(uuid.uuid4()),
        **more,
    }
    try:
        store.append(book, [Event.of(again_id(book, json.dumps(body)), body)], None)
    except StaleHead as error:
        raise Taken("constellation", name, "is there already") from error
    return find(store, name)


def _new(store: Store, name: str) -> str:
    """The book of a new constellation, without an event."""
    if not name:
        raise BadState("a constellation needs a name")
    found, number = _line(store, name), 1
    if found is not None and not found.discarded and found.head is not None:
        raise Taken("constellation", name, "is there already")
    while True:
        made = store.branch(None, book_of(name, number), thread=store.thread(THREAD), name=name if number == 1 else None)
        if not made.discarded:
            break
        number += 1
    if made.name != name:
        store.rename(made.id, name)
    return made.id


def fork(
    store: Store,
    source: str,
    name: str,
    spec: ForkSpec,
    by: str,
    words: Mapping[str, str],
    *,
    template: bool = False,
    partners: Sequence[str] = (),
) -> Constellation:
    """Forks a constellation: each agent that goes along gets a worldline that comes from the last legal point of its own (P9),
    or has as much of its history as is wanted; its memory is what the spec carries (P19). ``words`` say the spec in a book.
    From a ``template`` comes a constellation of its own, with ``partners`` of its own.

    O(history that is copied + memory)."""
    one = find(store, source)
    allowed(one, by)
    chosen = set(one.agents) if spec.agents is None else spec.agents
    if missing := sorted(chosen - set(one.agents)):
        raise Unknown(f"agent of {source!r} named", missing[0])
    memory = remembered(store, one.memory)
    carried = fork_memory(memory, replace(spec, agents=frozenset(chosen & memory.agents), history=Recent(0)), name)
    book = _new(store, name)
    members = {
        agent: _carried(store, one.agents[agent], _agents_line(store, book, agent), spec.history, by) for agent in sorted(chosen)
    }
    begun = replace(carried.now, agents=carried.now.agents | chosen)
    says: dict[str, object] = {"shared": spec.shared, **words}
    if not template:
        says |= {"source": source, "source_book": one.book}
        says["base"] = store.keep_piece(states.encoded(replace(carried.base, agents=begun.agents)))
    made = _written(store, name, book, members, begun, partners if template else one.partners, by, **says)
    _noted(store, one, {"type": "fork", "fork": name, "agents": sorted(chosen), "by": by})
    return made


def _noted(store: Store, one: Constellation, body: Mapping[str, Any]) -> None:
    """Writes an event into a book that changes nothing of what is in it, whatever else is appended meanwhile."""
    event = Event.of(again_id(one.book, f"{now()} {json.dumps(body)}"), body)
    while True:
        head = store.worldline(one.book).head
        try:
            store.append(one.book, [event], head)
            return
        except StaleHead:
            continue


def _carried(store: Store, member: Member, id: str, history: Recent | Since | Everything, by: str) -> Member:
    """A worldline with as much of an agent's history as goes along, whole steps only."""
    source = store.worldline(member.worldline)
    base, told = settled(store, source.id)
    found = [] if base is None or history is FULL else list(store.timeline(source.id, base))
    if isinstance(history, Recent):
        told = told[max(0, len(told) - history.last) :]
        history = Recent(history.last - len(told))
    elif isinstance(history, Since):
        told = [each for each in told if _when(each) >= history.at.timestamp() * SECOND]
    first = _first(store, found, history)
    if first == 0 and base is not None and (found or history is FULL):
        _branched(store, base, id, source.thread, told, by, "constellation")
        return Member(id, store.messages(id), len(told))
    store.branch(None, id, thread=source.thread, by=by, why="constellation")
    kept = [*found[first:], *told]
    if kept:
        says = {"type": "constellation-history", "of": source.id, "from": kept[0].id, "to": kept[-1].id, "left_out": first}
        store.append(id, [Event.of(again_id(id, "history"), says), *_copies(id, kept)], None)
    return Member(id, store.messages(id), store.worldline(id).own)


def settled(store: Store, worldline: str) -> tuple[str | None, list[Event]]:
    """The last legal point of a worldline, and what was told behind it, where no call is open: a worldline cannot come from a
    merge, so whoever goes on takes that along."""
    line = store.worldline(worldline)
    base = None if line.head is None else store.legal_before(line.head)
    if line.head in (None, base) or store.open_calls(worldline) != []:
        return base, []
    return base, list(store.timeline(worldline, first=0 if base is None else store.length(base)))


def _branched(store: Store, base: str | None, id: str, thread: str, told: Sequence[Event], by: str, why: str) -> None:
    """Makes a worldline that comes from a legal point, and takes along what was told behind that."""
    store.branch(base, id, thread=thread, by=by, why=why)
    if told:
        store.append(id, _copies(id, told, None if base is None else store.event(base)), base)


def _copies(id: str, events: Sequence[Event], behind: Event | None = None) -> list[Event]:
    """Events once more, in another worldline, behind another event. A line of a client that hangs on something that does not go
    along hangs on what is before it there."""
    found, last, names = list[Event](), None if behind is None else line_uuid(behind), set[str]()
    for each in events:
        body = each.body
        hangs = hangs_on(each)
        if hangs is not None and hangs[1] not in names:
            body = with_parent(body, last)
        copy = Event(again_id(id, each.id), body)
        found.append(copy)
        last = line_uuid(copy) or last
        names.add(last or "")
    return found


def _first(store: Store, events: Sequence[Event], history: Recent | Since | Everything) -> int:
    """Where the part of a history begins that goes along: behind a legal point, so that no call in it lacks its beginning."""
    first = len(events)
    if isinstance(history, Recent):
        wanted = history.last
        while first and (not said(events[first - 1]) or wanted):
            first -= 1
            wanted -= said(events[first])
    elif isinstance(history, Since):
        at = int(history.at.timestamp() * SECOND)
        while first and _when(events[first - 1]) >= at:
            first -= 1
    else:
        return 0
    while 0 < first < len(events) and store.legal(events[first - 1].id) is not None:
        first += 1
    if first == len(events) and isinstance(history, Recent) and history.last > 0 and events:
        first -= 1  # the last step is longer than that: it goes along whole
        while first and store.legal(events[first - 1].id) is not None:
            first -= 1
    return first


def _when(event: Event) -> int:
    """When an event happened: as its line says, else when it was appended."""
    try:
        return int(datetime.fromisoformat(event.says["timestamp"]).timestamp() * SECOND)
    except (KeyError, TypeError, ValueError):
        return event.at


def said(event: Event) -> bool:
    """Whether an event is a message of the user or the assistant in the main line."""
    return event.kind in SPOKEN and not event.aside


def promote(store: Store, name: str, by: str) -> Constellation:
    """Makes a fork a constellation of its own: it is merged into none any more."""
    one = find(store, name)
    allowed(one, by)
    if one.source is None:
        raise Taken("constellation", name, "is no fork")
    _noted(store, one, {"type": "promoted", "from": one.source, "by": by})
    return find(store, name)


def delete(store: Store, name: str, by: str) -> Constellation:
    """Leaves a constellation out of all lists. Nothing is removed: :func:`restore` brings it back."""
    one = find(store, name)
    allowed(one, by)
    store.discard(one.book, by=by)
    return one


def restore(store: Store, name: str, by: str) -> Constellation:
    """Brings back the constellation that was deleted last under a name."""
    line = _line(store, name)
    if line is None or not line.discarded:
        raise Unknown("deleted constellation", name)
    allowed(_read(store, name, line), by)
    discards = [each for each in store.operations(line.thread) if each.worldline == line.id and each.kind == "discard"]
    store.undo(discards[-1].number, by=by)
    return find(store, name)


# ---- merging


def lacking(store: Store, one: Constellation, into: Constellation) -> Iterator[tuple[str, Member, Sequence[Event]]]:
    """Of each agent of a fork what it has that its namesake in the other constellation was not told of yet, in whatever way."""
    for agent, member in sorted(one.agents.items()):
        other = into.agents.get(agent)
        line = store.worldline(member.worldline)
        own = list(store.timeline(line.id, first=line.length - line.own))
        if other is None:
            found, heard = own, set[str]()
        else:
            found = store.lacking(other.worldline, line.id)
            if store.worldline(other.worldline).thread != line.thread:  # of another family: what it began with is not news
                mine = {each.id for each in own}
                found = [each for each in found if each.id in mine]
            heard = _heard(store, other.worldline)
        heard |= _copied(store, member)
        new = [each for each in found if each.id not in heard]
        if any(map(said, new)):
            yield agent, member, new


def _heard(store: Store, worldline: str) -> set[str]:
    """The events that a worldline was told of: all up to the end of what was merged, and what was merged there."""
    heard, seen = set[str](), set[str]()
    ends = [end for each in store.timeline(worldline) if (end := merged(each)) is not None]
    while ends:
        end = ends.pop()
        where = store.places([end]).get(end)
        if end in seen or where is None:
            continue
        seen.add(end)
        for each in store.timeline(where, end):
            heard.add(each.id)
            if (more := merged(each)) is not None:
                ends.append(more)
    return heard


def _copied(store: Store, member: Member) -> set[str]:
    """The events of an agent's worldline that are copies of what was there before."""
    line = store.worldline(member.worldline)
    return {each.id for each in store.timeline(line.id, first=line.length - line.own, limit=member.copied)}


def ready(store: Store, into: Constellation, agent: str) -> None:
    """Refuses an agent that cannot be told anything now: it waits for the result of a call."""
    mine = into.agents[agent].worldline
    if calls := store.open_calls(mine):
        why = f"{agent} of {into.name!r} has calls without a result: {', '.join(calls[:3])}"
        raise IllegalPoint(str(store.worldline(mine).head), why, ())


def tell(store: Store, into: Constellation, agent: str, member: Member, says: str, by: str) -> None:
    """Tells an agent of a constellation what its namesake in a fork did: one event with a second parent (R2)."""
    mine = into.agents[agent].worldline
    store.merge(mine, member.worldline, store.worldline(mine).head, says, by=by)


def finish(store: Store, one: Constellation, into: Constellation) -> Constellation:
    """Writes into a fork's book what the target's says of merges of it, where a merge was interrupted in between."""
    for says in into.merges:
        if says.get("book") == one.book and says["id"] not in one.merged:
            _merged(store, one, into, says["id"], str(says["base"]))
    return _read(store, one.name, store.worldline(one.book))


def _merged(store: Store, one: Constellation, into: Constellation, merge: str, base: str) -> None:
    _noted(store, one, {"type": "merged", "into": into.name, "book": into.book, "merge": merge, "base": base})


def write_merge(
    store: Store, one: Constellation, into: Constellation, memory: State, advanced: Fork, by: str, says: Mapping[str, Any]
) -> None:
    """Writes into the target's book what it remembers now and what the fork has merged there, and the latter into the fork's.

    Raises :class:`~forkpoint.worldlines.faults.StaleHead`."""
    base = store.keep_piece(states.encoded(advanced.base))
    body = {
        "type": "merge",
        "fork": one.name,
        "book": one.book,
        "end": one.head,
        "memory": store.keep_piece(states.encoded(memory)),
        "base": base,
        "by": by,
        **says,
    }
    name = again_id(into.head, json.dumps(body))
    store.append(into.book, [Event.of(name, body)], into.head)
    _merged(store, one, into, name, base)


# ---- turns of agents


def begin(store: Store, name: str, agent: str, timeout_s: float, by: str) -> tuple[Constellation, Batch]:
    """Begins a turn of an agent: a batch, whose worldline comes from the last legal point of the agent's. The order of the
    beginnings is that of their events in the book."""
    one = find(store, name)
    if agent not in one.agents:
        raise Unknown(f"agent of {name!r} named", agent)
    line = store.worldline(one.agents[agent].worldline)
    base, told = settled(store, line.id)
    while True:
        id = again_id(one.book, f"{one.head} {agent} {now()}")
        batch = Batch(id, agent, f"{one.book}/{agent}/{id[:16]}", now() + int(timeout_s * SECOND), len(told), None)
        _branched(store, base, batch.worldline, line.thread, told, by, "batch")
        body = {
            "type": "batch",
            "agent": agent,
            "worldline": batch.worldline,
            "until": batch.until,
            "copied": batch.copied,
            "by": by,
        }
        try:
            store.append(one.book, [Event.of(id, body)], one.head)
            return find(store, name), batch
        except StaleHead:
            store.discard(batch.worldline, by=by, why="another batch began at the same time")
            one = find(store, name)


def end(store: Store, one: Constellation, batch: Batch, status: str) -> None:
    """Says how a batch ended: ``completed`` or ``failed``."""
    _noted(store, one, {"type": "batch-end", "batch": batch.id, "status": status})


def settle(store: Store, book: str, agent: str) -> int:
    """Puts the batches of an agent that ended into its worldline, in the order of their beginnings, as far as no earlier one is
    still at work; how many. One that failed, or that nobody waits for any more, brings nothing."""
    number = 0
    while True:
        line = store.worldline(book)
        one = _read(store, str(line.name), line)
        waiting = [each for each in one.batches if each.agent == agent]
        if not waiting or (waiting[0].ended is None and waiting[0].until > now()):
            return number
        batch = waiting[0]
        if batch.ended == "completed" and _there(store, batch.worldline):
            mine, made = store.worldline(one.agents[agent].worldline), store.worldline(batch.worldline)
            own = list(store.timeline(made.id, first=made.length - made.own + batch.copied))
            behind = None if mine.head is None else store.event(mine.head)
            ids = [again_id(mine.id, each.id) for each in own]
            if own and ids[0] not in store.places(ids):
                try:
                    store.append(mine.id, _copies(mine.id, own, behind), mine.head)
                except StaleHead:
                    continue
            number += 1
        _noted(store, one, {"type": "batch-read", "batch": batch.id})


def waits(store: Store, one: Constellation, batch: Batch) -> bool:
    """Whether a batch is still waited for."""
    line = store.worldline(one.book)
    return any(each.id == batch.id for each in _read(store, one.name, line).batches)


def books(store: Store, name: str) -> list[str]:
    """The worldlines that make up a constellation, for a bundle; what it remembered goes along with them."""
    one = find(store, name)
    for event in store.timeline(one.book):
        for name in (MEMORY, BASE):
            digest = event.says.get(name)
            if isinstance(digest, str):
                store.snapshot(event.id, store.piece(digest), name=name)
    waiting = [each.worldline for each in one.batches if _there(store, each.worldline)]
    return [one.book, *(each.worldline for each in one.agents.values()), *waiting]
