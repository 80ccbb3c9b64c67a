"""Chapter 12: drops, stubs, compaction, and the sub-agents that are hidden with their turn."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import forkpoint
from forkpoint.contracts import rewriting as contracted
from forkpoint.core import ancestries, balance, contexts, rewriting
from forkpoint.core.entries import DuplicateUuid, Entry, Id, Kind, Log, Opaque, Result, UnknownEntry, Use
from forkpoint.core.rewriting import Callers, CoveredEntry, NoSuchPlace, NotARoot, Notes, Pair
from forkpoint.laws import definitions as d
from strategies import logs, logs_and_points
from strategies_rewriting import STUB, called, chains, covered_logs, covers, notes, stubs, survivors

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


@slow
@given(covered_logs())
def test_rewriting_is_what_the_model_says(at: tuple[Log, frozenset[Id]]) -> None:
    log, covered = at
    entries = tuple(log)
    assert tuple(contracted.drop(log, covered)) == d.drop(entries, covered)
    heirs = [log[heir].uuid if heir >= 0 else None for heir in rewriting.heir_positions(log, covered)]
    assert heirs == [d.heir(entries, covered, entry.uuid) for entry in log]
    assert (contracted.separated(log, covered) is None) == d.whole(entries, covered)
    assert (contracted.separated_call(log, covered) is None) == d.whole_for_tools(entries, covered)
    assert (contracted.unrooted(log, covered) is None) == d.rooted(entries, covered)


@given(covered_logs())
def test_drop_is_well_formed(at: tuple[Log, frozenset[Id]]) -> None:
    log, covered = at
    assert d.well_formed(tuple(rewriting.drop(log, covered)))


@given(covered_logs())
def test_drop_holds_exactly_the_rest(at: tuple[Log, frozenset[Id]]) -> None:
    log, covered = at
    left = rewriting.drop(log, covered)
    assert uuids(left) == [entry.uuid for entry in log if entry.uuid not in covered]
    for entry in left:
        assert entry._replace(parent=None) == log.entry(entry.uuid)._replace(parent=None)


@given(covered_logs())
def test_heir_is_nearest_surviving_ancestor(at: tuple[Log, frozenset[Id]]) -> None:
    log, covered = at
    left = rewriting.drop(log, covered)
    for entry in left:
        above = [old.uuid for old in d.ancestry(tuple(log), entry.uuid)[:-1] if old.uuid not in covered]
        assert entry.parent == (above[-1] if above else None)


@given(survivors())
def test_ancestry_after_drop(at: At) -> None:
    log, covered, uuid = at
    left = rewriting.drop(log, covered)
    way = [old.uuid for old in d.ancestry(tuple(log), uuid) if old.uuid not in covered]
    assert uuids(ancestries.ancestry(left, uuid)) == way


@given(covered_logs(), st.data())
def test_drops_are_one_drop_and_commute(at: tuple[Log, frozenset[Id]], data: st.DataObject) -> None:
    log, one = at
    two = data.draw(covers(log))
    both = rewriting.drop(log, one | two)
    assert rewriting.drop(rewriting.drop(log, one), two) == both
    assert rewriting.drop(rewriting.drop(log, two), one) == both


@given(logs())
def test_covering_nothing_changes_nothing(log: Log) -> None:
    assert rewriting.drop(log, frozenset()) is log
    assert rewriting.drop(log, frozenset({"elsewhere"})) is log
    assert rewriting.drop_with_stub(log, frozenset({"elsewhere"}), STUB) is log


@given(survivors())
def test_drop_adds_no_members(at: At) -> None:
    log, covered, uuid = at
    assert contexts.members(rewriting.drop(log, covered), uuid) <= d.members(tuple(log), uuid) - covered


@slow
@given(survivors())
def test_context_after_drop_exactly(at: At) -> None:
    log, covered, uuid = at
    left = rewriting.drop(log, covered)
    found = contracted.lost(log, covered, uuid)
    same = contexts.context(left, uuid) == d.drop(d.context(tuple(log), uuid), covered)
    assert (found is None) == same == d.exits(tuple(log), covered, uuid)
    if found is not None:
        own = d.members(tuple(log), uuid)
        assert found.covered in own & covered
        assert found.left in own - covered - contexts.members(left, uuid)
        assert d.needs(log.entry(found.covered), log.entry(found.left))


@given(survivors())
def test_whole_and_rooted_has_exits(at: At) -> None:
    log, covered, uuid = at
    context = contexts.context(log, uuid)
    if rewriting.separated(context, covered) is None and rewriting.unrooted(context, covered) is None:
        assert rewriting.lost(log, covered, uuid) is None


@given(survivors())
def test_whole_and_rooted_in_context(at: At) -> None:
    log, covered, uuid = at
    context = contexts.context(log, uuid)
    for check in (rewriting.separated, rewriting.separated_call, rewriting.unrooted):
        assert check(log, covered) is not None or check(context, covered) is None


# ---- balance, cuts and steps


@given(st.one_of(chains(), logs()), st.data())
def test_balanced_after_drop_exactly(log: Log, data: st.DataObject) -> None:
    context = contexts.context(log, log[-1].uuid)
    covered = data.draw(covers(log))
    assume(balance.balanced(context))
    left = rewriting.drop(Log(context), covered)
    assert balance.balanced(left) == (rewriting.separated_call(context, covered) is None)


@given(st.one_of(chains(), logs()), st.data())
def test_whole_drop_takes_its_calls_out(log: Log, data: st.DataObject) -> None:
    covered = data.draw(covers(log))
    books = balance.run(balance.BLANK, log)
    assume(books is not None and rewriting.separated_call(log, covered) is None)
    hidden = frozenset().union(*(d.tools_of(entry) for entry in log if entry.uuid in covered))
    left = balance.run(balance.BLANK, rewriting.drop(log, covered))
    assert left == balance.Books(books.out - hidden, books.made - hidden)


@slow
@given(st.one_of(chains(), logs()))
def test_cuts_are_what_the_model_says(log: Log) -> None:
    assert contracted.cuts(log) == [place for place in range(len(log) + 1) if d.is_cut(tuple(log), place)]
    assert contracted.steps(log) == list(pairwise(rewriting.cuts(log)))


@given(st.one_of(chains(), logs()), st.data())
def test_span_between_cuts_is_whole_and_keeps_balance(log: Log, data: st.DataObject) -> None:
    found = rewriting.cuts(log)
    start, end = sorted((data.draw(st.sampled_from(found)), data.draw(st.sampled_from(found))))
    covered = rewriting.span(log, start, end)
    assert covered == d.uuids(tuple(log)[start:end])
    if balance.sound(log):
        assert d.whole(tuple(log), covered)
    if balance.balanced(log):
        assert balance.balanced(rewriting.drop(log, covered))


@given(st.one_of(chains(), logs()))
def test_each_entry_has_its_step(log: Log) -> None:
    found = rewriting.steps(log)
    last = rewriting.cuts(log)[-1]
    assert all(d.is_step(tuple(log), start, end) and rewriting.span(log, start, end) for start, end in found)
    for position in range(last):
        assert sum(start <= position < end for start, end in found) == 1
    assert not balance.balanced(log) or last == len(log)


@slow
@given(survivors())
def test_legal_after_drop_exactly(at: At) -> None:
    log, covered, uuid = at
    assume(rewriting.lost(log, covered, uuid) is None)
    left = rewriting.drop(log, covered)
    separates = rewriting.separated_call(contexts.context(log, uuid), covered) is not None
    if d.resumable(tuple(log), uuid):
        assert balance.resumable(left, uuid) == (not separates)
    if d.legal(tuple(log), uuid):
        assert balance.legal(left, uuid) == (not separates)


@slow
@given(covered_logs())
def test_legal_points_outside_stay_legal(at: tuple[Log, frozenset[Id]]) -> None:
    log, covered = at
    assume(rewriting.separated(log, covered) is None and rewriting.unrooted(log, covered) is None)
    left = rewriting.drop(log, covered)
    for entry in left:
        assert contexts.context(left, entry.uuid) == d.drop(d.context(tuple(log), entry.uuid), covered)
        assert balance.resumable(left, entry.uuid) or not d.resumable(tuple(log), entry.uuid)
        assert balance.legal(left, entry.uuid) or not d.legal(tuple(log), entry.uuid)


# ---- stubs


@given(covered_logs(), st.data())
def test_drop_with_stub_is_drop_and_stub(at: tuple[Log, frozenset[Id]], data: st.DataObject) -> None:
    log, covered = at
    stub = data.draw(stubs(log))
    made = contracted.drop_with_stub(log, covered, stub)
    assert tuple(made) == d.drop_with_stub(tuple(log), covered, stub)
    assert d.well_formed(tuple(made))
    assert rewriting.drop(made, frozenset({"stub"})) == rewriting.drop(log, covered)
    if covered & d.uuids(log):
        first = next(entry for entry in log if entry.uuid in covered)
        assert made.entry("stub") == stub._replace(parent=first.parent)
        assert d.uuids(made) == d.uuids(log) - covered | {"stub"}


@given(covered_logs(), st.data())
def test_silent_stub_keeps_books(at: tuple[Log, frozenset[Id]], data: st.DataObject) -> None:
    log, covered = at
    made = rewriting.drop_with_stub(log, covered, STUB)
    if covered & d.uuids(log):
        assert balance.run(balance.BLANK, made) == balance.run(balance.BLANK, rewriting.drop(log, covered))
    if balance.balanced(log):
        assert balance.balanced(made) == (rewriting.separated_call(log, covered) is None)


@given(logs(), st.data())
def test_drops_with_stubs_commute(log: Log, data: st.DataObject) -> None:
    one = data.draw(covers(log))
    two = data.draw(covers(log)) - one
    x, y = data.draw(stubs(log)), data.draw(stubs(log))._replace(uuid="stub too")
    there = rewriting.drop_with_stub(rewriting.drop_with_stub(log, one, x), two, y)
    assert there == rewriting.drop_with_stub(rewriting.drop_with_stub(log, two, y), one, x)


@slow
@given(covered_logs())
def test_context_after_drop_with_stub(at: tuple[Log, frozenset[Id]]) -> None:
    log, covered = at
    assume(rewriting.separated(log, covered) is None and rewriting.unrooted(log, covered) is None)
    made = rewriting.drop_with_stub(log, covered, STUB)
    for entry in log:
        if entry.uuid not in covered:
            before = d.context(tuple(log), entry.uuid)
            assert contexts.context(made, entry.uuid) == d.drop_with_stub(before, covered, STUB)
            if not covered & d.uuids(before):
                assert contexts.context(made, entry.uuid) == before


@given(logs(), st.data())
def test_compact_is_well_formed(log: Log, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, len(log)))
    made = contracted.compact(log, count, data.draw(stubs(log)))
    assert d.well_formed(tuple(made))
    assert uuids(made) == ["stub", *uuids(log)[count:]]
    assert made[0].parent is None
    for new, old in zip(tuple(made)[1:], tuple(log)[count:], strict=True):
        assert new == old._replace(parent="stub" if old.parent in uuids(log)[:count] else old.parent)


@slow
@given(st.one_of(chains(), logs()), st.data())
def test_legal_points_stay_legal_with_stub(log: Log, data: st.DataObject) -> None:
    covered = data.draw(covers(log))
    assume(rewriting.separated(log, covered) is None and rewriting.unrooted(log, covered) is None)
    made = contracted.drop_with_stub(log, covered, STUB)
    for entry in log:
        if entry.uuid not in covered:
            assert balance.resumable(made, entry.uuid) or not d.resumable(tuple(log), entry.uuid)
            assert balance.legal(made, entry.uuid) or not d.legal(tuple(log), entry.uuid)


def test_a_call_and_its_answer_leave_a_stub() -> None:
    call, answer = Entry("a", "p", kind=A, message="m", blocks=(Use("t"),)), Entry("b", "a", blocks=(Result("t"),))
    log = Log([Entry("p"), call, answer, Entry("c", "b", kind=A, message="n")])
    assert balance.legal(contracted.drop_with_stub(log, frozenset("ab"), STUB), "c")
    assert not balance.legal(contracted.drop_with_stub(log, frozenset("a"), STUB), "c")


@given(chains(), st.data())
def test_compact_keeps_balance_exactly(log: Log, data: st.DataObject) -> None:
    last = max(place for place in range(len(log) + 1) if d.paired_by_id_and_order(d.blocks(tuple(log)[:place])))
    assume(last > 0)
    log = Log(tuple(log)[:last])
    count = data.draw(st.integers(0, len(log)))
    made = contracted.compact(log, count, STUB)
    assert balance.balanced(made) == d.paired_by_id_and_order(d.blocks(tuple(log)[:count]))


@given(logs(), st.data())
def test_compact_is_drop_of_prefix_exactly(log: Log, data: st.DataObject) -> None:
    count = data.draw(st.integers(1, len(log)))
    made = rewriting.compact(log, count, STUB)
    found = contracted.stray(log, count)
    assert (made == rewriting.drop_with_stub(log, rewriting.span(log, 0, count), STUB)) == (found is None)
    if found is not None:
        above = log.entry(found).parent
        assert above is not None
        assert log.position(above) < count <= log.position(found)
        assert d.ancestry(tuple(log), above)[0] != log[0]


@given(logs_and_points(), st.data())
def test_compact_is_drop_of_one_rooted_prefix(at: tuple[Log, str], data: st.DataObject) -> None:
    log = Log(contexts.context(*at))
    roots = [position for position, entry in enumerate(log) if entry.parent is None]
    count = data.draw(st.integers(1, len(log)))
    if len(roots) == 1 or count <= roots[1]:
        assert rewriting.stray(log, count) is None
        assert rewriting.compact(log, count, STUB) == rewriting.drop_with_stub(log, d.uuids(tuple(log)[:count]), STUB)
    else:
        longer = log.append(Entry("new", log[roots[1]].uuid))
        prefix = len(log)
        assert rewriting.stray(longer, prefix) == "new"
        assert rewriting.compact(longer, prefix, STUB) != rewriting.drop_with_stub(longer, d.uuids(log), STUB)


@slow
@given(covered_logs(), st.data())
def test_stub_rule_exactly(at: tuple[Log, frozenset[Id]], data: st.DataObject) -> None:
    log, covered = at
    known = data.draw(notes(log))
    left = d.drop(tuple(log), covered)
    found = contracted.stub_reasons(log, covered, known)
    effects_are_left = all(e.uuid in d.uuids(left) for e in log if d.uses_of(e) & known.effects)
    references_are_left = all(uuid in d.uuids(left) for e in left for uuid in known.refers.get(e.uuid, ()) if uuid in log)
    decisions_stand = all(
        uuids(d.as_of(left, e.uuid)) == uuids(d.as_of(tuple(log), e.uuid)) for e in left if e.uuid in known.decisions
    )
    assert [reason is None for reason in found] == [effects_are_left, references_are_left, decisions_stand]
    if found.effect is not None:
        assert found.effect in covered
        assert d.uses_of(log.entry(found.effect)) & known.effects
    if found.reference is not None:
        assert found.reference.covered in known.refers[found.reference.left]
    if found.decision is not None:
        assert log.position(found.decision.covered) < log.position(found.decision.left)


# ---- sub-agents


@given(called(), st.data())
def test_sub_agents_are_hidden_with_their_turn(at: tuple[Log, Callers], data: st.DataObject) -> None:
    log, callers = at
    covered = data.draw(covers(log))
    hidden = contracted.with_threads(log, callers, covered)
    assert hidden == d.with_threads(tuple(log), callers, covered)
    assert covered <= hidden <= d.uuids(log) | covered
    for root, caller in callers.items():
        assert caller not in hidden or rewriting.thread(log, root) <= hidden


@given(called(), st.data())
def test_sub_agents_of_survivors_survive(at: tuple[Log, Callers], data: st.DataObject) -> None:
    log, callers = at
    covered = data.draw(covers(log))
    hidden = rewriting.with_threads(log, callers, covered)
    for root, caller in callers.items():
        own = d.thread(tuple(log), root)
        if caller not in hidden and not own & covered:
            assert not own & hidden


@given(called(), st.data())
def test_running_sub_agents_are_not_hidden(at: tuple[Log, Callers], data: st.DataObject) -> None:
    log, callers = at
    covered = data.draw(covers(log))
    running = frozenset(root for root in callers if data.draw(st.booleans()))
    stops = contracted.hidden_running(log, callers, running, covered)
    hidden = rewriting.with_threads(log, callers, covered)
    for root in running:
        assert callers[root] not in covered or root in stops
        if not stops:
            assert callers[root] not in hidden
            assert root in rewriting.drop(log, hidden)
            own = d.thread(tuple(log), root)
            assert own & covered or own <= d.uuids(rewriting.drop(log, hidden))


@given(called())
def test_promoted_keeps_its_own(at: tuple[Log, Callers]) -> None:
    log, _ = at
    for root in (entry.uuid for entry in log if entry.parent is None):
        made = contracted.promote(log, root)
        assert tuple(made) == d.keep(tuple(log), d.thread(tuple(log), root))
        for entry in made:
            assert entry is log.entry(entry.uuid)
            assert ancestries.ancestry(made, entry.uuid) == d.ancestry(tuple(log), entry.uuid)


@slow
@given(called())
def test_promoted_keeps_context_exactly(at: tuple[Log, Callers]) -> None:
    log, _ = at
    for root in (entry.uuid for entry in log if entry.parent is None):
        made = rewriting.promote(log, root)
        for uuid in uuids(made):
            same = contexts.context(made, uuid) == d.context(tuple(log), uuid)
            assert same == d.closed(d.as_of(tuple(log), uuid), contexts.members(made, uuid))


@slow
@given(called(), st.data())
def test_hidden_threads_change_no_context_beside(at: tuple[Log, Callers], data: st.DataObject) -> None:
    log, callers = at
    covered = data.draw(st.one_of(covers(log), st.sampled_from([frozenset({uuid}) for uuid in uuids(log)])))
    hidden = rewriting.with_threads(log, callers, covered)
    left = rewriting.drop(log, hidden)
    for entry in log:
        if entry.uuid not in covered:
            context = contexts.context(log, entry.uuid)
            beside = not (hidden - covered) & d.uuids(context)
            if beside and rewriting.separated(context, covered) is None and rewriting.unrooted(context, covered) is None:
                assert contexts.context(left, entry.uuid) == d.drop(context, covered)


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
