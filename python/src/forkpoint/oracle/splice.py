"""Chapter 9 by the generated code: the members of an object in a line of bytes, and the filling of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from forkpoint.core.splice import Addition, Member, Scan
from forkpoint.oracle import convert
from forkpoint.oracle.generated import Splice, SpliceFast


def _fields(additions: Sequence[Addition]) -> Any:
    return convert.sequence(Splice.Field_Field(convert.sequence(key), convert.sequence(value)) for key, value in additions)


def _scanned(text: bytes) -> Any:
    found = SpliceFast.default__.ScanLoop(convert.sequence(text))
    if found.is_None:
        raise ValueError("the text holds no JSON object")
    return found.value


def skip_space(text: bytes, at: int) -> int:
    """The first position from ``at`` on that holds no white space."""
    return int(SpliceFast.default__.SkipSpaceLoop(convert.sequence(text), at))


def value_end(text: bytes, at: int) -> int:
    """The end of the value that begins at ``at``, or -1."""
    found = SpliceFast.default__.ValueEndLoop(convert.sequence(text), at)
    return int(found.value) if found.is_Some else -1


def scan(text: bytes) -> Scan | None:
    """The members of the object that ``text`` holds, or None when it holds none."""
    found = SpliceFast.default__.ScanLoop(convert.sequence(text))
    if found.is_None:
        return None
    members = (Member(made.keyStart, made.keyEnd, made.valueStart, made.valueEnd) for made in found.value.members)
    return Scan(tuple(members), found.value.close)


def decode(key: bytes) -> tuple[int, ...]:
    """The code units of a key (with its quotes), escapes resolved."""
    return tuple(Splice.default__.Decode(convert.sequence(key)))


def keys(text: bytes, found: Scan) -> set[tuple[int, ...]]:
    """The decoded keys of a scanned object."""
    members = convert.sequence(Splice.Member_Member(*member) for member in found.members)
    return {tuple(key) for key in SpliceFast.default__.KeysLoop(convert.sequence(text), members)}


def splice(text: bytes, additions: Sequence[Addition]) -> bytes:
    """The object with members added before its closing brace; raises :class:`ValueError` when ``text`` holds no object."""
    _scanned(text)
    return bytes(Splice.default__.SpliceText(convert.sequence(text), _fields(additions)))


def absent(text: bytes, required: Sequence[Addition]) -> list[Addition]:
    """Those of ``required`` whose key the object does not have, the first of each key, in their order. Raises like
    :func:`splice`."""
    made = convert.sequence(text)
    present = SpliceFast.default__.KeysLoop(made, _scanned(text).members)
    found = SpliceFast.default__.MissingLoop(present, _fields(required))
    return [Addition(bytes(field.key), bytes(field.value)) for field in found]


def fill(text: bytes, required: Sequence[Addition]) -> bytes:
    """The object with exactly the missing ones of ``required`` added, in their order. Raises like :func:`splice`."""
    _scanned(text)
    return bytes(SpliceFast.default__.FillLoop(convert.sequence(text), _fields(required)).value)


def replace(text: bytes, key: bytes, value: bytes) -> bytes:
    """The object with another value of a key, wherever it has that key. By the definitions, which recurse, so for short lines."""
    _scanned(text)
    return bytes(Splice.default__.ReplaceText(convert.sequence(text), convert.sequence(key), convert.sequence(value)))
