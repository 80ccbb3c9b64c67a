"""Chapter 14 behind contracts: the store, P5 append-only."""

from __future__ import annotations

from typing import TypeAlias

from icontract import require

from forkpoint.contracts import behind
from forkpoint.core import stores
from forkpoint.core.stores import NotEnabled, Operation, Store, enabled

LogStore: TypeAlias = Store
"""Sessions in memory, on which :func:`apply` works; ``forkpoint.Store`` is a database of worldlines."""


@behind(stores.apply)
@require(lambda store, operation: enabled(store, operation), error=lambda operation: NotEnabled(operation))
def apply(store: Store, operation: Operation) -> Store:
    """``store`` is a ``forkpoint.LogStore``."""
    return stores.apply(store, operation)
