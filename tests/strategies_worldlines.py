"""Threads of worldlines, what may be done to them, and what came of tasks."""

from __future__ import annotations

from hypothesis import strategies as st

from forkpoint.core.entries import Entry, Id, Kind, Log
from forkpoint.core.worldlines import (
    Appending,
    Branching,
    Change,
    Completed,
    Ending,
    Failed,
    Report,
    Saw,
    Thread,
    TimedOut,
    Went,
    do,
    do_all,
)

NAMES = ("main", "left", "right")
EVENTS = ("e0", "e1", "e2", "e3", "e4")
ENDINGS: st.SearchStrategy[Ending[object]] = st.one_of(
    st.builds(Completed, st.integers(0, 2)), st.just(Failed()), st.just(TimedOut())
)


@st.composite
def changes_of(draw: st.DrawFn, thread: Thread) -> Change:
    """A change that is taken mostly; or one that is stale, repeated, or names what is not there."""
    events: list[Id] = [entry.uuid for entry in thread.log]
    if not thread.lines or draw(st.integers(0, 3)) == 0:
        return Branching(draw(st.sampled_from(NAMES)), draw(st.sampled_from([None, *events, *events, "nowhere"])))
    line = draw(st.sampled_from(thread.lines))
    head = line.head
    event = Entry(draw(st.sampled_from(EVENTS)), head, kind=draw(st.sampled_from([Kind.USER, Kind.ASSISTANT])))
    expected = draw(st.sampled_from([head, head, head, None, *events]))
    if draw(st.integers(0, 4)) == 0:
        event = event._replace(parent=draw(st.sampled_from([None, *events])))
    if events and draw(st.integers(0, 4)) == 0:
        event = thread.log.entry(draw(st.sampled_from(events)))
    return Appending(draw(st.sampled_from([line.id, line.id, *NAMES])), event, expected)


@st.composite
def histories(draw: st.DrawFn, most: int = 7, before: Thread | None = None) -> tuple[Thread, list[Change]]:
    """A sound thread, and changes, each drawn from what is there when its turn comes."""
    begun = Thread(Log(())) if before is None else before
    made, now = list[Change](), begun
    for _ in range(draw(st.integers(0, most))):
        made.append(draw(changes_of(now)))
        now, _ = do(now, made[-1])
    cut = draw(st.integers(0, len(made)))
    return do_all(begun, made[:cut]), made[cut:]


@st.composite
def threads(draw: st.DrawFn) -> Thread:
    """A sound thread."""
    return do_all(*draw(histories()))


@st.composite
def threads_and_changes(draw: st.DrawFn) -> tuple[Thread, Change]:
    thread = draw(threads())
    return thread, draw(changes_of(thread))


TASKS = st.lists(st.sampled_from(["t1", "t2", "t3"]), max_size=4)
KNOWN = st.dictionaries(st.sampled_from(["t1", "t2", "t3", "t4"]), ENDINGS)


@st.composite
def reports_of(draw: st.DrawFn) -> tuple[int, list[Report]]:
    """How many own events a worldline has in the end, and what clients report of it: true, or with one report changed."""
    size, made, now, there = 0, list[Report](), 0, 0
    for _ in range(draw(st.integers(0, 6))):
        now += draw(st.integers(0, 2))
        called, answered = max(0, now - draw(st.integers(0, 2))), now + draw(st.integers(0, 2))
        there += draw(st.sampled_from([0, 0, 0, 1]))  # somebody who reports nothing
        if draw(st.booleans()):
            left = there + draw(st.integers(1, 3))
            made.append(Went(there, left, called, answered))
            there = left
        else:
            made.append(Saw(there, called, answered))
        size = there
    if made and draw(st.booleans()):
        at = draw(st.integers(0, len(made) - 1))
        called = draw(st.integers(0, 8))
        answered = called + draw(st.integers(0, 3))
        place = draw(st.integers(0, size + 1))
        wrong = [Saw(place, called, answered), Went(place, place + draw(st.integers(0, 2)), called, answered)]
        made[at] = draw(st.sampled_from(wrong))
    return size, draw(st.permutations(made))
