"""Every log of a few entries: every shape of parents, with messages, calls and results in every place."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from forkpoint.core.entries import Block, Entry, Kind, Log, Result, Use

SORTS: list[tuple[Kind, str | None, tuple[Block, ...]]] = [
    (Kind.USER, None, ()),
    (Kind.ASSISTANT, "m", ()),
    (Kind.ASSISTANT, "m", (Use("t"),)),
    (Kind.ASSISTANT, "n", (Use("t"),)),
    (Kind.USER, None, (Result("t"),)),
]


def shapes(size: int) -> Iterator[tuple[int, ...]]:
    """Every way to hang entries on earlier ones; -1 is a root."""
    return itertools.product(*(range(-1, position) for position in range(size)))


def logs(size: int, first: int | None = None) -> Iterator[Log]:
    """Every log of a size, or those whose first entry is of one sort."""
    firsts = range(len(SORTS)) if first is None else [first]
    for parents in shapes(size):
        for sorts in itertools.product(firsts, *[range(len(SORTS))] * (size - 1)):
            yield Log(
                Entry(n, None if above < 0 else above, kind=SORTS[sort][0], message=SORTS[sort][1], blocks=SORTS[sort][2])
                for n, (above, sort) in enumerate(zip(parents, sorts, strict=True))
            )
