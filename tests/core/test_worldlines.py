"""Chapter 21: P7, P8, P9, P15, P17, P18, P22, of worldlines."""

from __future__ import annotations

import pytest

from forkpoint.contracts import worldlines as contracted
from forkpoint.core.entries import Entry, Log
from forkpoint.core.worldlines import (
    Completed,
    Ended,
    Failed,
    Origin,
    StaleHead,
    Thread,
    TimedOut,
    Worldline,
    append_to,
    branch,
    gather,
    restore,
    timeline,
)
from strategies_laws import holds

test_laws = holds("worldlines")

CHAT = Thread(Log([Entry("p1"), Entry("a1", "p1")]), (Worldline("main", None, ("p1", "a1")),))


def test_two_writers_and_a_retry() -> None:
    """P7, P8, P18: of two appends on one head one is taken, the other is told both heads, and a retry changes nothing."""
    first, second = Entry("p2", "a1"), Entry("p3", "a1")
    after, outcome = append_to(CHAT, "main", first, "a1")
    assert outcome is Ended.TAKEN
    assert append_to(after, "main", second, "a1") == (after, StaleHead("a1", "p2"))
    assert append_to(after, "main", first, "a1") == (after, Ended.AGAIN)
    assert append_to(after, "main", first._replace(message="other"), "a1") == (after, Ended.REFUSED)
    assert append_to(after, "nowhere", second, "p2") == (after, Ended.REFUSED)


def test_a_branch_sees_nothing_of_what_comes_later() -> None:
    """P9, P17."""
    made, _ = branch(CHAT, "try", "p1")
    assert made.lines[1] == Worldline("try", Origin(0, "p1"), ())
    later, _ = append_to(made, "main", Entry("p2", "a1"), "a1")
    later, _ = append_to(later, "try", Entry("q2", "p1"), "p1")
    assert [timeline(later.lines, at) for at in (0, 1)] == [("p1", "a1", "p2"), ("p1", "q2")]
    assert branch(later, "try", "p1") == (later, Ended.AGAIN)
    assert branch(later, "try", "a1") == branch(later, "more", "gone") == (later, Ended.REFUSED)


def test_a_wrong_snapshot_gives_a_wrong_state() -> None:
    """The counterexample `AWrongSnapshotShows`."""
    way = list(CHAT.log)
    assert restore(lambda state, _: state + 1, 0, {"p1": 7}, way) == 8
    assert restore(lambda state, _: state + 1, 0, {}, way) == 2


def test_fan_in() -> None:
    """P22: one result a task, in order, whatever failed or is not known."""
    found = gather(["a", "b", "c", "a"], {"a": Completed(1), "c": Failed()})
    assert found.results == (Completed(1), TimedOut(), Failed(), Completed(1))
    assert (found.completed, found.failed, found.timed_out) == (2, 1, 1)


def test_an_event_of_two_worldlines_is_no_thread() -> None:
    """The counterexample `SharedEventsAreNotSound`."""
    shared = Thread(CHAT.log, (*CHAT.lines, Worldline("two", None, ("p1",))))
    with pytest.raises(Exception, match="valid_thread"):
        contracted.branch(shared, "three", None)
