"""Chapter 16, said plainly over tuples of entries and computed slowly."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from forkpoint.core.memories import ABSENT, Answers, Clash, Key, Made, Memory, Merged, Resolution, Side


def at(memory: Memory, key: Key) -> Hashable:
    """What a memory holds under a key, or that it holds nothing."""
    return memory.get(key, ABSENT)


def made_of(base: Memory, sides: Iterable[Memory], key: Key) -> frozenset[Hashable]:
    """What those sides made of a field that changed it."""
    return frozenset(at(side, key) for side in sides) - {at(base, key)}


def merged_memory(base: Memory, target: Memory, fork: Memory) -> Merged:
    """Three memories merged: a field is as it was if nobody changed it, what was made of it if that is one thing, or a clash."""
    fields: dict[Key, Hashable] = {}
    clashes: dict[Key, Clash] = {}
    for key in {*base, *target, *fork}:
        made = made_of(base, (target, fork), key)
        if len(made) == 2:
            clashes[key] = Clash(at(base, key), at(target, key), at(fork, key))
            continue
        [value] = made or {at(base, key)}
        if value is not ABSENT:
            fields[key] = value
    return Merged(fields, clashes)


def side_taken(how: Resolution | Answers, key: Key) -> Side | None:
    """The side that a resolution takes in a clash, if it takes one."""
    if not isinstance(how, Resolution):
        return how.get(key)
    sides = {
        Resolution.PREFER_FORK: Side.FORK,
        Resolution.PREFER_TARGET: Side.TARGET,
        Resolution.KEEP_BOTH: Side.TARGET,
        Resolution.FAIL: None,
    }
    return sides[how]


def answered(merged: Merged, how: Resolution | Answers, key: Key) -> Hashable:
    """What a field comes to under a resolution."""
    side = side_taken(how, key)
    if key not in merged.clashes or side is None:
        return at(merged.fields, key)
    return merged.clashes[key].target if side is Side.TARGET else merged.clashes[key].fork


def settled_to(target: Hashable, made: frozenset[Made], value: Hashable) -> bool:
    """A field of several forks at once comes to a value: all who changed it made that of it, and the target has it or has what
    they began with; or nobody changed it and the target has it."""
    changed = [one for one in made if one.fork != one.base]
    return all(one.fork == value and target in (value, one.base) for one in changed) and (bool(changed) or value == target)


def merged_in_turn(base: Memory, target: Memory, forks: tuple[Memory, ...]) -> Memory:
    """Forks merged one after the other, the target preferred. A plausible way, and a wrong one."""
    if not forks:
        return target
    merged = merged_memory(base, merged_in_turn(base, target, forks[:-1]), forks[-1])
    return {
        key: value
        for key in {*merged.fields, *merged.clashes}
        if (value := answered(merged, Resolution.PREFER_TARGET, key)) is not ABSENT
    }
