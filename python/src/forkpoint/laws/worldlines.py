"""Chapter 21: P7, P8, P9, P15, P17, P18, P22, of worldlines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from forkpoint.core import ancestries, worldlines
from forkpoint.core.entries import Entry, Id, Log
from forkpoint.core.worldlines import (
    Appending,
    Branching,
    Change,
    Completed,
    Ended,
    Ending,
    Failed,
    Gathered,
    Outcome,
    Reducer,
    Report,
    StaleHead,
    Thread,
    TimedOut,
    Worldline,
)
from forkpoint.laws import definitions as d
from forkpoint.laws import law


def _stays(later: Thread, thread: Thread) -> bool:
    """A sound thread that goes on: no event, origin or place is another."""
    begins = tuple(later.log)[: len(thread.log)] == tuple(thread.log)
    pairs = zip(later.lines, thread.lines, strict=False)
    return (
        begins
        and d.valid_thread(later)
        and len(later.lines) >= len(thread.lines)
        and all(now.id == was.id and now.origin == was.origin and now.own[: len(was.own)] == was.own for now, was in pairs)
    )


@law("P7.1", "StaleAppendChangesNothing FoundOnce", worldlines.append_to)
def stale_append_changes_nothing(
    thread: Thread, worldline: Id, event: Entry, expected: Id | None, result: tuple[Thread, Outcome]
) -> bool:
    """Where the event is new and the worldline there."""
    after, outcome = result
    line = next((one for one in thread.lines if one.id == worldline), None)
    if line is None or event.uuid in thread.log:
        return after == thread and not isinstance(outcome, StaleHead)
    head = line.own[-1] if line.own else line.base
    if expected != head:
        return after == thread and outcome == StaleHead(expected, head)
    return not isinstance(outcome, StaleHead)


@law("P7.2", "AppendEndsExactly", worldlines.append_to)
def append_ends_exactly(thread: Thread, worldline: Id, event: Entry, expected: Id | None, result: tuple[Thread, Outcome]) -> bool:
    """Of the event, of one that says something else, and of one whose parent is not there."""
    line = next((one for one in thread.lines if one.id == worldline), None)

    def ends(one: Entry, found: tuple[Thread, Outcome]) -> bool:
        after, outcome = found
        if line is None:
            return found == (thread, Ended.REFUSED)
        head = line.own[-1] if line.own else line.base
        there = one.uuid in d.uuids(thread.log)
        again = one in tuple(thread.log) and one.uuid in line.own
        stale = not there and expected != head
        taken = not there and not stale and one.parent == expected and d.fits(tuple(thread.log), one)
        return (
            (outcome is Ended.AGAIN) == again
            and (outcome == StaleHead(expected, head)) == stale
            and (outcome is Ended.TAKEN) == taken
            and (outcome is Ended.REFUSED) == (not again and not stale and not taken)
            and (outcome is Ended.TAKEN or after == thread)
        )

    others = [event._replace(fields={"said": "otherwise"}), event._replace(parent=object())]
    return ends(event, result) and all(ends(one, worldlines.append_to(thread, worldline, one, expected)) for one in others)


@law("P8.1", "OneOfTwoAppendsIsTaken FittingAppendIsTaken HeadIsInTheLog")
def one_of_two_appends_is_taken(thread: Thread) -> bool:
    """Of two that fit, on each worldline, in both orders."""

    def one(line: Worldline, first: Entry, second: Entry) -> bool:
        after, outcome = worldlines.append_to(thread, line.id, first, line.head)
        grown = [now for now, was in zip(after.lines, thread.lines, strict=True) if now != was]
        return (
            outcome is Ended.TAKEN
            and tuple(after.log) == (*thread.log, first)
            and [(now.id, now.own) for now in grown] == [(line.id, (*line.own, first.uuid))]
            and worldlines.append_to(after, line.id, second, line.head) == (after, StaleHead(line.head, first.uuid))
        )

    def both(line: Worldline) -> bool:
        a, b = Entry("one new", line.head), Entry("another new", line.head)
        return one(line, a, b) and one(line, b, a)

    return all(map(both, thread.lines))


SEARCHED = 6
"""Of so many reports all orders are tried."""


@law(
    "P8.2", "ReportsAreExplainedWhenConsistent ReportsOneByOne HappenedOneMomentLater WorldlinesFast.DecideReports",
    worldlines.explained,
)  # fmt: skip
def reports_are_explained_when_consistent(size: int, reports: Sequence[Report], result: bool) -> bool:
    """Exactly where no two contradict each other; of a few reports all orders are tried, too."""
    few = len(reports) > SEARCHED or result == d.told_one_by_one(size, reports)
    return result == d.consistent_reports(size, reports) and few


@law("P9.1", "BranchLeavesAllUntouched OwnerIsTheOne", worldlines.branch)
def branch_leaves_all_untouched(thread: Thread, worldline: Id, base: Id | None, result: tuple[Thread, Outcome]) -> bool:
    after, outcome = result
    if any(line.id == worldline for line in thread.lines) or (base is not None and base not in thread.log):
        return after == thread and outcome is not Ended.TAKEN
    new = after.lines[len(thread.lines) :]
    return (
        outcome is Ended.TAKEN
        and _stays(after, thread)
        and after.log == thread.log
        and after.lines[: len(thread.lines)] == thread.lines
        and [(line.id, line.head) for line in new] == [(worldline, base)]
        and worldlines.timeline(after.lines, len(thread.lines)) == d.walk_up(tuple(thread.log), base)
    )


@law("P9.2", "OthersDoNotShow OldTimelinesStay", worldlines.do)
def others_do_not_show(thread: Thread, change: Change, result: tuple[Thread, Outcome]) -> bool:
    """What is done to other worldlines; and each timeline begins with what it was."""
    after, _ = result
    if not _stays(after, thread):
        return False

    def stays(at: int, line: Worldline) -> bool:
        old, now = worldlines.timeline(thread.lines, at), worldlines.timeline(after.lines, at)
        own = isinstance(change, Appending) and change.worldline == line.id
        return now[: len(old)] == old and (own or (now == old and after.lines[at] == line))

    return all(stays(at, line) for at, line in enumerate(thread.lines))


@law(
    "P9.3", "ChangesKeepThreadsValid AppendKeepsThreadsValid BranchKeepsThreadsValid OwnEventsAreInTheLog GoesOnIsTransitive",
    worldlines.do_all,
)  # fmt: skip
def changes_keep_threads_valid(thread: Thread, changes: Sequence[Change], result: Thread) -> bool:
    return _stays(result, thread) and worldlines.goes_on(result, thread)


@law("P15.1", "RestoreIsReplay")
def restore_is_replay(log: Log, uuid: Id, snapped: Sequence[Id]) -> bool:
    """By a reducer that tells orders apart, with snapshots at some entries, with none, and from another start."""

    start: tuple[Id, ...] = ("start",)

    def reduce(state: tuple[Id, ...], event: Entry) -> tuple[Id, ...]:
        return (*state, event.uuid)

    def at(event: Id) -> tuple[Id, ...]:
        return (*start, *d.walk_up(tuple(log), event))

    way = ancestries.ancestry(log, uuid)
    snapshots = {event: at(event) for event in snapped if event in log} | {"of another log": ("wrong",)}
    return (
        worldlines.restore(reduce, start, snapshots, way)
        == worldlines.restore(reduce, start, {}, way)
        == worldlines.replay(reduce, start, way)
        == at(uuid)
    )


@law("P15.2", "SnapshotsStayRight NothingSnappedIsRight")
def snapshots_stay_right(log: Log, uuid: Id) -> bool:
    """The state at an entry is the same in each beginning of the log that holds it, whatever came behind."""

    def at(known: Log) -> tuple[Id, ...]:
        start: tuple[Id, ...] = ()
        return worldlines.replay(lambda state, event: (*state, event.uuid), start, ancestries.ancestry(known, uuid))

    first = log.position(uuid)
    return all(at(log.as_of(entry.uuid)) == at(log) for place, entry in enumerate(log) if place >= first)


@law("P15.3", "RestoreGoesOnFromTheLastSnapshot", worldlines.restore)
def restore_goes_on_from_the_last_snapshot(
    reduce: Reducer[object], start: object, snapshots: Mapping[Id, object], way: Sequence[Entry], result: object
) -> bool:
    last = max((at for at, entry in enumerate(way) if entry.uuid in snapshots), default=-1)
    state = start if last < 0 else snapshots[way[last].uuid]
    for entry in way[last + 1 :]:
        state = reduce(state, entry)
    return result == state


@law("P17.1", "TimelineIsTheWalk TimelineIsTheWalkFromTheHead TimelineUnfolds TimelineBegins WalkUnfolds")
def timeline_is_the_walk(thread: Thread) -> bool:
    """As of each own event of each worldline, and before all."""
    log = tuple(thread.log)

    def same(at: int, count: int) -> bool:
        line = thread.lines[at]
        event = line.own[count - 1] if count else line.base
        return worldlines.timeline(thread.lines, at, count) == d.walk_up(log, event) == worldlines.walk(thread.log, event)

    return all(same(at, count) for at, line in enumerate(thread.lines) for count in range(len(line.own) + 1))


@law("P18.1", "RetryAppendsOnce RetryBranchesOnce StandsInWhatGoesOn")
def retry_appends_once(thread: Thread, changes: Sequence[Change]) -> bool:
    """Each change that was taken, again after all that came since."""
    taken, now = list[Change](), thread
    for change in changes:
        now, outcome = worldlines.do(now, change)
        taken += [change] if outcome is Ended.TAKEN else []

    def once(change: Change) -> bool:
        if isinstance(change, Branching):
            others = [base for base in (None, "other") if base != change.base]
            refused = all(worldlines.branch(now, change.worldline, base) == (now, Ended.REFUSED) for base in others)
            return refused and worldlines.do(now, change) == (now, Ended.AGAIN)
        return all(
            worldlines.append_to(now, change.worldline, change.event, head) == (now, Ended.AGAIN)
            for head in (change.expected, None, "elsewhere")
        )

    return all(map(once, taken))


@law("P22.1", "OneResultATask", worldlines.gather)
def one_result_a_task(tasks: Sequence[Id], known: Mapping[Id, Ending[object]], result: Gathered[object]) -> bool:
    def many(kind: type) -> int:
        return len([one for one in result.results if isinstance(one, kind)])

    return (
        len(result.results) == len(tasks)
        and all(one == (known[task] if task in known else TimedOut()) for task, one in zip(tasks, result.results, strict=True))
        and (result.completed, result.failed, result.timed_out) == (many(Completed), many(Failed), many(TimedOut))
        and result.completed + result.failed + result.timed_out == len(tasks)
    )
