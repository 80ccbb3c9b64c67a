"""Chapter 8: P6a version-backfill, P6b content-preserving."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from forkpoint.core import ancestries, backfill, balance, contexts, forks, order
from forkpoint.core.backfill import Schema, Takes
from forkpoint.core.entries import Entry, Id, Kind, Log
from forkpoint.core.stores import DoBackfill, DoFork, Operation, Session, Store, apply_all
from forkpoint.laws import definitions as d
from forkpoint.laws import law
from forkpoint.laws.definitions import Entries


def _fills(schema: Schema, kind: Kind) -> dict[str, object]:
    """What a schema fills in for a kind, with its defaults."""
    return {key: value for key, value in schema.required_of(kind).items() if key not in schema.reserved}


def _filled(entries: Iterable[Entry], schema: Schema) -> Entries:
    return tuple(backfill.backfill_entry(entry, schema) for entry in entries)


def _without_fields(entry: Entry) -> Entry:
    return entry._replace(fields={})


@law(
    "P6a.1", "BackfilledEntryValidates", backfill.backfill_entry,
    quick=lambda entry, schema, result: backfill.missing(schema, result) == backfill.reported(schema, entry),
)  # fmt: skip
def backfilled_entry_validates(entry: Entry, schema: Schema, result: Entry) -> bool:
    required = schema.required_of(entry.kind).keys()
    lacks = (required & schema.reserved) - entry.fields.keys()
    return (
        required - result.fields.keys() == lacks == backfill.reported(schema, entry)
        and backfill.missing(schema, entry) == required - entry.fields.keys()
        and backfill.validates(schema, result) == (not lacks)
    )


@law("P6a.2", "ReservedKeysAreNeverInvented", backfill.backfill_entry)
def reserved_keys_are_never_invented(entry: Entry, schema: Schema, result: Entry) -> bool:
    return not (result.fields.keys() - entry.fields.keys()) & schema.reserved


@law("P6a.3", "BackfillTwiceIsOnce BackfillLogTwiceIsOnce", backfill.backfill_log)
def backfill_twice_is_once(schema: Schema, result: Log) -> bool:
    return backfill.backfill_log(result, schema) == result and all(
        backfill.backfill_entry(entry, schema) is entry for entry in result
    )


@law(
    "P6a.4",
    "BackfillComposesAlongVersions BackfillLogComposesAlongVersions BackfillThroughVersionsIsTheLast VersionsGrowByOne"
    " BackfillForAnOlderSchemaAddsNothing EverySchemaExtendsItself ExtensionIsTransitive",
)
def backfill_composes_along_versions(log: Log, schemas: Sequence[Schema]) -> bool:
    """Each schema extends the one before it."""
    last, made = schemas[-1], log
    for schema in schemas:
        made = backfill.backfill_log(made, schema)
    return made == backfill.backfill_log(log, last) == backfill.backfill_log(made, schemas[0]) and all(
        backfill.extends_schema(last, one) and backfill.extends_schema(one, one) for one in schemas
    )


@law(
    "P6a.5", "BareEntryComposesExactlyWhen BackfillComposesForAllExactlyWhen ExtendsAtEveryLaterVersion", backfill.extends_schema
)
def bare_entry_composes_exactly_when(later: Schema, earlier: Schema, result: bool) -> bool:
    """For entries of every kind; a schema extends another if it fills all that the other fills, and is no older."""

    def composes(kind: Kind) -> bool:
        bare = Entry("a", kind=kind)
        return _filled(_filled([bare], earlier), later) == _filled([bare], later)

    fills = {kind: _fills(earlier, kind).items() <= _fills(later, kind).items() for kind in Kind}
    extends = earlier.version <= later.version and all(fills.values())
    return result == extends and all(composes(kind) == fills[kind] for kind in Kind)


@law("P6a.6", "FilledEntryConforms ConformsExactly DefaultsAreTakenExactly", backfill.conforms)
def filled_entry_conforms(schema: Schema, takes: Takes, entry: Entry, result: bool) -> bool:
    """Of a schema that takes its own defaults, where an entry is filled; of each kind's entry without keys, whether it does."""
    odd = {
        key
        for key in schema.required_of(entry.kind).keys() & entry.fields.keys()
        if not takes(entry.kind, key, entry.fields[key])
    }
    if backfill.odd(schema, takes, entry) != odd or result != (not odd and not backfill.missing(schema, entry)):
        return False
    taken = all(takes(kind, key, default) for kind in Kind for key, default in _fills(schema, kind).items())
    bare = [backfill.backfill_entry(Entry("bare", kind=kind), schema) for kind in Kind]
    if taken == any(backfill.odd(schema, takes, filled) for filled in bare):
        return False
    if not taken:
        return True
    filled = backfill.backfill_entry(entry, schema)
    return backfill.odd(schema, takes, filled) == odd and backfill.conforms(schema, takes, filled) == (
        not odd and not backfill.reported(schema, entry)
    )


@law("P6a.7", "CompleteEntriesStay KindsThatAreNotNamedStay", backfill.backfill_entry)
def complete_entries_stay(entry: Entry, schema: Schema, result: Entry) -> bool:
    same = (result == entry) == (backfill.missing(schema, entry) <= schema.reserved)
    if entry.kind not in schema.required and (result != entry or not backfill.validates(schema, entry)):
        return False
    return same and backfill.older(schema, result) == backfill.older(schema, entry) == (entry.version < schema.version)


@law(
    "P6b.1", "BackfillKeepsExistingFields", backfill.backfill_entry,
    quick=lambda entry, result: all(result.fields[key] == value for key, value in entry.fields.items()),
)  # fmt: skip
def backfill_keeps_existing_fields(entry: Entry, result: Entry) -> bool:
    return {**result.fields, **entry.fields} == dict(result.fields)


@law(
    "P6b.2", "BackfillAddsExactlyTheMissing", backfill.backfill_entry,
    quick=lambda entry, schema, result: dict(result.fields) == {**_fills(schema, entry.kind), **entry.fields},
)  # fmt: skip
def backfill_adds_exactly_the_missing(entry: Entry, schema: Schema, result: Entry) -> bool:
    wanted = {key: value for key, value in _fills(schema, entry.kind).items() if key not in entry.fields}
    return dict(result.fields) == {**entry.fields, **wanted} and backfill.additions(schema, entry) == wanted


@law(
    "P6b.3", "BackfillChangesOnlyFields WhatIsReadStays", backfill.backfill_entry,
    quick=lambda entry, result: result._replace(fields=entry.fields) == entry,
)  # fmt: skip
def backfill_changes_only_fields(entry: Entry, schema: Schema, result: Entry) -> bool:
    """And what is read of keys that are reserved or not required is read again."""
    filled = _fills(schema, entry.kind).keys()
    before, after = ({key: one.fields[key] for key in one.fields.keys() - filled} for one in (entry, result))
    return _without_fields(result) == _without_fields(entry) and before == after


@law(
    "P6b.4", "BackfillIsEntrywise BackfillFast.FillLog BackfillOfAConcatenation", backfill.backfill_log,
    quick=lambda log, result: len(result) == len(log),
)  # fmt: skip
def backfill_is_entrywise(log: Log, schema: Schema, result: Log) -> bool:
    return tuple(result) == _filled(log, schema)


@law(
    "P6b.5",
    "BackfillCommutesWithAncestry BackfillCommutesWithLineage BackfillCommutesWithMembers BackfillCommutesWithContext"
    " BackfillCommutesWithFork BackfillCommutesWithForkPrefix",
    backfill.backfill_log,
)
def backfill_commutes_with_ancestry(log: Log, schema: Schema, result: Log) -> bool:
    def commutes(uuid: Id) -> bool:
        line, before = ancestries.lineage(result, uuid), ancestries.lineage(log, uuid)
        return (
            d.ancestry(tuple(result), uuid) == _filled(d.ancestry(tuple(log), uuid), schema)
            and line == before._replace(entries=_filled(before.entries, schema))
            and d.members(tuple(result), uuid) == d.members(tuple(log), uuid)
            and contexts.context(result, uuid) == _filled(d.context(tuple(log), uuid), schema)
            and forks.fork(result, uuid) == backfill.backfill_log(forks.fork(log, uuid), schema)
            and forks.fork_prefix(result, uuid) == backfill.backfill_log(forks.fork_prefix(log, uuid), schema)
        )

    return all(commutes(entry.uuid) for entry in log)


@law(
    "P6b.6",
    "BackfillKeepsWellFormed BackfillKeepsUniqueUuids BackfillKeepsNoDanglingParents BackfillKeepsAcyclic"
    " BackfillKeepsParentsFirst",
)
def backfill_keeps_well_formed(entries: Sequence[Entry], schema: Schema) -> bool:
    before, after = tuple(entries), _filled(entries, schema)
    same = all(asks(before) == asks(after) for asks in (d.well_formed, d.unique_uuids, d.no_dangling_parents, d.parents_first))
    return same and (not d.unique_uuids(before) or d.acyclic(before) == d.acyclic(after))


@law("P6b.7", "BackfillKeepsLegal BackfillKeepsBooks BackfillKeepsSettled", backfill.backfill_log)
def backfill_keeps_legal(log: Log, result: Log) -> bool:
    return balance.survey(result) == balance.survey(log)


@law("P6b.8", "BackfillCommutesWithCanonicalOrder", order.arrange)
def backfill_commutes_with_canonical_order(entries: Sequence[Entry], result: Sequence[int]) -> bool:
    """With a key that every entry lacks."""
    schema = Schema((9,), {kind: {"a key that is new": 1} for kind in Kind})
    return order.arrange(_filled(entries, schema)) == list(result)


@law("P6b.9", "ForkAcrossVersionsThenBackfill StoresProofs.ForkThenBackfillAddsTwoLogs")
def fork_across_versions_then_backfill(log: Log, schema: Schema) -> bool:
    filled = {entry.uuid: _filled(d.context(tuple(log), entry.uuid), schema) for entry in log}

    def good(uuid: Id) -> bool:
        out = backfill.backfill_log(forks.fork(log, uuid), schema)
        return (
            tuple(out) == filled[uuid]
            and all(entry.version == log.entry(entry.uuid).version for entry in out)
            and all(backfill.missing(schema, entry) == backfill.reported(schema, log.entry(entry.uuid)) for entry in out)
            and all(d.context(tuple(out), kept.uuid) == filled[kept.uuid] for kept in out)
            and (balance.legal(out, uuid) or not d.legal(tuple(log), uuid))
            and _in_a_store(log, uuid, schema, out)
        )

    return all(good(entry.uuid) for entry in log)


def _in_a_store(log: Log, uuid: Id, schema: Schema, out: Log) -> bool:
    """The same as two operations on a store: no old log changes."""
    history: list[Operation] = [DoFork("a", uuid, "b"), DoBackfill("b", schema, "c")]
    after = apply_all(Store({"a": Session(log)}), history)
    return after["a"] == Session(log) and after["c"].log == out and len(after) == 3
