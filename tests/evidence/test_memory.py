"""Memory that forks carry: what a fork holds, what a merge makes of it, in which order, and what a second merge does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forkpoint.core import memories as core
from forkpoint.core.memories import ABSENT, Resolution, Side
from forkpoint.evidence import texts
from forkpoint.evidence.memory import (
    CORE,
    FULL,
    NO_HISTORY,
    TARGET,
    WORKING,
    Content,
    Dispute,
    ForkSpec,
    Labels,
    Merge,
    MergeSpec,
    Recent,
    Rewritten,
    Since,
    Tiers,
    Undecided,
    Unknown,
    fork_memory,
    merge_forks,
)
from forkpoint.evidence.states import SHARED, Field, Fork, Said, State
from strategies_states import AGENTS, FIELDS, fields, forked, said, states

GOAL = Field("coder", "core", "plan", "goal")
TONE = Field("coder", "working", "style", "tone")
PLACE = Field(SHARED, "", "map", "place")
OLD = Field("coder", "archival", "past", "goal")
OTHER = Field("tester", "core", "plan", "goal")
SOURCE = State(
    frozenset(AGENTS),
    dict.fromkeys((GOAL, TONE, PLACE, OLD, OTHER), b"0"),
    {("coder", "journal"): texts.new().appended("begun. ")},
    {agent: tuple(map(said, range(4))) for agent in AGENTS},
)
ALL = ForkSpec(history=FULL, blocks=FULL, shared=True)


def holding(**values: int) -> State:
    """A memory with the coder's core fields."""
    return State(
        frozenset({"coder"}), {Field("coder", "core", "b", name): str(value).encode() for name, value in values.items()}, {}, {}
    )


def merged(target: State, forks: Sequence[Fork], **how: Any) -> Merge:
    made = merge_forks(target, forks, MergeSpec(**how))
    assert isinstance(made, Merge)
    return made


# ---- what a fork carries


@pytest.mark.parametrize(
    ("spec", "carried"),
    [
        (ForkSpec(), {GOAL, TONE, OTHER}),
        (ForkSpec(blocks=CORE), {GOAL, OTHER}),
        (ForkSpec(blocks=WORKING), {GOAL, TONE, OTHER}),
        (ForkSpec(blocks=FULL), {GOAL, TONE, OLD, OTHER}),
        (ForkSpec(blocks=FULL, shared=True), {GOAL, TONE, OLD, OTHER, PLACE}),
        (ForkSpec(blocks=Labels(frozenset({"past", "map"}))), {OLD}),
        (ForkSpec(blocks=Labels(frozenset({"past", "map"})), shared=True), {OLD, PLACE}),
        (ForkSpec(agents=frozenset({"coder"})), {GOAL, TONE}),
        (ForkSpec(agents=frozenset(), shared=True), {PLACE}),
    ],
)
def test_blocks_that_a_fork_carries(spec: ForkSpec, carried: set[Field]) -> None:
    fork = fork_memory(SOURCE, spec, "f")
    assert fork.base.fields.keys() == carried
    assert fork.now.fields == fork.base.fields
    assert fork.now.agents == (set(AGENTS) if spec.agents is None else spec.agents)


@pytest.mark.parametrize(
    ("history", "numbers"),
    [
        (NO_HISTORY, []),
        (Recent(1), [3]),
        (Recent(5), [0, 1, 2, 3]),
        (Since(said(2).at), [2, 3]),
        (Since(said(9).at), []),
        (FULL, [0, 1, 2, 3]),
    ],
)
def test_history_that_a_fork_carries(history: Any, numbers: list[int]) -> None:
    fork = fork_memory(SOURCE, ForkSpec(history=history), "f")
    assert fork.now.history == fork.base.history == dict.fromkeys(AGENTS, tuple(map(said, numbers)))


@pytest.mark.parametrize(
    ("blocks", "carried"),
    [(CORE, False), (WORKING, True), (FULL, True), (Labels(frozenset({"journal"})), True), (Labels(frozenset({"plan"})), False)],
)
def test_texts_that_a_fork_carries(blocks: Any, carried: bool) -> None:
    fork = fork_memory(SOURCE, ForkSpec(blocks=blocks), "f")
    assert (("coder", "journal") in fork.now.texts) is carried
    if carried:
        text = fork.now.texts["coder", "journal"]
        assert str(text) == "begun. "
        assert text.peer != SOURCE.texts["coder", "journal"].peer


@pytest.mark.parametrize(
    ("spec", "name", "error", "said"),
    [
        (ForkSpec(agents=frozenset({"nobody"})), "f", Unknown, "there is no agent 'nobody'; there is: coder, tester"),
        (
            ForkSpec(blocks=Labels(frozenset({"x"}))),
            "f",
            Unknown,
            "there is no label 'x'; there is: journal, map, past, plan",
        ),
        (ForkSpec(history=Recent(-1)), "f", ValueError, "a number of things to carry is not below 0, as -1 is"),
        (ForkSpec(blocks=Tiers(-1)), "f", ValueError, "a number of things to carry is not below 0, as -1 is"),
        (ForkSpec(), "", ValueError, "a fork needs a name"),
    ],
)
def test_what_cannot_be_carried(spec: ForkSpec, name: str, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        fork_memory(SOURCE, spec, name)


def test_a_fork_can_be_forked_and_merged_back_in_turn() -> None:
    outer = fork_memory(SOURCE, ALL, "outer")
    inner = fork_memory(outer.now, ALL, "inner")
    inner = replace(inner, now=replace(inner.now, fields={**inner.now.fields, GOAL: b"7"}))
    outer = replace(outer, now=merged(outer.now, [inner]).target)
    assert merged(SOURCE, [outer]).target.fields[GOAL] == b"7"


# ---- fields


@given(forked(), st.sampled_from(Resolution))
def test_one_fork_is_merged_as_the_model_says(some: tuple[State, list[Fork]], how: Resolution) -> None:
    target, [fork] = some
    model = core.merge_memories(fork.base.fields, target.fields, fork.now.fields)
    solution = core.resolve_clashes(model, how)
    made = merge_forks(target, [fork], MergeSpec(conflicts=how))
    assert made.clashes == {field: Dispute(clash.target, {"f0": clash.fork}) for field, clash in model.clashes.items()}
    if isinstance(solution, core.Waiting):
        assert isinstance(made, Undecided)
        assert made.open == solution.open
        return
    assert isinstance(made, Merge)
    beside = {field: value for field, value in solution.beside.items() if value is not ABSENT}
    assert made.beside.keys() == {(field, "f0") for field in beside}
    kept = {field._replace(label=made.beside[field, "f0"]): value for field, value in beside.items()}
    assert made.target.fields == {**solution.memory, **kept}
    assert kept.keys().isdisjoint(solution.memory)


@given(forked(), st.data())
def test_answers_are_taken(some: tuple[State, list[Fork]], data: st.DataObject) -> None:
    target, [fork] = some
    model = core.merge_memories(fork.base.fields, target.fields, fork.now.fields)
    answers = {field: data.draw(st.sampled_from([TARGET, "f0"])) for field in model.clashes if data.draw(st.booleans())}
    made = merge_forks(target, [fork], MergeSpec(conflicts=answers))
    sides = {field: Side.FORK if answer else Side.TARGET for field, answer in answers.items()}
    solution = core.resolve_clashes(model, sides)
    if isinstance(made, Undecided):
        assert solution == core.Waiting(made.open)
    else:
        assert solution == core.Solved(made.target.fields, {})


@given(forked(3), st.permutations(range(3)), st.sampled_from(Resolution))
def test_the_order_of_forks_decides_nothing(some: tuple[State, list[Fork]], order: list[int], how: Resolution) -> None:
    target, forks = some
    first, second = (merge_forks(target, chosen, MergeSpec(conflicts=how)) for chosen in (forks, [forks[n] for n in order]))
    assert first.clashes == second.clashes
    assert type(first) is type(second)
    if isinstance(first, Merge) and isinstance(second, Merge):
        assert first.target.fields == second.target.fields
        assert first.beside == second.beside
        shown = [{key: text.written() for key, text in one.target.texts.items()} for one in (first, second)]
        assert shown[0] == shown[1]


@given(forked(3))
def test_several_forks_are_sets_of_changed_values(some: tuple[State, list[Fork]]) -> None:
    """All began with the same; so the model's sets say what clashes."""
    target, forks = some
    base = forks[0].base.fields
    made = merge_forks(target, forks, MergeSpec(conflicts=Resolution.PREFER_TARGET))
    by_forks = core.all_changes(base, [fork.now.fields for fork in forks])
    by_all = core.all_changes(base, [target.fields, *(fork.now.fields for fork in forks)])
    assert isinstance(made, Merge)
    for field in FIELDS:
        values, changed = core.values_of(by_all, field), core.values_of(by_forks, field)
        assert (field in made.clashes) == (len(values) > 1 and bool(changed))
        if field in made.clashes:
            assert set(made.clashes[field].forks.values()) == changed
        else:
            assert made.target.fields.get(field, ABSENT) == next(iter(changed), target.fields.get(field, ABSENT))


@given(forked(2), st.sampled_from([Resolution.PREFER_TARGET, Resolution.KEEP_BOTH]))
def test_merging_again_changes_nothing(some: tuple[State, list[Fork]], how: Resolution) -> None:
    target, forks = some
    for content in Content:
        made = merged(target, forks, conflicts=how, content=content)
        again = merged(made.target, made.forks, conflicts=Resolution.FAIL, content=content)
        assert again.clashes == {}
        assert again.target.fields == made.target.fields
        assert again.target.history == made.target.history
        assert [str(text) for text in again.target.texts.values()] == [str(text) for text in made.target.texts.values()]
        assert again.forks == made.forks


def test_without_a_decision_nothing_is_merged() -> None:
    field = Field("coder", "core", "b", "a")
    made = merge_forks(holding(a=1), [Fork("f", holding(a=0), holding(a=2, b=2))], MergeSpec())
    assert made == Undecided(frozenset({field}), {field: Dispute(b"1", {"f": b"2"})})


def test_each_fork_is_merged_against_its_own_base() -> None:
    forks = [Fork("one", holding(a=0), holding(a=0, b=1)), Fork("two", holding(a=5), holding(a=0))]
    assert merged(holding(a=5), forks).target == holding(a=0, b=1)


def test_what_the_target_has_is_not_kept_beside() -> None:
    base = holding(a=0)
    forks = [Fork("one", base, holding(a=2)), Fork("two", base, holding(a=3))]
    made = merged(holding(a=2), forks, conflicts=Resolution.KEEP_BOTH)
    a = Field("coder", "core", "b", "a")
    assert made.clashes == {a: Dispute(b"2", {"one": b"2", "two": b"3"})}
    assert made.beside == {(a, "two"): "b (two)"}
    assert made.target.fields == {a: b"2", a._replace(label="b (two)"): b"3"}


def test_the_preferred_fork_is_none_where_two_differ() -> None:
    base = holding(a=0, b=0)
    forks = [Fork("one", base, holding(a=1, b=1)), Fork("two", base, holding(a=2, b=1))]
    made = merge_forks(holding(a=3, b=3), forks, MergeSpec(conflicts=Resolution.PREFER_FORK))
    a, b = (Field("coder", "core", "b", name) for name in "ab")
    assert isinstance(made, Undecided)
    assert made.open == {a}
    assert made.clashes == {a: Dispute(b"3", {"one": b"1", "two": b"2"}), b: Dispute(b"3", {"one": b"1", "two": b"1"})}
    answered = merged(holding(a=3, b=3), forks, conflicts={a: "two", b: TARGET})
    assert answered.target.fields == holding(a=2, b=3).fields
    wrong = merge_forks(holding(a=3, b=3), forks, MergeSpec(conflicts={a: "three", b: TARGET}))
    assert isinstance(wrong, Undecided)
    assert wrong.open == {a}


def test_both_are_kept_in_blocks_of_their_own() -> None:
    base = holding(a=0, b=0, c=0)
    target = holding(a=1, b=1)
    taken = Field("coder", "core", "b (one)", "x")
    target = replace(target, fields={**target.fields, taken: b"9"})
    forks = [Fork("one", base, holding(a=2, b=3, c=4)), Fork("two", base, holding(b=3))]
    made = merged(target, forks, conflicts=Resolution.KEEP_BOTH)
    kept = {(field.label, field.name): value for field, value in made.target.fields.items() if field.label != "b"}
    assert kept == {
        ("b (one)", "x"): b"9",
        ("b (one 2)", "a"): b"2",
        ("b (one 2)", "b"): b"3",
        ("b (one 2)", "c"): b"4",
        ("b (two)", "b"): b"3",
    }
    assert {str(field): value for field, value in made.target.fields.items() if field.label == "b"} == {
        "coder/core/b/a": b"1",
        "coder/core/b/b": b"1",
    }


@given(states(), fields())
def test_what_a_fork_does_not_carry_is_left_alone(source: State, more: dict[Field, bytes]) -> None:
    fork = fork_memory(source, ForkSpec(agents=frozenset({"coder"}), blocks=CORE), "f")
    target = replace(source, fields={**source.fields, **more})
    assert merged(target, [fork]).target.fields == target.fields


# ---- a part of it


def test_a_partial_merge_and_then_the_rest() -> None:
    fork = fork_memory(SOURCE, ALL, "f")
    changed = {GOAL: b"1", TONE: b"1", PLACE: b"1", OTHER: b"1", OLD: b"0"}
    fork = replace(fork, now=replace(fork.now, fields=changed))
    first = merged(SOURCE, [fork], agents=frozenset({"coder"}), labels=frozenset({"plan", "map"}))
    assert first.target.fields == {**SOURCE.fields, GOAL: b"1"}
    target = replace(first.target, fields={**first.target.fields, GOAL: b"5"})
    second = merged(target, first.forks)
    assert second.target.fields == {**changed, GOAL: b"5"}
    with pytest.raises(Unknown, match="there is no agent 'nobody'; there is: coder, tester"):
        merge_forks(SOURCE, [fork], MergeSpec(agents=frozenset({"nobody"})))


# ---- texts and histories


def test_texts_merge_by_themselves() -> None:
    key = ("coder", "journal")
    forks = [fork_memory(SOURCE, ALL, name) for name in ("one", "two")]
    forks = [replace(fork, now=replace(fork.now, texts={key: fork.now.texts[key].appended(f"{fork.name}. ")})) for fork in forks]
    target = replace(SOURCE, texts={key: SOURCE.texts[key].appended("target. ")})
    made = merged(target, forks).target.texts[key]
    assert str(made).startswith("begun. ")
    assert sorted(str(made).split()) == sorted(["begun.", "one.", "two.", "target."])
    assert made.peer == target.texts[key].peer
    copied = merged(replace(target, texts={}), forks[:1]).target.texts[key]
    assert str(copied) == "begun. one. "
    assert copied.peer != forks[0].now.texts[key].peer
    assert merged(target, forks, agents=frozenset({"tester"})).target.texts == target.texts


def test_texts_of_one_number_are_refused() -> None:
    key = ("coder", "journal")
    fork = Fork("copied", SOURCE, replace(SOURCE, texts={key: SOURCE.texts[key].appended("x")}))
    with pytest.raises(texts.SharedPeer):
        merge_forks(replace(SOURCE, texts={key: SOURCE.texts[key].appended("y")}), [fork], MergeSpec())


TALKED = fork_memory(SOURCE, ForkSpec(history=Recent(1)), "retry")
TALKED = replace(TALKED, now=replace(TALKED.now, history={**TALKED.now.history, "coder": (said(3), said(7), said(8))}))


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"content": Content.MEMORIES}, []),
        (
            {"content": Content.SUMMARY, "summary": "It was tried again."},
            [Said(said(8).at, "During fork retry: It was tried again.")],
        ),
        (
            {"content": Content.HISTORY},
            [Said(said(7).at, "--- Fork: retry ---"), said(7), said(8), Said(said(8).at, "--- End of fork: retry ---")],
        ),
        ({"content": Content.HISTORY, "agents": frozenset({"tester"})}, []),
    ],
)
def test_what_was_said(how: dict[str, Any], told: list[Said]) -> None:
    made = merged(SOURCE, [TALKED], **how)
    assert made.target.history == {"coder": (*map(said, range(4)), *told), "tester": tuple(map(said, range(4)))}
    assert merged(made.target, made.forks, **how).target.history == made.target.history


def test_history_that_was_not_brought_back_can_be_later() -> None:
    made = merged(SOURCE, [TALKED])
    assert said(8) in merged(made.target, made.forks, content=Content.HISTORY).target.history["coder"]


def test_a_rewritten_history_is_refused() -> None:
    fork = replace(TALKED, now=replace(TALKED.now, history={"coder": (said(5),)}))
    with pytest.raises(Rewritten, match="the history of coder in fork 'retry' does not begin with what the fork began with"):
        merge_forks(SOURCE, [fork], MergeSpec())


def test_a_new_agent_comes_along() -> None:
    now = replace(SOURCE, agents=SOURCE.agents | {"new"}, history={**SOURCE.history, "new": (said(0),)})
    made = merged(SOURCE, [Fork("f", SOURCE, now)], content=Content.SUMMARY, summary="s")
    assert made.target.agents == {*AGENTS, "new"}
    assert made.target.history["new"] == (Said(said(0).at, "During fork f: s"),)
    assert merged(SOURCE, [Fork("f", SOURCE, now)], agents=frozenset({"coder"})).target.agents == set(AGENTS)


def test_names_of_forks() -> None:
    fork = fork_memory(SOURCE, ForkSpec(), "f")
    with pytest.raises(ValueError, match="more than one fork is named 'f'; forks that are merged at once need names"):
        merge_forks(SOURCE, [fork, fork], MergeSpec())
    with pytest.raises(ValueError, match="a fork needs a name"):
        merge_forks(SOURCE, [replace(fork, name="")], MergeSpec())
    assert merged(SOURCE, []).target == SOURCE
