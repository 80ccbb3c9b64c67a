"""Chapter 2 behind contracts: canonical order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from icontract import require

from forkpoint.contracts import behind
from forkpoint.core import order
from forkpoint.core.entries import DuplicateUuid, Entry, Log, unique_uuids


def _duplicate(entries: Sequence[Entry]) -> DuplicateUuid:
    count = Counter(entry.uuid for entry in entries)
    return DuplicateUuid(next(uuid for uuid, times in count.items() if times > 1))


@behind(order.arrange)
@require(lambda entries: unique_uuids(entries), error=_duplicate)
def arrange(entries: Sequence[Entry]) -> list[int]:
    """Raises :class:`DuplicateUuid`."""
    return order.arrange(entries)


@behind(order.canonical)
@require(lambda entries: unique_uuids(entries), error=_duplicate)
def canonical(entries: Sequence[Entry]) -> Log | None:
    """Raises :class:`DuplicateUuid`."""
    return order.canonical(entries)
