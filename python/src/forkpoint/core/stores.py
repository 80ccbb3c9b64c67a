"""Chapter 9: a store of logs and the operations on it (P5 append-only).

Mirrors ``dafny/09-Stores.dfy``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from forkpoint.core.backfill import Schema, backfill_log
from forkpoint.core.entries import Entry, Id, Log, fits
from forkpoint.core.forks import append, fork, fork_prefix


@dataclass(frozen=True, slots=True)
class DoAppend:
    """Add one entry to a log."""

    log: Id
    entry: Entry


@dataclass(frozen=True, slots=True)
class DoFork:
    """Fork a log at an entry into a new log."""

    source: Id
    at: Id
    target: Id


@dataclass(frozen=True, slots=True)
class DoForkPrefix:
    """Copy a log up to an entry into a new log."""

    source: Id
    at: Id
    target: Id


@dataclass(frozen=True, slots=True)
class DoBackfill:
    """Fill a log's entries by a schema into a new log."""

    source: Id
    schema: Schema
    target: Id


Operation: TypeAlias = DoAppend | DoFork | DoForkPrefix | DoBackfill


class NotEnabled(ValueError):
    """An operation that the store cannot do: it names what is not there, or would make what is."""

    def __init__(self, operation: Operation) -> None:
        super().__init__(f"the store cannot do {operation!r}: it names what is not there or makes what is there already")
        self.operation = operation


class Store(Mapping[Id, Log]):
    """Logs by id, immutable. Operations give a new store that shares every log with the old one."""

    __slots__ = ("_logs",)

    def __init__(self, logs: Mapping[Id, Log] | None = None) -> None:
        self._logs = dict(logs or {})

    def __getitem__(self, key: Id) -> Log:
        return self._logs[key]

    def __iter__(self) -> Iterator[Id]:
        return iter(self._logs)

    def __len__(self) -> int:
        return len(self._logs)

    def having(self, key: Id, log: Log) -> Store:
        """This store with ``key`` naming ``log``."""
        return Store({**self._logs, key: log})


def enabled(store: Store, operation: Operation) -> bool:
    """Whether what the operation names is there and what it makes is new."""
    match operation:
        case DoAppend(log, entry):
            return log in store and fits(store[log], entry)
        case DoFork(source, at, target) | DoForkPrefix(source, at, target):
            return source in store and at in store[source] and target not in store
        case DoBackfill(source, _, target):
            return source in store and target not in store


def apply(store: Store, operation: Operation) -> Store:
    """The store after an operation; raises :class:`NotEnabled` and leaves ``store`` as it is, as always."""
    if not enabled(store, operation):
        raise NotEnabled(operation)
    match operation:
        case DoAppend(log, entry):
            return store.having(log, append(store[log], entry))
        case DoFork(source, at, target):
            return store.having(target, fork(store[source], at))
        case DoForkPrefix(source, at, target):
            return store.having(target, fork_prefix(store[source], at))
        case DoBackfill(source, schema, target):
            return store.having(target, backfill_log(store[source], schema))


def apply_all(store: Store, operations: Iterable[Operation]) -> Store:
    """The store after several operations; raises :class:`NotEnabled` at the first that is not enabled in its turn."""
    for operation in operations:
        store = apply(store, operation)
    return store


def extends(log: Log, past: Log) -> bool:
    """Whether the entries of ``past`` come first in ``log``, unchanged and in place. O(length of ``past``)."""
    return len(past) <= len(log) and all(log[position] == entry for position, entry in enumerate(past))


def append_only(before: Store, after: Store) -> bool:
    """P5: whether every log of ``before`` is in ``after`` and a prefix of its successor."""
    return all(key in after and extends(after[key], before[key]) for key in before)
