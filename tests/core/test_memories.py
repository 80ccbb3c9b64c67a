"""Chapter 16: the three-way merge of memories, resolved clashes, the advanced base, several forks."""

from __future__ import annotations

from hypothesis import strategies as st

from forkpoint.core.memories import (
    ABSENT,
    Change,
    Clash,
    Disputed,
    Made,
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
    merge_memories,
    resolve_clashes,
    values_of,
)
from forkpoint.laws import definitions as d
from strategies_laws import holds

test_laws = holds("memories")

BASE, TARGET, FORK = {"goal": 0}, {"goal": 1}, {"goal": 2}
CLASH = Clash(0, 1, 2)


# ---- the merge


# ---- resolving


# ---- merging again


# ---- some fields only


# ---- several forks


VALUES = (ABSENT, None, 0, 2)
MADE = st.lists(st.builds(Made, st.sampled_from(VALUES), st.sampled_from(VALUES)), max_size=3)


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
