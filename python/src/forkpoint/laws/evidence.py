"""Chapter 15: joining sets of artifacts, gates, refuted branches, notes, and the ledger."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, permutations, product

from forkpoint.core import evidence as core
from forkpoint.core.evidence import (
    Artifact,
    Both,
    Branch,
    Conflict,
    Contract,
    Event,
    Evidence,
    Gate,
    Ledger,
    Outcome,
    Survives,
    Verdict,
)
from forkpoint.laws import definitions as d
from forkpoint.laws import law


def _valid(gate: Gate, universe: Evidence) -> list[Evidence]:
    """The sets of some artifacts that a gate lets pass."""
    return [one for one in d.parts_of(universe) if gate(one)]


def _associative(gate: Gate, sets: Iterable[Evidence]) -> bool:
    return all(d.associates(gate, a, b, c) for a, b, c in product(list(sets), repeat=3))


def _on_the_whole(gate: Gate, parts: Sequence[Evidence]) -> bool:
    """The fold of some sets is the verdict on their union."""
    return core.fold(gate, parts) == core.judge(gate, core.union(parts))


def _refuted(contract: Contract, branch: Branch) -> Evidence:
    return frozenset(one for one in branch.evidence if not contract(one))


def _goes_on(ledger: Ledger, result: Ledger) -> bool:
    """What was on record stands in its place, and no id comes twice that did not."""
    unique = len(set(_ids(result))) == len(result) or len(set(_ids(ledger))) < len(ledger)
    return tuple(result[: len(ledger)]) == tuple(ledger) and unique


def _both(one: Gate, other: Gate) -> Gate:
    return Both(one, other).__call__


def _ids(ledger: Ledger) -> list[object]:
    return [event.id for event in ledger]


# ---- joining


@law(
    "P16.1", "JoinIsCommutative JoinHoldsExactlyBoth", core.join,
    quick=lambda a, b, result: isinstance(result, Conflict) or result.evidence == a | b,
)  # fmt: skip
def join_is_commutative(gate: Gate, a: Evidence, b: Evidence, result: Verdict) -> bool:
    both = Survives(a | b) if gate(a | b) else Conflict()
    return result == both == d.joined(gate, Survives(b), Survives(a)) == core.join(gate, b, a)


@law(
    "P16.1", "JoinHoldsExactlyBoth", core.judge,
    quick=lambda evidence, result: isinstance(result, Conflict) or result.evidence == evidence,
)  # fmt: skip
def judge_holds_exactly_the_set(gate: Gate, evidence: Evidence, result: Verdict) -> bool:
    return result == d.judged(gate, evidence)


@law("P16.2", "JoinIsIdempotentExactlyOnValidSets")
def join_is_idempotent_exactly_on_valid_sets(gate: Gate, evidence: Evidence) -> bool:
    return (core.join(gate, evidence, evidence) == Survives(evidence)) == gate(evidence)


@law("P16.3", "AssociativeOverAllSetsExactlyIfHereditary")
def associative_over_all_sets_exactly_if_hereditary(gate: Gate, universe: Evidence) -> bool:
    return _associative(gate, d.parts_of(universe)) == d.hereditary(gate, universe)


@law("P16.4", "AssociativeOverValidSetsExactlyIfBounded HereditaryIsBounded")
def associative_over_valid_sets_exactly_if_bounded(gate: Gate, universe: Evidence) -> bool:
    bounded = d.bounded(gate, universe)
    return _associative(gate, _valid(gate, universe)) == bounded and (bounded or not d.hereditary(gate, universe))


@law("P16.5", "FoldIsTheVerdictOnTheUnionExactlyIfBounded FoldIsTheVerdictForAllSetsUnderAHereditaryGate")
def fold_is_the_verdict_on_the_union_exactly_if_bounded(gate: Gate, universe: Evidence) -> bool:
    """Of up to three sets."""
    valid, sizes = _valid(gate, universe), (1, 2, 3)
    chosen = (parts for size in sizes for parts in product(valid, repeat=size))
    exactly = all(_on_the_whole(gate, parts) for parts in chosen) == d.bounded(gate, universe)
    if not exactly or not d.hereditary(gate, universe):
        return exactly
    return all(_on_the_whole(gate, parts) for size in sizes for parts in product(d.parts_of(universe), repeat=size))


@law("P16.6", "FoldDependsOnTheSetsAlone")
def fold_depends_on_the_sets_alone(gate: Gate, universe: Evidence) -> bool:
    """Two sets, in any order, and one of them again."""
    if not d.bounded(gate, universe):
        return True
    return all(
        len({core.fold(gate, order) for order in permutations((*some, some[0]))}) == 1
        for some in combinations(_valid(gate, universe), 2)
    )


@law(
    "P16.6", "FoldDependsOnTheSetsAlone", core.fold,
    quick=lambda parts, result: isinstance(result, Conflict) or all(part <= result.evidence for part in parts),
)  # fmt: skip
def fold_is_folded(gate: Gate, parts: Sequence[Evidence], result: Verdict) -> bool:
    return result == d.folded(gate, tuple(parts))


@law("P16.7", "VerdictOnTheWholeDependsOnTheSetsAlone", core.union)
def verdict_on_the_whole_depends_on_the_sets_alone(parts: Sequence[Evidence], result: Evidence) -> bool:
    """The union does, and the verdict is on it."""
    return result == {one for part in parts for one in part} == core.union([*reversed(parts), *parts])


# ---- gates


@law("P16.8", "NeedsArePresentIsBounded NeedsWithAnyHereditaryGateIsBounded BothIsBounded")
def needs_with_any_hereditary_gate_is_bounded(gate: Gate, other: Gate, universe: Evidence) -> bool:
    needs, with_needs, both = core.needs_are_present, _both(core.needs_are_present, gate), _both(gate, other)
    sets = d.parts_of(universe)
    united = all(needs(a | b) for a in sets if needs(a) for b in sets if needs(b))
    same = all(with_needs(one) == (needs(one) and gate(one)) and both(one) == (gate(one) and other(one)) for one in sets)
    kept = all(
        not (keeps(gate, universe) and keeps(other, universe)) or keeps(both, universe) for keeps in (d.hereditary, d.bounded)
    )
    return (
        united
        and same
        and kept
        and d.bounded(needs, universe)
        and (not d.hereditary(gate, universe) or d.bounded(with_needs, universe))
    )


@law("P16.8", "NeedsArePresentExactlyWhen", core.needs_are_present)
def needs_are_what_is_needed(evidence: Evidence, result: bool) -> bool:
    return result == d.needs_are_present(evidence)


@law(
    "P16.9",
    "SameEnvironmentIsHereditary DifferentEnvironmentsConflict SameIdSameArtifactIsHereditary"
    " DifferentArtifactsOfOneIdConflict AllHoldIsHereditary",
    core.same_environment,
)
def one_environment_is_hereditary(evidence: Evidence, result: bool) -> bool:
    return result == d.same_environment(evidence) and d.hereditary(core.same_environment, evidence)


@law("P16.9", "SameIdSameArtifactIsHereditary", core.same_id_same_artifact)
def one_artifact_an_id_is_hereditary(evidence: Evidence, result: bool) -> bool:
    return result == d.same_id_same_artifact(evidence) and d.hereditary(core.same_id_same_artifact, evidence)


@law("P16.9", "AllHoldIsHereditary")
def what_holds_by_itself_is_hereditary(contract: Contract, a: Evidence, b: Evidence) -> bool:
    both = d.all_hold(contract, a) and d.all_hold(contract, b)
    return d.all_hold(contract, a | b) == both and d.hereditary(lambda one: d.all_hold(contract, one), a)


@law("P16.9", "DifferentEnvironmentsConflict DifferentArtifactsOfOneIdConflict")
def different_ones_conflict(gate: Gate, a: Evidence, b: Evidence, one: Artifact, other: Artifact) -> bool:
    here, there = a | {one._replace(environment="e")}, b | {one._replace(environment="f")}
    alike = other._replace(id=one.id)
    conflicts = core.join(_both(core.same_environment, gate), here, there) == Conflict()
    return conflicts and (
        alike == one or core.join(_both(core.same_id_same_artifact, gate), a | {one}, b | {alike}) == Conflict()
    )


# ---- branches


@law("P16.10", "RefutedAreExactlyPrunedWithTheirReason JudgedIsWhatSurvives", core.merge_branches)
def refuted_are_exactly_pruned_with_their_reason(
    contract: Contract, gate: Gate, branches: Sequence[Branch], result: Outcome
) -> bool:
    brought = d.surviving(contract, frozenset(branches))
    reasons = {branch: _refuted(contract, branch) for branch in branches if not d.all_hold(contract, branch.evidence)}
    return (
        result.pruned == reasons
        and all(reasons.values())
        and all(core.refutation(contract, branch) == _refuted(contract, branch) for branch in branches)
        and result.verdict == d.judged(gate, brought)
        and d.all_hold(contract, brought)
    )


@law("P16.11", "RefutedBranchChangesNoVerdict")
def refuted_branch_changes_no_verdict(contract: Contract, gate: Gate, branches: Sequence[Branch], branch: Branch) -> bool:
    before, after = core.merge_branches(contract, gate, branches), core.merge_branches(contract, gate, [*branches, branch])
    reason = _refuted(contract, branch)
    return not reason or (after.verdict == before.verdict and after.pruned == {**before.pruned, branch: reason})


@law(
    "P16.12", "NotesAreCarriedAndNeverGated", core.merge_branches,
    quick=lambda branches, result: result.notes == {note for branch in branches for note in branch.notes},
)  # fmt: skip
def notes_are_carried_and_never_gated(contract: Contract, gate: Gate, branches: Sequence[Branch], result: Outcome) -> bool:
    silent = [branch._replace(notes=frozenset()) for branch in branches]
    return (
        core.merge_branches(contract, gate, silent).verdict == result.verdict
        and core.merge_branches(contract, gate, list(reversed(branches))) == result
        and core.merge_branches(contract, gate, [*branches, *branches]) == result
    )


# ---- the ledger


@law(
    "P16.13",
    "RecordIsAppendOnly RecordAllIsAppendOnly RecordedIdsStayUnique RecordedAllIdsStayUnique RecordingAgainChangesNothing",
    core.record_all,
    quick=lambda ledger, result: _goes_on(ledger, result),
)
def record_is_append_only(ledger: Ledger, events: Sequence[Event], result: Sequence[Event]) -> bool:
    unique = len(set(_ids(ledger))) < len(ledger) or len(set(_ids(result))) == len(result)
    return (
        tuple(result) == d.recorded_after(tuple(ledger), tuple(events))
        and unique
        and d.recorded(result) == {*_ids(ledger), *_ids(tuple(events))}
        and all(core.record(result, event) == tuple(result) for event in events)
    )


@law(
    "P16.13", "RecordIsAppendOnly RecordedIdsStayUnique", core.record,
    quick=lambda ledger, result: _goes_on(ledger, result),
)  # fmt: skip
def one_record_is_append_only(ledger: Ledger, event: Event, result: Sequence[Event]) -> bool:
    return tuple(result) == (tuple(ledger) if event.id in d.recorded(ledger) else (*ledger, event))


@law("P16.14", "TheProjectsGateIsBoundedAndNotHereditary")
def the_projects_gate_is_bounded_and_not_hereditary(universe: Evidence) -> bool:
    """It is hereditary among artifacts of which none rests on another."""
    gate = _both(core.same_environment, _both(core.same_id_same_artifact, core.needs_are_present))
    resting = any(one.needs and gate(part) for part in d.parts_of(universe) for one in part)
    alone = d.hereditary(gate, universe)
    return d.bounded(gate, universe) and (alone or resting)
