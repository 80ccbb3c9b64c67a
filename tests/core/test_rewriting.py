"""Chapter 11: drops, stubs, compaction, and the sub-agents that are hidden with their turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings

import forkpoint
from forkpoint.contracts import rewriting as contracted
from forkpoint.core import balance, contexts, rewriting
from forkpoint.core.entries import DuplicateUuid, Entry, Id, Kind, Log, Opaque, Result, UnknownEntry, Use
from forkpoint.core.rewriting import CoveredEntry, NoSuchPlace, NotARoot, Notes, Pair
from strategies_laws import holds
from strategies_rewriting import STUB

test_laws = holds("rewriting", 4)

A = Kind.ASSISTANT

At = tuple[Log, frozenset[Id], Id]

slow = settings(max_examples=max(1, settings().max_examples // 4))
"""For tests that ask the definitions about every entry of a log."""

TALK = Log([Entry("p"), Entry("a", "p", kind=A, message="m"), Entry("q", "a"), Entry("b", "q", kind=A, message="n")])
"""Two prompts and two answers."""

LOOP = Log(
    [Entry("r"), Entry("x", "r"), Entry("y", "x", kind=A, message="m"), Entry("z", "r", kind=A, message="m"), Entry("s", "z")]
)
"""A message of two parts, of which the first hangs on ``x`` and the second, which goes on, does not."""


def uuids(entries: tuple[Entry, ...] | Log) -> list[Id]:
    return [entry.uuid for entry in entries]


# ---- drops


# ---- balance, cuts and steps


# ---- stubs


def test_a_call_and_its_answer_leave_a_stub() -> None:
    call, answer = Entry("a", "p", kind=A, message="m", blocks=(Use("t"),)), Entry("b", "a", blocks=(Result("t"),))
    log = Log([Entry("p"), call, answer, Entry("c", "b", kind=A, message="n")])
    assert balance.legal(contracted.drop_with_stub(log, frozenset("ab"), STUB), "c")
    assert not balance.legal(contracted.drop_with_stub(log, frozenset("a"), STUB), "c")


# ---- sub-agents


# ---- examples and counterexamples


def test_the_middle_of_a_talk() -> None:
    assert rewriting.cuts(TALK) == [0, 1, 2, 3, 4]
    middle = rewriting.span(TALK, 1, 3)
    left = forkpoint.drop(TALK, middle)
    assert [(entry.uuid, entry.parent) for entry in left] == [("p", None), ("b", "p")]
    assert left[0] is TALK[0]
    summed = forkpoint.drop_with_stub(TALK, middle, STUB)
    assert [(entry.uuid, entry.parent) for entry in summed] == [("p", None), ("stub", "p"), ("b", "stub")]
    short = forkpoint.compact(TALK, 3, STUB._replace(parent="p"))
    assert [(entry.uuid, entry.parent) for entry in short] == [("stub", None), ("b", "stub")]


def test_whole_alone_loses_a_survivor() -> None:
    message = frozenset("yz")
    assert rewriting.separated(LOOP, message) is None
    assert rewriting.unrooted(LOOP, message) == "z"
    assert rewriting.lost(LOOP, message, "s") == Pair("y", "x")
    assert uuids(contexts.context(rewriting.drop(LOOP, message), "s")) == ["r", "s"]


def test_rooted_alone_breaks_the_books() -> None:
    log = Log([Entry("a", kind=A, message="m", blocks=(Use("t"),)), Entry("b", "a", blocks=(Result("t"),))])
    assert rewriting.unrooted(log, frozenset("a")) is None
    assert rewriting.separated_call(log, frozenset("a")) == rewriting.separated(log, frozenset("a")) == Pair("a", "b")
    assert not balance.balanced(rewriting.drop(log, frozenset("a")))


def test_nothing_out_may_split_a_message() -> None:
    log = Log([Entry("a", kind=A, message="m"), Entry("b", "a", kind=A, message="m"), Entry("c", "b")])
    assert rewriting.cuts(log) == [0, 2, 3]
    assert rewriting.separated(log, frozenset("a")) == Pair("a", "b")
    assert rewriting.separated_call(log, frozenset("a")) is None
    longer = [*log, Entry("d", "c", kind=A, message="m")]
    assert rewriting.separated(longer, frozenset("ca")) == Pair("a", "b")  # the first of each
    assert rewriting.cuts([longer[0], Entry("x", kind=A, message="n"), longer[1], longer[2]]) == [0, 3, 4]
    assert rewriting.cuts([Entry("u", message="m"), Entry("v", "u", message="m")]) == [0, 1, 2]  # no parts: users


def test_rooted_is_not_necessary() -> None:
    log = Log([Entry("r"), Entry("a", "r", kind=A, message="m"), Entry("b", "r", kind=A, message="m"), Entry("s", "b")])
    parts = rewriting.span(log, 1, 3)
    assert rewriting.cuts(log) == [0, 1, 3, 4]
    assert rewriting.separated(log, parts) is None
    assert rewriting.unrooted(log, parts) == "b"
    assert rewriting.lost(log, parts, "s") is None


def test_a_drop_may_mend_broken_books() -> None:
    log = Log([Entry("a", kind=A, message="m", blocks=(Use("t"), Use("t")))])
    assert rewriting.separated_call(log, frozenset("a")) is None
    assert balance.run(balance.BLANK, log) is None
    assert balance.run(balance.BLANK, rewriting.drop(log, frozenset("a"))) == balance.BLANK


def test_a_compaction_amid_a_call_breaks_the_books() -> None:
    log = Log([Entry("a", kind=A, message="m", blocks=(Use("t"),)), Entry("b", "a", blocks=(Result("t"),))])
    assert [balance.balanced(contracted.compact(log, count, STUB)) for count in range(3)] == [True, False, True]


def test_a_running_sub_agent_may_be_gutted() -> None:
    log = Log([Entry("a"), Entry("r"), Entry("x", "r")])
    callers = {"r": "a"}
    assert contracted.hidden_running(log, callers, frozenset("r"), frozenset("x")) == frozenset()
    assert uuids(rewriting.drop(log, rewriting.with_threads(log, callers, frozenset("x")))) == ["a", "r"]


def test_a_caller_of_what_is_no_root_asks_nothing_of_its_sub_agent() -> None:
    """P12.19 and P12.20 suppose roots: part of another sub-agent goes with that one, though its own caller stays."""
    log = Log([Entry("p"), Entry("a", "p"), Entry("r"), Entry("x", "r")])
    callers = {"r": "a", "x": "p"}
    assert contracted.with_threads(log, callers, frozenset("a")) == frozenset("arx")
    assert contracted.hidden_running(log, callers, frozenset("x"), frozenset("p")) == frozenset("x")


def test_a_hidden_sub_agent_beside() -> None:
    log = Log([Entry("p"), Entry("a", "p", kind=A, message="m"), Entry("c"), Entry("s", "p")])
    hidden = rewriting.with_threads(log, {"c": "a"}, frozenset("a"))
    assert hidden == {"a", "c"}
    assert uuids(contexts.context(rewriting.drop(log, hidden), "s")) == ["p", "s"]


def test_no_cut_after_broken_books() -> None:
    call = Entry("a", kind=A, blocks=(Use("t"),))
    assert rewriting.cuts([call]) == [0]
    assert rewriting.cuts([call, Entry("b", "a", blocks=(Result("t"),)), Entry("c", "b")]) == [0, 2, 3]
    assert rewriting.cuts([Entry("b", blocks=(Result("t"),)), Entry("c")]) == [0]
    again = Entry("c", kind=A, blocks=(Use("t"), Result("t"), Opaque()))
    assert rewriting.cuts([call, Entry("b", "a", blocks=(Result("t"),)), again, Entry("d")]) == [0, 2]


def test_a_second_root_is_lost() -> None:
    log = Log([Entry("a"), Entry("b"), Entry("c", "a"), Entry("e", "b")])
    assert rewriting.stray(log, 2) == "e"
    assert [entry.parent for entry in rewriting.compact(log, 2, STUB)] == [None, "stub", "stub"]
    assert [entry.parent for entry in rewriting.drop_with_stub(log, frozenset("ab"), STUB)] == [None, "stub", None]


def test_stubs_of_one_span_do_not_commute() -> None:
    log = Log([Entry("r")])
    other = STUB._replace(uuid="other")
    assert uuids(rewriting.drop_with_stub(rewriting.drop_with_stub(log, frozenset("r"), STUB), frozenset("r"), other)) == ["stub"]
    assert uuids(rewriting.drop_with_stub(rewriting.drop_with_stub(log, frozenset("r"), other), frozenset("r"), STUB)) == [
        "other"
    ]


def test_a_larger_span_may_need_no_stub() -> None:
    known = Notes(refers={"b": frozenset("a")})
    assert rewriting.stub_reasons([Entry("a"), Entry("b", "a")], frozenset("a"), known) == (None, Pair("a", "b"), None)
    assert rewriting.stub_reasons([Entry("a"), Entry("b", "a")], frozenset("ab"), known) == (None, None, None)


def test_every_reason_for_a_stub_is_the_first() -> None:
    effectful = Entry("a", "p", kind=A, message="m", blocks=(Opaque(), Use("t")))
    log = Log([Entry("p"), effectful, Entry("c", "a"), Entry("x", "c"), Entry("y", "x")])
    known = Notes(frozenset({"t"}), {"y": frozenset("ac"), "x": frozenset("cay")}, frozenset("pxy"))
    assert rewriting.stub_reasons(log, frozenset("ca"), known) == ("a", Pair("a", "x"), Pair("a", "x"))
    assert rewriting.stub_reasons(log, frozenset("c"), known) == (None, Pair("c", "x"), Pair("c", "x"))
    assert rewriting.stub_reasons(log, frozenset("y"), known) == (None, Pair("y", "x"), None)  # nothing decided after it
    assert rewriting.stub_reasons(log, frozenset({"elsewhere"}), known) == (None, None, None)


def test_a_part_of_a_message_is_lost_with_its_mate() -> None:
    """The covered part needs the one that is left, which nothing else brings into the conversation."""
    log = Log(
        [
            Entry("r"),
            Entry("y1", "r", kind=Kind.ASSISTANT, message="m"),
            Entry("y2", "r", kind=Kind.ASSISTANT, message="m"),
            Entry("y3", "r", kind=Kind.ASSISTANT, message="m"),
            Entry("s", "y1"),
        ]
    )
    assert rewriting.lost(log, frozenset({"y1"}), "s") == Pair("y1", "y2")
    assert rewriting.lost(log, frozenset({"y1", "y2"}), "s") == Pair("y1", "y3")
    assert rewriting.lost(log, frozenset({"y1", "y2", "y3"}), "s") is None


def test_only_the_assistant_speaks_in_messages() -> None:
    log = Log([Entry("a", kind=Kind.ASSISTANT, message="m"), Entry("b", "a", message="m"), Entry("c", "b")])
    assert rewriting.cuts(log) == [0, 1, 2, 3]


def test_all_branches_of_a_sub_agent_are_hidden() -> None:
    log = Log([Entry("call"), Entry("root"), Entry("c1", "root"), Entry("c2", "root"), Entry("d1", "c1"), Entry("d2", "c2")])
    hidden = rewriting.with_threads(log, {"root": "call"}, frozenset({"call"}))
    assert hidden == frozenset(uuids(log))


@pytest.mark.parametrize(
    "ask",
    [
        lambda log: rewriting.span(log, 0, 2),
        lambda log: rewriting.span(log, 2, 2),
        lambda log: rewriting.stray(log, 2),
        lambda log: rewriting.compact(log, 2, STUB),
    ],
)
def test_a_place_that_is_not_there_is_named(ask: Callable[[Log], Any]) -> None:
    with pytest.raises(NoSuchPlace, match="place 2 is not in a log of 1 entries; places go from 0 to 1") as caught:
        ask(Log([Entry("a")]))
    assert (caught.value.place, caught.value.length) == (2, 1)


def test_nested_sub_agents() -> None:
    log = Log([Entry("p"), Entry("s"), Entry("s2", "s"), Entry("n"), Entry("q", "p")])
    callers = {"s": "p", "n": "s2", "gone": "p"}
    assert rewriting.with_threads(log, callers, frozenset("p")) == {"p", "s", "s2", "n"}
    assert rewriting.with_threads(log, callers, frozenset("q")) == {"q"}
    assert rewriting.with_threads(log, callers, frozenset({"s2"})) == {"s2", "n"}
    assert rewriting.hidden_running(log, callers, frozenset({"n", "q"}), frozenset("p")) == {"n"}
    assert uuids(rewriting.promote(log, "s")) == ["s", "s2"]
    assert rewriting.thread(log, "elsewhere") == frozenset()


@pytest.mark.parametrize(
    ("ask", "error"),
    [
        (lambda: contracted.drop_with_stub(TALK, frozenset("a"), TALK[0]), DuplicateUuid),
        (lambda: rewriting.drop_with_stub(TALK, frozenset("a"), TALK[1]), DuplicateUuid),
        (lambda: contracted.compact(TALK, 1, TALK[0]), DuplicateUuid),
        (lambda: rewriting.compact(TALK, 1, TALK[0]), DuplicateUuid),
        (lambda: contracted.compact(TALK, 5, STUB), NoSuchPlace),
        (lambda: rewriting.compact(TALK, -1, STUB), NoSuchPlace),
        (lambda: contracted.stray(TALK, 5), NoSuchPlace),
        (lambda: rewriting.stray(TALK, -1), NoSuchPlace),
        (lambda: rewriting.span(TALK, 0, 5), NoSuchPlace),
        (lambda: rewriting.span(TALK, -1, 2), NoSuchPlace),
        (lambda: contracted.lost(TALK, frozenset("a"), "a"), CoveredEntry),
        (lambda: rewriting.lost(TALK, frozenset("a"), "a"), CoveredEntry),
        (lambda: contracted.lost(TALK, frozenset("a"), "nowhere"), UnknownEntry),
        (lambda: rewriting.lost(TALK, frozenset("a"), "nowhere"), UnknownEntry),
        (lambda: contracted.promote(TALK, "nowhere"), UnknownEntry),
        (lambda: contracted.promote(TALK, "a"), NotARoot),
        (lambda: rewriting.promote(TALK, "a"), NotARoot),
        (lambda: rewriting.promote(TALK, "nowhere"), UnknownEntry),
    ],
)
def test_what_cannot_be_done_is_refused(ask: Callable[[], Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        ask()


def test_refusals_name_what_they_are_about() -> None:
    with pytest.raises(NoSuchPlace, match=r"^place 5 is not in a log of 4 entries; places go from 0 to 4$") as place:
        rewriting.compact(TALK, 5, STUB)
    assert (place.value.place, place.value.length) == (5, 4)
    with pytest.raises(NotARoot, match=r"^entry 'a' continues 'p'; a sub-agent begins with a root$") as root:
        rewriting.promote(TALK, "a")
    assert (root.value.uuid, root.value.parent) == ("a", "p")
    with pytest.raises(CoveredEntry, match=r"^entry 'a' is covered; the conversation at it is gone with it$"):
        rewriting.lost(TALK, frozenset("a"), "a")
