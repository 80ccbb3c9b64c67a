"""Chapter 8: P6a version-backfill, P6b content-preserving."""

from __future__ import annotations

from forkpoint.core.backfill import (
    Schema,
    backfill_entry,
    extends_schema,
)
from forkpoint.core.entries import Entry, Kind
from strategies_laws import holds

test_laws = holds("backfill")


def test_backfill_with_other_defaults_does_not_compose() -> None:
    earlier = Schema((1, 0, 0), {Kind.USER: {"cwd": 1}})
    later = Schema((2, 0, 0), {Kind.USER: {"cwd": 2}})
    entry = Entry("a")
    assert not extends_schema(later, earlier)
    assert backfill_entry(backfill_entry(entry, earlier), later) != backfill_entry(entry, later)
