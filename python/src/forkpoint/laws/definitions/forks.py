"""Chapter 7, said plainly over tuples of entries and computed slowly."""

from __future__ import annotations

from forkpoint.laws.definitions.entries import Entries


def linear(log: Entries) -> bool:
    """Each entry continues the one before it."""
    return all(log[i].parent == (None if i == 0 else log[i - 1].uuid) for i in range(len(log)))
