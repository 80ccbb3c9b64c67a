"""Chapter 21 by the generated code: worldlines. By the definitions, which recurse, so for small threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar

import _dafny

from forkpoint.core.entries import Entry, Id, Log
from forkpoint.core.worldlines import (
    Appending,
    Change,
    Completed,
    Ended,
    Ending,
    Failed,
    Gathered,
    Origin,
    Outcome,
    Reducer,
    Report,
    Saw,
    StaleHead,
    Thread,
    TimedOut,
    Worldline,
)
from forkpoint.oracle import ancestries, convert
from forkpoint.oracle.generated import Worldlines

S = TypeVar("S")
R = TypeVar("R")
_model: Final = Worldlines.default__
_ENDED: Final = {"Taken": Ended.TAKEN, "Again": Ended.AGAIN, "Refused": Ended.REFUSED}


def _lines(lines: Iterable[Worldline]) -> Any:
    return convert.sequence(
        Worldlines.Worldline_Worldline(
            line.id,
            convert.option(None if line.origin is None else Worldlines.Origin_Origin(line.origin.line, line.origin.event)),
            convert.sequence(line.own),
        )
        for line in lines
    )


def _thread(thread: Thread) -> Any:
    return Worldlines.Thread_Thread(convert.sequence(map(convert.with_fields, thread.log)), _lines(thread.lines))


def _line_of(made: Any) -> Worldline:
    origin = convert.value_of(made.origin)
    return Worldline(made.id_, None if origin is None else Origin(origin.line, origin.event), tuple(made.own))


def _thread_of(made: Any) -> Thread:
    return Thread(Log(convert.entries_of(made.log)), tuple(map(_line_of, made.lines)))


def _outcome_of(made: Any) -> Outcome:
    if made.is_Stale:
        return StaleHead(convert.value_of(made.expected), convert.value_of(made.actual))
    return next(ended for name, ended in _ENDED.items() if getattr(made, f"is_{name}"))


def _change(change: Change) -> Any:
    if isinstance(change, Appending):
        return Worldlines.Change_Appending(change.worldline, convert.with_fields(change.event), convert.option(change.expected))
    return Worldlines.Change_Branching(change.worldline, convert.option(change.base))


def find(lines: Sequence[Worldline], worldline: Id) -> int | None:
    """The place of the worldline with an id."""
    found: int | None = convert.value_of(_model.Find(_lines(lines), worldline, 0))
    return found


def owner(lines: Sequence[Worldline], event: Id) -> int | None:
    """The place of the worldline that appended an event."""
    found: int | None = convert.value_of(_model.Owner(_lines(lines), event, 0))
    return found


def append_to(thread: Thread, worldline: Id, event: Entry, expected: Id | None) -> tuple[Thread, Outcome]:
    """Appends an event to a worldline, if its head is the one that is expected."""
    after, outcome = _model.AppendTo(_thread(thread), worldline, convert.with_fields(event), convert.option(expected))
    return _thread_of(after), _outcome_of(outcome)


def branch(thread: Thread, worldline: Id, base: Id | None) -> tuple[Thread, Outcome]:
    """Makes a worldline that comes from an event, or from nothing."""
    after, outcome = _model.Branch(_thread(thread), worldline, convert.option(base))
    return _thread_of(after), _outcome_of(outcome)


def do(thread: Thread, change: Change) -> tuple[Thread, Outcome]:
    """A thread after a change, and how that ended."""
    after, outcome = _model.Do(_thread(thread), _change(change))
    return _thread_of(after), _outcome_of(outcome)


def do_all(thread: Thread, changes: Iterable[Change]) -> Thread:
    """A thread after several changes."""
    return _thread_of(_model.DoAll(_thread(thread), convert.sequence(map(_change, changes))))


def timeline(lines: Sequence[Worldline], at: int, count: int | None = None) -> tuple[Id, ...]:
    """The timeline of a worldline, by segments."""
    made = _lines(lines)
    return tuple(_model.Timeline(made, at) if count is None else _model.TimelineTo(made, at, count))


def walk(log: Log, event: Id | None) -> tuple[Id, ...]:
    """The walk by parents that ends at an event."""
    return () if event is None else tuple(entry.uuid for entry in ancestries.ancestry(log, event))


def goes_on(later: Thread, thread: Thread) -> bool:
    """Whether a thread is a later state of another."""
    return bool(_model.GoesOn(_thread(later), _thread(thread)))


def _reducer(reduce: Reducer[S]) -> Callable[[S, Any], S]:
    return lambda state, event: reduce(state, convert.entry_of(event))


def replay(reduce: Reducer[S], start: S, events: Iterable[Entry]) -> S:
    """The state after some events, from one on."""
    state: S = _model.Replay(_reducer(reduce), start, convert.sequence(map(convert.with_fields, events)))
    return state


def restore(reduce: Reducer[S], start: S, snapshots: Mapping[Id, S], way: Sequence[Entry]) -> S:
    """The state at the end of a way by the nearest snapshot on it, or by all events."""
    events = convert.sequence(map(convert.with_fields, way))
    state: S = _model.Restore(_reducer(reduce), start, _dafny.Map(snapshots), events)
    return state


def _ending(one: Ending[R]) -> Any:
    if isinstance(one, Completed):
        return Worldlines.Ending_Completed(one.result)
    return Worldlines.Ending_Failed() if isinstance(one, Failed) else Worldlines.Ending_TimedOut()


def _ending_of(made: Any) -> Ending[Any]:
    if made.is_Completed:
        return Completed(made.result)
    return Failed() if made.is_Failed else TimedOut()


def gather(tasks: Sequence[Id], known: Mapping[Id, Ending[R]]) -> Gathered[R]:
    """Gathers what is known of tasks by their ids."""
    made = _model.Gather(convert.sequence(tasks), _dafny.Map({task: _ending(one) for task, one in known.items()}))
    return Gathered(tuple(map(_ending_of, made.results)), made.completed, made.failed, made.timedOut)


def _report(report: Report) -> Any:
    if isinstance(report, Saw):
        return Worldlines.Report_Saw(report.at, report.called, report.answered)
    return Worldlines.Report_Went(report.found, report.left, report.called, report.answered)


def explained(size: int, reports: Sequence[Report]) -> bool:
    """Whether one worldline explains all reports: each is possible, and each two agree."""
    return bool(_model.ConsistentReports(size, convert.sequence(map(_report, reports))))
