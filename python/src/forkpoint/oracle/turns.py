"""Chapter 6 by the generated code: the legal fork points nearest to an entry."""

from __future__ import annotations

from collections.abc import Sequence

from forkpoint.core.entries import Id, Log
from forkpoint.oracle import convert
from forkpoint.oracle.generated import TurnsFast


def nearest_legal_ancestor(log: Log, legal: Sequence[bool], uuid: Id) -> Id | None:
    """The last legal entry from the root to ``uuid``, itself included, or None."""
    made = convert.prepared(log)
    found = TurnsFast.default__.FastNearestLegalAncestor(made.up, convert.sequence(legal), made.position(uuid))
    return None if found < 0 else made.log[found].uuid


def first_legal_descendants(log: Log, legal: Sequence[bool], uuid: Id) -> tuple[Id, ...]:
    """The legal entries strictly below ``uuid`` with no legal entry between, in the order of the log."""
    made = convert.prepared(log)
    found = TurnsFast.default__.FastFirstLegalDescendants(made.up, convert.sequence(legal), made.position(uuid))
    return tuple(made.log[position].uuid for position in found)
