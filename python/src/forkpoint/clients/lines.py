"""Bytes to lines: where each line stands, what it is, and why a damaged one is damaged.

Lines end at newline bytes only: U+0085, U+2028 and U+2029 stand raw inside strings. A byte-order mark, carriage returns,
blank lines and a missing last newline are healthy. A damaged line yields no entry and hides no other line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final, NamedTuple, TypeVar

import msgspec

from forkpoint.clients import jsontext
from forkpoint.core import splice
from forkpoint.core.appends import lines as split

BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


class Span(NamedTuple):
    """A line: its number, counted from 1, and where its bytes stand, without the newline and without a byte-order mark."""

    number: int
    start: int
    end: int


class Sidecar(NamedTuple):
    """A line that holds an object without a uuid: it annotates, and is not in the tree. ``type`` is None when it is no text."""

    span: Span
    type: str | None


@dataclass(frozen=True, slots=True)
class Damage:
    """A line that holds no readable object: where it stands, and the reason."""

    span: Span
    reason: str

    @property
    def line(self) -> int:
        """Its number, counted from 1."""
        return self.span.number


NO_OBJECT: Final = "is JSON, but not an object"
"""The reason of a line that is whole, and can hold nothing."""

TOO_DEEP: Final = f"is nested more than {jsontext.DEEPEST:,} levels deep"
"""The reason of a line that would cost every reader more than it can hold."""

LONGEST: Final = 1 << 26
"""The longest line that is read, in bytes. Real ones reach a few million."""

CHUNK: Final = 1 << 20


class Chunk(NamedTuple):
    """Consecutive whole lines of a file."""

    number: int
    """Of the first line, counted from 1."""
    start: int
    """Where the first line stands."""
    lines: list[bytes]
    """Without their newlines."""
    complete: bool
    """Whether a newline ends the last line."""
    too_long: int = 0
    """The length of the only line, when it is longer than :data:`LONGEST` and was left out."""


def pieces(file: BinaryIO, size: int, progress: Callable[[int, int], object] | None = None, done: int = 0) -> Iterator[bytes]:
    """The first ``size`` bytes of a file, those behind the ``done`` ones, piece by piece: a file that grows all the while comes
    to an end too."""
    while piece := file.read(min(CHUNK, size - done)):
        done += len(piece)
        yield piece
        if progress is not None:
            progress(done, size)


def chunks(pieces: Iterable[bytes], number: int = 1, start: int = 0) -> Iterator[Chunk]:
    """The lines of a file that comes in pieces, a chunk for each piece in which a line ends. Bounded memory.

    ``number`` is that of the first line, and ``start`` where it stands.
    """
    begun: list[bytes] = []  # the pieces of a line whose newline has not come; none once it is too long
    length = 0
    for piece in pieces:
        if number == 1 and length == 0 and piece.startswith(BYTE_ORDER_MARK):
            start = len(BYTE_ORDER_MARK)
            piece = piece[start:]
        if length > LONGEST and (cut := piece.find(b"\n")) >= 0:
            yield Chunk(number, start, [b""], True, length + cut)
            number += 1
            start += length + cut + 1
            piece, length = piece[cut + 1 :], 0
        end = piece.rfind(b"\n")
        if end >= 0:
            begun.append(piece[:end])
            lines = split(b"".join(begun))  # P24.10
            yield Chunk(number, start, lines, True)
            number += len(lines)
            start += sum(map(len, lines)) + len(lines)
            piece, length = piece[end + 1 :], 0
            begun.clear()
        length += len(piece)
        if length <= LONGEST:
            begun.append(piece)
        else:
            begun.clear()
    if length > 0:
        yield Chunk(number, start, [b"".join(begun)], False, length if length > LONGEST else 0)


_ESCAPE: Final = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)
"""An escape in a string; half of a surrogate pair alone is the group."""
_T = TypeVar("_T")


def read_keys(decode: Callable[[bytes], _T], raw: bytes, *keys: str) -> _T | None:
    """What a decoder uses of a healthy line, which is these keys.

    A decoder does not take every healthy line: half of a surrogate pair, which counts as U+FFFD here, or too deep a value under
    another key. None when it is one of these keys that it does not take, and of a damaged line.
    """
    try:
        return decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        found = None if jsontext.is_too_deep(raw) else splice.scan(raw)
        if found is None:
            return None
        try:
            named = [member for member in found.members if json.loads(raw[member.key_start : member.key_end]) in keys]
        except ValueError:  # a key that is no text: the line is damaged
            return None
        less = b"{" + b",".join(raw[member.key_start : member.value_end] for member in named) + b"}"
        try:
            return decode(_ESCAPE.sub(lambda match: rb"\ufffd" if match[1] else match[0], less))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None


def look_into(raw: bytes, *, last: bool) -> splice.Scan | str:
    """The object that a line holds, for a line that a client's decoder does not take, or the reason why the line is damaged.

    ``last`` says that no newline ends the line, so that an unfinished object is a torn tail. O(length).
    """
    if b"\x00" in raw:
        return "holds NUL bytes"
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        return f"is not valid UTF-8 (byte {error.start + 1} of the line)"
    if jsontext.is_too_deep(raw):
        return TOO_DEEP
    wrong = jsontext.why_invalid(raw)
    if wrong is not None:
        return "is cut off: the file ends inside it" if last and wrong.unfinished else wrong.reason
    found = splice.scan(raw)
    return NO_OBJECT if found is None else found


def values(raw: bytes, found: splice.Scan) -> dict[str, bytes]:
    """The values of an object by key; the last of a repeated key wins, as it does for every common reader."""
    return {
        json.loads(raw[member.key_start : member.key_end]): raw[member.value_start : member.value_end] for member in found.members
    }


def text(raw: bytes | None) -> str | None:
    """A value that is a string; None in place of any other."""
    if raw is None or not raw.startswith(b'"'):
        return None
    said: str = json.loads(raw)
    return said
