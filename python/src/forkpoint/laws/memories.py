"""Chapter 16: the three-way merge of memories, resolved clashes, the advanced base, several forks."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from collections.abc import Set as AbstractSet

from forkpoint.core import memories
from forkpoint.core.memories import (
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
from forkpoint.laws import definitions as d
from forkpoint.laws import law


def _changed(base: Memory, side: Memory) -> set[Key]:
    return {key for key in {*base, *side} if d.at(side, key) != d.at(base, key)}


def _only(keys: AbstractSet[Key], memory: Memory) -> dict[Key, Hashable]:
    return {key: value for key, value in memory.items() if key in keys}


# ---- the merge


@law(
    "P19.1", "UnchangedForkChangesNothing FastForwardTakesTheFork SameChangesAgree", memories.merge_memories,
    quick=lambda result: result.fields.keys().isdisjoint(result.clashes),
)  # fmt: skip
def unchanged_fork_changes_nothing(base: Memory, target: Memory, fork: Memory, result: Merged) -> bool:
    whole = d.merged_memory(base, target, fork)
    cases = [(base, target, base, target), (base, base, fork, fork), (base, target, target, target)]
    return result == whole and all(memories.merge_memories(a, b, c) == Merged(dict(one), {}) for a, b, c, one in cases)


@law("P19.2", "ClashesExactlyWhereBothChanged", memories.merge_memories)
def clashes_exactly_where_both_changed(base: Memory, target: Memory, fork: Memory, result: Merged) -> bool:
    both = _changed(base, target) & _changed(base, fork)
    made = {key: Clash(d.at(base, key), d.at(target, key), d.at(fork, key)) for key in both}
    clashes = {key: clash for key, clash in made.items() if clash.target != clash.fork}
    fields = all(
        memories.merge_field(d.at(base, key), d.at(target, key), d.at(fork, key))
        == (result.clashes[key] if key in result.clashes else d.at(result.fields, key))
        for key in {*base, *target, *fork}
    )
    return result.clashes == clashes and fields and memories.clean(result) == (not clashes)


@law("P19.3", "MergeIsSymmetricUpToSides", memories.merge_memories)
def merge_is_symmetric_up_to_sides(base: Memory, target: Memory, fork: Memory, result: Merged) -> bool:
    back = memories.merge_memories(base, fork, target)
    turned = {key: Clash(clash.base, clash.fork, clash.target) for key, clash in result.clashes.items()}
    return back.fields == result.fields and back.clashes == turned


@law("P19.4", "NothingIsLostSilently", memories.merge_memories)
def nothing_is_lost_silently(base: Memory, target: Memory, fork: Memory, result: Merged) -> bool:
    def kept(side: Memory, key: Key) -> bool:
        clash = result.clashes.get(key)
        return d.at(side, key) in ((clash.target, clash.fork) if clash else (d.at(result.fields, key),))

    return all(kept(side, key) for side in (target, fork) for key in _changed(base, side))


@law("P19.5", "NothingIsInvented", memories.merge_memories)
def nothing_is_invented(base: Memory, target: Memory, fork: Memory, result: Merged) -> bool:
    def from_a_side(key: Key) -> bool:
        value, was = d.at(result.fields, key), d.at(base, key)
        untouched = d.at(target, key) == was == d.at(fork, key)
        return value in (d.at(target, key), d.at(fork, key)) and (not untouched or value == was)

    there = {*base, *target, *fork}
    return (
        {*result.fields, *result.clashes} <= there
        and not result.fields.keys() & result.clashes.keys()
        and all(from_a_side(key) for key in there - result.clashes.keys())
    )


@law("P19.6", "CleanMergeIsIdempotent", memories.merge_memories)
def clean_merge_is_idempotent(base: Memory, fork: Memory, result: Merged) -> bool:
    if result.clashes:
        return True
    return all(memories.merge_memories(one, result.fields, fork) == result for one in (base, fork))


# ---- resolving


@law(
    "P19.7",
    "CleanNeedsNoResolution PreferredSideKeepsItsChanges KeepingBothLosesNothing AskingTakesTheAnswers"
    " FailingSettlesExactlyTheClean ResolvedHoldsExactly UndisputedFieldsAreAsMerged",
    memories.resolve_clashes,
    quick=lambda merged, how, result: _as_the_sides_say(merged, how, result),
)
def resolutions_keep_what_they_say(merged: Merged, how: Resolution | Answers, result: Solution) -> bool:
    """Each field is as merged, or as the side has it that is taken; what has no side waits; beside stands what keeping both
    keeps."""
    sides = {key: memories.side_of(how, key) == d.side_taken(how, key) for key in merged.clashes}
    return _as_the_sides_say(merged, how, result) and all(sides.values())


def _as_the_sides_say(merged: Merged, how: Resolution | Answers, result: Solution) -> bool:
    sides = {key: d.side_taken(how, key) for key in merged.clashes}
    without = frozenset(key for key, side in sides.items() if side is None)
    if isinstance(result, Waiting):
        return result.open == without != frozenset()
    beside = {key: clash.fork for key, clash in merged.clashes.items()} if how is Resolution.KEEP_BOTH else {}
    return (
        not without
        and all(d.at(result.memory, key) == d.answered(merged, how, key) for key in {*merged.fields, *sides, *result.memory})
        and _only(result.memory.keys() - merged.clashes.keys(), result.memory) == dict(merged.fields)
        and result.beside == beside
    )


@law("P19.7", "PreferredSideKeepsItsChanges KeepingBothLosesNothing FailingSettlesExactlyTheClean")
def sides_keep_their_changes(base: Memory, target: Memory, fork: Memory) -> bool:
    merged = memories.merge_memories(base, target, fork)

    def solved(how: Resolution) -> Solved:
        solution = memories.resolve_clashes(merged, how)
        assert isinstance(solution, Solved)
        return solution

    def keeps(made: Memory, side: Memory) -> bool:
        return all(d.at(made, key) == d.at(side, key) for key in _changed(base, side))

    both, ours, theirs = map(solved, (Resolution.KEEP_BOTH, Resolution.PREFER_TARGET, Resolution.PREFER_FORK))
    failed = memories.resolve_clashes(merged, Resolution.FAIL)
    return (
        keeps(ours.memory, target)
        and keeps(theirs.memory, fork)
        and ours.beside == theirs.beside == {}
        and both.memory == ours.memory
        and all(d.at(fork, key) == both.beside.get(key, d.at(both.memory, key)) for key in _changed(base, fork))
        and failed == (Waiting(frozenset(merged.clashes)) if merged.clashes else Solved(merged.fields, {}))
    )


# ---- merging again


@law("P19.8", "ResolvedClashComesBackExactly")
def resolved_clash_comes_back_exactly(base: Memory, target: Memory, fork: Memory, made: Memory) -> bool:
    """``made`` is what the clashes were resolved to."""
    again = memories.merge_memories(base, made, fork)

    def exactly(key: Key) -> bool:
        comes_back = d.at(made, key) not in (d.at(fork, key), d.at(base, key))
        return (key in again.clashes) == comes_back and (comes_back or d.at(again.fields, key) == d.at(fork, key))

    return all(exactly(key) for key in memories.merge_memories(base, target, fork).clashes)


@law("P19.9", "AdvancedBaseBringsNoClashBack")
def advanced_base_brings_no_clash_back(fork: Memory, made: Memory, later: Memory) -> bool:
    merged = memories.merge_memories(fork, made, later)
    alone = {*fork, *made, *later} - _changed(fork, later)
    return memories.merge_memories(fork, made, fork) == Merged(dict(made), {}) and all(
        key not in merged.clashes and d.at(merged.fields, key) == d.at(made, key) for key in alone
    )


# ---- several forks


@law("P19.10", "ChangesDependOnTheForksAlone ChangesUnite AllChangesAreTheForks ValuesAreTheForks", memories.all_changes)
def changes_depend_on_the_forks_alone(base: Memory, forks: Sequence[Memory], result: frozenset[Change]) -> bool:
    def parts(place: int) -> frozenset[Change]:
        return memories.all_changes(base, forks[:place]) | memories.all_changes(base, forks[place:])

    return (
        result == {Change(key, d.at(fork, key)) for fork in forks for key in _changed(base, fork)}
        and all(parts(place) == result for place in range(len(forks) + 1))
        and memories.all_changes(base, [*reversed(forks), *forks]) == result
        and result == frozenset().union(*(memories.changes(base, fork) for fork in forks))
        and all(memories.values_of(result, key) == d.made_of(base, forks, key) for fork in forks for key in {*base, *fork})
    )


@law("P19.11", "MergeOfTwoIsTheThreeWayMerge", memories.merge_memories)
def merge_of_two_is_the_three_way_merge(base: Memory, target: Memory, fork: Memory, result: Merged) -> bool:
    made = memories.all_changes(base, [target, fork])

    def same(key: Key) -> bool:
        values = memories.values_of(made, key)
        if len(values) == 2:
            return key in result.clashes and values == {d.at(target, key), d.at(fork, key)}
        return key not in result.clashes and d.at(result.fields, key) == next(iter(values), d.at(base, key))

    return all(same(key) for key in {*base, *target, *fork})


@law(
    "P19.12", "SettledExactly UnchangedForksChangeNothing OneAtOnceIsTheThreeWayMerge AtOnceIsTheValuesOfTheChanges",
    memories.merge_at_once,
    quick=lambda target, made, result: _settles(target, made, result),
)  # fmt: skip
def settled_exactly(target: Hashable, made: Sequence[Made], result: Settled | Disputed) -> bool:
    return (
        _settles(target, made, result)
        and memories.merge_at_once(target, [*reversed(made), *made]) == result
        and memories.merge_at_once(target, [Made(one.fork, one.fork) for one in made]) == Settled(target)
        and all(_one_at_once(target, one) for one in made)
    )


def _settles(target: Hashable, made: Sequence[Made], result: Settled | Disputed) -> bool:
    values = {target, *(one.fork for one in made), *(one.base for one in made)}
    found = {value for value in values if d.settled_to(target, frozenset(made), value)}
    return found == ({result.value} if isinstance(result, Settled) else set())


def _one_at_once(target: Hashable, one: Made) -> bool:
    """Of one fork it is the three-way merge."""
    field = memories.merge_field(one.base, target, one.fork)
    return memories.merge_at_once(target, [one]) == (Disputed() if isinstance(field, Clash) else Settled(field))


@law("P19.12", "AtOnceIsTheValuesOfTheChanges")
def at_once_is_the_values_of_the_changes(base: Memory, target: Memory, forks: Sequence[Memory]) -> bool:
    """Of forks of one base, where one of them changed the field."""

    def same(key: Key) -> bool:
        found = memories.merge_at_once(d.at(target, key), [Made(d.at(base, key), d.at(fork, key)) for fork in forks])
        values = d.made_of(base, [target, *forks], key)
        return found == (Settled(next(iter(values))) if len(values) == 1 else Disputed())

    return all(same(key) for fork in forks for key in _changed(base, fork))


@law("P19.13", "FieldsStandByThemselves AdvancedFieldStays PartialMergeIsIdempotent", memories.merge_memories)
def fields_stand_by_themselves(base: Memory, target: Memory, fork: Memory, result: Merged) -> bool:
    """Each key alone, and on a base that was advanced for it."""

    def alone(key: Key) -> bool:
        one = {key}
        some = memories.merge_memories(_only(one, base), _only(one, target), _only(one, fork))
        own = Merged(_only(one, result.fields), {key: result.clashes[key]} if key in result.clashes else {})
        advanced = {**_only({*base} - one, base), **_only(one, fork)}
        again = memories.merge_memories(advanced, target, fork)
        others = {*base, *target, *fork} - one
        return (
            some == own
            and again.clashes == {other: clash for other, clash in result.clashes.items() if other != key}
            and d.at(again.fields, key) == d.at(target, key)
            and all(d.at(again.fields, other) == d.at(result.fields, other) for other in others)
        )

    return all(alone(key) for key in {*base, *target, *fork})


@law("P19.7", "AskingTakesTheAnswers", memories.side_of)
def asking_takes_the_answers(how: Resolution | Answers, key: Key, result: Side | None) -> bool:
    return result == d.side_taken(how, key)
