"""Chapter 16: the three-way merge of memories, resolved clashes, the advanced base, several forks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from forkpoint.contracts import memories as contracted
from forkpoint.core.memories import (
    ABSENT,
    Answers,
    Change,
    Clash,
    Disputed,
    Made,
    Memory,
    Merged,
    Resolution,
    Settled,
    Side,
    Solved,
    Waiting,
    all_changes,
    changes,
    clean,
    merge_at_once,
    merge_field,
    merge_memories,
    resolve_clashes,
    side_of,
    values_of,
)
from forkpoint.laws import definitions as d
from strategies_memories import KEYS, answers, memories, resolutions

BASE, TARGET, FORK = {"goal": 0}, {"goal": 1}, {"goal": 2}
CLASH = Clash(0, 1, 2)


def solved(merged: Merged, how: Resolution | Answers) -> Solved:
    solution = contracted.resolve_clashes(merged, how)
    assert isinstance(solution, Solved)
    return solution


# ---- the merge


@given(memories(), memories())
def test_unchanged_fork_changes_nothing(base: Memory, other: Memory) -> None:
    assert contracted.merge_memories(base, other, base) == Merged(other, {})
    assert contracted.merge_memories(base, base, other) == Merged(other, {})
    assert contracted.merge_memories(base, other, other) == Merged(other, {})


@given(memories(), memories(), memories())
def test_clashes_exactly_where_both_changed(base: Memory, target: Memory, fork: Memory) -> None:
    merged = contracted.merge_memories(base, target, fork)
    for key in KEYS:
        began, ours, theirs = (d.at(one, key) for one in (base, target, fork))
        assert (key in merged.clashes) == (ours != began and theirs != began and ours != theirs)
        if key in merged.clashes:
            assert merged.clashes[key] == Clash(began, ours, theirs) == merge_field(began, ours, theirs)
            assert key not in merged.fields
        else:
            assert d.at(merged.fields, key) == merge_field(began, ours, theirs)
    assert clean(merged) == (merged.clashes == {})


@given(memories(), memories(), memories())
def test_merge_is_symmetric_up_to_sides(base: Memory, target: Memory, fork: Memory) -> None:
    there, back = merge_memories(base, target, fork), merge_memories(base, fork, target)
    assert back.fields == there.fields
    assert back.clashes == {key: Clash(clash.base, clash.fork, clash.target) for key, clash in there.clashes.items()}


@given(memories(), memories(), memories())
def test_nothing_is_lost_silently(base: Memory, target: Memory, fork: Memory) -> None:
    merged = merge_memories(base, target, fork)
    for key in KEYS:
        for side in (target, fork):
            if d.at(side, key) != d.at(base, key):
                clash = merged.clashes.get(key)
                in_a_clash = clash is not None and d.at(side, key) in (clash.target, clash.fork)
                assert in_a_clash or d.at(merged.fields, key) == d.at(side, key)


@given(memories(), memories(), memories())
def test_nothing_is_invented(base: Memory, target: Memory, fork: Memory) -> None:
    merged = merge_memories(base, target, fork)
    assert {*merged.fields, *merged.clashes} <= {*base, *target, *fork}
    for key in {*KEYS} - merged.clashes.keys():
        assert d.at(merged.fields, key) in (d.at(target, key), d.at(fork, key))
        if d.at(target, key) == d.at(base, key) == d.at(fork, key):
            assert d.at(merged.fields, key) == d.at(base, key)


@given(memories(), memories(), memories())
def test_clean_merge_is_idempotent(base: Memory, target: Memory, fork: Memory) -> None:
    merged = merge_memories(base, target, fork)
    if clean(merged):
        assert merge_memories(base, merged.fields, fork) == merged
        assert merge_memories(fork, merged.fields, fork) == merged


# ---- resolving


@given(memories(), resolutions())
def test_clean_needs_no_resolution(memory: Memory, how: Resolution | Answers) -> None:
    assert contracted.resolve_clashes(Merged(memory, {}), how) == Solved(memory, {})


@given(memories(), memories(), memories())
def test_preferred_side_keeps_its_changes(base: Memory, target: Memory, fork: Memory) -> None:
    merged = merge_memories(base, target, fork)
    for how, side in ((Resolution.PREFER_FORK, fork), (Resolution.PREFER_TARGET, target)):
        made = solved(merged, how)
        assert made.beside == {}
        for key in KEYS:
            if d.at(side, key) != d.at(base, key):
                assert d.at(made.memory, key) == d.at(side, key)


@given(memories(), memories(), memories())
def test_keeping_both_loses_nothing(base: Memory, target: Memory, fork: Memory) -> None:
    merged = merge_memories(base, target, fork)
    both = solved(merged, Resolution.KEEP_BOTH)
    assert both.memory == solved(merged, Resolution.PREFER_TARGET).memory
    assert both.beside == {key: d.at(fork, key) for key in merged.clashes}
    for key in KEYS:
        if d.at(target, key) != d.at(base, key):
            assert d.at(both.memory, key) == d.at(target, key)
        if d.at(fork, key) != d.at(base, key):
            assert d.at(fork, key) in (both.beside.get(key, d.at(both.memory, key)),)


@given(memories(), memories(), memories(), answers())
def test_asking_takes_the_answers(base: Memory, target: Memory, fork: Memory, given_answers: Answers) -> None:
    merged = merge_memories(base, target, fork)
    asked = contracted.resolve_clashes(merged, given_answers)
    if isinstance(asked, Waiting):
        assert asked.open == merged.clashes.keys() - given_answers.keys() != frozenset()
        return
    assert merged.clashes.keys() <= given_answers.keys()
    for key in merged.clashes:
        assert d.at(asked.memory, key) == d.at(fork if given_answers[key] is Side.FORK else target, key)
    for key in {*KEYS} - merged.clashes.keys():
        assert d.at(asked.memory, key) == d.at(merged.fields, key)


@given(memories(), memories(), memories())
def test_failing_settles_exactly_the_clean(base: Memory, target: Memory, fork: Memory) -> None:
    merged = merge_memories(base, target, fork)
    failed = contracted.resolve_clashes(merged, Resolution.FAIL)
    assert failed == (Solved(merged.fields, {}) if clean(merged) else Waiting(frozenset(merged.clashes)))


@given(memories(), memories(), memories(), resolutions())
def test_undisputed_fields_are_as_merged(base: Memory, target: Memory, fork: Memory, how: Resolution | Answers) -> None:
    merged = merge_memories(base, target, fork)
    solution = contracted.resolve_clashes(merged, how)
    if isinstance(solution, Solved):
        for key in {*KEYS} - merged.clashes.keys():
            assert d.at(solution.memory, key) == d.at(merged.fields, key)
            for side in (target, fork):
                assert d.at(side, key) in (d.at(base, key), d.at(solution.memory, key))


@given(resolutions())
def test_side_of_is_what_the_model_says(how: Resolution | Answers) -> None:
    for key in KEYS:
        assert side_of(how, key) == d.side_taken(how, key)


# ---- merging again


@given(memories(), memories(), memories(), memories())
def test_resolved_clash_comes_back_exactly(base: Memory, target: Memory, fork: Memory, made: Memory) -> None:
    again = merge_memories(base, made, fork)
    for key in merge_memories(base, target, fork).clashes:
        assert (key in again.clashes) == (d.at(made, key) not in (d.at(fork, key), d.at(base, key)))
        if key not in again.clashes:
            assert d.at(again.fields, key) == d.at(fork, key)


@given(memories(), memories(), memories())
def test_advanced_base_brings_no_clash_back(fork: Memory, made: Memory, later: Memory) -> None:
    assert merge_memories(fork, made, fork) == Merged(made, {})
    merged = merge_memories(fork, made, later)
    for key in KEYS:
        if d.at(later, key) == d.at(fork, key):
            assert key not in merged.clashes
            assert d.at(merged.fields, key) == d.at(made, key)


# ---- some fields only


def only(keys: set[str], memory: Memory) -> Memory:
    return {key: value for key, value in memory.items() if key in keys}


@given(memories(), memories(), memories(), st.sets(st.sampled_from(KEYS)))
def test_fields_stand_by_themselves(base: Memory, target: Memory, fork: Memory, keys: set[str]) -> None:
    merged = contracted.merge_memories(base, target, fork)
    some = merge_memories(only(keys, base), only(keys, target), only(keys, fork))
    assert some.fields == only(keys, merged.fields)
    assert some.clashes == {key: clash for key, clash in merged.clashes.items() if key in keys}


@given(memories(), memories(), memories(), st.sets(st.sampled_from(KEYS)))
def test_partial_merge_is_idempotent(base: Memory, made: Memory, fork: Memory, keys: set[str]) -> None:
    advanced = {**only({*KEYS} - keys, base), **only(keys, fork)}
    again, first = merge_memories(advanced, made, fork), merge_memories(base, made, fork)
    assert again.clashes == {key: clash for key, clash in first.clashes.items() if key not in keys}
    for key in KEYS:
        assert d.at(again.fields, key) == d.at(made if key in keys else first.fields, key)


# ---- several forks


@given(memories(), st.lists(memories(), max_size=3), st.lists(memories(), max_size=3))
def test_changes_depend_on_the_forks_alone(base: Memory, some: list[Memory], more: list[Memory]) -> None:
    together = contracted.all_changes(base, [*some, *more])
    assert together == all_changes(base, some) | all_changes(base, more)
    assert together == all_changes(base, [*more, *reversed(some), *more])


@given(memories(), st.lists(memories(), max_size=3))
def test_values_are_what_the_forks_made(base: Memory, forks: list[Memory]) -> None:
    made = all_changes(base, forks)
    assert made == {change for fork in forks for change in changes(base, fork)}
    for key in KEYS:
        assert values_of(made, key) == d.made_of(base, forks, key)


@given(memories(), memories(), memories())
def test_merge_of_two_is_the_three_way_merge(base: Memory, target: Memory, fork: Memory) -> None:
    merged = merge_memories(base, target, fork)
    made = all_changes(base, [target, fork])
    for key in KEYS:
        values = values_of(made, key)
        assert (key in merged.clashes) == (len(values) == 2)
        if key in merged.clashes:
            assert values == {d.at(target, key), d.at(fork, key)}
        else:
            assert d.at(merged.fields, key) == next(iter(values), d.at(base, key))


@given(memories(), memories(), memories())
def test_one_at_once_is_the_three_way_merge(base: Memory, target: Memory, fork: Memory) -> None:
    merged = merge_memories(base, target, fork)
    for key in KEYS:
        found = contracted.merge_at_once(d.at(target, key), [Made(d.at(base, key), d.at(fork, key))])
        assert found == (Disputed() if key in merged.clashes else Settled(d.at(merged.fields, key)))


VALUES = (ABSENT, None, 0, 2)
MADE = st.lists(st.builds(Made, st.sampled_from(VALUES), st.sampled_from(VALUES)), max_size=3)


@given(st.sampled_from(VALUES), MADE)
def test_at_once_is_settled_exactly(target: object, made: list[Made]) -> None:
    found = contracted.merge_at_once(target, made)
    assert [value for value in VALUES if d.settled_to(target, frozenset(made), value)] == (
        [found.value] if isinstance(found, Settled) else []
    )
    assert found == merge_at_once(target, [*reversed(made), *made])
    unchanged = [Made(one.fork, one.fork) for one in made]
    assert contracted.merge_at_once(target, unchanged) == Settled(target)


@given(memories(), memories(), st.lists(memories(), min_size=1, max_size=3))
def test_at_once_is_the_values_of_the_changes(base: Memory, target: Memory, forks: list[Memory]) -> None:
    together = all_changes(base, [target, *forks])
    for key in KEYS:
        if values_of(all_changes(base, forks), key):
            found = merge_at_once(d.at(target, key), [Made(d.at(base, key), d.at(fork, key)) for fork in forks])
            values = values_of(together, key)
            assert found == (Settled(next(iter(values))) if len(values) == 1 else Disputed())


# ---- counterexamples


def test_two_forks_at_once() -> None:
    assert merge_at_once(0, [Made(0, 1), Made(0, 2)]) == Disputed()
    assert merge_at_once(0, [Made(0, 1), Made(0, 0)]) == Settled(1)
    assert merge_at_once(1, [Made(0, 1), Made(2, 1)]) == Settled(1)
    assert merge_at_once(2, [Made(0, 0), Made(2, 0)]) == Settled(0)
    assert merge_at_once(2, [Made(0, 0), Made(1, 1)]) == Settled(2)
    assert merge_at_once(3, [Made(0, 1)]) == Disputed()
    assert merge_at_once(3, []) == Settled(3)


def test_a_clash_and_its_resolutions() -> None:
    merged = merge_memories(BASE, TARGET, FORK)
    assert merged == Merged({}, {"goal": CLASH})
    assert resolve_clashes(merged, Resolution.PREFER_TARGET) == Solved(TARGET, {})
    assert resolve_clashes(merged, Resolution.PREFER_FORK) == Solved(FORK, {})
    assert resolve_clashes(merged, Resolution.KEEP_BOTH) == Solved(TARGET, FORK)
    assert resolve_clashes(merged, {}) == Waiting(frozenset({"goal"}))
    assert resolve_clashes(merged, {"goal": Side.FORK}) == Solved(FORK, {})
    assert resolve_clashes(merged, Resolution.FAIL) == Waiting(frozenset({"goal"}))


def test_resolved_clash_clashes_again_on_the_old_base() -> None:
    assert not clean(merge_memories(BASE, TARGET, FORK))
    assert merge_memories(FORK, TARGET, FORK) == Merged(TARGET, {})


def test_resolution_may_be_undone_silently_on_the_old_base() -> None:
    assert "goal" in merge_memories(BASE, TARGET, FORK).clashes
    assert merge_memories(BASE, BASE, FORK) == Merged(FORK, {})


def test_preferring_the_target_depends_on_the_order() -> None:
    assert d.merged_in_turn(BASE, BASE, (TARGET, FORK)) == TARGET
    assert d.merged_in_turn(BASE, BASE, (FORK, TARGET)) == FORK
    assert values_of(all_changes(BASE, [TARGET, FORK]), "goal") == {1, 2}


def test_taking_a_field_out_is_a_change() -> None:
    """The seed's rule, "only in the target: keep", would bring the field back."""
    assert merge_memories(BASE, BASE, {}) == Merged({}, {})
    assert merge_memories(BASE, TARGET, {}) == Merged({}, {"goal": Clash(0, 1, ABSENT)})
    assert changes(BASE, {}) == {Change("goal", ABSENT)}
    merged = merge_memories(BASE, TARGET, {})
    assert resolve_clashes(merged, Resolution.PREFER_FORK) == Solved({}, {})
    assert resolve_clashes(merged, Resolution.KEEP_BOTH) == Solved(TARGET, {"goal": ABSENT})


def test_none_is_a_value() -> None:
    assert merge_memories({}, {"goal": None}, {}) == Merged({"goal": None}, {})
    assert merge_memories({"goal": None}, {"goal": None}, {}) == Merged({}, {})
