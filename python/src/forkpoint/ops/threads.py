"""The threads of an open store, one call each: what the service says, and whatever else keeps a store open.

Each takes a store and gives an answer, or a :class:`~forkpoint.Refusal` with nothing changed. No call takes a path,
runs a program, or reads another file than the store.
"""

from __future__ import annotations

import base64
import collections
import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Concatenate, Final, NoReturn, ParamSpec, TypedDict, TypeVar, Unpack

from forkpoint.answers.worldlines import (
    StoreAppended,
    StoreDifference,
    StoreEvent,
    StoreLine,
    StoreLines,
    StoreLog,
    StoreOperation,
    StoreOperations,
    StorePoint,
    StoreSnapshot,
    StoreSummaries,
    StoreThread,
    StoreThreads,
    StoreTimeline,
)
from forkpoint.ops import events
from forkpoint.ops.storing import opened, refusing, summary_shape
from forkpoint.worldlines.events import Event
from forkpoint.worldlines.faults import Taken, Unknown
from forkpoint.worldlines.rows import Appended, Worldline
from forkpoint.worldlines.store import Store as Store  # whoever keeps one open says so in its types

if TYPE_CHECKING:  # most calls record nothing
    from forkpoint.core.evidence import Event as Evidence

P = ParamSpec("P")
T = TypeVar("T")


class Said(TypedDict, total=False):
    """What a merge may say of itself."""

    says: str | None
    by: str | None
    governance: str | None


LARGEST: Final = 8 << 20
"""How many bytes of events a part of a timeline has, about."""
GATE: Final = "an event says one thing"
"""The gate of a merge, for the ledger: what both worldlines hold is the same in each, since they share it."""
SAID: Final = {"branch": {"witness"}, "merge": {"event", "head", "end"}}
"""What an operation must say to be recorded in a ledger."""
DEEPEST: Final = 200
"""How deep a body is nested at most that is given as an object."""


def at(url: str | None, call: Callable[Concatenate[Store, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
    """A call, on the store that a URL names, or the usual one. Refuses where there is none."""
    with opened(url, create=False) as store:
        return call(store, *args, **kwargs)


def threads(store: Store) -> StoreThreads:
    """The threads of a store, the oldest first. O(threads)."""
    with refusing():
        return StoreThreads(threads=store.threads())


def make(store: Store, id: str | None = None) -> StoreThread:
    """Makes a thread; one that is there already stays as it is. O(1)."""
    with refusing():
        return StoreThread(thread=store.thread(id))


def summaries(store: Store, thread: str) -> StoreSummaries:
    """The worldlines of a thread, with what a list shows of them. One query; O(worldlines)."""
    with refusing():
        return StoreSummaries(thread=thread, worldlines=[summary_shape(thread, each) for each in store.summaries(thread)])


def lines(store: Store, thread: str, *, discarded: bool = False) -> StoreLines:
    """The worldlines of a thread, in the order in which they were made. O(worldlines)."""
    with refusing():
        return StoreLines(thread=thread, worldlines=[_line(each) for each in store.worldlines(thread, discarded=discarded)])


def line(store: Store, worldline: str) -> StoreLine:
    """A worldline as it stands. O(1)."""
    with refusing():
        return _line(store.worldline(worldline))


def timeline(
    store: Store, worldline: str, *, first: int = 0, limit: int = 100, as_of: str | datetime | None = None
) -> StoreTimeline:
    """A part of a timeline (P17), up to the head, to an event ``as_of``, or as it was at a time. O(events given + worldlines on
    the way); at a time O(length)."""
    with refusing():
        if isinstance(as_of, datetime):
            head = next((each.id for each in collections.deque(store.timeline(worldline, as_of), maxlen=1)), None)
        else:
            head = store.worldline(worldline).head if as_of is None else as_of
        length = 0 if head is None else store.length(head)
        found = [] if head is None else list(_some(store.timeline(worldline, head, first=first, limit=limit)))
        end = first + len(found)
        return StoreTimeline(
            worldline=worldline,
            head=head,
            length=length,
            first=first,
            next=end if end < length else None,
            events=[shown(each) for each in found],
        )


def _some(events: Iterable[Event]) -> Iterator[Event]:
    """Events, the first at least, as long as they are not too large together."""
    size = 0
    for each in events:
        yield each
        size += len(each.body)
        if size > LARGEST:
            return


def event(store: Store, id: str) -> StoreEvent:
    """An event. O(log events)."""
    with refusing():
        return shown(store.event(id))


def point(store: Store, event: str) -> StorePoint:
    """Whether a worldline can come from an event (P3). O(log events) for each worldline on the way."""
    with refusing():
        reason = store.legal(event)
        worldline = store.places([event])[event]
        before = event if reason is None else store.legal_before(event)
        return StorePoint(event=event, worldline=worldline, legal=reason is None, reason=reason, before=before)


def append(store: Store, worldline: str, events: Sequence[tuple[str, dict[str, Any]]], expected: str | None) -> StoreAppended:
    """Appends events, each an id and a body, behind the head that is expected (P7, P8); again it changes nothing (P18).

    Refuses (``STALE``) with both heads, and (``TAKEN``) an id that stands for something else. O(events)."""
    with refusing():
        return _appended(store.append(worldline, [Event.of(id, body) for id, body in events], expected))


def branch(
    store: Store,
    thread: str | None,
    from_event: str | None = None,
    id: str | None = None,
    name: str | None = None,
    by: str | None = None,
    why: str | None = None,
    governance: str | None = None,
) -> StoreLine:
    """Makes a worldline that comes from an event, or from nothing (P9); the same id again gives the same one.

    Refuses (``ILLEGAL``) an event at which nobody can go on, with the nearest legal ones. O(log events)."""
    with refusing():
        made = store.branch(from_event, id, thread=thread, name=name, by=by, why=why, governance=governance)
        if thread is not None and made.thread != thread:
            raise Taken("worldline", made.id, f"is there already, in the thread {made.thread!r}")
        return _line(made)


def rebase(
    store: Store, worldline: str, onto: str, id: str | None = None, by: str | None = None, governance: str | None = None
) -> StoreLine:
    """Makes a worldline with the same own events behind another event. O(own events)."""
    with refusing():
        return _line(store.rebase(worldline, onto, id, by=by, governance=governance))


def merge(
    store: Store,
    worldline: str,
    other: str,
    expected: str | None,
    says: str | None = None,
    by: str | None = None,
    governance: str | None = None,
) -> StoreAppended:
    """Tells a worldline, in one event behind its head, what another one brought (R2); the same again changes nothing.

    Refuses (``STALE``) with both heads. O(what it lacks * log events)."""
    with refusing():
        return _appended(store.merge(worldline, other, expected, says, by=by, governance=governance))


def merge_at_head(store: Store, worldline: str, other: str, expected: str | None = None, **more: Unpack[Said]) -> StoreAppended:
    """The same behind the head that is there, unless another one is expected."""
    with refusing():
        head = store.worldline(worldline).head
    return merge(store, worldline, other, head if expected is None else expected, **more)


def diff(store: Store, left: str, right: str, *, limit: int = 100) -> StoreDifference:
    """Where two worldlines part, and the first events behind that. O(worldlines on the way + events behind)."""
    with refusing():
        found = store.diff(left, right)
        return StoreDifference(
            common=found.common,
            left_count=len(found.left),
            right_count=len(found.right),
            left=[shown(each) for each in itertools.islice(found.left, limit)],
            right=[shown(each) for each in itertools.islice(found.right, limit)],
        )


def rename(store: Store, worldline: str, name: str | None, by: str | None = None) -> StoreLine:
    """Gives a worldline another name, or none. O(log worldlines)."""
    with refusing():
        store.rename(worldline, name, by=by)
        return _line(store.worldline(worldline))


def move(store: Store, worldline: str, name: str, by: str | None = None) -> StoreLine:
    """Lets a name of the thread stand for another worldline. O(log worldlines)."""
    with refusing():
        store.move(name, worldline, by=by)
        return _line(store.worldline(worldline))


def discard(store: Store, worldline: str, by: str | None = None, why: str | None = None) -> StoreLine:
    """Leaves a worldline out of the lists; nothing is removed. O(1)."""
    with refusing():
        store.discard(worldline, by=by, why=why)
        return _line(store.worldline(worldline))


def operations(store: Store, thread: str) -> StoreOperations:
    """The log of operations of a thread. O(operations)."""
    with refusing():
        found = [
            StoreOperation(
                number=each.number,
                at=each.at,
                worldline=each.worldline,
                kind=each.kind,
                says=dict(each.says),
                undoes=each.undoes,
            )
            for each in store.operations(thread)
        ]
        return StoreOperations(thread=thread, operations=found)


def every_operation(store: Store, thread: str | None = None, ledger: str | None = None) -> StoreLog:
    """The log of operations of a thread, or of all.

    Where a ledger is named, each branch and merge that was done under a governance tuple is recorded in it, once: by the id of
    the new worldline, or of the merge's event. Refuses where that cannot be; the same again goes on. O(operations * ledger)."""
    with refusing():
        found = [
            each for one in ([thread] if thread is not None else store.threads()) for each in operations(store, one).operations
        ]
    new, odd = 0, list[int]()
    for each in found if ledger is not None else ():
        if each.kind in ("branch", "merge") and isinstance(who := each.says.get("governance"), str):
            try:
                when = datetime.fromtimestamp(each.at / 1e6, UTC)
            except (ValueError, OverflowError, OSError):
                when = None
            if when is None or not events.is_tuple(who) or not SAID[each.kind] <= each.says.keys():
                odd.append(each.number)  # whoever wrote it there did not ask this program
                continue
            book = events.book(ledger, who, when)
            assert book is not None
            new += events.keep(book, _governed(each, book))
    return StoreLog(store=store.url, operations=found, recorded=new, odd=odd)


def _governed(operation: StoreOperation, book: events.Book) -> Evidence:
    """A branch or a merge as an event of a ledger."""
    from forkpoint.core.evidence import Forked, Joined

    says, worldline = {key: str(value) for key, value in operation.says.items()}, str(operation.worldline)
    if operation.kind == "branch":
        parent = says.get("from", "nothing")
        return Forked(worldline, book.at, book.who, parent, worldline, says["witness"], says.get("why", ""))
    node = says["event"]
    return Joined(node, book.at, book.who, frozenset({says["head"], says["end"]}), node, GATE, True, "")


def undo(store: Store, operation: int, thread: str | None = None, by: str | None = None) -> StoreOperations:
    """Undoes an operation of a thread, or of whatever thread it is in; the log with the undo. Refuses (``TAKEN``) where the same
    was changed again. O(operations)."""
    with refusing():
        threads = store.threads() if thread is None else [thread]
        found = next((each for each in threads if operation in {one.number for one in store.operations(each)}), None)
        if found is None:
            raise Unknown("operation", str(operation))
        store.undo(operation, by=by)
    return operations(store, found)


def keep(store: Store, event: str, state: bytes, name: str = "state") -> StoreSnapshot:
    """Keeps a state at an event, by its bytes (P15). O(bytes)."""
    with refusing():
        return StoreSnapshot(event=event, name=name, hash=store.snapshot(event, state, name=name))


def state(store: Store, event: str, name: str = "state") -> bytes:
    """The state at an event, as it was kept there or where nothing happened since (P15). Refuses (``ILLEGAL``) where it is not
    known: never an empty one in silence. O(bytes)."""
    with refusing():
        return store.state(event, name=name)


# ---- shapes


def _line(found: Worldline) -> StoreLine:
    return StoreLine(
        thread=found.thread,
        worldline=found.id,
        name=found.name,
        source=found.source,
        base=found.base,
        head=found.head,
        own=found.own,
        length=found.length,
        made=found.made,
        discarded=found.discarded,
    )


def _appended(found: Appended) -> StoreAppended:
    return StoreAppended(worldline=found.worldline, head=found.head, events=found.events, again=found.again)


def shown(found: Event) -> StoreEvent:
    """An event with its body as an object, or as Base64 where JSON cannot say it so that everybody reads the same."""
    try:
        body = json.loads(found.body, parse_constant=_no_number, parse_float=_finite, parse_int=_exact, object_pairs_hook=_once)
        json.dumps(body, ensure_ascii=False).encode()
        if _deep(body) > DEEPEST:
            raise ValueError("too deep")
    except (ValueError, RecursionError):
        return StoreEvent(event=found.id, kind=found.kind.value, at=found.at, bytes=base64.b64encode(found.body).decode())
    return StoreEvent(event=found.id, kind=found.kind.value, at=found.at, body=body)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _exact(text: str) -> int:
    number = int(text)
    if abs(number) >= 1 << 53:  # a browser takes it for another one
        raise ValueError(text)
    return number


def _deep(body: Any) -> int:
    """How deep an object is nested."""
    depth, level = 0, [body]
    while level:
        depth += 1
        level = [
            inner
            for each in level
            if isinstance(each, (dict, list))
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
    return depth


def _no_number(text: str) -> NoReturn:
    raise ValueError(text)


def _finite(text: str) -> float:
    number = float(text)
    if number - number != 0:  # too large for a number of this size
        raise ValueError(text)
    return number
