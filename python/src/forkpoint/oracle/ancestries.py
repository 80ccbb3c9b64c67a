"""Chapter 3 by the generated code: ancestry and lineage."""

from __future__ import annotations

from forkpoint.core.ancestries import Line
from forkpoint.core.entries import Entry, Id, Log
from forkpoint.oracle import convert
from forkpoint.oracle.generated import Ancestries, AncestriesFast


def ancestry(log: Log, uuid: Id) -> tuple[Entry, ...]:
    """The entries from the root to ``uuid``."""
    made = convert.prepared(log)
    return convert.entries_of(AncestriesFast.default__.FastAncestry(made.log, made.up, made.position(uuid)))


def is_ancestor(log: Log, above: Id, uuid: Id) -> bool:
    """Whether ``above`` is ``uuid`` or an ancestor of it."""
    return any(entry.uuid == above for entry in ancestry(log, uuid))


def is_boundary(entry: Entry) -> bool:
    """Whether an entry is a root that continues an older entry."""
    return bool(Ancestries.default__.IsBoundary(convert.entry(entry)))


def lineage(log: Log, uuid: Id) -> Line:
    """Ancestry continued across boundaries, and where it leaves the log."""
    made = convert.prepared(log)
    found = AncestriesFast.default__.FastLineage(made.log, made.back, made.position(uuid))
    return Line(convert.entries_of(found.entries), convert.value_of(found.outside))
