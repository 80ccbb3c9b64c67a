"""Chapter 8 behind contracts: backfill."""

from __future__ import annotations

from forkpoint.contracts import behind
from forkpoint.core import backfill
from forkpoint.core.backfill import Schema
from forkpoint.core.entries import Entry, Log


@behind(backfill.backfill_entry)
def backfill_entry(entry: Entry, schema: Schema) -> Entry:
    return backfill.backfill_entry(entry, schema)


@behind(backfill.backfill_log)
def backfill_log(log: Log, schema: Schema) -> Log:
    return backfill.backfill_log(log, schema)
