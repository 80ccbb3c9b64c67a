"""Chapter 3: ancestry and lineage."""

from __future__ import annotations

from forkpoint.core import ancestries
from forkpoint.core.ancestries import Line
from forkpoint.core.entries import Id, Log
from forkpoint.laws import definitions as d
from forkpoint.laws import law
from forkpoint.laws.definitions import Entries


@law(
    "P4.1", "AncestryIsRootPath AncestryIsParentClosed", ancestries.ancestry,
    quick=lambda uuid, result: result[-1].uuid == uuid and result[0].parent is None,
)  # fmt: skip
def ancestry_is_root_path(log: Log, uuid: Id, result: Entries) -> bool:
    return d.is_root_path(tuple(log), result, uuid) and {entry.parent for entry in result} <= d.uuids(result) | {None}


@law("P4.2", "RootPathIsAncestry", ancestries.ancestry)
def root_path_is_ancestry(log: Log, uuid: Id, result: Entries) -> bool:
    above = {entry.uuid for entry in log if ancestries.is_ancestor(log, entry.uuid, uuid)}
    return result == d.ancestry(tuple(log), uuid) and above == d.uuids(result) and not ancestries.is_ancestor(log, object(), uuid)


@law(
    "P4.3", "LineageIsAncestryAfterOlderLineage LineageIsAncestryWithoutBoundary", ancestries.lineage,
    quick=lambda log, uuid, result: result.entries[-len(ancestries.ancestry(log, uuid)) :] == ancestries.ancestry(log, uuid),
)  # fmt: skip
def lineage_is_ancestry_after_older_lineage(log: Log, uuid: Id, result: Line) -> bool:
    way = d.ancestry(tuple(log), uuid)
    older = way[0].logical_parent
    if older is None or older not in d.uuids(d.as_of(tuple(log), way[0].uuid)[:-1]):
        return result == Line(way, older)
    above = ancestries.lineage(log, older)
    return result == Line(above.entries + way, above.outside)


@law(
    "P4.4", "OutsideDoesNotStandBefore", ancestries.lineage,
    quick=lambda result: result.entries[0].parent is None and result.entries[0].logical_parent == result.outside,
)  # fmt: skip
def outside_does_not_stand_before(log: Log, result: Line) -> bool:
    first = result.entries[0]
    if result.outside is None:
        return True
    return ancestries.is_boundary(first) and result.outside not in d.uuids(d.as_of(tuple(log), first.uuid)[:-1])


@law("P4.5", "AncestriesFast.FastAncestry AncestriesFast.FastLineage", ancestries.ancestry)
def fast_ancestry(log: Log, uuid: Id, result: Entries) -> bool:
    line = ancestries.lineage(log, uuid).entries
    return result == d.ancestry(tuple(log), uuid) == line[len(line) - len(result) :]
