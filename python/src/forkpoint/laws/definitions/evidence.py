"""Chapter 15, said plainly over tuples of entries and computed slowly."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from forkpoint.core.entries import Id
from forkpoint.core.evidence import Branch, Conflict, Contract, Event, Evidence, Gate, Survives, Verdict


def judged(gate: Gate, evidence: Evidence) -> Verdict:
    """The verdict on a set."""
    return Survives(evidence) if gate(evidence) else Conflict()


def joined(gate: Gate, a: Verdict, b: Verdict) -> Verdict:
    """Two verdicts joined: a conflict stays one."""
    return judged(gate, a.evidence | b.evidence) if isinstance(a, Survives) and isinstance(b, Survives) else Conflict()


def folded(gate: Gate, parts: tuple[Evidence, ...]) -> Verdict:
    """Sets joined one after the other, by recursion on the end."""
    return joined(gate, folded(gate, parts[:-1]), Survives(parts[-1])) if parts else Survives(frozenset())


def greedy(gate: Gate, parts: tuple[Evidence, ...]) -> Evidence:
    """Sets taken one after the other, each refused that the gate does not let in. A plausible merge, and a wrong one."""
    if not parts:
        return frozenset()
    taken = greedy(gate, parts[:-1])
    return taken | parts[-1] if gate(taken | parts[-1]) else taken


def associates(gate: Gate, a: Evidence, b: Evidence, c: Evidence) -> bool:
    """Joining is associative on three sets."""
    from_the_left = joined(gate, judged(gate, a | b), Survives(c))
    return from_the_left == joined(gate, Survives(a), judged(gate, b | c))


def parts_of(universe: Evidence) -> tuple[Evidence, ...]:
    """Every set of some artifacts."""
    return tuple(frozenset(some) for size in range(len(universe) + 1) for some in combinations(universe, size))


def hereditary(gate: Gate, universe: Evidence) -> bool:
    """What a gate lets pass, it lets pass with less; among sets of some artifacts."""
    sets = parts_of(universe)
    return all(gate(part) for whole in sets if gate(whole) for part in sets if part <= whole)


def bounded(gate: Gate, universe: Evidence) -> bool:
    """What a gate lets pass within something that it lets pass, it lets pass together; among sets of some artifacts."""
    valid = [one for one in parts_of(universe) if gate(one)]
    return all(gate(a | b) for whole in valid for a in valid if a <= whole for b in valid if b <= whole)


def same_environment(evidence: Evidence) -> bool:
    """One environment, pair by pair."""
    return all(x.environment == y.environment for x in evidence for y in evidence)


def same_id_same_artifact(evidence: Evidence) -> bool:
    """One id, one artifact, pair by pair."""
    return all(x == y for x in evidence for y in evidence if x.id == y.id)


def needs_are_present(evidence: Evidence) -> bool:
    """What each artifact rests on is there, need by need."""
    return all(any(y.id == need for y in evidence) for x in evidence for need in x.needs)


def all_hold(contract: Contract, evidence: Evidence) -> bool:
    """Every artifact holds by itself."""
    return all(contract(one) for one in evidence)


def surviving(contract: Contract, branches: frozenset[Branch]) -> Evidence:
    """What the branches that are not refuted bring."""
    return frozenset(one for branch in branches if all_hold(contract, branch.evidence) for one in branch.evidence)


def recorded(ledger: Sequence[Event]) -> frozenset[Id]:
    """The ids of the events on record."""
    return frozenset(event.id for event in ledger)


def recorded_after(ledger: tuple[Event, ...], events: tuple[Event, ...]) -> tuple[Event, ...]:
    """The ledger after several events, by recursion on the end."""
    if not events:
        return ledger
    before = recorded_after(ledger, events[:-1])
    return before if events[-1].id in recorded(before) else (*before, events[-1])
