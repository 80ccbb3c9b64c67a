"""Chapter 20 behind contracts: the chain of a witness."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from forkpoint.contracts import behind
from forkpoint.core import witnesses

D = TypeVar("D")
T = TypeVar("T")


@behind(witnesses.chain)
def chain(link: Callable[[D, T], D], start: D, items: Sequence[T]) -> D:
    return witnesses.chain(link, start, items)
