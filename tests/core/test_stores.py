"""Chapter 9: P5 append-only, and one machine that does everything to a store and checks everything after."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

import forkpoint
from forkpoint.core import balance, contexts
from forkpoint.core.entries import Entry, Log
from forkpoint.core.stores import (
    DoAppend,
    DoBackfill,
    DoFork,
    DoForkPrefix,
    NotEnabled,
    Operation,
    Store,
    append_only,
    apply,
    apply_all,
    enabled,
    extends,
)
from forkpoint.laws import definitions as d
from strategies import additions, logs, logs_and_points, schemas
from strategies_laws import holds

test_laws = holds("stores")


def test_apply_refuses_what_is_not_enabled() -> None:
    store = Store({"a": Log([Entry("x")])})
    for operation in (
        DoAppend("b", Entry("y")),
        DoAppend("a", Entry("x")),
        DoAppend("a", Entry("y", "nowhere")),
        DoFork("a", "nowhere", "new"),
        DoFork("a", "x", "a"),
        DoForkPrefix("b", "x", "new"),
        DoBackfill("a", forkpoint.Schema(()), "a"),
    ):
        assert not enabled(store, operation)
        for act in (lambda one: forkpoint.apply(store, one), lambda one: apply_all(store, [one]), lambda one: apply(store, one)):
            with pytest.raises(NotEnabled, match=r"^the store cannot do Do.*there already$") as caught:
                act(operation)
            assert caught.value.operation is operation


class StoreMachine(RuleBasedStateMachine):
    """Appends, forks and backfills in any order; after each step every theorem is checked on every log."""

    @initialize(log=logs())
    def begin(self, log: Log) -> None:
        self.store = Store({0: log})
        self.history = [self.store]
        self.contexts = {(0, e.uuid): d.context(tuple(log), e.uuid) for e in log}
        self.names = 0

    def do(self, operation: Operation) -> None:
        after = apply(self.store, operation)
        for key, log in after.items():
            for entry in log:
                self.contexts.setdefault((key, entry.uuid), contexts.context(log, entry.uuid))
        self.store = after
        self.history.append(after)

    def pick(self, data: st.DataObject) -> tuple[int, Log, str]:
        key = data.draw(st.sampled_from(range(len(self.store))))
        log = self.store[key]
        return key, log, str(data.draw(st.sampled_from(list(log))).uuid)

    @rule(data=st.data())
    def append(self, data: st.DataObject) -> None:
        key, log, _ = self.pick(data)
        self.names += 1
        self.do(DoAppend(key, data.draw(additions(log))._replace(uuid=f"n{self.names}")))

    @rule(data=st.data(), prefix=st.booleans())
    def fork(self, data: st.DataObject, prefix: bool) -> None:
        key, _, uuid = self.pick(data)
        made = DoForkPrefix if prefix else DoFork
        self.do(made(key, uuid, len(self.store)))

    @rule(data=st.data(), schema=schemas())
    def backfill(self, data: st.DataObject, schema: forkpoint.Schema) -> None:
        key, _, _ = self.pick(data)
        self.do(DoBackfill(key, schema, len(self.store)))

    @invariant()
    def every_theorem(self) -> None:
        for before in self.history[-2:]:
            assert append_only(before, self.store)
        assert extends(self.store[0], self.history[0][0])
        for key, log in self.store.items():
            entries = tuple(log)
            assert d.well_formed(entries)
            survey = balance.survey(log)
            for position, entry in enumerate(log):
                assert contexts.context(log, entry.uuid) == self.contexts[key, entry.uuid]
                assert survey.settled[position] == d.settled(entries, entry.uuid)
                assert survey.legal[position] == d.legal(entries, entry.uuid)
                before = self.history[max(0, len(self.history) - 2)].get(key)
                if before is not None and entry.uuid in before:
                    new = entries[len(before) :]
                    held = d.context(tuple(before), entry.uuid)
                    untouched = not any(d.needs(a, b) for a in held for b in new)
                    assert survey.legal[position] == (d.legal(tuple(before), entry.uuid) and untouched)


@given(logs_and_points(), schemas(), st.data())
def test_a_history_can_be_cut_anywhere(at: tuple[Log, str], schema: forkpoint.Schema, data: st.DataObject) -> None:
    """P5.6: its first part and then its second part, or no part of it."""
    log, uuid = at
    every: list[Operation] = [DoFork("a", uuid, "b"), DoBackfill("b", schema, "c"), DoForkPrefix("c", uuid, "a")]
    history = data.draw(st.permutations(every))
    place = data.draw(st.integers(0, len(history)))

    def parts() -> Store:
        return apply_all(apply_all(Store({"a": log}), history[:place]), history[place:])

    try:
        whole = apply_all(Store({"a": log}), history)
    except NotEnabled:
        with pytest.raises(NotEnabled):
            parts()
    else:
        assert parts() == whole


def test_history_keeps_everything() -> None:
    run_state_machine_as_test(StoreMachine, settings=settings(max_examples=25, stateful_step_count=12, deadline=None))
