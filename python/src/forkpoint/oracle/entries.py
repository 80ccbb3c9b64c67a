"""Chapter 1 by the generated code: the structural properties of a sequence of entries."""

from __future__ import annotations

from collections.abc import Sequence

from forkpoint.core.entries import Entry, Log
from forkpoint.oracle import convert
from forkpoint.oracle.generated import AncestriesFast, OrderFast


def unique_uuids(entries: Sequence[Entry]) -> bool:
    """P1: whether no two entries share a uuid."""
    return bool(OrderFast.default__.DecideUniqueUuids(convert.entries(entries)))


def no_dangling_parents(entries: Sequence[Entry]) -> bool:
    """P2: whether every parent is among the entries."""
    return bool(OrderFast.default__.DecideNoDanglingParents(convert.entries(entries)))


def well_formed(entries: Sequence[Entry]) -> bool:
    """Whether the entries have unique uuids and stand parents first."""
    return bool(AncestriesFast.default__.DecideWellFormed(convert.entries(entries)))


def fits(log: Log, entry: Entry) -> bool:
    """Whether an entry may follow a log."""
    return bool(AncestriesFast.default__.DecideFits(convert.prepared(log).at, convert.entry(entry)))
