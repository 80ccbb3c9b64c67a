"""Chapter 2 by the generated code: canonical order."""

from __future__ import annotations

from collections.abc import Sequence

from forkpoint.core.entries import Entry, Log
from forkpoint.oracle import convert
from forkpoint.oracle.generated import OrderFast


def arrange(entries: Sequence[Entry]) -> list[int]:
    """The file positions in canonical order, as far as there is one. Uuids must be unique."""
    file = convert.entries(entries)
    return list(OrderFast.default__.Sweep(OrderFast.default__.ResolveParents(file)))


def acyclic(entries: Sequence[Entry]) -> bool:
    """Whether no entry is its own ancestor. Uuids must be unique."""
    return bool(OrderFast.default__.DecideAcyclic(convert.entries(entries)))


def canonical(entries: Sequence[Entry]) -> Log | None:
    """The log in canonical order, or None when a parent is missing or there is a cycle. Uuids must be unique."""
    found = OrderFast.default__.CanonicalBySweep(convert.entries(entries))
    return Log(convert.entries_of(found.value)) if found.is_Some else None
