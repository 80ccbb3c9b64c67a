"""Chapter 9: P5 append-only."""

from __future__ import annotations

from collections.abc import Sequence

from forkpoint.core import ancestries, backfill, balance, contexts, forks, stores
from forkpoint.core.entries import Log
from forkpoint.core.stores import DoAppend, DoBackfill, DoFork, Operation, Store
from forkpoint.laws import definitions as d
from forkpoint.laws import law


def _keeps(before: Store, after: Store) -> bool:
    """Every log is still there, and begins with what it was."""
    return all(key in after and tuple(after[key])[: len(log)] == tuple(log) for key, log in before.items())


def _changed(operation: Operation) -> object:
    """The log that an operation changes or makes."""
    return operation.log if isinstance(operation, DoAppend) else operation.target


def _made(store: Store, operation: Operation) -> Log:
    """What an operation that makes a log makes."""
    assert not isinstance(operation, DoAppend)
    if isinstance(operation, DoBackfill):
        return backfill.backfill_log(store[operation.source], operation.schema)
    made = forks.fork if isinstance(operation, DoFork) else forks.fork_prefix
    return made(store[operation.source], operation.at)


@law("P5.1", "ApplyIsAppendOnly", stores.apply)
def apply_is_append_only(store: Store, result: Store) -> bool:
    return _keeps(store, result) and stores.append_only(store, result)


@law("P5.2", "AppendExtendsOneLogByOneEntry", stores.apply)
def append_extends_one_log_by_one_entry(store: Store, operation: Operation, result: Store) -> bool:
    if not isinstance(operation, DoAppend):
        return True
    others = all(result[key] == log for key, log in store.items() if key != operation.log)
    return others and result.keys() == store.keys() and tuple(result[operation.log]) == (*store[operation.log], operation.entry)


@law(
    "P5.3", "ForkAddsOneLog ForkPrefixAddsOneLog BackfillAddsOneLog ExistingLogsAreNeverTargets", stores.apply,
    quick=lambda store, operation, result: (
        result.keys() == {*store.keys(), _changed(operation)}
        and all(result[key] == log for key, log in store.items() if key != _changed(operation))
    ),
)  # fmt: skip
def fork_adds_one_log(store: Store, operation: Operation, result: Store) -> bool:
    if isinstance(operation, DoAppend):
        return True
    old = all(result[key] == log for key, log in store.items())
    return old and operation.target not in store and result[operation.target] == _made(store, operation)


@law("P5.4", "AppendOnlyMeansNothingIsLost NothingIsDeletedOrRewritten", stores.append_only)
def append_only_means_nothing_is_lost(before: Store, after: Store, result: bool) -> bool:
    entry_by_entry = all(
        key in after and len(log) <= len(after[key]) and all(after[key][place] == entry for place, entry in enumerate(log))
        for key, log in before.items()
    )
    return result == entry_by_entry == _keeps(before, after)


@law("P5.5", "ApplyKeepsStoresValid HistoryKeepsStoresValid ValidStoresAreSound", stores.apply_all)
def apply_keeps_stores_valid(result: Store) -> bool:
    return all(
        d.well_formed(tuple(log)) and d.no_dangling_parents(tuple(log)) and d.acyclic(tuple(log)) for log in result.values()
    )


@law("P5.6", "HistoryIsAppendOnly HistoriesCompose AppendOnlyIsTransitive", stores.apply_all)
def history_is_append_only(store: Store, operations: Sequence[Operation], result: Store) -> bool:
    def parts(place: int) -> Store:
        return stores.apply_all(stores.apply_all(store, operations[:place]), operations[place:])

    return _keeps(store, result) and all(parts(place) == result for place in range(len(operations) + 1))


@law("P5.7", "HistoryKeepsOldContexts", stores.apply_all)
def history_keeps_old_contexts(store: Store, result: Store) -> bool:
    return all(
        ancestries.ancestry(result[key], entry.uuid) == d.ancestry(tuple(log), entry.uuid)
        and ancestries.lineage(result[key], entry.uuid) == ancestries.lineage(log, entry.uuid)
        and contexts.context(result[key], entry.uuid) == d.context(tuple(log), entry.uuid)
        for key, log in store.items()
        for entry in log
    )


@law("P5.8", "HistoryKeepsLegalExactly", stores.apply_all)
def history_keeps_legal_exactly(store: Store, result: Store) -> bool:
    def survives(key: object, log: Log, uuid: object) -> bool:
        new, own = tuple(result[key])[len(log) :], d.context(tuple(log), uuid)
        return d.legal(tuple(log), uuid) and not any(d.needs(member, entry) for member in own for entry in new)

    return all(
        balance.legal(result[key], entry.uuid) == survives(key, log, entry.uuid) for key, log in store.items() for entry in log
    )
