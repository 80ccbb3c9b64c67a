"""Chapter 8 by the generated code: filling the missing keys of older entries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from forkpoint.core.backfill import Schema, Takes
from forkpoint.core.entries import Entry, Log
from forkpoint.oracle import convert
from forkpoint.oracle.generated import Backfill, BackfillFast


def missing(schema: Schema, entry: Entry) -> frozenset[str]:
    """The required keys that an entry lacks."""
    return frozenset(Backfill.default__.Missing(convert.schema(schema), convert.with_fields(entry)))


def validates(schema: Schema, entry: Entry) -> bool:
    """Whether an entry has every required key."""
    return bool(Backfill.default__.Validates(convert.schema(schema), convert.with_fields(entry)))


def odd(schema: Schema, takes: Takes, entry: Entry) -> frozenset[str]:
    """The required keys of an entry that hold a value which the schema does not take."""
    return frozenset(Backfill.default__.Odd(convert.schema(schema), _takes(takes), convert.with_fields(entry)))


def conforms(schema: Schema, takes: Takes, entry: Entry) -> bool:
    """Whether an entry has every required key, with a value that the schema takes."""
    return bool(Backfill.default__.Conforms(convert.schema(schema), _takes(takes), convert.with_fields(entry)))


def _takes(takes: Takes) -> Callable[[Any, str, object], bool]:
    """What a schema takes, asked by the model: of its own kinds of entries."""
    return lambda kind, key, value: takes(convert.KIND_OF[type(kind)], key, value)


def older(schema: Schema, entry: Entry) -> bool:
    """Whether an older client wrote the entry."""
    return bool(Backfill.default__.Older(convert.schema(schema), convert.with_fields(entry)))


def reported(schema: Schema, entry: Entry) -> frozenset[str]:
    """The missing keys that backfill reports instead of making them up."""
    return frozenset(Backfill.default__.Reported(convert.schema(schema), convert.with_fields(entry)))


def additions(schema: Schema, entry: Entry) -> dict[str, object]:
    """What backfill adds to an entry, in no order."""
    return dict(Backfill.default__.Additions(convert.schema(schema), convert.with_fields(entry)))


def backfill_entry(entry: Entry, schema: Schema) -> Entry:
    """The entry with its missing keys filled."""
    return convert.entry_of(Backfill.default__.BackfillEntry(convert.with_fields(entry), convert.schema(schema)))


def backfill_log(log: Log, schema: Schema) -> Log:
    """A new log with every entry filled."""
    filled, _ = BackfillFast.default__.FillLog(convert.sequence(map(convert.with_fields, log)), convert.schema(schema))
    return Log(convert.entries_of(filled))


def extends_schema(later: Schema, earlier: Schema) -> bool:
    """Whether ``later`` is no older and fills all that ``earlier`` fills, with equal defaults."""
    return bool(Backfill.default__.ExtendsSchema(convert.schema(later), convert.schema(earlier)))
