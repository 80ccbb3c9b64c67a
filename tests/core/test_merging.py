"""Chapter 14: merging (R1, R2) and the union of files (P23)."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import forkpoint
from forkpoint.contracts import merging as demanded
from forkpoint.core import ancestries, balance, contexts, forks, merging
from forkpoint.core.entries import DanglingParent, DuplicateUuid, Entry, Id, Kind, Log, Opaque, Result, UnknownEntry, Use
from forkpoint.core.merging import History, Mode, NoTarget
from forkpoint.laws import definitions as d
from strategies import additions, logs_and_points
from strategies_merging import Branches, branches, histories_and_points, mergeable, node, pairs_of_files, triples_of_files

A = Kind.ASSISTANT


def merged(history: History, made: Entry, source: Id) -> tuple[History, Id]:
    """The history after a merge, and where the target goes on."""
    return merging.merge(history, made, source), merging.head(history, made, source)


@st.composite
def merges(draw: st.DrawFn) -> tuple[History, Entry, Id]:
    """A history, a node that fits it, mostly a user's without tool blocks, and a source."""
    history, target, source, _ = draw(branches())
    other = additions(history.log).map(lambda entry: entry._replace(parent=target))
    return history, draw(st.one_of(st.just(node("new", target)), other)), source


def needs_nothing_else(log: Log, target: Id, made: Entry) -> bool:
    """The conversation at the target is all that a new entry needs."""
    entries = tuple(log)
    own = d.members(entries, target)
    return d.settled(entries, target) and all(entry.uuid in own for entry in entries if d.needs(made, entry))


# ---- R1: the result satisfies every property


@given(merges())
def test_merge_is_well_formed(given: tuple[History, Entry, Id]) -> None:
    entries = tuple(merging.merge(*given).log)
    assert d.well_formed(entries)
    assert d.unique_uuids(entries)
    assert d.no_dangling_parents(entries)
    assert d.acyclic(entries)


@given(merges())
def test_merge_is_append_only(given: tuple[History, Entry, Id]) -> None:
    history, made, source = given
    before, old = tuple(history.log), dict(history.merges)
    after = merging.merge(history, made, source)
    assert tuple(after.log) in (before, (*before, made))
    assert (tuple(history.log), history.merges) == (before, old)
    for entry in before:
        assert after.log.position(entry.uuid) == history.log.position(entry.uuid)
        assert (entry.uuid in after.merges, after.merges.get(entry.uuid)) == (entry.uuid in old, old.get(entry.uuid))
        assert merging.second_parent(after, entry.uuid) == merging.second_parent(history, entry.uuid)


@given(merges())
def test_merge_keeps_old_ancestries_and_contexts(given: tuple[History, Entry, Id]) -> None:
    history, made, source = given
    entries = tuple(history.log)
    after = merging.merge(history, made, source)
    for old in entries:
        assert ancestries.ancestry(after.log, old.uuid) == d.ancestry(entries, old.uuid)
        assert contexts.context(after.log, old.uuid) == d.context(entries, old.uuid)
        assert merging.reach(after, old.uuid) == d.reach(entries, history.merges, old.uuid)
        assert merging.held(after, old.uuid) == d.held(entries, history.merges, old.uuid)


@given(merges())
def test_merge_context_is_target_context_and_node(given: tuple[History, Entry, Id]) -> None:
    history, made, source = given
    target = made.parent
    assume(source not in merging.reach(history, target))
    after = merging.merge(history, made, source).log
    alone = needs_nothing_else(history.log, target, made)
    assert (contexts.context(after, "new") == (*d.context(tuple(history.log), target), made)) == alone
    if made.kind is Kind.USER and not d.uses_of(made) and d.settled(tuple(history.log), target):
        assert alone


@given(branches())
def test_merge_keeps_legal_exactly(given: Branches) -> None:
    history, target, source, _ = given
    entries = tuple(history.log)
    after = merging.merge(history, node("new", target), source).log
    for old in entries:
        assert balance.legal(after, old.uuid) == d.legal(entries, old.uuid)
        assert balance.resumable(after, old.uuid) == d.resumable(entries, old.uuid)
    if "new" in after and d.resumable(entries, target):
        assert balance.resumable(after, "new")


@given(mergeable())
def test_merged_session_satisfies_every_property(given: tuple[History, Id, Id]) -> None:
    history, target, source = given
    made = node("new", target)
    before = tuple(history.log)
    after = forkpoint.merge(history, made, source).log
    entries = tuple(after)
    assert d.well_formed(entries)
    assert d.no_dangling_parents(entries)
    assert d.acyclic(entries)
    assert balance.balanced(contexts.context(after, "new"))
    assert balance.resumable(after, "new")
    assert entries == (*before, made)
    for old in before:
        inside = d.context(before, old.uuid)
        assert balance.balanced(contexts.context(after, old.uuid)) == d.paired_by_id_and_order(d.blocks(inside))
        assert balance.legal(after, old.uuid) == d.legal(before, old.uuid)
        assert ancestries.ancestry(after, old.uuid) == d.ancestry(before, old.uuid)


@given(pairs_of_files())
def test_resumable_in_union_exactly(pair: tuple[Log, Log]) -> None:
    a, b = pair
    both = merging.union(a, b)
    new = merging.news(a, b)
    for entry in a:
        if d.resumable(tuple(a), entry.uuid):
            inside = d.context(tuple(a), entry.uuid)
            assert balance.resumable(both, entry.uuid) == (not any(d.needs(x, y) for x in inside for y in new))


@pytest.mark.parametrize("beside", [Entry("y", "x", kind=A, message="m"), Entry("y", "x", kind=A, message="other")])
def test_target_may_need_news(beside: Entry) -> None:
    said = Entry("x", kind=A, message="m")
    a, b = Log([said]), Log([said, beside])
    assert merging.agree(a, b)
    assert merging.parts_from(b, a)
    assert balance.resumable(a, "x")
    assert balance.resumable(forkpoint.union(a, b), "x") == (beside.message != "m")


# ---- R2: no entry of either branch is lost


@given(histories_and_points(), st.data())
def test_reach_is_least(at: tuple[History, Id], data: st.DataObject) -> None:
    history, uuid = at
    entries, second = tuple(history.log), history.merges
    found = merging.reach(history, uuid)
    assert uuid in found <= d.uuids(entries)
    assert found == forkpoint.reach(history, uuid) == d.reach(entries, second, uuid)
    assert [history.log[position].uuid for position in merging.reach_positions(history, uuid)] == [
        entry.uuid for entry in d.keep(entries, found)
    ]
    assert d.both_parents_closed(entries, second, found)
    for other in data.draw(st.lists(st.sampled_from(sorted(found, key=str)), max_size=3)):
        if other != uuid:
            assert not d.both_parents_closed(entries, second, found - {other}) or uuid not in found - {other}
        assert merging.reach(history, other) <= found
    assert d.uuids(d.ancestry(entries, uuid)) <= found
    assert merging.reach(History(history.log), uuid) == d.uuids(d.ancestry(entries, uuid))


@given(histories_and_points())
def test_second_parent_stands_before(at: tuple[History, Id]) -> None:
    history, uuid = at
    found = merging.second_parent(history, uuid)
    assert found == d.second_parent(tuple(history.log), history.merges, uuid)
    assert found is None or history.log.position(found) < history.log.position(uuid)


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


@given(merges())
def test_merge_changes_nothing_exactly_where_reached(given: tuple[History, Entry, Id]) -> None:
    history, made, source = given
    after, head = merged(history, made, source)
    reached = source in d.reach(tuple(history.log), history.merges, made.parent)
    assert (after == history) == reached
    assert (after is history) == reached
    assert head == (made.parent if reached else "new")
    assert merging.second_parent(after, head) == (merging.second_parent(history, made.parent) if reached else source)


@given(merges())
def test_merge_reaches_exactly_both(given: tuple[History, Entry, Id]) -> None:
    history, made, source = given
    after, head = merged(history, made, source)
    a, b = merging.reach(history, made.parent), merging.reach(history, source)
    assert merging.reach(after, head) - {"new"} == a | b
    assert ("new" in merging.reach(after, head)) == (after is not history)


@given(merges())
def test_merge_keeps_both_sides_in_order(given: tuple[History, Entry, Id]) -> None:
    history, made, source = given
    a, b = merging.reach(history, made.parent), merging.reach(history, source)
    assume(source not in a)
    after = merging.merge(history, made, source)
    before, entries = tuple(history.log), tuple(after.log)
    for side in (a, b):
        assert d.keep(entries, side) == d.keep(before, side)
    assert d.keep(entries, merging.reach(after, "new")) == (*d.keep(before, a | b), made)


@given(merges(), st.data())
def test_merge_is_idempotent_and_absorbing(given: tuple[History, Entry, Id], data: st.DataObject) -> None:
    history, made, source = given
    after, head = merged(history, made, source)
    again = node("again", head)
    assert merged(after, again, source) == (after, head)
    reached = sorted(merging.reach(history, made.parent) | merging.reach(history, source), key=str)
    assert merged(after, again, data.draw(st.sampled_from(reached))) == (after, head)


@given(branches())
def test_merge_is_commutative_in_reach(given: Branches) -> None:
    history, target, source, _ = given
    there, a = merged(history, node("there", target), source)
    here, b = merged(history, node("here", source), target)
    assert merging.reach(there, a) - {"there"} == merging.reach(here, b) - {"here"}


@given(branches())
def test_merge_is_associative_in_reach(given: Branches) -> None:
    history, a, b, c = given
    between, middle = merged(history, node("left1", a), b)
    left, x = merged(between, node("left2", middle), c)
    between, middle = merged(history, node("right1", b), c)
    right, y = merged(between, node("right2", a), middle)
    together = merging.reach(history, a) | merging.reach(history, b) | merging.reach(history, c)
    assert merging.reach(left, x) - {"left1", "left2"} == merging.reach(right, y) - {"right1", "right2"} == together


@given(mergeable())
def test_contexts_never_commute(given: tuple[History, Id, Id]) -> None:
    history, target, source = given
    assume(target not in merging.reach(history, source) and contexts.settled(history.log, source))
    there = merging.merge(history, node("new", target), source).log
    here = merging.merge(history, node("new", source), target).log
    one, other = contexts.context(there, "new")[:-1], contexts.context(here, "new")[:-1]
    assert one == d.context(tuple(history.log), target)
    assert other == d.context(tuple(history.log), source)
    assert one != other


@given(histories_and_points())
def test_held_holds_conversation_and_reach(at: tuple[History, Id]) -> None:
    history, uuid = at
    entries = tuple(history.log)
    found = merging.held(history, uuid)
    assert found == forkpoint.held(history, uuid) == d.held(entries, history.merges, uuid)
    assert d.members(entries, uuid) | merging.reach(history, uuid) <= found <= d.uuids(entries)
    assert [history.log[position].uuid for position in merging.held_positions(history, uuid)] == [
        entry.uuid for entry in d.keep(entries, found)
    ]
    assert merging.held(History(history.log), uuid) == d.members(entries, uuid)


@given(merges())
def test_merge_holds_exactly_both(given: tuple[History, Entry, Id]) -> None:
    history, made, source = given
    after, head = merged(history, made, source)
    both = merging.held(history, made.parent) | merging.held(history, source)
    assert merging.held(after, head) == both | (set() if after is history else d.members(tuple(after.log), "new"))
    if needs_nothing_else(history.log, made.parent, made):
        assert merging.held(after, head) - {"new"} == both


@given(merges())
def test_no_entry_of_either_branch_is_lost(given: tuple[History, Entry, Id]) -> None:
    history, made, source = given
    entries = tuple(history.log)
    after, head = merged(history, made, source)
    held = merging.held(after, head)
    for entry in d.keep(entries, d.members(entries, made.parent) | d.members(entries, source)):
        assert entry.uuid in held
        assert after.log.entry(entry.uuid) == entry
        assert after.log.position(entry.uuid) == d.index_of(entries, entry.uuid)


@st.composite
def linear_pairs(draw: st.DrawFn) -> tuple[d.Entries, d.Entries]:
    """Two linear histories that begin alike and may part."""

    def line(*uuids: str) -> d.Entries:
        return tuple(Entry(uuid, uuids[at - 1] if at else None) for at, uuid in enumerate(uuids))

    shared = list("pqr")[: draw(st.integers(0, 2))]
    return line(*shared, *"ab"[: draw(st.integers(0, 2))]), line(*shared, *"cd"[: draw(st.integers(0, 2))])


@given(linear_pairs())
def test_linear_history_keeps_both_exactly(pair: tuple[d.Entries, d.Entries]) -> None:
    a, b = pair
    assert forks.linear(a)
    assert forks.linear(b)
    whole = {entry.uuid: entry for entry in (*a, *b)}.values()
    possible = any(map(forks.linear, permutations(whole)))
    assert possible == (a[: len(b)] == b or b[: len(a)] == a)


def test_interleaving_keeps_not_both() -> None:
    """The seed's formula: two branches after one prompt, in one line."""
    prompt, left, right = Entry("p"), Entry("a", "p"), Entry("b", "p")
    assert forks.linear([prompt, left])
    assert forks.linear([prompt, right])
    assert not any(map(forks.linear, permutations([prompt, left, right])))


@given(branches(), st.sampled_from(Mode))
def test_quoted_exactly(given: Branches, mode: Mode) -> None:
    history, target, source, _ = given
    entries = tuple(history.log)
    beside = d.held(entries, history.merges, source) - d.held(entries, history.merges, target)
    found = merging.quoted(history, mode, target, source)
    assert found == (d.keep(entries, beside) if mode is Mode.FULL else ())
    assert demanded.quoted(history, mode, target, source) == found
    if source in merging.reach(history, target):
        assert found == ()


@given(branches())
def test_quoted_once_from_the_left_and_again_from_the_right(given: Branches) -> None:
    history, a, b, c = given
    assume(d.settled(tuple(history.log), a) and d.settled(tuple(history.log), b))

    def quoted(now: History, target: Id, source: Id) -> frozenset[Id]:
        return d.uuids(merging.quoted(now, Mode.FULL, target, source))

    held = {each: merging.held(history, each) for each in (a, b, c)}
    beside = (held[b] | held[c]) - held[a]
    between, middle = merged(history, node("between", a), b)
    first, second = quoted(history, a, b), quoted(between, middle, c)
    assert not first & second
    assert first | second == beside
    between, middle = merged(history, node("between", b), c)
    first, second = quoted(history, b, c), quoted(between, a, middle)
    assert second - {"between"} == beside
    assert first & second == held[c] - held[b] - held[a]
    assert ("between" in second) == (between is not history)


def test_quoted_twice_from_the_right() -> None:
    history = History(Log([Entry("p"), Entry("a", "p"), Entry("b", "p"), Entry("c", "p")]))
    left = merging.merge(history, node("n", "a"), "b")
    assert [entry.uuid for entry in merging.quoted(history, Mode.FULL, "a", "b")] == ["b"]
    assert [entry.uuid for entry in merging.quoted(left, Mode.FULL, "n", "c")] == ["c"]
    right = merging.merge(history, node("n", "b"), "c")
    assert [entry.uuid for entry in merging.quoted(history, Mode.FULL, "b", "c")] == ["c"]
    assert [entry.uuid for entry in merging.quoted(right, Mode.FULL, "a", "n")] == ["b", "c", "n"]


@given(pairs_of_files(), st.data())
def test_nothing_of_two_files_is_lost(pair: tuple[Log, Log], data: st.DataObject) -> None:
    a, b = pair
    brought = [entry.uuid for entry in b if entry.uuid not in a]
    assume(len(a) and brought and merging.agree(a, b))
    target, source = data.draw(st.sampled_from([entry.uuid for entry in a])), data.draw(st.sampled_from(brought))
    both = merging.union(a, b)
    after, head = merged(History(both), node("new", target), source)
    assert tuple(after.log)[: len(a)] == tuple(a)
    assert d.members(tuple(b), source) <= d.members(tuple(both), source)
    held = merging.held(after, head)
    for file, at in ((tuple(a), target), (tuple(b), source)):
        for entry in d.keep(file, d.members(file, at)):
            assert entry.uuid in held
            assert after.log.entry(entry.uuid) == entry


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


@given(pairs_of_files())
def test_union_is_well_formed(pair: tuple[Log, Log]) -> None:
    a, b = pair
    both = tuple(merging.union(a, b))
    assert both == d.union(tuple(a), tuple(b))
    assert merging.news(a, b) == both[len(a) :]
    assert d.well_formed(both)
    assert d.uuids(both) == d.uuids(a) | d.uuids(b)
    if merging.agree(a, b):
        assert tuple(forkpoint.union(a, b)) == both


@given(triples_of_files())
def test_union_is_associative_and_idempotent(three: tuple[Log, Log, Log]) -> None:
    a, b, c = three
    both = merging.union(a, b)
    assert merging.union(both, c) == merging.union(a, merging.union(b, c))
    assert merging.union(a, a) == a
    assert merging.union(both, b) == merging.union(both, a) == both


@given(pairs_of_files())
def test_union_loses_nothing_exactly_if_they_agree(pair: tuple[Log, Log]) -> None:
    a, b = pair
    there, here = list(merging.union(a, b)), list(merging.union(b, a))
    alike = d.agree(tuple(a), tuple(b))
    assert merging.agree(a, b) == merging.agree(b, a) == alike
    assert all(entry in there for entry in b) == alike
    assert (all(entry in here for entry in there) and all(entry in there for entry in here)) == alike
    assert all(entry in there for entry in a)
    assert all(entry in [*a, *b] for entry in there)


@given(pairs_of_files())
def test_union_keeps_the_first_file(pair: tuple[Log, Log]) -> None:
    a, b = pair
    both = merging.union(a, b)
    assert tuple(both)[: len(a)] == tuple(a)
    for entry in a:
        assert ancestries.ancestry(both, entry.uuid) == d.ancestry(tuple(a), entry.uuid)
        assert contexts.context(both, entry.uuid) == d.context(tuple(a), entry.uuid)


@given(pairs_of_files())
def test_second_file_stands_in_union_exactly(pair: tuple[Log, Log]) -> None:
    a, b = pair
    kept = d.keep(tuple(merging.union(a, b)), d.uuids(b))
    assert (kept == tuple(b)) == merging.parts_from(b, a) == d.parts_from(tuple(b), tuple(a))


@given(pairs_of_files())
def test_union_keeps_contexts_of_the_second_file_exactly(pair: tuple[Log, Log]) -> None:
    a, b = pair
    assume(merging.parts_from(b, a))
    both = merging.union(a, b)
    for entry in b:
        assert ancestries.ancestry(both, entry.uuid) == d.ancestry(tuple(b), entry.uuid)
        closed = d.closed(d.as_of(tuple(both), entry.uuid), d.members(tuple(b), entry.uuid))
        assert (contexts.context(both, entry.uuid) == d.context(tuple(b), entry.uuid)) == closed


@given(logs_and_points(), st.lists(st.booleans(), max_size=3))
def test_settled_fork_comes_back(at: tuple[Log, Id], kinds: list[bool]) -> None:
    log, uuid = at
    assume(d.settled(tuple(log), uuid))
    made = forks.fork(log, uuid)
    for number, speaks in enumerate(kinds):
        kind, message, blocks = (A, "new", (Use("new"),)) if speaks else (Kind.USER, None, (Result("new"),))
        made = made.append(Entry(f"new{number}", made[-1].uuid, kind=kind, message=message, blocks=blocks))
    both = merging.union(log, made)
    assert tuple(both) == (*log, *list(made)[len(made) - len(kinds) :])
    for entry in made:
        assert contexts.context(both, entry.uuid) == d.context(tuple(made), entry.uuid)


@given(logs_and_points(), st.data())
def test_union_keeps_context_of_continued_fork_exactly(at: tuple[Log, Id], data: st.DataObject) -> None:
    log, uuid = at
    entry = data.draw(additions(log))._replace(parent=uuid)
    made = forks.fork(log, uuid).append(entry)
    both = merging.union(log, made)
    assert tuple(both) == (*log, entry)
    same = contexts.context(both, "new") == contexts.context(made, "new")
    assert same == needs_nothing_else(log, uuid, entry)


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
