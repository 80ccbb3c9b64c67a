"""Chapter 18: whether a file that was written holds what was asked for, and nothing else (P25).

Mirrors ``dafny/18-Certificates.dfy``. The decision takes the lines of a file one by one and asks no planner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from forkpoint.core.entries import Id

S = TypeVar("S")
"""A line of the source: its bytes, or what stands for them."""
L = TypeVar("L")
"""A line of the file, likewise."""


class Reading(NamedTuple, Generic[L]):
    """What a line says by itself."""

    uuid: Callable[[L], Id | None]
    """The uuid of the entry that it holds, if it holds one."""
    head: Callable[[L], Id | None]
    """The entry that it names as the head, if it names one."""


class Request(NamedTuple, Generic[S, L]):
    """What was asked for."""

    kept: Sequence[Id]
    """The uuids of the entries that are kept, in order, the point last; at least one."""
    lines: Mapping[Id, S]
    """The source's line of each."""
    stands_for: Callable[[S, L], bool]
    """Whether a line of the source may stand as a line of the file."""
    beside: Callable[[int, L], bool]
    """Whether a line that holds no entry may stand behind so many kept entries."""


def accepts(reading: Reading[L], request: Request[S, L], lines: Iterable[L]) -> bool:
    """Whether the lines of a file are what was asked for: the entries are those that are kept, each once, in order, and no other;
    each other line may stand where it stands; the last one holds no entry and names the point, and no other names a head.

    Raises :class:`KeyError` where the source has no line of a kept entry that has its turn. One pass; asks of each line its uuid,
    and then once what may stand.
    """
    kept, turn, rest = request.kept, 0, iter(lines)
    try:
        before = next(rest)
    except StopIteration:
        return False
    for line in rest:
        uuid = reading.uuid(before)
        if uuid is not None:
            if turn == len(kept) or uuid != kept[turn] or not request.stands_for(request.lines[uuid], before):
                return False
            turn += 1
        elif reading.head(before) is not None or not request.beside(turn, before):
            return False
        before = line
    return turn == len(kept) and reading.uuid(before) is None and reading.head(before) == kept[-1]
