"""Chapter 20 by the generated code: the chain of a witness. By the definition, which recurses."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from forkpoint.oracle import convert
from forkpoint.oracle.generated import Witnesses

D = TypeVar("D")
T = TypeVar("T")


def chain(link: Callable[[D, T], D], start: D, items: Iterable[T]) -> D:
    """The chain over some items."""
    made: D = Witnesses.default__.Chain(link, start, convert.sequence(items))
    return made
