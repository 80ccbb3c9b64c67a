"""Chapter 16 behind contracts: three-way merge of memories, clashes resolved, several forks."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from icontract import ensure

from forkpoint.contracts import FULL, called
from forkpoint.core import memories
from forkpoint.core.memories import (
    Answers,
    Change,
    Disputed,
    Made,
    Memory,
    Merged,
    Resolution,
    Settled,
    Solution,
    Solved,
    Waiting,
    clean,
)
from forkpoint.laws import definitions


def _holds_what_the_sides_say(merged: Merged, how: Resolution | Answers, solution: Solution) -> bool:
    if isinstance(solution, Waiting):
        return bool(solution.open) and all(
            (definitions.side_taken(how, key) is None) == (key in solution.open) for key in merged.clashes.keys() | solution.open
        )
    return all(
        definitions.at(solution.memory, key) == definitions.answered(merged, how, key)
        for key in {*merged.fields, *merged.clashes, *solution.memory}
    )


def _settled_values(target: Hashable, made: Sequence[Made]) -> set[Hashable]:
    whole = frozenset(made)
    return {value for value in (target, *(one.fork for one in made)) if definitions.settled_to(target, whole, value)}


def _of_one(memory: Memory, key: Hashable) -> Memory:
    return {key: memory[key]} if key in memory else {}


@called
@ensure(lambda result: result.fields.keys().isdisjoint(result.clashes))
@ensure(
    lambda base, target, fork, result: all(
        definitions.merged_memory(_of_one(base, key), _of_one(target, key), _of_one(fork, key))
        == (_of_one(result.fields, key), {key: result.clashes[key]} if key in result.clashes else {})
        for key in {*base, *target, *fork}
    ),
    enabled=FULL,
)
@ensure(lambda base, target, fork, result: result == definitions.merged_memory(base, target, fork), enabled=FULL)
@ensure(
    lambda base, target, fork, result: (
        not clean(result)
        or definitions.merged_memory(base, result.fields, fork)
        == definitions.merged_memory(fork, result.fields, fork)
        == (result.fields, {})
    ),
    enabled=FULL,
)
def merge_memories(base: Memory, target: Memory, fork: Memory) -> Merged:
    """A fork's memory merged into the target's, :func:`forkpoint.core.memories.merge_memories`."""
    return memories.merge_memories(base, target, fork)


@called
@ensure(lambda merged, how, result: not clean(merged) or result == Solved(merged.fields, {}))
@ensure(lambda merged, how, result: _holds_what_the_sides_say(merged, how, result))
@ensure(
    lambda merged, result: (
        isinstance(result, Waiting)
        or {key: value for key, value in result.memory.items() if key not in merged.clashes} == merged.fields
    )
)
@ensure(
    lambda merged, how, result: (
        isinstance(result, Waiting)
        or result.beside == ({key: clash.fork for key, clash in merged.clashes.items()} if how is Resolution.KEEP_BOTH else {})
    )
)
def resolve_clashes(merged: Merged, how: Resolution | Answers) -> Solution:
    """A merge with its clashes resolved, :func:`forkpoint.core.memories.resolve_clashes`."""
    return memories.resolve_clashes(merged, how)


@called
@ensure(
    lambda base, forks, result: (
        result
        == {
            Change(key, definitions.at(fork, key))
            for fork in forks
            for key in {*base, *fork}
            if definitions.at(fork, key) != definitions.at(base, key)
        }
    ),
    enabled=FULL,
)
def all_changes(base: Memory, forks: Sequence[Memory]) -> frozenset[Change]:
    """What several forks changed, :func:`forkpoint.core.memories.all_changes`."""
    return memories.all_changes(base, forks)


@called
@ensure(lambda target, made, result: _settled_values(target, made) == ({result.value} if isinstance(result, Settled) else set()))
def merge_at_once(target: Hashable, made: Sequence[Made]) -> Settled | Disputed:
    """One field of several forks merged at once, :func:`forkpoint.core.memories.merge_at_once`."""
    return memories.merge_at_once(target, made)
