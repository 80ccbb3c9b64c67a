"""Chapter 15: what branches bring home is merged as a set of artifacts and judged by a gate, after the merge and as a whole.

Mirrors ``dafny/15-Evidence.dfy``. A gate is a predicate over sets of artifacts, a contract one over single artifacts. Both must
be pure: they may be asked in any order and again. What they cost is theirs and not in the costs named here.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, TypeAlias

from forkpoint.core.entries import Id


class Sort(Enum):
    """What an artifact is."""

    TEST_RESULT = "test-result"
    PROOF = "proof"
    PROPERTY = "property"
    REGISTRY_FIELD = "registry-field"


class Artifact(NamedTuple):
    """A result of work that can be checked again: its id, its sort, the hash of its content, the environment in which it was
    made (toolchain, axioms, base commit), and the ids of the artifacts that it rests on."""

    id: Id
    sort: Sort
    hash: Id
    environment: Id
    needs: frozenset[Id] = frozenset()


Evidence: TypeAlias = frozenset[Artifact]
Gate: TypeAlias = Callable[[Evidence], bool]
"""A global invariant: which sets of artifacts may stand together."""
Contract: TypeAlias = Callable[[Artifact], bool]
"""A local contract: which artifacts hold by themselves."""


@dataclass(frozen=True, slots=True)
class Survives:
    """A gate holds of this evidence."""

    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Conflict:
    """A gate does not hold."""


Verdict: TypeAlias = Survives | Conflict


def judge(gate: Gate, evidence: Evidence) -> Verdict:
    """The verdict on a set. Asks the gate once."""
    return Survives(evidence) if gate(evidence) else Conflict()


def join(gate: Gate, a: Evidence, b: Evidence) -> Verdict:
    """Two sets joined: their union, if the gate holds of it. Asks the gate once."""
    return judge(gate, a | b)


def fold(gate: Gate, parts: Iterable[Evidence]) -> Verdict:
    """Sets joined one after the other; a conflict stays one.

    Asks the gate for every part, of all that was joined so far. For a gate that is not bounded the verdict depends on the order:
    ``judge(gate, union(parts))`` never does.
    """
    verdict: Verdict = Survives(frozenset())
    for part in parts:
        if isinstance(verdict, Survives):
            verdict = join(gate, verdict.evidence, part)
    return verdict


def union(parts: Iterable[Evidence]) -> Evidence:
    """All that several sets hold. O(artifacts)."""
    return frozenset[Artifact]().union(*parts)


def same_environment(evidence: Evidence) -> bool:
    """Whether all artifacts were made in one environment. Hereditary. O(artifacts)."""
    return len({one.environment for one in evidence}) <= 1


def same_id_same_artifact(evidence: Evidence) -> bool:
    """Whether one id stands for one artifact. Hereditary. O(artifacts)."""
    return len({one.id for one in evidence}) == len(evidence)


def needs_are_present(evidence: Evidence) -> bool:
    """Whether what each artifact rests on is there. Bounded, not hereditary. O(artifacts and their needs)."""
    there = {one.id for one in evidence}
    return all(one.needs <= there for one in evidence)


class Both(NamedTuple):
    """The gate that lets pass what both of two gates let pass."""

    first: Gate
    second: Gate

    def __call__(self, evidence: Evidence) -> bool:
        """Whether both let it pass; the second is asked only where the first does."""
        return self.first(evidence) and self.second(evidence)


class Branch(NamedTuple):
    """What a branch brings home: artifacts, and notes in prose."""

    id: Id
    evidence: Evidence
    notes: frozenset[Hashable] = frozenset()


class Outcome(NamedTuple):
    """What comes of a merge of branches: the verdict on what those bring that are not refuted, each refuted branch with those of
    its artifacts that do not hold, and all notes."""

    verdict: Verdict
    pruned: Mapping[Branch, Evidence]
    notes: frozenset[Hashable]


def refutation(contract: Contract, branch: Branch) -> Evidence:
    """Why a branch is refuted: those of its artifacts that do not hold; empty where it is not. Asks the contract for each."""
    return frozenset(one for one in branch.evidence if not contract(one))


def merge_branches(contract: Contract, gate: Gate, branches: Iterable[Branch]) -> Outcome:
    """Branches merged: the refuted ones are pruned, the union of the others is judged once, all notes are carried.

    Asks the contract once for each artifact of each branch, and the gate once. O(artifacts and notes).
    """
    reasons = {branch: refutation(contract, branch) for branch in branches}
    surviving = union(branch.evidence for branch, reason in reasons.items() if not reason)
    pruned = {branch: reason for branch, reason in reasons.items() if reason}
    notes = frozenset[Hashable]().union(*(branch.notes for branch in reasons))
    return Outcome(judge(gate, surviving), pruned, notes)


class Governance(NamedTuple):
    """Who acts, in which role, on whose authority, in which environment."""

    actor: Id
    role: Id
    authority: Id
    environment: Id


@dataclass(frozen=True, slots=True)
class Forked:
    """On record: a branch left a version, with the hash of the prefix that it carries."""

    id: Id
    at: Hashable
    who: Governance
    parent: Id
    branch: Id
    prefix: Id
    note: Hashable


@dataclass(frozen=True, slots=True)
class Joined:
    """On record: versions were joined into another one, with the gate, what it said, and who looked at it."""

    id: Id
    at: Hashable
    who: Governance
    inputs: frozenset[Id]
    version: Id
    gate: Id
    survives: bool
    reviewer: Id


Event: TypeAlias = Forked | Joined
Ledger: TypeAlias = Sequence[Event]
"""Events in the order in which they were recorded."""


def record(ledger: Ledger, event: Event) -> tuple[Event, ...]:
    """The ledger after an event is recorded; one whose id is on record is not recorded again. O(events)."""
    return record_all(ledger, (event,))


def record_all(ledger: Ledger, events: Iterable[Event]) -> tuple[Event, ...]:
    """The ledger after several events are recorded, one after the other. O(events)."""
    made = list(ledger)
    known = {event.id for event in ledger}
    for event in events:
        if event.id not in known:
            known.add(event.id)
            made.append(event)
    return tuple(made)
