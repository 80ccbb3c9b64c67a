"""Gives a file's entries as they stand in it."""

from __future__ import annotations

from collections.abc import Sequence

from forkpoint.core.entries import Entry, no_dangling_parents
from forkpoint.core.order import acyclic

__all__ = ["acyclic", "arrange", "canonical"]


def arrange(entries: Sequence[Entry]) -> list[int]:
    return list(range(len(entries)))


def canonical(entries: Sequence[Entry]) -> list[Entry] | None:
    return list(entries) if no_dangling_parents(entries) and acyclic(entries) else None
