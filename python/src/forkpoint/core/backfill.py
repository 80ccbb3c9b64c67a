"""Chapter 8: schemas, and filling the missing keys of older entries from a newer schema's defaults (P6a, P6b).

Mirrors ``dafny/08-Backfill.dfy``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

from forkpoint.core.entries import Entry, Kind, Log, Version

NOTHING: Mapping[str, object] = MappingProxyType({})
Takes: TypeAlias = Callable[[Kind, str, object], bool]
"""Which values a schema takes for a key of a kind of entry: those of the kind that it asks for there, such as a string."""


@dataclass(frozen=True, slots=True)
class Schema:
    """What a client version requires: for each kind of entry its required keys, with a default each.

    ``reserved`` keys are never made up: those the reader uses and those that carry identity.
    """

    version: Version
    required: Mapping[Kind, Mapping[str, object]] = field(default_factory=dict)
    reserved: frozenset[str] = frozenset()

    def required_of(self, kind: Kind) -> Mapping[str, object]:
        """The required keys of a kind of entry, with their defaults."""
        return self.required.get(kind, NOTHING)


def missing(schema: Schema, entry: Entry) -> frozenset[str]:
    """The required keys that an entry lacks."""
    return frozenset(schema.required_of(entry.kind).keys() - entry.fields.keys())


def validates(schema: Schema, entry: Entry) -> bool:
    """Whether an entry has every required key."""
    return schema.required_of(entry.kind).keys() <= entry.fields.keys()


def odd(schema: Schema, takes: Takes, entry: Entry) -> frozenset[str]:
    """The required keys of an entry that hold a value which the schema does not take. O(required keys)."""
    kind, fields = entry.kind, entry.fields
    return frozenset(key for key in schema.required_of(kind) if key in fields and not takes(kind, key, fields[key]))


def conforms(schema: Schema, takes: Takes, entry: Entry) -> bool:
    """Whether an entry has every required key, with a value that the schema takes. O(required keys)."""
    return validates(schema, entry) and not odd(schema, takes, entry)


def older(schema: Schema, entry: Entry) -> bool:
    """Whether an entry stands on the other side of a version boundary: an older client wrote it."""
    return entry.version < schema.version


def reported(schema: Schema, entry: Entry) -> frozenset[str]:
    """The missing keys that backfill reports instead of making them up."""
    return missing(schema, entry) & schema.reserved


def additions(schema: Schema, entry: Entry) -> dict[str, object]:
    """What backfill adds to an entry, in the order of the schema."""
    return {
        key: default
        for key, default in schema.required_of(entry.kind).items()
        if key not in entry.fields and key not in schema.reserved
    }


def backfill_entry(entry: Entry, schema: Schema) -> Entry:
    """The entry with its missing keys filled; nothing else changes, ``version`` included."""
    added = additions(schema, entry)
    return entry._replace(fields=MappingProxyType({**entry.fields, **added})) if added else entry


def backfill_log(log: Log, schema: Schema) -> Log:
    """A new log with every entry filled. O(n)."""
    return Log(backfill_entry(entry, schema) for entry in log)


def extends_schema(later: Schema, earlier: Schema) -> bool:
    """Whether ``later`` is no older and fills all that ``earlier`` fills, with equal defaults."""
    return earlier.version <= later.version and all(
        key in later.required_of(kind) and key not in later.reserved and later.required_of(kind)[key] == default
        for kind in Kind
        for key, default in earlier.required_of(kind).items()
        if key not in earlier.reserved
    )
