"""Chapter 15 behind contracts: gates, joining, branches, the ledger. Gates and local contracts must be pure: here they are
asked again."""

from __future__ import annotations

from collections.abc import Sequence

from icontract import ensure

from forkpoint.contracts import FULL, called
from forkpoint.core import evidence as core
from forkpoint.core.evidence import (
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
from forkpoint.laws import definitions


def _prunes_exactly_the_refuted(contract: Contract, branches: Sequence[Branch], pruned: dict[Branch, Evidence]) -> bool:
    def refuted(branch: Branch) -> bool:
        return not definitions.all_hold(contract, branch.evidence)

    return pruned.keys() == set(filter(refuted, branches)) and all(
        reason and reason == {one for one in branch.evidence if not contract(one)} for branch, reason in pruned.items()
    )


def _unique_ids(ledger: Ledger) -> bool:
    return len({event.id for event in ledger}) == len(ledger)


@called
@ensure(lambda evidence, result: result == definitions.same_environment(evidence), enabled=FULL)
def same_environment(evidence: Evidence) -> bool:
    """One environment, :func:`forkpoint.core.evidence.same_environment`."""
    return core.same_environment(evidence)


@called
@ensure(lambda evidence, result: result == definitions.same_id_same_artifact(evidence), enabled=FULL)
def same_id_same_artifact(evidence: Evidence) -> bool:
    """One id, one artifact, :func:`forkpoint.core.evidence.same_id_same_artifact`."""
    return core.same_id_same_artifact(evidence)


@called
@ensure(lambda evidence, result: result == definitions.needs_are_present(evidence), enabled=FULL)
def needs_are_present(evidence: Evidence) -> bool:
    """What each artifact rests on is there, :func:`forkpoint.core.evidence.needs_are_present`."""
    return core.needs_are_present(evidence)


@called
@ensure(lambda result, a, b: isinstance(result, Conflict) or result.evidence == a | b)
@ensure(lambda gate, a, b, result: isinstance(result, Survives) == gate(frozenset({*a, *b})), enabled=FULL)
@ensure(lambda gate, a, b, result: result == definitions.joined(gate, Survives(b), Survives(a)), enabled=FULL)
def join(gate: Gate, a: Evidence, b: Evidence) -> Verdict:
    """Two sets joined, :func:`forkpoint.core.evidence.join`."""
    return core.join(gate, a, b)


@called
@ensure(lambda parts, result: isinstance(result, Conflict) or all(part <= result.evidence for part in parts))
@ensure(lambda gate, parts, result: result == definitions.folded(gate, tuple(parts)), enabled=FULL)
def fold(gate: Gate, parts: Sequence[Evidence]) -> Verdict:
    """Sets joined one after the other, :func:`forkpoint.core.evidence.fold`."""
    return core.fold(gate, parts)


@called
@ensure(lambda evidence, result: isinstance(result, Conflict) or result.evidence == evidence)
@ensure(lambda gate, evidence, result: isinstance(result, Survives) == gate(evidence), enabled=FULL)
def judge(gate: Gate, evidence: Evidence) -> Verdict:
    """The verdict on a set, :func:`forkpoint.core.evidence.judge`."""
    return core.judge(gate, evidence)


@called
@ensure(lambda branches, result: result.notes == {note for branch in branches for note in branch.notes})
@ensure(lambda contract, branches, result: _prunes_exactly_the_refuted(contract, branches, result.pruned), enabled=FULL)
@ensure(
    lambda contract, gate, branches, result: (
        result.verdict == definitions.judged(gate, definitions.surviving(contract, frozenset(branches)))
    ),
    enabled=FULL,
)
def merge_branches(contract: Contract, gate: Gate, branches: Sequence[Branch]) -> Outcome:
    """Branches merged, :func:`forkpoint.core.evidence.merge_branches`."""
    return core.merge_branches(contract, gate, branches)


@called
@ensure(lambda ledger, result: result[: len(ledger)] == tuple(ledger))
@ensure(lambda ledger, result: _unique_ids(result) or not _unique_ids(ledger))
@ensure(lambda ledger, event, result: result == definitions.recorded_after(tuple(ledger), (event,)), enabled=FULL)
@ensure(lambda event, result: definitions.recorded_after(result, (event,)) == result, enabled=FULL)
def record(ledger: Ledger, event: Event) -> tuple[Event, ...]:
    """The ledger after an event is recorded, :func:`forkpoint.core.evidence.record`."""
    return core.record(ledger, event)


@called
@ensure(lambda ledger, result: result[: len(ledger)] == tuple(ledger))
@ensure(lambda ledger, result: _unique_ids(result) or not _unique_ids(ledger))
@ensure(lambda ledger, events, result: result == definitions.recorded_after(tuple(ledger), tuple(events)), enabled=FULL)
def record_all(ledger: Ledger, events: Sequence[Event]) -> tuple[Event, ...]:
    """The ledger after several events, :func:`forkpoint.core.evidence.record_all`."""
    return core.record_all(ledger, events)
