"""Artifacts over few ids, hashes and environments; gates and contracts that are values: lists of what they let pass."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import strategies as st

from forkpoint.core.evidence import (
    Artifact,
    Both,
    Branch,
    Event,
    Evidence,
    Forked,
    Gate,
    Governance,
    Joined,
    Sort,
    needs_are_present,
    same_environment,
    same_id_same_artifact,
)
from forkpoint.laws.definitions import parts_of


class Listed(NamedTuple):
    """The gate that lets exactly these sets pass."""

    sets: frozenset[Evidence]

    def __call__(self, evidence: Evidence) -> bool:
        return evidence in self.sets


class Unless(NamedTuple):
    """The gate that lets all pass but sets of one size."""

    size: int

    def __call__(self, evidence: Evidence) -> bool:
        return len(evidence) != self.size


class Holding(NamedTuple):
    """The contract that all artifacts break that have one of these hashes."""

    broken: frozenset[str]

    def __call__(self, artifact: Artifact) -> bool:
        return artifact.hash not in self.broken


def artifact(number: int, environment: str = "e", *needs: str, content: str = "h", sort: Sort = Sort.TEST_RESULT) -> Artifact:
    """An artifact; its id is ``a`` and its number."""
    return Artifact(f"a{number}", sort, content, environment, frozenset(needs))


ALL_GATES = 2**8
"""How many gates there are over three artifacts."""


def gate_of(number: int, universe: Evidence) -> Listed:
    """The gate over three artifacts with a number: each bit says whether one set passes."""
    return Listed(frozenset(one for n, one in enumerate(parts_of(universe)) if number >> n & 1))


def artifacts() -> st.SearchStrategy[Artifact]:
    return st.builds(
        Artifact,
        st.sampled_from(["a0", "a1", "a2"]),
        st.sampled_from(Sort),
        st.sampled_from(["h", "k"]),
        st.sampled_from(["e", "e", "f"]),
        st.frozensets(st.sampled_from(["a0", "a1", "nowhere"]), max_size=1),
    )


def evidences(max_size: int = 4) -> st.SearchStrategy[Evidence]:
    return st.frozensets(artifacts(), max_size=max_size)


def gates() -> st.SearchStrategy[Gate]:
    """The gates of the core, alone and together, and others that are not hereditary or not bounded."""
    plain = st.sampled_from([same_environment, same_id_same_artifact, needs_are_present, Unless(2), Unless(0)])
    listed = st.builds(Listed, st.frozensets(evidences(2), max_size=3))
    one: st.SearchStrategy[Gate] = st.one_of(plain, listed)
    return st.one_of(one, st.builds(Both, one, one))


def contracts() -> st.SearchStrategy[Holding]:
    return st.builds(Holding, st.frozensets(st.sampled_from(["h", "k"]), max_size=1))


def evidence_branches() -> st.SearchStrategy[Branch]:
    notes = st.frozensets(st.sampled_from(["because", "perhaps"]), max_size=2)
    return st.builds(Branch, st.sampled_from(["b0", "b1", "b2"]), evidences(), notes)


def events() -> st.SearchStrategy[Event]:
    """Events over few ids, so that some come twice."""
    ids = st.sampled_from(["i0", "i1", "i2"])
    names = st.sampled_from(["v0", "v1"])
    who = st.builds(Governance, names, names, names, names)
    at = st.integers(0, 2)
    return st.one_of(
        st.builds(Forked, ids, at, who, names, names, names, st.sampled_from(["", "why"])),
        st.builds(Joined, ids, at, who, st.frozensets(names), names, names, st.booleans(), names),
    )
