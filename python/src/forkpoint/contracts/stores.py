"""Chapter 14 behind contracts: the store, P5 append-only."""

from __future__ import annotations

from icontract import require

from forkpoint.contracts import behind
from forkpoint.core import stores
from forkpoint.core.stores import NotEnabled, Operation, Store, enabled


@behind(stores.apply)
@require(lambda store, operation: enabled(store, operation), error=lambda operation: NotEnabled(operation))
def apply(store: Store, operation: Operation) -> Store:
    return stores.apply(store, operation)
