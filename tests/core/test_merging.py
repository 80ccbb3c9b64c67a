"""Chapter 13: merging (R1, R2) and the union of files (P23)."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

import forkpoint
from forkpoint.contracts import merging as demanded
from forkpoint.core import balance, contexts, forks, merging
from forkpoint.core.entries import DanglingParent, DuplicateUuid, Entry, Id, Kind, Log, Opaque, Result, UnknownEntry, Use
from forkpoint.core.merging import History, Mode, NoTarget, QuoteMarks
from forkpoint.laws import definitions as d
from strategies_laws import holds
from strategies_merging import node

test_laws = holds("merging", 2)

A = Kind.ASSISTANT


# ---- R1: the result satisfies every property


@pytest.mark.parametrize("beside", [Entry("y", "x", kind=A, message="m"), Entry("y", "x", kind=A, message="other")])
def test_target_may_need_news(beside: Entry) -> None:
    said = Entry("x", kind=A, message="m")
    a, b = Log([said]), Log([said, beside])
    assert merging.agree(a, b)
    assert merging.parts_from(b, a)
    assert balance.resumable(a, "x")
    assert balance.resumable(forkpoint.union(a, b), "x") == (beside.message != "m")


# ---- R2: no entry of either branch is lost


@pytest.mark.parametrize(
    ("merges", "uuid", "found"),
    [
        ({"b": "p"}, "b", "p"),
        ({"b": "a"}, "b", "a"),
        ({"b": "b"}, "b", None),
        ({"a": "b"}, "a", None),
        ({"b": "nowhere"}, "b", None),
        ({"b": "a"}, "a", None),
        ({}, "b", None),
    ],
)
def test_second_parent_of_each_sort(merges: dict[Id, Id], uuid: Id, found: Id | None) -> None:
    log = Log([Entry("p"), Entry("a", "p"), Entry("b", "p")])
    assert merging.second_parent(History(log, merges), uuid) == d.second_parent(tuple(log), merges, uuid) == found
    above = frozenset() if found is None else {found}
    assert merging.reach(History(log, merges), uuid) == {"p", uuid} | above


def test_interleaving_keeps_not_both() -> None:
    """The seed's formula: two branches after one prompt, in one line."""
    prompt, left, right = Entry("p"), Entry("a", "p"), Entry("b", "p")
    assert forks.linear([prompt, left])
    assert forks.linear([prompt, right])
    assert not any(map(forks.linear, permutations([prompt, left, right])))


def test_quoted_twice_from_the_right() -> None:
    history = History(Log([Entry("p"), Entry("a", "p"), Entry("b", "p"), Entry("c", "p")]))
    left = merging.merge(history, node("n", "a"), "b")
    assert [entry.uuid for entry in merging.quoted(history, Mode.FULL, "a", "b")] == ["b"]
    assert [entry.uuid for entry in merging.quoted(left, Mode.FULL, "n", "c")] == ["c"]
    right = merging.merge(history, node("n", "b"), "c")
    assert [entry.uuid for entry in merging.quoted(history, Mode.FULL, "b", "c")] == ["c"]
    assert [entry.uuid for entry in merging.quoted(right, Mode.FULL, "a", "n")] == ["b", "c", "n"]


def test_source_in_both_files_may_hold_less() -> None:
    root, part, end = Entry("p"), Entry("x", "p", kind=A, message="m"), Entry("s", "p", kind=A, message="m")
    a, b = Log([root, end]), Log([root, part, end])
    assert merging.agree(a, b)
    assert not merging.parts_from(b, a)
    both = forkpoint.union(a, b)
    assert "x" in both
    assert "x" in d.members(tuple(b), "s")
    assert merging.held(History(both), "s") == {"p", "s"}


# ---- P23: two files as one log


# ---- counterexamples

CALL = Entry("a", kind=A, message="m", blocks=(Use("t"),))
ANSWER = Entry("b", "a", blocks=(Result("t"),))


def test_unsettled_target_brings_more_in() -> None:
    after = merging.merge(History(Log([CALL, ANSWER])), node("n", "a"), "b").log
    assert [entry.uuid for entry in contexts.context(after, "n")] == ["a", "b", "n"]


@pytest.mark.parametrize(
    ("beside", "made"),
    [
        (Entry("x", "r", kind=A, message="m"), Entry("n", "r", kind=A, message="m")),
        (Entry("x", "r", blocks=(Result("t"),)), Entry("n", "r", kind=A, blocks=(Use("t"),))),
    ],
)
def test_node_must_be_the_users_and_make_no_call(beside: Entry, made: Entry) -> None:
    history = History(Log([Entry("r"), beside]))
    assert contexts.settled(history.log, "r")
    after = merging.merge(history, made, "x").log
    assert [entry.uuid for entry in contexts.context(after, "n")] == ["r", "x", "n"]


def test_reach_loses_a_parallel_part() -> None:
    part, other = Entry("x", "r", kind=A, message="m"), Entry("y", "r", kind=A, message="m")
    history = History(Log([Entry("r"), part, other]))
    assert merging.reach(history, "y") == {"r", "y"}
    assert merging.held(history, "y") == {"r", "x", "y"}


def test_other_entry_under_the_same_uuid_is_lost() -> None:
    a, b = Log([Entry("x")]), Log([Entry("x", kind=A, message="m")])
    assert merging.union(a, b) == a
    assert merging.union(b, a) == b
    assert not merging.agree(a, b)
    assert not merging.parts_from(b, a)
    with pytest.raises(forkpoint.Disagreement, match="uuid 'x' names different entries") as caught:
        forkpoint.union(a, b)
    assert caught.value.uuid == "x"


def test_union_does_not_commute_in_order() -> None:
    root, left, right = Entry("p"), Entry("a", "p"), Entry("b", "p")
    a, b = Log([root, left]), Log([root, right])
    assert merging.agree(a, b)
    assert merging.parts_from(b, a)
    assert merging.parts_from(a, b)
    assert tuple(merging.union(a, b)) == (root, left, right)
    assert tuple(merging.union(b, a)) == (root, right, left)


def test_parting_twice_changes_the_order() -> None:
    root, middle, end = Entry("p"), Entry("a", "p"), Entry("b", "p")
    a, b = Log([root, end]), Log([root, middle, end])
    assert forkpoint.union(a, b) == Log([root, end, middle])
    assert not merging.parts_from(b, a)


def test_union_changes_an_unsettled_fork() -> None:
    log = Log([CALL, ANSWER])
    fork = forks.fork(log, "a").append(node("n", "a"))
    both = forkpoint.union(log, fork)
    assert [entry.uuid for entry in contexts.context(fork, "n")] == ["a", "n"]
    assert [entry.uuid for entry in contexts.context(both, "n")] == ["a", "b", "n"]


# ---- what is refused

CHAT = History(Log([Entry("p"), Entry("a", "p", kind=A, message="m"), Entry("b", "p", kind=A, message="n", blocks=(Use("t"),))]))


def test_unknown_entries_are_refused() -> None:
    for ask in (
        merging.second_parent, merging.reach_positions, merging.reach, merging.held_positions, merging.held,
        forkpoint.reach, forkpoint.held,
    ):  # fmt: skip
        with pytest.raises(UnknownEntry, match="no entry of the log has the uuid 'nowhere'"):
            ask(CHAT, "nowhere")
    for ask in (merging.quoted, demanded.quoted):
        for target, source in (("nowhere", "a"), ("a", "nowhere")):
            for mode in Mode:
                with pytest.raises(UnknownEntry):
                    ask(CHAT, mode, target, source)


def test_what_a_node_cannot_continue_is_named() -> None:
    history = History(Log([Entry("a"), Entry("b", "a")]))
    with pytest.raises(NoTarget, match="merge node 'n' has no parent; it must continue the entry that is merged into"):
        merging.merge(history, Entry("n"), "b")
    with pytest.raises(DanglingParent) as caught:
        merging.merge(history, node("n", "nowhere"), "b")
    assert "'nowhere'" in str(caught.value)


@pytest.mark.parametrize("act", [merging.merge, merging.head, forkpoint.merge])
@pytest.mark.parametrize("source", ["p", "b"])
def test_nodes_that_do_not_fit_are_refused(act: Any, source: str) -> None:
    for made, error in (
        (Entry("n"), NoTarget),
        (node("a", "p"), DuplicateUuid),
        (node("n", "nowhere"), DanglingParent),
    ):
        with pytest.raises(error) as caught:
            act(CHAT, made, source)
        assert caught.value.uuid == made.uuid
    with pytest.raises(UnknownEntry) as unknown:
        act(CHAT, node("n", "a"), "nowhere")
    assert unknown.value.uuid == "nowhere"


def test_merge_demands_a_resumable_target_and_a_users_node() -> None:
    with pytest.raises(forkpoint.IllegalMerge, match="merge target 'b' is not resumable") as caught:
        forkpoint.merge(CHAT, node("n", "b"), "a")
    assert caught.value.uuid == "b"
    for made in (
        Entry("n", "a", kind=A, message="o"),
        Entry("n", "a", kind=Kind.SYSTEM),
        Entry("n", "a", blocks=(Use("s"),)),
        Entry("n", "a", blocks=(Opaque(), Result("t"))),
    ):
        with pytest.raises(forkpoint.IllegalMerge, match="merge node 'n' must be a user's entry") as caught:
            forkpoint.merge(CHAT, made, "b")
        assert caught.value.uuid == "n"
        assert merging.merge(CHAT, made, "b").merges == {"n": "b"}  # the core's merge is total


def test_merged_history_is_a_value() -> None:
    before = History(CHAT.log, {"a": "p"})
    after = forkpoint.merge(before, node("n", "a"), "b")
    assert before.merges == {"a": "p"}
    assert after.merges == {"a": "p", "n": "b"}
    with pytest.raises(TypeError):
        after.merges["n"] = "a"  # type: ignore[index]
    assert forkpoint.merge(after, node("m", "n"), "b") is after


def test_merging_needs_no_depth_and_no_square() -> None:
    """A long conversation: again and again two branches of five entries, and the second ends in a node that merges the first."""
    length = 30_000
    log = Log(Entry(at, None if at in (0, 5) else at // 10 * 10 - 1 if at % 5 == 0 else at - 1) for at in range(length))
    history = History(log, {at + 9: at + 4 for at in range(0, length, 10)})
    last = length - 1
    assert merging.reach(history, last) == frozenset(range(length))
    assert merging.held_positions(history, last) == list(range(length))
    assert merging.merge(history, node("n", last), 1) is history
    assert len(merging.union(log.as_of(length // 2), log)) == length


def test_a_quoted_text_is_the_first_that_its_digest_fits() -> None:
    def length(text: str) -> str:
        return str(len(text) % 10)

    tags, bare, nothing = (QuoteMarks(*of) for of in (("<", 1, ">", "</", ">"), ("", 1, "", "", ""), ("", 0, "", "", "")))
    assert merging.unquote(tags, length, "<3>abc</3>") == "abc"
    for other in ("x3>abc</3>", "<3xabc</3>", "<3", "<3>abc</4>", "<3>ab</3>", ""):
        assert merging.unquote(tags, length, other) is None
    assert merging.unquote(tags, length, "<9>x</9>yyyy</9>zzzzzz</9>") == "x</9>yyyy"
    assert merging.unquote(bare, length, "111") == "1"
    assert merging.unquote(nothing, lambda _: "", "") == ""
    assert merging.unquote(nothing, lambda text: "" if text == "a" else "x", "a") == "a"
