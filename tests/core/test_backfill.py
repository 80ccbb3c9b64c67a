"""Chapter 8: P6a version-backfill, P6b content-preserving."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import forkpoint
from forkpoint.core import ancestries, balance, contexts, forks, order
from forkpoint.core import definitions as d
from forkpoint.core.backfill import (
    Schema,
    backfill_entry,
    backfill_log,
    extends_schema,
    missing,
    reported,
    validates,
)
from forkpoint.core.entries import Entry, Kind, Log
from strategies import broken_files, files, logs, logs_and_points, schemas


@given(logs(), schemas())
def test_backfilled_entry_validates(log: Log, schema: Schema) -> None:
    for entry in log:
        filled = backfill_entry(entry, schema)
        assert missing(schema, filled) == reported(schema, entry)
        assert validates(schema, filled) == (not reported(schema, entry))


@given(logs(), schemas())
def test_backfill_keeps_existing_fields(log: Log, schema: Schema) -> None:
    for entry in log:
        filled = forkpoint.backfill_entry(entry, schema)
        assert all(filled.fields[key] == value for key, value in entry.fields.items())
        assert filled._replace(fields=entry.fields) == entry


@given(logs(), schemas())
def test_backfill_adds_exactly_the_missing(log: Log, schema: Schema) -> None:
    for entry in log:
        filled = backfill_entry(entry, schema)
        required = schema.required_of(entry.kind)
        added = {key: value for key, value in filled.fields.items() if key not in entry.fields}
        wanted = {k: v for k, v in required.items() if k not in entry.fields and k not in schema.reserved}
        assert added == wanted


@given(logs(), schemas())
def test_reserved_keys_are_never_invented(log: Log, schema: Schema) -> None:
    for entry in log:
        filled = backfill_entry(entry, schema)
        assert not (filled.fields.keys() - entry.fields.keys()) & schema.reserved


@given(logs(), schemas())
def test_backfill_twice_is_once(log: Log, schema: Schema) -> None:
    once = forkpoint.backfill_log(log, schema)
    assert backfill_log(once, schema) == once
    assert all(backfill_entry(entry, schema) is entry for entry in once)


@given(logs(), st.data())
def test_backfill_composes_along_versions(log: Log, data: st.DataObject) -> None:
    earlier = data.draw(schemas())
    later = data.draw(schemas(later_than=earlier))
    latest = data.draw(schemas(later_than=later))
    assert extends_schema(later, earlier)
    assert extends_schema(earlier, earlier)
    assert extends_schema(latest, earlier)
    assert backfill_log(backfill_log(log, earlier), later) == backfill_log(log, later)


@given(schemas(), schemas(), st.sampled_from([Kind.USER, Kind.ASSISTANT]))
def test_bare_entry_composes_exactly_when(earlier: Schema, later: Schema, kind: Kind) -> None:
    bare = Entry("a", kind=kind)
    fills = {k: v for k, v in earlier.required_of(kind).items() if k not in earlier.reserved}
    more = {k: v for k, v in later.required_of(kind).items() if k not in later.reserved}
    composes = backfill_entry(backfill_entry(bare, earlier), later) == backfill_entry(bare, later)
    assert composes == (fills.items() <= more.items())


def test_backfill_with_other_defaults_does_not_compose() -> None:
    earlier = Schema((1, 0, 0), {Kind.USER: {"cwd": 1}})
    later = Schema((2, 0, 0), {Kind.USER: {"cwd": 2}})
    entry = Entry("a")
    assert not extends_schema(later, earlier)
    assert backfill_entry(backfill_entry(entry, earlier), later) != backfill_entry(entry, later)


@given(logs(), schemas())
def test_backfill_is_entrywise(log: Log, schema: Schema) -> None:
    assert list(backfill_log(log, schema)) == [backfill_entry(entry, schema) for entry in log]


@given(st.one_of(files(), broken_files()), schemas(), st.booleans())
def test_backfill_keeps_well_formed(file: list[Entry], schema: Schema, repeat: bool) -> None:
    before = (*file, file[0]) if repeat else tuple(file)
    after = tuple(backfill_entry(entry, schema) for entry in before)
    assert d.well_formed(after) == d.well_formed(before)
    assert d.unique_uuids(after) == d.unique_uuids(before)
    assert d.no_dangling_parents(after) == d.no_dangling_parents(before)
    assert repeat or d.acyclic(after) == d.acyclic(before)


@given(logs(), schemas())
def test_backfill_keeps_legal(log: Log, schema: Schema) -> None:
    assert balance.survey(backfill_log(log, schema)) == balance.survey(log)


@given(logs_and_points(), schemas())
def test_backfill_commutes_with_ancestry(at: tuple[Log, str], schema: Schema) -> None:
    log, uuid = at
    filled = backfill_log(log, schema)
    assert list(ancestries.ancestry(filled, uuid)) == [backfill_entry(e, schema) for e in ancestries.ancestry(log, uuid)]
    line, before = ancestries.lineage(filled, uuid), ancestries.lineage(log, uuid)
    assert list(line.entries) == [backfill_entry(e, schema) for e in before.entries]
    assert line.outside == before.outside
    assert contexts.members(filled, uuid) == contexts.members(log, uuid)
    assert list(contexts.context(filled, uuid)) == [backfill_entry(e, schema) for e in contexts.context(log, uuid)]
    assert forks.fork(filled, uuid) == backfill_log(forks.fork(log, uuid), schema)


@given(files(), schemas())
def test_backfill_commutes_with_canonical_order(file: list[Entry], schema: Schema) -> None:
    assert order.arrange([backfill_entry(entry, schema) for entry in file]) == order.arrange(file)


@given(logs_and_points(), schemas())
def test_fork_across_versions_then_backfill(at: tuple[Log, str], schema: Schema) -> None:
    log, uuid = at
    out = backfill_log(forks.fork(log, uuid), schema)
    assert [e.uuid for e in out] == [e.uuid for e in contexts.context(log, uuid)]
    for entry in out:
        old = log.entry(entry.uuid)
        assert entry == backfill_entry(old, schema)
        assert entry.version == old.version
        assert missing(schema, entry) == reported(schema, old)
        assert list(contexts.context(out, entry.uuid)) == [backfill_entry(e, schema) for e in contexts.context(log, entry.uuid)]
    if balance.legal(log, uuid):
        assert balance.legal(out, uuid)
