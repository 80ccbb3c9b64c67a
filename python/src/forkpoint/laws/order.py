"""Chapter 2: canonical order."""

from __future__ import annotations

from collections.abc import Sequence

from forkpoint.core import order
from forkpoint.core.entries import Entry, Log
from forkpoint.laws import definitions as d
from forkpoint.laws import law
from forkpoint.laws.definitions import Entries


def _out(entries: Sequence[Entry], positions: Sequence[int]) -> Entries:
    return tuple(entries[position] for position in positions)


@law(
    "P2.5", "ArrangedIsPermutation", order.arrange, quick=lambda entries, result: len(set(result)) == len(result) <= len(entries)
)
def arranged_is_permutation(entries: Sequence[Entry], result: Sequence[int]) -> bool:
    return not d.acyclic(tuple(entries)) or sorted(result) == list(range(len(entries)))


@law("P2.6", "ArrangedIsCompleteExactlyWithoutCycles NeverOutExactlyBelowCycles", order.arrange)
def arranged_is_complete_exactly_without_cycles(entries: Sequence[Entry], result: Sequence[int]) -> bool:
    file = tuple(entries)
    below = d.uuids(entry for entry in file if d.meets_a_cycle(file, entry.uuid))
    return d.uuids(file) - d.uuids(_out(entries, result)) == below and (len(result) == len(file)) == d.acyclic(file)


@law("P2.7", "CanonicalExistsExactly OrderExistsExactly", order.canonical)
def canonical_exists_exactly(entries: Sequence[Entry], result: Log | None) -> bool:
    return (result is not None) == (d.no_dangling_parents(tuple(entries)) and d.acyclic(tuple(entries)))


@law(
    "P2.8", "CanonicalIsWellFormed CanonicalIsPermutation", order.canonical,
    quick=lambda entries, result: result is None or len(result) == len(entries),
)  # fmt: skip
def canonical_is_well_formed(entries: Sequence[Entry], result: Log | None) -> bool:
    if result is None:
        return True
    return d.well_formed(tuple(result)) and all(entry in tuple(entries) for entry in result)


@law("P2.9", "CanonicalIsStable ArrangedIsStable", order.arrange)
def canonical_is_stable(entries: Sequence[Entry], result: Sequence[int]) -> bool:
    return d.stable(tuple(entries), _out(entries, result))


@law("P2.10", "CanonicalIsUnique")
def canonical_is_unique(entries: Sequence[Entry], one: int, two: int) -> bool:
    """Of another order it holds exactly if that is parents first and stable; others differ from it in two entries."""
    here = list(_out(entries, order.arrange(entries)))
    other = [*here]
    if other:
        other[one % len(here)], other[two % len(here)] = other[two % len(here)], other[one % len(here)]
    return not (d.well_formed(tuple(other)) and d.stable(tuple(entries), tuple(other))) or other == here


@law("P2.11", "CanonicalLeavesOrderedLogsAlone CanonicalIsIdempotent WhatWaitsForNothingStays", order.canonical)
def canonical_leaves_ordered_logs_alone(entries: Sequence[Entry], result: Log | None) -> bool:
    file = tuple(entries)
    again = None if result is None else order.canonical(list(result))
    if not any(entry.parent in d.uuids(file) for entry in file) and list(order.arrange(entries)) != [*range(len(file))]:
        return False
    return again == result and (not d.well_formed(file) or (result is not None and tuple(result) == file))


@law("P2.12", "CanonicalOfAppend", order.canonical)
def canonical_of_append(entries: Sequence[Entry], result: Log | None) -> bool:
    if result is None:
        return True
    more = Entry("one that is new", entries[0].uuid if entries else None)
    after = order.canonical([*entries, more])
    return after is not None and tuple(after) == (*result, more)


@law("P2.13", "OrderFast.ArrangeBySweep OrderFast.DecideAcyclic OrderFast.CanonicalBySweep", order.arrange)
def arrange_by_sweep(entries: Sequence[Entry], result: Sequence[int]) -> bool:
    log = order.canonical(entries)
    out = _out(entries, result)
    return (
        out == d.arranged(tuple(entries))
        and order.acyclic(entries) == d.acyclic(tuple(entries))
        and (log is None or tuple(log) == out)
    )


@law("P2.14", "CanonicalOfKeep", order.canonical)
def canonical_of_keep(entries: Sequence[Entry], result: Log | None) -> bool:
    """Of the ancestors of each entry, and of what does not descend from it."""
    if result is None:
        return True
    above = {entry.uuid: d.uuids(d.ancestry(tuple(result), entry.uuid)) for entry in result}
    apart = [frozenset(one for one, way in above.items() if uuid not in way) for uuid in above]
    return all(
        order.canonical([entry for entry in entries if entry.uuid in ids]) == Log(d.keep(tuple(result), ids))
        for ids in (*above.values(), *apart)
    )
