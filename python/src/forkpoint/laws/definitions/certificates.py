"""Chapter 18, said plainly and computed slowly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from forkpoint.core.certificates import Reading, Request

Lines = Sequence[bytes]


def entry_lines(reading: Reading[bytes], lines: Lines) -> list[bytes]:
    """The lines that hold an entry."""
    return [line for line in lines if reading.uuid(line) is not None]


def holds(reading: Reading[bytes], request: Request[bytes, bytes], lines: Lines) -> bool:
    """What was asked for, said of the whole file."""
    if not lines or reading.uuid(lines[-1]) is not None or reading.head(lines[-1]) != request.kept[-1]:
        return False
    own = entry_lines(reading, lines)
    if [reading.uuid(line) for line in own] != list(request.kept):
        return False
    return all(request.stands_for(request.lines[one], line) for one, line in zip(request.kept, own, strict=True)) and all(
        reading.head(line) is None and request.beside(len(entry_lines(reading, lines[:at])), line)
        for at, line in enumerate(lines[:-1])
        if reading.uuid(line) is None
    )


def near(lines: Lines) -> Iterator[list[bytes]]:
    """A file and those near it: one line is lost, doubled, exchanged with the next, or another one."""
    yield list(lines)
    for at, line in enumerate(lines):
        yield [*lines[:at], *lines[at + 1 :]]
        yield [*lines[: at + 1], *lines[at:]]
        yield [*lines[:at], line + b"?", *lines[at + 1 :]]
        yield [*lines[:at], *lines[at + 1 : at + 2], line, *lines[at + 2 :]]
