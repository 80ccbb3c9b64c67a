"""Chapter 9 behind contracts: the store, P5 append-only."""

from __future__ import annotations

from icontract import ensure, require

from forkpoint.core import definitions, stores
from forkpoint.core.contracts import FULL, called
from forkpoint.core.stores import DoAppend, NotEnabled, Operation, Store, append_only, enabled


def _changes_one_log(store: Store, operation: Operation, result: Store) -> bool:
    changed = operation.log if isinstance(operation, DoAppend) else operation.target
    return result.keys() == {*store.keys(), changed} and all(result[key] is store[key] for key in store if key != changed)


@called
@require(lambda store, operation: enabled(store, operation), error=lambda operation: NotEnabled(operation))
@ensure(lambda store, operation, result: _changes_one_log(store, operation, result))
@ensure(lambda store, result: append_only(store, result), enabled=FULL)
@ensure(lambda result: all(definitions.well_formed(tuple(log)) for log in result.values()), enabled=FULL)
def apply(store: Store, operation: Operation) -> Store:
    """The store after an operation, :func:`forkpoint.core.stores.apply`; raises :class:`NotEnabled`."""
    return stores.apply(store, operation)
