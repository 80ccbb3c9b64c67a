"""Chapter 9 by the generated code: a store of logs. By the definitions, so for small logs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import _dafny

from forkpoint.core.entries import Entry, Log
from forkpoint.core.stores import DoAppend, DoBackfill, DoFork, DoForkPrefix, NotEnabled, Operation, Store
from forkpoint.oracle import convert
from forkpoint.oracle.generated import Stores


def _store(store: Store) -> Any:
    return _dafny.Map({key: convert.sequence(map(convert.with_fields, log)) for key, log in store.items()})


def _store_of(made: Any) -> Store:
    return Store({key: Log(convert.entries_of(log)) for key, log in dict(made).items()})


def _operation(operation: Operation) -> Any:
    match operation:
        case DoAppend(log, entry):
            return Stores.Operation_DoAppend(log, convert.with_fields(entry))
        case DoFork(source, at, target):
            return Stores.Operation_DoFork(source, at, target)
        case DoForkPrefix(source, at, target):
            return Stores.Operation_DoForkPrefix(source, at, target)
        case DoBackfill(source, schema, target):
            return Stores.Operation_DoBackfill(source, convert.schema(schema), target)


def enabled(store: Store, operation: Operation) -> bool:
    """Whether what the operation names is there and what it makes is new."""
    return bool(Stores.default__.Enabled(_store(store), _operation(operation)))


def apply(store: Store, operation: Operation) -> Store:
    """The store after an operation; raises :class:`NotEnabled` where the model says that it is not."""
    made, what = _store(store), _operation(operation)
    if not Stores.default__.Enabled(made, what):
        raise NotEnabled(operation)
    return _store_of(Stores.default__.Apply(made, what))


def apply_all(store: Store, operations: Iterable[Operation]) -> Store:
    """The store after several operations; raises :class:`NotEnabled` at the first that is not enabled in its turn."""
    for operation in operations:
        store = apply(store, operation)
    return store


def extends(log: Log | tuple[Entry, ...], past: Log | tuple[Entry, ...]) -> bool:
    """Whether the entries of ``past`` come first in ``log``, unchanged and in place."""
    return bool(Stores.default__.Extends(convert.entries(log), convert.entries(past)))


def append_only(before: Store, after: Store) -> bool:
    """P5: whether every log of ``before`` is in ``after`` and a prefix of its successor."""
    return bool(Stores.default__.AppendOnly(_store(before), _store(after)))
