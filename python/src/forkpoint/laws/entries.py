"""Chapter 1: P1 unique-uuids, P2 no-dangling-parents, acyclicity."""

from __future__ import annotations

from collections.abc import Sequence

from forkpoint.core import entries as core
from forkpoint.core.entries import Entry, Log
from forkpoint.laws import definitions as d
from forkpoint.laws import law


@law("P1.1", "WellFormedMeansUniqueAndParentsFirst", core.well_formed)
def well_formed_means_unique_and_parents_first(entries: Sequence[Entry], result: bool) -> bool:
    return result == d.well_formed(tuple(entries)) == (d.unique_uuids(tuple(entries)) and d.parents_first(tuple(entries)))


@law("P1.2", "OrderFast.DecideUniqueUuids", core.unique_uuids)
def decide_unique_uuids(entries: Sequence[Entry], result: bool) -> bool:
    return result == d.unique_uuids(tuple(entries))


@law("P2.1", "WellFormedHasNoDanglingParents", core.well_formed)
def well_formed_has_no_dangling_parents(entries: Sequence[Entry], result: bool) -> bool:
    return not result or d.no_dangling_parents(tuple(entries))


@law("P2.2", "WellFormedIsAcyclic", core.well_formed)
def well_formed_is_acyclic(entries: Sequence[Entry], result: bool) -> bool:
    return not result or d.acyclic(tuple(entries))


@law("P2.3", "OrderFast.DecideNoDanglingParents AncestriesFast.DecideWellFormed", core.no_dangling_parents)
def decide_no_dangling_parents(entries: Sequence[Entry], result: bool) -> bool:
    return result == d.no_dangling_parents(tuple(entries))


@law("P2.4", "IndexOfIsPosition", Log.position)
def index_of_is_position(self: Log, uuid: object, result: int) -> bool:
    return result == d.index_of(tuple(self), uuid) and self[result] == self.entry(uuid)
