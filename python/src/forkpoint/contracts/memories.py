"""Chapter 16 behind contracts: memories merged, clashes resolved, several forks."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from forkpoint.contracts import behind
from forkpoint.core import memories
from forkpoint.core.memories import Answers, Change, Disputed, Made, Memory, Merged, Resolution, Settled, Solution


@behind(memories.merge_memories)
def merge_memories(base: Memory, target: Memory, fork: Memory) -> Merged:
    return memories.merge_memories(base, target, fork)


@behind(memories.resolve_clashes)
def resolve_clashes(merged: Merged, how: Resolution | Answers) -> Solution:
    return memories.resolve_clashes(merged, how)


@behind(memories.all_changes)
def all_changes(base: Memory, forks: Sequence[Memory]) -> frozenset[Change]:
    return memories.all_changes(base, forks)


@behind(memories.merge_at_once)
def merge_at_once(target: Hashable, made: Sequence[Made]) -> Settled | Disputed:
    return memories.merge_at_once(target, made)
