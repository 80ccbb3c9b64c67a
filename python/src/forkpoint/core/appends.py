"""Chapter 17: appending to a file, on bytes (P24).

Mirrors ``dafny/17-Appends.dfy``. A file is lines, and perhaps an end that has no newline yet. A write may reach the disk in part,
be repeated, come too late, or meet another one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple, TypeAlias

from forkpoint.core.entries import Id

NEWLINE: Final = b"\n"

Reader: TypeAlias = Callable[[bytes], bool]
"""Which lines hold something."""
Heads: TypeAlias = Callable[[bytes], Id | None]
"""The entry at which a client goes on in a file, if there is one."""


# ---- what a file reads as


def lines(data: bytes) -> list[bytes]:
    """The lines of a file without their newlines. The last one is what stands behind the last newline, perhaps nothing.
    O(bytes)."""
    return data.split(NEWLINE)


def read(reader: Reader, data: bytes) -> tuple[bytes, ...]:
    """What a file reads as: its lines that hold something, without their newlines, in order. O(bytes)."""
    return tuple(line for line in lines(data) if line and reader(line))


def is_open(data: bytes) -> bool:
    """Whether the end of a file has no newline yet: a line without one stands there, or a part of a line. O(1)."""
    return data[-1:] not in (b"", NEWLINE)


# ---- where a line lands


class LineSort(Enum):
    """What a reader takes a line for: an entry, a sidecar (a line beside the entries), damage, or an empty line."""

    ENTRY = "entry"
    SIDECAR = "sidecar"
    DAMAGED = "damaged"
    EMPTY = "empty"


Sorter: TypeAlias = Callable[[bytes], LineSort]
"""How a reader sorts lines."""


class NumberedLine(NamedTuple):
    """A line with its number in the file, from 0 on."""

    number: int
    line: bytes


Sorted: TypeAlias = dict[LineSort, tuple[NumberedLine, ...]]
"""What a reader makes of a file: the lines of each sort, in order."""


def sort_lines(sorter: Sorter, data: bytes) -> Sorted:
    """The lines of a file, sorted: each lands in exactly one list, under its number (P21.1). O(bytes)."""
    found: dict[LineSort, list[NumberedLine]] = {sort: [] for sort in LineSort}
    for number, line in enumerate(lines(data)):
        found[sorter(line)].append(NumberedLine(number, line))
    return {sort: tuple(some) for sort, some in found.items()}


def put_back(found: Sorted) -> bytes:
    """What was sorted as one text again: the lines by their numbers, with a newline between each two (P21.2). Where a number is
    missing an empty line stands. O(bytes)."""
    every: dict[int, bytes] = {}
    for line in (line for some in found.values() for line in some):
        every.setdefault(line.number, line.line)
    return NEWLINE.join(every.get(number, b"") for number in range(sum(map(len, found.values()))))


# ---- what is written


def written(data: bytes, lines: Sequence[bytes]) -> bytes:
    """The one write that appends lines to a file: the newline that its last line lacks, if it does, then each line with its own.

    ``data`` may be the last byte of the file alone. O(bytes of the lines).
    """
    return NEWLINE * is_open(data) + b"".join(line + NEWLINE for line in lines)


# ---- compare and swap


@dataclass(frozen=True, slots=True)
class Taken:
    """The lines stand."""


@dataclass(frozen=True, slots=True)
class Stale:
    """The file was not what had been seen, and nothing was appended. Both heads."""

    expected: Id | None
    actual: Id | None


Outcome: TypeAlias = Taken | Stale


def append_if(heads: Heads, data: bytes, seen: bytes, lines: Sequence[bytes]) -> tuple[bytes, Outcome]:
    """Appends to a file that was seen before, exactly if it is still the same. The file then, and how it ended. O(bytes)."""
    if data == seen:
        return data + written(data, lines), Taken()
    return data, Stale(heads(seen), heads(data))


# ---- once


def lacking(there: int, lines: Sequence[bytes]) -> Sequence[bytes]:
    """What an operation lacks of which so many lines stand: its lines behind as many. O(lines)."""
    return lines[there:]


# ---- what a writer sees afterwards


@dataclass(frozen=True, slots=True)
class Alone:
    """What was written stands, and nothing beside it."""


@dataclass(frozen=True, slots=True)
class Beside:
    """It stands, and others wrote too."""

    at: int
    """Where it begins, in bytes from the end of what had been seen."""


@dataclass(frozen=True, slots=True)
class Lost:
    """Not all of it stands."""


Sight: TypeAlias = Alone | Beside | Lost


def look(own: bytes, tail: bytes) -> Sight:
    """What a writer sees of its write, by what stands behind the file that it had seen. O(bytes)."""
    if own == tail:
        return Alone()
    if tail.startswith(own):
        return Beside(0)
    at = tail.find(own, 1) if own.startswith(NEWLINE) else tail.find(NEWLINE + own) + 1
    return Beside(at) if at > 0 else Lost()
