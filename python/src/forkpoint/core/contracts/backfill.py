"""Chapter 8 behind contracts: backfill."""

from __future__ import annotations

from icontract import ensure

from forkpoint.core import backfill, definitions
from forkpoint.core.backfill import Schema, missing, reported
from forkpoint.core.contracts import FULL, called
from forkpoint.core.entries import Entry, Log


def _only_fields_differ(entry: Entry, result: Entry) -> bool:
    return result._replace(fields=entry.fields) == entry


def _adds_exactly_the_missing(entry: Entry, schema: Schema, result: Entry) -> bool:
    required = schema.required_of(entry.kind)
    added = result.fields.keys() - entry.fields.keys()
    return added == (required.keys() - entry.fields.keys()) - schema.reserved and all(
        result.fields[key] == required[key] for key in added
    )


@called
@ensure(lambda entry, schema, result: missing(schema, result) == reported(schema, entry))
@ensure(lambda entry, result: all(result.fields[key] == value for key, value in entry.fields.items()))
@ensure(lambda entry, schema, result: _adds_exactly_the_missing(entry, schema, result))
@ensure(lambda entry, result: _only_fields_differ(entry, result))
def backfill_entry(entry: Entry, schema: Schema) -> Entry:
    """The entry with its missing keys filled, :func:`forkpoint.core.backfill.backfill_entry`."""
    return backfill.backfill_entry(entry, schema)


@called
@ensure(lambda log, result: len(result) == len(log))
@ensure(
    lambda log, schema, result: all(
        result[i] == backfill_entry(log[i], schema)
        and definitions.members(tuple(result), log[i].uuid) == definitions.members(tuple(log), log[i].uuid)
        for i in range(len(log))
    ),
    enabled=FULL,
)
def backfill_log(log: Log, schema: Schema) -> Log:
    """A new log with every entry filled, :func:`forkpoint.core.backfill.backfill_log`."""
    return backfill.backfill_log(log, schema)
