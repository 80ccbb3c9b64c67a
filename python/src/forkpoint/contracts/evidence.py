"""Chapter 15 behind contracts: gates, joining, branches, the ledger. Gates and local contracts must be pure: here they are
asked again."""

from __future__ import annotations

from collections.abc import Sequence

from forkpoint.contracts import behind
from forkpoint.core import evidence as core
from forkpoint.core.evidence import Branch, Contract, Event, Evidence, Gate, Ledger, Outcome, Verdict


@behind(core.same_environment)
def same_environment(evidence: Evidence) -> bool:
    return core.same_environment(evidence)


@behind(core.same_id_same_artifact)
def same_id_same_artifact(evidence: Evidence) -> bool:
    return core.same_id_same_artifact(evidence)


@behind(core.needs_are_present)
def needs_are_present(evidence: Evidence) -> bool:
    return core.needs_are_present(evidence)


@behind(core.join)
def join(gate: Gate, a: Evidence, b: Evidence) -> Verdict:
    return core.join(gate, a, b)


@behind(core.fold)
def fold(gate: Gate, parts: Sequence[Evidence]) -> Verdict:
    return core.fold(gate, parts)


@behind(core.judge)
def judge(gate: Gate, evidence: Evidence) -> Verdict:
    return core.judge(gate, evidence)


@behind(core.merge_branches)
def merge_branches(contract: Contract, gate: Gate, branches: Sequence[Branch]) -> Outcome:
    return core.merge_branches(contract, gate, branches)


@behind(core.record)
def record(ledger: Ledger, event: Event) -> tuple[Event, ...]:
    return core.record(ledger, event)


@behind(core.record_all)
def record_all(ledger: Ledger, events: Sequence[Event]) -> tuple[Event, ...]:
    return core.record_all(ledger, events)
