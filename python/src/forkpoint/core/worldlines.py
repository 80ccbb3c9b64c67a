"""Chapter 21: worldlines, many futures of one conversation in one log (P7, P8, P9, P15, P17, P18, P22).

Mirrors ``dafny/21-Worldlines.dfy``. Events never change. A worldline is a row that says where it comes from and which events are
its own; an append compares and swaps its head. All is immutable: an operation gives another thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Generic, TypeAlias, TypeVar

from forkpoint.core.ancestries import ancestry
from forkpoint.core.entries import Entry, Id, Log

S = TypeVar("S")
R = TypeVar("R")
Reducer: TypeAlias = Callable[[S, Entry], S]
"""What an event makes of a state."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a worldline comes from: an event that another one, by its place in the thread, appended."""

    line: int
    event: Id


@dataclass(frozen=True, slots=True)
class Worldline:
    """Its id, where it comes from, and the events that it appended itself, in order."""

    id: Id
    origin: Origin | None = None
    own: tuple[Id, ...] = ()

    @property
    def base(self) -> Id | None:
        """The event from which it comes, if it comes from one."""
        return None if self.origin is None else self.origin.event

    @property
    def head(self) -> Id | None:
        """The last own event, or the one from which it comes."""
        return self.own[-1] if self.own else self.base


@dataclass(frozen=True, slots=True)
class Thread:
    """One log of events, and the worldlines in the order in which they were made. An event is an entry whose parent is the event
    before it."""

    log: Log
    lines: tuple[Worldline, ...] = ()


class Ended(Enum):
    """How an operation ended that was no stale append."""

    TAKEN = "taken"
    AGAIN = "again"
    """It had been done before, and nothing changed."""
    REFUSED = "refused"
    """What it names is not there, or its id stands for something else."""


@dataclass(frozen=True, slots=True)
class StaleHead:
    """The head was another than the one that was expected; nothing changed."""

    expected: Id | None
    actual: Id | None


Outcome: TypeAlias = Ended | StaleHead


def find(lines: Sequence[Worldline], worldline: Id) -> int | None:
    """The place of the worldline with an id. O(worldlines)."""
    return next((at for at, line in enumerate(lines) if line.id == worldline), None)


def owner(lines: Sequence[Worldline], event: Id) -> int | None:
    """The place of the worldline that appended an event. O(events)."""
    return next((at for at, line in enumerate(lines) if event in line.own), None)


def append_to(thread: Thread, worldline: Id, event: Entry, expected: Id | None) -> tuple[Thread, Outcome]:
    """Appends an event to a worldline, if its head is the one that is expected (P7, P8).

    The id of the event says whether it was appended before: then nothing changes (P18). O(worldlines + own events).
    """
    at = find(thread.lines, worldline)
    if at is None:
        return thread, Ended.REFUSED
    line = thread.lines[at]
    if event.uuid in thread.log:
        again = event.uuid in line.own and thread.log.entry(event.uuid) == event
        return thread, Ended.AGAIN if again else Ended.REFUSED
    if expected != line.head:
        return thread, StaleHead(expected, line.head)
    if event.parent != expected:
        return thread, Ended.REFUSED
    grown = replace(line, own=(*line.own, event.uuid))
    return Thread(thread.log.append(event), (*thread.lines[:at], grown, *thread.lines[at + 1 :])), Ended.TAKEN


def branch(thread: Thread, worldline: Id, base: Id | None) -> tuple[Thread, Outcome]:
    """Makes a worldline that comes from an event, or from nothing (P9).

    Its id says whether it was made before: then nothing changes (P18). O(events).
    """
    at = find(thread.lines, worldline)
    if at is not None:
        return thread, Ended.AGAIN if thread.lines[at].base == base else Ended.REFUSED
    if base is None:
        return replace(thread, lines=(*thread.lines, Worldline(worldline))), Ended.TAKEN
    from_ = owner(thread.lines, base)
    if from_ is None:
        return thread, Ended.REFUSED
    return replace(thread, lines=(*thread.lines, Worldline(worldline, Origin(from_, base)))), Ended.TAKEN


@dataclass(frozen=True, slots=True)
class Appending:
    """An append to be done, to a worldline."""

    worldline: Id
    event: Entry
    expected: Id | None


@dataclass(frozen=True, slots=True)
class Branching:
    """A worldline to be made."""

    worldline: Id
    base: Id | None


Change: TypeAlias = Appending | Branching


def do(thread: Thread, change: Change) -> tuple[Thread, Outcome]:
    """A thread after a change, and how that ended. Costs as :func:`append_to` or :func:`branch`."""
    match change:
        case Appending(worldline, event, expected):
            return append_to(thread, worldline, event, expected)
        case Branching(worldline, base):
            return branch(thread, worldline, base)


def do_all(thread: Thread, changes: Iterable[Change]) -> Thread:
    """A thread after several changes, each of which may end in any way."""
    for change in changes:
        thread, _ = do(thread, change)
    return thread


# ---- timelines


def timeline(lines: Sequence[Worldline], at: int, count: int | None = None) -> tuple[Id, ...]:
    """The timeline of a worldline, by segments, as of so many of its own events, by default of all (P17).

    IndexError for a worldline that is not there. O(its length + worldlines on the way).
    """
    line = lines[at]
    segments = [line.own if count is None else line.own[:count]]
    while line.origin is not None:
        event, line = line.origin.event, lines[line.origin.line]
        segments.append(line.own[: line.own.index(event) + 1])
    return tuple(event for segment in reversed(segments) for event in segment)


def walk(log: Log, event: Id | None) -> tuple[Id, ...]:
    """The walk by parents that ends at an event; nothing where there is none. Raises
    :class:`~forkpoint.core.entries.UnknownEntry`. O(its length)."""
    return () if event is None else tuple(entry.uuid for entry in ancestry(log, event))


def goes_on(later: Thread, thread: Thread) -> bool:
    """Whether a thread is a later state of another: no event, origin or place is another (P9). O(events)."""
    return (
        tuple(later.log)[: len(thread.log)] == tuple(thread.log)
        and len(thread.lines) <= len(later.lines)
        and all(
            (now.id, now.origin, now.own[: len(was.own)]) == (was.id, was.origin, was.own)
            for now, was in zip(later.lines, thread.lines, strict=False)
        )
    )


# ---- state


def replay(reduce: Reducer[S], start: S, events: Iterable[Entry]) -> S:
    """The state after some events, from one on. O(events)."""
    state = start
    for event in events:
        state = reduce(state, event)
    return state


def restore(reduce: Reducer[S], start: S, snapshots: Mapping[Id, S], way: Sequence[Entry]) -> S:
    """The state at the end of a way by the nearest snapshot on it and the events behind that; without one by all events (P15).

    O(events behind the snapshot).
    """
    for at in range(len(way) - 1, -1, -1):
        if way[at].uuid in snapshots:
            return replay(reduce, snapshots[way[at].uuid], way[at + 1 :])
    return replay(reduce, start, way)


# ---- fan-in


@dataclass(frozen=True, slots=True)
class Completed(Generic[R]):
    """A task that gave a result."""

    result: R


@dataclass(frozen=True, slots=True)
class Failed:
    """A task that failed."""


@dataclass(frozen=True, slots=True)
class TimedOut:
    """A task of which nothing was known in time."""


Ending: TypeAlias = Completed[R] | Failed | TimedOut


@dataclass(frozen=True, slots=True)
class Gathered(Generic[R]):
    """What came of many tasks: one result a task, in the order of the tasks, and how many ended how."""

    results: tuple[Ending[R], ...]
    completed: int
    failed: int
    timed_out: int


def gather(tasks: Sequence[Id], known: Mapping[Id, Ending[R]]) -> Gathered[R]:
    """Gathers what is known of tasks by their ids; one of which nothing is known has timed out (P22). O(tasks)."""
    results = tuple(known.get(task, TimedOut()) for task in tasks)
    completed, failed = (sum(isinstance(one, kind) for one in results) for kind in (Completed, Failed))
    return Gathered(results, completed, failed, len(results) - completed - failed)


# ---- histories


@dataclass(frozen=True, slots=True)
class Went:
    """A report of an append: how many own events it found, how many it left, when it was called and when answered."""

    found: int
    left: int
    called: int
    answered: int


@dataclass(frozen=True, slots=True)
class Saw:
    """A report of a look: how many own events there were, when it was called and when answered."""

    at: int
    called: int
    answered: int


Report: TypeAlias = Went | Saw
"""What a client reports of a worldline."""


def explained(size: int, reports: Sequence[Report]) -> bool:
    """Whether one worldline, read and written one by one, explains all reports; it has so many own events in the end.

    Each report is answered no earlier than it is called. P8.2. O(size + reports).
    """
    if not all(report.at <= size if isinstance(report, Saw) else report.found < report.left <= size for report in reports):
        return False
    holder: list[Went | None] = [None] * (size + 1)  # the append that led to an event
    latest = [-1] * (2 * size + 2)  # the latest call of each rank
    for report in reports:
        if isinstance(report, Saw):
            rank = 2 * report.at + 1
        else:
            rank = 2 * report.left
            for place in range(report.found + 1, report.left + 1):
                if holder[place] is not None:
                    return False  # two appends went behind one head
                holder[place] = report
        if report.called > latest[rank]:
            latest[rank] = report.called
    most = -1
    for rank, call in enumerate(latest):
        latest[rank] = most  # of lower ranks from here on
        if call > most:
            most = call
    for report in reports:
        if isinstance(report, Saw):
            one = holder[report.at]
            if latest[2 * report.at + 1] > report.answered or (one is not None and report.at < one.left):
                return False  # it was seen too early, or half of an append was
        elif latest[2 * report.left] > report.answered:
            return False
    return True
