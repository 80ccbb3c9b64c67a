"""Chapter 20: the prefix witness (P14), a chain of hashes over a sequence, bound to its number.

Mirrors ``dafny/20-Witnesses.dfy``. What the hash is stays open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from typing import TypeVar

D = TypeVar("D")
"""A digest."""
T = TypeVar("T")
"""An item."""


def chain(link: Callable[[D, T], D], start: D, items: Iterable[T]) -> D:
    """The chain over some items: each hashed together with the digest before. Asks ``link`` once for each item."""
    return reduce(link, items, start)
