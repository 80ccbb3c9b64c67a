"""Chapter 16 by the generated code: memories merged field by field, clashes, and what several forks changed."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Final

import _dafny

from forkpoint.core.memories import (
    ABSENT,
    Answers,
    Change,
    Clash,
    Disputed,
    Key,
    Made,
    Memory,
    Merged,
    Resolution,
    Settled,
    Side,
    Solution,
    Solved,
    Waiting,
)
from forkpoint.oracle import convert
from forkpoint.oracle.generated import Entries, Memories

_SIDES: Final[Mapping[Side, Any]] = {Side.TARGET: Memories.Side_TargetSide(), Side.FORK: Memories.Side_ForkSide()}
_RESOLUTIONS: Final[Mapping[Resolution, Any]] = {
    Resolution.PREFER_FORK: Memories.Resolution_PreferFork(),
    Resolution.PREFER_TARGET: Memories.Resolution_PreferTarget(),
    Resolution.KEEP_BOTH: Memories.Resolution_KeepBoth(),
    Resolution.FAIL: Memories.Resolution_Fail(),
}


def _field(value: Hashable) -> Any:
    return Entries.Option_None() if value is ABSENT else Entries.Option_Some(value)


def _field_of(made: Any) -> Hashable:
    return made.value if made.is_Some else ABSENT


def _clash(clash: Clash) -> Any:
    return Memories.Field_Clash(_field(clash.base), _field(clash.target), _field(clash.fork))


def _clash_of(made: Any) -> Clash:
    return Clash(_field_of(made.base), _field_of(made.target), _field_of(made.fork))


def _merged(merged: Merged) -> Any:
    clashes = {key: _clash(clash) for key, clash in merged.clashes.items()}
    return Memories.Merged_Merged(_dafny.Map(merged.fields), _dafny.Map(clashes))


def _how(how: Resolution | Answers) -> Any:
    if isinstance(how, Mapping):
        return Memories.Resolution_Ask(_dafny.Map({key: _SIDES[side] for key, side in how.items()}))
    return _RESOLUTIONS[how]


def _change(change: Change) -> Any:
    return Memories.Change_Change(change.key, _field(change.value))


def _changes_of(made: Any) -> frozenset[Change]:
    return frozenset(Change(change.key, _field_of(change.value)) for change in made)


def merge_field(base: Hashable, target: Hashable, fork: Hashable) -> Hashable | Clash:
    """One field merged: its value, ``ABSENT``, or a :class:`Clash`."""
    made = Memories.default__.MergeField(_field(base), _field(target), _field(fork))
    return _clash_of(made) if made.is_Clash else _field_of(made.value)


def merge_memories(base: Memory, target: Memory, fork: Memory) -> Merged:
    """A fork's memory merged into the target's, field by field, against what both began with."""
    made = Memories.default__.Merge(_dafny.Map(base), _dafny.Map(target), _dafny.Map(fork))
    return Merged(dict(made.fields), {key: _clash_of(clash) for key, clash in dict(made.clashes).items()})


def clean(merged: Merged) -> bool:
    """Whether nothing clashes."""
    return bool(Memories.default__.Clean(_merged(merged)))


def side_of(how: Resolution | Answers, key: Key) -> Side | None:
    """The side that a resolution takes in a clash; None where it leaves the field open."""
    made = convert.value_of(Memories.default__.SideOf(_how(how), key))
    return next((side for side, model in _SIDES.items() if model == made), None)


def resolve_clashes(merged: Merged, how: Resolution | Answers) -> Solution:
    """A merge with its clashes resolved, or the fields that the resolution leaves open."""
    made = Memories.default__.Resolve(_merged(merged), _how(how))
    if made.is_Waiting:
        return Waiting(frozenset(made.open_))
    return Solved(dict(made.memory), {key: _field_of(value) for key, value in dict(made.beside).items()})


def changes(base: Memory, fork: Memory) -> frozenset[Change]:
    """What a fork changed."""
    return _changes_of(Memories.default__.Changes(_dafny.Map(base), _dafny.Map(fork)))


def all_changes(base: Memory, forks: Iterable[Memory]) -> frozenset[Change]:
    """What several forks changed."""
    return _changes_of(Memories.default__.AllChanges(_dafny.Map(base), convert.sequence(map(_dafny.Map, forks))))


def merge_at_once(target: Hashable, made: Iterable[Made]) -> Settled | Disputed:
    """One field of several forks merged at once, each against what it began with."""
    sides = _dafny.Set(Memories.Made_Made(_field(one.base), _field(one.fork)) for one in made)
    found = Memories.default__.MergeAtOnce(_field(target), sides)
    return Settled(_field_of(found.value)) if found.is_Settled else Disputed()


def values_of(changed: Iterable[Change], key: Key) -> frozenset[Hashable]:
    """What was made of a field."""
    return frozenset(map(_field_of, Memories.default__.ValuesOf(_dafny.Set(map(_change, changed)), key)))
