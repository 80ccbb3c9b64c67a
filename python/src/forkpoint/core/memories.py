"""Chapter 16: memory of named fields, carried by a fork and merged back field by field against what both sides began with.

Mirrors ``dafny/16-Memories.dfy``. That a field is absent counts as a value, ``ABSENT``. Values are compared and never looked
into; what Python takes for equal, as ``1`` and ``True``, is the same value here.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, NamedTuple, TypeAlias

Key: TypeAlias = Any
"""The name of a field: anything that can be hashed."""
Memory: TypeAlias = Mapping[Key, Hashable]


class Absence(Enum):
    """What a memory holds where it holds nothing. ``None`` is a value that a field may have."""

    ABSENT = "absent"


ABSENT: Final = Absence.ABSENT


@dataclass(frozen=True, slots=True)
class Clash:
    """A field that both sides changed, differently: what both began with, and what each made of it."""

    base: Hashable
    target: Hashable
    fork: Hashable


class Merged(NamedTuple):
    """What comes of a merge: the fields that agree, and the clashes."""

    fields: Memory
    clashes: Mapping[Key, Clash]


class Side(Enum):
    """One of the two sides of a merge."""

    TARGET = "target"
    FORK = "fork"


class Resolution(Enum):
    """How all clashes are resolved: for one side; for the target, with the fork's fields kept beside; or not at all."""

    PREFER_FORK = "prefer-fork"
    PREFER_TARGET = "prefer-target"
    KEEP_BOTH = "keep-both"
    FAIL = "fail"


Answers: TypeAlias = Mapping[Key, Side]
"""How clashes are resolved field by field, as somebody answered."""


@dataclass(frozen=True, slots=True)
class Solved:
    """A memory without clashes, and what is kept beside it: for each field the fork's value, ``ABSENT`` where it took it out."""

    memory: Memory
    beside: Memory


@dataclass(frozen=True, slots=True)
class Waiting:
    """The fields that a resolution leaves open."""

    open: frozenset[Key]


Solution: TypeAlias = Solved | Waiting


def merge_field(base: Hashable, target: Hashable, fork: Hashable) -> Hashable | Clash:
    """One field merged: its value, ``ABSENT``, or a :class:`Clash`. O(1)."""
    if fork in (target, base):
        return target
    return fork if target == base else Clash(base, target, fork)


def merge_memories(base: Memory, target: Memory, fork: Memory) -> Merged:
    """A fork's memory merged into the target's, field by field, against what both began with. O(fields).

    To merge the same fork again later, take its memory of now as the base: on the old one a resolved clash may come back.
    """
    fields: dict[Key, Hashable] = {}
    clashes: dict[Key, Clash] = {}
    for key in dict.fromkeys((*target, *fork)):  # what only the base has was taken out by both
        value = merge_field(base.get(key, ABSENT), target.get(key, ABSENT), fork.get(key, ABSENT))
        if isinstance(value, Clash):
            clashes[key] = value
        elif value is not ABSENT:
            fields[key] = value
    return Merged(fields, clashes)


def clean(merged: Merged) -> bool:
    """Whether nothing clashes. O(1)."""
    return not merged.clashes


def side_of(how: Resolution | Answers, key: Key) -> Side | None:
    """The side that a resolution takes in a clash; None where it leaves the field open. O(1)."""
    if isinstance(how, Mapping):
        return how.get(key)
    if how is Resolution.FAIL:
        return None
    return Side.FORK if how is Resolution.PREFER_FORK else Side.TARGET


def resolve_clashes(merged: Merged, how: Resolution | Answers) -> Solution:
    """A merge with its clashes resolved, or the fields that the resolution leaves open. O(fields)."""
    sides = {key: side_of(how, key) for key in merged.clashes}
    if missing := frozenset(key for key, side in sides.items() if side is None):
        return Waiting(missing)
    memory = dict(merged.fields)
    for key, clash in merged.clashes.items():
        value = clash.target if sides[key] is Side.TARGET else clash.fork
        if value is not ABSENT:
            memory[key] = value
    return Solved(memory, {key: clash.fork for key, clash in merged.clashes.items()} if how is Resolution.KEEP_BOTH else {})


class Change(NamedTuple):
    """A field that a fork changed, and what it made of it."""

    key: Key
    value: Hashable


def changes(base: Memory, fork: Memory) -> frozenset[Change]:
    """What a fork changed. O(fields)."""
    keys = {**base, **fork}
    return frozenset(Change(key, fork.get(key, ABSENT)) for key in keys if fork.get(key, ABSENT) != base.get(key, ABSENT))


def all_changes(base: Memory, forks: Iterable[Memory]) -> frozenset[Change]:
    """What several forks changed. It depends on the forks alone, neither on their order nor on how often one comes. O(fields)."""
    return frozenset[Change]().union(*(changes(base, fork) for fork in forks))


class Made(NamedTuple):
    """What a fork made of one field: what it began with, and what it has; ``ABSENT`` where there is nothing."""

    base: Hashable
    fork: Hashable


@dataclass(frozen=True, slots=True)
class Settled:
    """What comes of a field when several forks are merged at once: its value, or ``ABSENT``."""

    value: Hashable


@dataclass(frozen=True, slots=True)
class Disputed:
    """What comes of a field of which forks, or a fork and the target, made different things."""


def merge_at_once(target: Hashable, made: Iterable[Made]) -> Settled | Disputed:
    """One field of several forks merged at once, each against what it began with. O(forks).

    It stays where none changed it, and is settled where all who changed it come to one value with the target. That depends on
    what the forks made alone, neither on their order nor on how often one comes.
    """
    outcomes = {merge_field(one.base, target, one.fork) for one in made if one.fork != one.base} or {target}
    value = next(iter(outcomes))
    return Disputed() if len(outcomes) > 1 or isinstance(value, Clash) else Settled(value)


def values_of(changed: Iterable[Change], key: Key) -> frozenset[Hashable]:
    """What was made of a field: nothing if nobody changed it, one value if all who did agree, several otherwise. O(changes)."""
    return frozenset(change.value for change in changed if change.key == key)
