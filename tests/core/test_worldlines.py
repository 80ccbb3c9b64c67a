"""Chapter 21: P7, P8, P9, P15, P17, P18, P22, of worldlines."""

from __future__ import annotations

from itertools import product

import pytest

from forkpoint.contracts import worldlines as contracted
from forkpoint.core.entries import Entry, Log
from forkpoint.core.worldlines import (
    Completed,
    Ended,
    Failed,
    Origin,
    Saw,
    StaleHead,
    Thread,
    TimedOut,
    Went,
    Worldline,
    append_to,
    branch,
    explained,
    gather,
    goes_on,
    restore,
    timeline,
)
from forkpoint.laws import definitions as d
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


def test_a_later_thread_keeps_events_origins_and_places() -> None:
    """The port of P9 itself, on threads that went on and on threads that did not."""
    main = CHAT.lines[0]
    more = Thread(
        Log([*CHAT.log, Entry("p2", "a1")]), (Worldline("main", None, (*main.own, "p2")), Worldline("b", Origin(0, "p1")))
    )
    assert goes_on(more, CHAT)
    assert goes_on(CHAT, CHAT)
    assert not goes_on(CHAT, more)
    changed = [
        Thread(Log([Entry("p1"), Entry("a1")]), more.lines),
        Thread(more.log, ()),
        Thread(more.log, (Worldline("other", None, main.own),)),
        Thread(more.log, (Worldline("main", Origin(0, "p1"), main.own),)),
        Thread(more.log, (Worldline("main", None, ("a1", "p1")),)),
    ]
    assert not any(goes_on(other, CHAT) for other in changed)


SPANS = [(called, answered) for called in range(3) for answered in range(called, 3)]
REPORTS = [
    *(Saw(at, *span) for at in range(3) for span in SPANS),
    *(Went(found, left, *span) for found in range(3) for left in range(4) for span in SPANS),
]


def test_every_two_small_reports_are_explained_exactly_if_they_may_have_happened() -> None:
    """P8.2, by all orders, of every two reports of up to three events; three at once are drawn."""
    for size in range(4):
        for report in REPORTS:
            assert explained(size, [report]) == d.told_one_by_one(size, [report])
    for two in product(REPORTS, repeat=2):
        assert explained(2, two) == d.told_one_by_one(2, two), two


WENT, SAW = Went(0, 1, 0, 1), Saw(1, 2, 3)


def test_definitions_of_reports() -> None:
    assert [d.rank(one) for one in (WENT, SAW, Saw(0, 0, 0), Went(1, 3, 0, 0))] == [2, 3, 1, 6]
    assert d.answered_later([WENT, Saw(0, 4, 4)])
    assert not d.answered_later([WENT, Saw(0, 5, 4)])
    assert d.reports_agree(WENT, SAW)
    assert not d.reports_agree(Went(0, 1, 4, 5), SAW)
    assert d.reports_agree(Went(0, 1, 3, 5), SAW)
    assert d.reports_agree(Saw(1, 5, 6), Saw(1, 0, 1))
    assert not d.reports_agree(WENT, Went(0, 2, 0, 1))
    assert d.reports_agree(WENT, Went(1, 2, 1, 2))
    assert d.reports_agree(Went(1, 2, 1, 2), WENT)
    assert not d.reports_agree(Went(0, 2, 0, 9), Saw(1, 0, 9))
    assert d.reports_agree(Went(0, 2, 0, 9), Saw(0, 0, 9))
    assert d.reports_agree(Went(0, 2, 0, 9), Saw(2, 0, 9))
    assert [d.possible_report(1, report) for report in (WENT, Went(1, 1, 0, 0), Went(1, 2, 0, 0), SAW, Saw(2, 0, 0))] == [
        True,
        False,
        False,
        True,
        False,
    ]
    assert d.consistent_reports(1, [WENT, SAW])
    assert not d.consistent_reports(0, [SAW])
    assert not d.consistent_reports(2, [SAW, WENT, Went(0, 2, 0, 1)])
    assert d.told_one_by_one(1, [SAW, WENT])
    assert not d.told_one_by_one(1, [], 2)


def test_definitions_of_threads() -> None:
    log = (Entry("a"), Entry("b", "a"), Entry("c", "a"))
    assert d.chained(log, Worldline("x", None, ("a", "b")))
    assert d.chained(log, Worldline("x", Origin(0, "a"), ("c",)))
    assert d.chained(log, Worldline("x"))
    assert not d.chained(log, Worldline("x", None, ("b",)))
    assert not d.chained(log, Worldline("x", None, ("a", "gone")))
    assert not d.chained(log, Worldline("x", None, ("a", "b", "c")))
    main, other = Worldline("m", None, ("a", "b")), Worldline("o", Origin(0, "a"), ("c",))
    assert d.comes_from_earlier([main, other], 0)
    assert d.comes_from_earlier([main, other], 1)
    for origin in (Origin(1, "c"), Origin(0, "c"), Origin(-1, "c"), Origin(2, "a")):
        assert not d.comes_from_earlier([main, Worldline("o", origin, ("c",))], 1)
    assert d.valid_thread(Thread(Log(log), (main, other)))
    wrong = [
        (main,),
        (main, Worldline("m", Origin(0, "a"), ("c",))),
        (main, other, Worldline("n", Origin(0, "a"), ("c",))),
        (main, Worldline("o", Origin(0, "b"), ("c",))),
        (main, Worldline("o", Origin(0, "gone"), ("c",))),
        (main, other, Worldline("n", None, ("d",))),
    ]
    assert not any(d.valid_thread(Thread(Log(log), lines)) for lines in wrong)
    assert d.walk_up(log, None) == ()
    assert d.walk_up(log, "c") == ("a", "c")
