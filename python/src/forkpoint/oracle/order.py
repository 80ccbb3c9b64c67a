"""Chapter 2 by the generated code: canonical order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from forkpoint.core.entries import DuplicateUuid, Entry, Log
from forkpoint.oracle import convert
from forkpoint.oracle.entries import unique_uuids
from forkpoint.oracle.generated import OrderFast


def _check(entries: Sequence[Entry]) -> None:
    if not unique_uuids(entries):
        count = Counter(entry.uuid for entry in entries)
        raise DuplicateUuid(next(uuid for uuid, times in count.items() if times > 1))


def arrange(entries: Sequence[Entry]) -> list[int]:
    """The file positions in canonical order, as far as there is one; raises :class:`DuplicateUuid`."""
    _check(entries)
    file = convert.entries(entries)
    return list(OrderFast.default__.Sweep(OrderFast.default__.ResolveParents(file)))


def acyclic(entries: Sequence[Entry]) -> bool:
    """Whether no entry is its own ancestor; raises :class:`DuplicateUuid`."""
    _check(entries)
    return bool(OrderFast.default__.DecideAcyclic(convert.entries(entries)))


def canonical(entries: Sequence[Entry]) -> Log | None:
    """The log in canonical order, or None when a parent is missing or there is a cycle; raises :class:`DuplicateUuid`."""
    _check(entries)
    found = OrderFast.default__.CanonicalBySweep(convert.entries(entries))
    return Log(convert.entries_of(found.value)) if found.is_Some else None
