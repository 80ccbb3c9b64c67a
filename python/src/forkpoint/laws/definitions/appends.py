"""Chapter 17, said plainly over bytes and computed slowly."""

from __future__ import annotations

from collections.abc import Sequence

from forkpoint.core.appends import Reader


def file_lines(data: bytes) -> list[bytes]:
    """The lines of a file without their newlines, by recursion on the first newline."""
    end = next((at for at, byte in enumerate(data) if byte == 10), len(data))
    return [data] if end == len(data) else [data[:end], *file_lines(data[end + 1 :])]


def joined_lines(lines: Sequence[bytes]) -> bytes:
    """Lines as one text, with a newline between each two, by recursion."""
    return lines[0] if len(lines) == 1 else lines[0] + b"\n" + joined_lines(lines[1:])


def begun(data: bytes) -> list[bytes]:
    """The lines of a file, without what stands behind its last newline where that is nothing."""
    found = file_lines(data)
    return found[:-1] if found[-1] == b"" else found


def read_lines(reader: Reader, data: bytes) -> tuple[bytes, ...]:
    """The lines that hold something."""
    return tuple(line for line in file_lines(data) if line != b"" and reader(line))


def open_end(data: bytes) -> bool:
    """Its end has no newline yet."""
    return len(data) > 0 and data[len(data) - 1] != 10


def ended(lines: Sequence[bytes]) -> bytes:
    """Lines, each with its newline, by recursion."""
    return lines[0] + b"\n" + ended(lines[1:]) if lines else b""


def write(data: bytes, lines: Sequence[bytes]) -> bytes:
    """The one write that appends lines to a file."""
    return (b"\n" if open_end(data) else b"") + ended(lines)


def self_delimiting(reader: Reader, line: bytes) -> bool:
    """A reader takes the line, and no beginning of it."""
    return 10 not in line and line != b"" and reader(line) and not any(reader(line[:end]) for end in range(1, len(line)))


def landed(data: bytes, lines: Sequence[bytes], count: int) -> int:
    """How many lines stand when only the first ``count`` bytes of the write reached the disk."""

    def of(some: Sequence[bytes], left: int) -> int:
        if not some or left < len(some[0]):
            return 0
        return 1 if left == len(some[0]) else 1 + of(some[1:], left - len(some[0]) - 1)

    seam = int(open_end(data))
    return of(lines, count - seam) if count >= seam else 0


def stands_at(own: bytes, tail: bytes, at: int) -> bool:
    """A writer's own bytes stand at a place, and no line runs into them."""
    apart = at == 0 or tail[at - 1 : at] == b"\n" or own[:1] == b"\n"
    return at + len(own) <= len(tail) and tail[at : at + len(own)] == own and apart
