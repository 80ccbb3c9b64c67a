"""Chapter 15: joining sets of artifacts, gates, refuted branches, notes, and the ledger."""

from __future__ import annotations

import itertools

import pytest

from forkpoint.contracts import evidence as contracted
from forkpoint.core.evidence import (
    Artifact,
    Both,
    Branch,
    Conflict,
    Evidence,
    Forked,
    Gate,
    Governance,
    Joined,
    Sort,
    Survives,
    fold,
    join,
    judge,
    merge_branches,
    needs_are_present,
    record,
    record_all,
    same_environment,
    same_id_same_artifact,
    union,
)
from forkpoint.laws import definitions as d
from strategies_evidence import (
    ALL_GATES,
    Holding,
    Listed,
    Unless,
    artifact,
    gate_of,
)
from strategies_laws import holds

test_laws = holds("evidence")

THREE = frozenset({artifact(0), artifact(1), artifact(2)})
SETS = d.parts_of(THREE)
X, Y, Z = (frozenset({one}) for one in sorted(THREE))
EVERY_GATE = [gate_of(number, THREE) for number in range(ALL_GATES)]
"""Every gate over three artifacts."""


def of(*some: Artifact) -> Evidence:
    return frozenset(some)


# ---- joining


def associative(gate: Gate, sets: list[Evidence]) -> bool:
    return all(d.associates(gate, a, b, c) for a, b, c in itertools.product(sets, repeat=3))


def test_associative_over_all_sets_exactly_if_hereditary() -> None:
    """Of all gates over three artifacts."""
    kinds = {(associative(gate, list(SETS)), d.hereditary(gate, THREE)) for gate in EVERY_GATE}
    assert kinds == {(True, True), (False, False)}


def test_associative_over_valid_sets_exactly_if_bounded() -> None:
    """Of all gates over three artifacts; a hereditary one is bounded, and some bounded ones are not hereditary."""
    kinds = {(associative(gate, [one for one in SETS if gate(one)]), d.bounded(gate, THREE)) for gate in EVERY_GATE}
    assert kinds == {(True, True), (False, False)}
    laws = {(d.hereditary(gate, THREE), d.bounded(gate, THREE)) for gate in EVERY_GATE}
    assert laws == {(True, True), (False, True), (False, False)}


def agrees(gate: Gate, parts: tuple[Evidence, ...]) -> bool:
    return fold(gate, parts) == judge(gate, union(parts))


def test_fold_is_the_verdict_on_the_union_exactly_if_bounded() -> None:
    """Of all gates over three artifacts and all choices of up to three sets that pass."""
    for gate in EVERY_GATE:
        valid = [one for one in SETS if gate(one)]
        chosen = (parts for size in (1, 2, 3) for parts in itertools.product(valid, repeat=size))
        assert all(agrees(gate, parts) for parts in chosen) == d.bounded(gate, THREE)


def test_fold_is_the_verdict_for_all_sets_under_a_hereditary_gate() -> None:
    for gate in EVERY_GATE:
        if d.hereditary(gate, THREE):
            assert all(agrees(gate, parts) for size in (1, 2, 3) for parts in itertools.product(SETS, repeat=size))


def test_fold_depends_on_the_sets_alone() -> None:
    """Under every bounded gate over three artifacts: any order, and one set again."""
    for gate in EVERY_GATE:
        if not d.bounded(gate, THREE):
            continue
        for some in itertools.combinations([one for one in SETS if gate(one)], 2):
            verdicts = [fold(gate, order) for order in itertools.permutations((*some, some[0]))]
            assert all(verdict == verdicts[0] for verdict in verdicts)


def test_fold_of_nothing_asks_nothing() -> None:
    """The statement is about one set or more: no set at all survives, even where the gate refuses the empty set."""
    assert fold(Unless(0), []) == Survives(frozenset())
    assert judge(Unless(0), union([])) == Conflict()


# ---- gates


def test_needs_with_any_hereditary_gate_is_bounded() -> None:
    """Every hereditary gate over three artifacts that need each other; of two gates only both together pass."""
    universe = of(artifact(0, "e", "a1"), artifact(1), artifact(2, "e", "a0"))
    seen = set()
    for number in range(ALL_GATES):
        gate = gate_of(number, universe)
        together = Both(needs_are_present, gate)
        assert all(together(one) == (needs_are_present(one) and gate(one)) for one in d.parts_of(universe))
        if d.hereditary(gate, universe):
            assert d.bounded(together, universe)
            seen.add(d.hereditary(together, universe))
    assert seen == {True, False}


def test_the_projects_gate_is_bounded_and_not_hereditary() -> None:
    """Over artifacts of which one rests on another, one is of another environment, and two share an id."""
    gate = Both(same_environment, Both(same_id_same_artifact, needs_are_present))
    resting, other = artifact(0, "e", "a1"), artifact(1)
    universe = of(resting, other, artifact(2, "f"), artifact(1, content="another one"), artifact(0))
    assert gate(of(resting, other))
    assert not gate(of(resting))
    assert d.bounded(gate, universe)
    assert not d.hereditary(gate, universe)
    for broken in (of(other, artifact(2, "f")), of(other, artifact(1, content="another one"))):
        assert not gate(broken)


def test_two_gates_together_keep_what_both_have() -> None:
    """Every pair of hereditary gates, and of bounded ones that are not, over two artifacts."""
    two = of(artifact(0), artifact(1))
    every = [Listed(frozenset(some)) for size in range(5) for some in itertools.combinations(d.parts_of(two), size)]
    for first, second in itertools.product(every, repeat=2):
        for law in (d.hereditary, d.bounded):
            assert not (law(first, two) and law(second, two)) or law(Both(first, second), two)


# ---- branches


def test_gate_and_contract_are_asked_once() -> None:
    asked: list[object] = []

    def holds(one: Artifact) -> bool:
        asked.append(one)
        return True

    def passes(evidence: Evidence) -> bool:
        asked.append(evidence)
        return True

    merge_branches(holds, passes, [Branch("b", X | Y), Branch("c", Z)])
    assert len(asked) == 4
    assert asked[-1] == THREE


# ---- the ledger

WHO = Governance("coder", "worker", "coordinator", "lab")
FORK = Forked("i0", 0, WHO, "v0", "v1", "0a", "")
JOIN = Joined("i1", 1, WHO, frozenset({"v0", "v1"}), "v2", "gate", True, "coordinator")


def test_record_keeps_the_first() -> None:
    other = Forked("i0", 5, WHO, "v9", "v8", "0b", "another one with the same id")
    assert record_all((), [FORK, JOIN, other]) == (FORK, JOIN)
    assert record((FORK, JOIN), other) == (FORK, JOIN)
    assert record([], FORK) == (FORK,)
    assert record_all([FORK], []) == (FORK,)
    assert contracted.record_all((FORK, other), [JOIN]) == (FORK, other, JOIN)  # what shared an id before stays


# ---- counterexamples


def test_each_holds_and_both_conflict() -> None:
    """The seed's R1: each branch survives alone, and together they do not."""
    a, b = Branch("a", of(artifact(0, "axioms 1"))), Branch("b", of(artifact(1, "axioms 2")))
    holds = Holding(frozenset())
    assert merge_branches(holds, same_environment, [a]).verdict == Survives(a.evidence)
    assert merge_branches(holds, same_environment, [b]).verdict == Survives(b.evidence)
    both = merge_branches(holds, same_environment, [a, b])
    assert both.verdict == Conflict()
    assert both.pruned == {}


def test_needs_are_present_is_not_hereditary() -> None:
    resting, other = artifact(0, "e", "a1"), artifact(1)
    assert needs_are_present(of(resting, other))
    assert not needs_are_present(of(resting))
    assert not d.hereditary(needs_are_present, of(resting, other))
    # so parts that do not pass by themselves spoil a fold
    parts = (of(resting), of(other))
    assert join(needs_are_present, parts[0], parts[0]) == Conflict()
    assert fold(needs_are_present, parts) == Conflict()
    assert judge(needs_are_present, union(parts)) == Survives(of(resting, other))


def test_size_is_not_two_is_not_associative() -> None:
    gate = Unless(2)
    assert all(map(gate, (X, Y, THREE)))
    assert not d.associates(gate, X, Y, THREE)
    assert not d.bounded(gate, THREE)
    assert fold(gate, [X, Y, THREE]) == Conflict()
    assert fold(gate, [THREE, X, Y]) == judge(gate, THREE) == Survives(THREE)


def test_greedy_depends_on_the_order() -> None:
    a, b = of(artifact(0, "e")), of(artifact(1, "f"))
    assert d.greedy(same_environment, (a, b)) == a
    assert d.greedy(same_environment, (b, a)) == b


@pytest.mark.parametrize("sort", Sort)
def test_sorts_are_told_apart(sort: Sort) -> None:
    assert same_id_same_artifact(of(artifact(0, sort=sort)))
    assert same_id_same_artifact(of(artifact(0), artifact(0, sort=sort))) == (sort is Sort.TEST_RESULT)
