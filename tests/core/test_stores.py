"""Chapter 14: P5 append-only, and one machine that does everything to a store and checks everything after."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

import forkpoint
from forkpoint.core import balance, contexts
from forkpoint.core.entries import Entry, Log
from forkpoint.core.overlays import Overlay
from forkpoint.core.rendering import Preserved
from forkpoint.core.stores import (
    DoAppend,
    DoBackfill,
    DoCheckout,
    DoCompaction,
    DoExport,
    DoFork,
    DoForkPrefix,
    DoMerge,
    DoRecord,
    DoRestamp,
    DoUnion,
    NotEnabled,
    Operation,
    Session,
    Store,
    append_only,
    apply,
    apply_all,
    enabled,
    export_session,
    extends,
)
from forkpoint.core.trims import Face
from forkpoint.laws import definitions as d
from strategies import logs_and_points, schemas, small_logs
from strategies_laws import holds
from strategies_stores import WHOLE, operations

test_laws = holds("stores", share=4)


def test_apply_refuses_what_is_not_enabled() -> None:
    store = Store({"a": Session(Log([Entry("x")]))})
    nothing = Overlay(frozenset(), 0)
    for operation in (
        DoAppend("b", Entry("y")),
        DoAppend("a", Entry("x")),
        DoAppend("a", Entry("y", "nowhere")),
        DoFork("a", "nowhere", "new"),
        DoFork("a", "x", "a"),
        DoForkPrefix("b", "x", "new"),
        DoBackfill("a", forkpoint.Schema(()), "a"),
        DoRestamp("a", {}, "a"),
        DoRestamp("b", {}, "c"),
        DoCompaction("a", Entry("y", "x"), Preserved("y", ())),
        DoRecord("a", Entry("y"), nothing),
        DoRecord("a", Entry("y", "x"), nothing._replace(covered=frozenset({"z"}))),
        DoRecord("a", Entry("y", "x"), nothing._replace(supersedes="x")),
        DoMerge("a", Entry("y"), "x"),
        DoMerge("a", Entry("y", "x"), "nowhere"),
        DoUnion("a", "b"),
        DoCheckout("a", "nowhere"),
        DoExport("a", "nowhere", "new"),
        DoExport("a", "x", "a"),
    ):
        assert not enabled(store, operation)
        for act in (lambda one: forkpoint.apply(store, one), lambda one: apply_all(store, [one]), lambda one: apply(store, one)):
            with pytest.raises(NotEnabled, match=r"^the store cannot do Do.*there already$") as caught:
                act(operation)
            assert caught.value.operation is operation


def test_export_refuses_where_nothing_is_left() -> None:
    says = Overlay(frozenset({"x"}), 0)
    covered = Session(Log([Entry("x"), Entry("y", "x")]), sayings={"y": says})
    again = covered._replace(sayings={"y": says._replace(stub=Entry("x"))})
    for session in (covered, again):
        assert not enabled(Store({"a": session}), DoExport("a", "y", "new"))
    with pytest.raises(forkpoint.UnknownEntry, match="no entry of the log has the uuid 'y'"):
        export_session(covered, "y")


class StoreMachine(RuleBasedStateMachine):
    """Every operation in any order; after each step every theorem is checked on every session."""

    @initialize(log=small_logs(5))
    def begin(self, log: Log) -> None:
        self.store = Store({0: Session(log)})
        self.history = [self.store]
        self.contexts = {(0, e.uuid): d.context(tuple(log), e.uuid) for e in log}
        self.steps = 0

    @rule(data=st.data())
    def operate(self, data: st.DataObject) -> None:
        self.steps += 1
        operation = data.draw(operations(self.store, len(self.store)))
        if isinstance(operation, DoAppend | DoCompaction | DoRecord | DoMerge):
            part = next(name for name in ("entry", "boundary", "record", "node") if hasattr(operation, name))
            operation = replace(operation, **{part: getattr(operation, part)._replace(uuid=f"n{self.steps}")})
        after = apply(self.store, operation)
        for key, session in after.items():
            for entry in session.log:
                self.contexts.setdefault((key, entry.uuid), contexts.context(session.log, entry.uuid))
        self.store = after
        self.history.append(after)

    @invariant()
    def every_theorem(self) -> None:
        for before in self.history[-2:]:
            assert append_only(before, self.store)
        assert extends(self.store[0], self.history[0][0])
        for key, session in self.store.items():
            log, entries = session.log, tuple(session.log)
            assert d.well_formed(entries)
            survey = balance.survey(log)
            for position, entry in enumerate(log):
                assert contexts.context(log, entry.uuid) == self.contexts[key, entry.uuid]
                assert survey.settled[position] == d.settled(entries, entry.uuid)
                assert survey.legal[position] == d.legal(entries, entry.uuid)
                before = self.history[max(0, len(self.history) - 2)].get(key)
                if before is not None and entry.uuid in before.log:
                    new = entries[len(before.log) :]
                    held = d.context(tuple(before.log), entry.uuid)
                    untouched = not any(d.needs(a, b) for a in held for b in new)
                    assert survey.legal[position] == (d.legal(tuple(before.log), entry.uuid) and untouched)


@given(logs_and_points(), schemas(), st.data())
def test_a_history_can_be_cut_anywhere(at: tuple[Log, str], schema: forkpoint.Schema, data: st.DataObject) -> None:
    """P5.6: its first part and then its second part, or no part of it."""
    log, uuid = at
    every: list[Operation] = [DoFork("a", uuid, "b"), DoBackfill("b", schema, "c"), DoForkPrefix("c", uuid, "a")]
    history = data.draw(st.permutations(every))
    place = data.draw(st.integers(0, len(history)))

    def parts() -> Store:
        return apply_all(apply_all(Store({"a": Session(log)}), history[:place]), history[place:])

    try:
        whole = apply_all(Store({"a": Session(log)}), history)
    except NotEnabled:
        with pytest.raises(NotEnabled):
            parts()
    else:
        assert parts() == whole


def test_history_keeps_everything() -> None:
    run_state_machine_as_test(StoreMachine, settings=settings(max_examples=20, stateful_step_count=8, deadline=None))


def test_a_session_extends_one_whose_entries_and_what_stands_beside_them_it_keeps() -> None:
    log = Log([Entry("a"), Entry("b", "a")])
    nothing = Overlay(frozenset(), 0)
    past = Session(log, {"a": Preserved("a", ())}, {"b": nothing}, {"b": "a"}, {"b": {"a": Face((), {})}}, "b")
    more = past._replace(log=log.append(Entry("c", "b")), head="c", merges={"b": "a", "c": "a"})
    assert extends(more, past)
    assert not extends(past, more)
    for other in (
        more._replace(log=Log([Entry("a"), Entry("x", "a"), Entry("c", "a")])),
        more._replace(preserved={}),
        more._replace(preserved={"a": Preserved("b", ())}),
        more._replace(preserved={**past.preserved, "b": Preserved("a", ())}),
        more._replace(sayings={}),
        more._replace(sayings={"b": Overlay(frozenset("a"), 0)}),
        more._replace(merges={}),
        more._replace(merges={"b": "b"}),
        more._replace(trims={}),
        more._replace(trims={"b": {"a": Face((), {"said": "short"})}}),
    ):
        assert not extends(other, past)


def test_a_session_that_goes_on_has_all_that_it_had() -> None:
    more = WHOLE._replace(log=Log([*WHOLE.log, Entry("z", "m")]), sayings={**WHOLE.sayings, "z": Overlay(frozenset({"r"}), 0)})
    assert d.continues(WHOLE, WHOLE)
    assert d.continues(more, WHOLE)
    assert not d.continues(WHOLE, more)
    assert not d.continues(WHOLE._replace(log=Log([Entry("q"), *WHOLE.log])), WHOLE)
    assert not d.continues(WHOLE._replace(log=Log([Entry("p"), Entry("b"), Entry("r", "p"), Entry("m", "r")])), WHOLE)
    for other in (
        {"preserved": {}}, {"sayings": {}}, {"trims": {}},
        {"merges": {}}, {"merges": {"m": "b"}}, {"merges": {"m": "p", "p": "p"}},
    ):  # fmt: skip
        assert not d.continues(WHOLE._replace(**other), WHOLE)
