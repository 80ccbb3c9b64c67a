"""Chapter 15 by the generated code: sets of artifacts, gates, branches, the ledger.

A gate of the core is the model's own; any other gate and every contract is asked about the values of the core.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import _dafny

from forkpoint.core import evidence as core
from forkpoint.core.evidence import (
    Artifact,
    Both,
    Branch,
    Conflict,
    Contract,
    Event,
    Forked,
    Gate,
    Governance,
    Joined,
    Ledger,
    Outcome,
    Sort,
    Survives,
    Verdict,
)
from forkpoint.oracle import convert
from forkpoint.oracle.generated import Evidence

_SORTS: Final[Mapping[Sort, Any]] = {
    Sort.TEST_RESULT: Evidence.Sort_TestResult(),
    Sort.PROOF: Evidence.Sort_Proof(),
    Sort.PROPERTY: Evidence.Sort_Property(),
    Sort.REGISTRY_FIELD: Evidence.Sort_RegistryField(),
}
_SORT_OF: Final = {type(made): sort for sort, made in _SORTS.items()}
_GATES: Final[Mapping[Gate, Any]] = {
    core.same_environment: Evidence.default__.SameEnvironment,
    core.same_id_same_artifact: Evidence.default__.SameIdSameArtifact,
    core.needs_are_present: Evidence.default__.NeedsArePresent,
}


def _artifact(found: Artifact) -> Any:
    return Evidence.Artifact_Artifact(found.id, _SORTS[found.sort], found.hash, found.environment, _dafny.Set(found.needs))


def _artifact_of(made: Any) -> Artifact:
    return Artifact(made.id_, _SORT_OF[type(made.sort)], made.hash_, made.environment, frozenset(made.needs))


def _evidence(found: core.Evidence) -> Any:
    return _dafny.Set(map(_artifact, found))


def _evidence_of(made: Any) -> core.Evidence:
    return frozenset(map(_artifact_of, made))


def _gate(gate: Gate) -> Any:
    if isinstance(gate, Both):
        return Evidence.default__.Both(_gate(gate.first), _gate(gate.second))
    return _GATES[gate] if gate in _GATES else lambda made: gate(_evidence_of(made))


def _contract(contract: Contract) -> Any:
    return lambda made: contract(_artifact_of(made))


def _verdict_of(made: Any) -> Verdict:
    return Survives(_evidence_of(made.evidence)) if made.is_Survives else Conflict()


def _branch(found: Branch) -> Any:
    return Evidence.Branch_Branch(found.id, _evidence(found.evidence), _dafny.Set(found.notes))


def _branch_of(made: Any) -> Branch:
    return Branch(made.id_, _evidence_of(made.evidence), frozenset(made.notes))


def _event(found: Event) -> Any:
    who = Evidence.Governance_Governance(*found.who)
    if isinstance(found, Forked):
        return Evidence.Event_Forked(found.id, found.at, who, found.parent, found.branch, found.prefix, found.note)
    inputs = _dafny.Set(found.inputs)
    return Evidence.Event_Joined(found.id, found.at, who, inputs, found.version, found.gate, found.survives, found.reviewer)


def _event_of(made: Any) -> Event:
    who = Governance(made.who.actor, made.who.role, made.who.authority, made.who.environment)
    if made.is_Forked:
        return Forked(made.id_, made.at, who, made.parent, made.branch, made.prefix, made.note)
    return Joined(made.id_, made.at, who, frozenset(made.inputs), made.version, made.gate, made.survives, made.reviewer)


def judge(gate: Gate, evidence: core.Evidence) -> Verdict:
    """The verdict on a set."""
    return _verdict_of(Evidence.default__.Judge(_gate(gate), _evidence(evidence)))


def join(gate: Gate, a: core.Evidence, b: core.Evidence) -> Verdict:
    """Two sets joined: their union, if the gate holds of it."""
    return _verdict_of(Evidence.default__.Join(_gate(gate), _evidence(a), _evidence(b)))


def fold(gate: Gate, parts: Iterable[core.Evidence]) -> Verdict:
    """Sets joined one after the other; a conflict stays one."""
    return _verdict_of(Evidence.default__.Fold(_gate(gate), convert.sequence(map(_evidence, parts))))


def union(parts: Iterable[core.Evidence]) -> core.Evidence:
    """All that several sets hold."""
    return _evidence_of(Evidence.default__.Union(convert.sequence(map(_evidence, parts))))


def same_environment(evidence: core.Evidence) -> bool:
    """Whether all artifacts were made in one environment."""
    return bool(Evidence.default__.SameEnvironment(_evidence(evidence)))


def same_id_same_artifact(evidence: core.Evidence) -> bool:
    """Whether one id stands for one artifact."""
    return bool(Evidence.default__.SameIdSameArtifact(_evidence(evidence)))


def needs_are_present(evidence: core.Evidence) -> bool:
    """Whether what each artifact rests on is there."""
    return bool(Evidence.default__.NeedsArePresent(_evidence(evidence)))


def refutation(contract: Contract, branch: Branch) -> core.Evidence:
    """Why a branch is refuted: those of its artifacts that do not hold."""
    return _evidence_of(Evidence.default__.Refutation(_contract(contract), _branch(branch)))


def merge_branches(contract: Contract, gate: Gate, branches: Iterable[Branch]) -> Outcome:
    """Branches merged: the refuted ones are pruned, the union of the others is judged once, all notes are carried."""
    made = Evidence.default__.MergeBranches(_contract(contract), _gate(gate), _dafny.Set(map(_branch, branches)))
    pruned = {_branch_of(branch): _evidence_of(reason) for branch, reason in dict(made.pruned).items()}
    return Outcome(_verdict_of(made.verdict), pruned, frozenset(made.notes))


def record(ledger: Ledger, event: Event) -> tuple[Event, ...]:
    """The ledger after an event is recorded; one whose id is on record is not recorded again."""
    return tuple(map(_event_of, Evidence.default__.Record(convert.sequence(map(_event, ledger)), _event(event))))


def record_all(ledger: Ledger, events: Iterable[Event]) -> tuple[Event, ...]:
    """The ledger after several events are recorded, one after the other."""
    made = Evidence.default__.RecordAll(convert.sequence(map(_event, ledger)), convert.sequence(map(_event, events)))
    return tuple(map(_event_of, made))
