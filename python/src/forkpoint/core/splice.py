"""Chapter 9: backfill on bytes. One line holds one JSON object; new members go in before its closing brace and every old
byte stays where it was (P6b on bytes).

Mirrors ``dafny/09-Splice.dfy``. The scanner accepts every JSON object and some texts that are none (it does not look into
nested values further than it must): the theorems hold for all it accepts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_SPACE = re.compile(rb"[ \t\r\n]*+")
_STRING = re.compile(rb'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"')
_SCALAR = re.compile(rb'[^,{}\[\] \t\r\n":]++')
_PLAIN = re.compile(rb'[^"{}\[\]]*+')
_ESCAPE = re.compile(rb"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_SHORT = {b"b": 8, b"f": 12, b"n": 10, b"r": 13, b"t": 9}

_OPEN, _CLOSE, _QUOTE, _COLON, _COMMA = b"{"[0], b"}"[0], b'"'[0], b":"[0], b","[0]
_NEST, _UNNEST = frozenset(b"{["), frozenset(b"}]")


class Member(NamedTuple):
    """Where one member of the object stands: its key with the quotes, and its value. Ends are exclusive."""

    key_start: int
    key_end: int
    value_start: int
    value_end: int


class Scan(NamedTuple):
    """The members of an object in order, and the position of its closing brace."""

    members: tuple[Member, ...]
    close: int


class Addition(NamedTuple):
    """A member to add: the key as a JSON string with its quotes, and the value as JSON."""

    key: bytes
    value: bytes


def skip_space(text: bytes, at: int) -> int:
    """The first position from ``at`` on that holds no white space."""
    match = _SPACE.match(text, at)
    return match.end() if match else at


def value_end(text: bytes, at: int) -> int:
    """The end of the value that begins at ``at``, or -1. No recursion on depth."""
    if at >= len(text):
        return -1
    if text[at] == _QUOTE:
        match = _STRING.match(text, at)
        return match.end() if match else -1
    if text[at] not in _NEST:
        match = _SCALAR.match(text, at)
        return match.end() if match else -1
    depth = 0
    while True:
        plain = _PLAIN.match(text, at)
        at = plain.end() if plain else at
        if at >= len(text):
            return -1
        byte = text[at]
        if byte == _QUOTE:
            match = _STRING.match(text, at)
            if match is None:
                return -1
            at = match.end()
            continue
        at += 1
        depth += 1 if byte in _NEST else -1
        if depth == 0:
            return at


def scan(text: bytes) -> Scan | None:
    """The members of the object that ``text`` holds, or ``None`` when it holds none. O(length)."""
    at = skip_space(text, 0)
    if at >= len(text) or text[at] != _OPEN:
        return None
    at = skip_space(text, at + 1)
    members: list[Member] = []
    if at < len(text) and text[at] == _CLOSE:
        return Scan((), at) if skip_space(text, at + 1) == len(text) else None
    while True:
        key = _STRING.match(text, at)
        if key is None:
            return None
        at = skip_space(text, key.end())
        if at >= len(text) or text[at] != _COLON:
            return None
        start = skip_space(text, at + 1)
        end = value_end(text, start)
        if end < 0:
            return None
        members.append(Member(key.start(), key.end(), start, end))
        at = skip_space(text, end)
        if at >= len(text):
            return None
        if text[at] == _CLOSE:
            return Scan(tuple(members), at) if skip_space(text, at + 1) == len(text) else None
        if text[at] != _COMMA:
            return None
        at = skip_space(text, at + 1)


def decode(key: bytes) -> tuple[int, ...]:
    """The code units of a key (with its quotes), escapes resolved, so that ``"\\u0075uid"`` equals ``"uuid"``.

    Bytes from 128 on stand for themselves plus 65536, apart from every code unit: keys of ASCII compare exactly.
    """
    body = key[1:-1]
    units: list[int] = []
    at = 0
    for match in _ESCAPE.finditer(body):
        units.extend(byte if byte < 128 else 65536 + byte for byte in body[at : match.start()])
        code, short = match.groups()
        units.append(int(code, 16) if code else _SHORT.get(short, short[0]))
        at = match.end()
    units.extend(byte if byte < 128 else 65536 + byte for byte in body[at:])
    return tuple(units)


def keys(text: bytes, found: Scan) -> set[tuple[int, ...]]:
    """The decoded keys of a scanned object."""
    return {decode(text[member.key_start : member.key_end]) for member in found.members}


def splice(text: bytes, additions: Sequence[Addition]) -> bytes:
    """The object with members added before its closing brace, all other bytes as they were.

    Raises :class:`ValueError` when ``text`` holds no object.
    """
    found = scan(text)
    if found is None:
        raise ValueError("the text holds no JSON object")
    added = b",".join(addition.key + b":" + addition.value for addition in additions)
    if added and found.members:
        added = b"," + added
    return text[: found.close] + added + text[found.close :]


def absent(text: bytes, required: Sequence[Addition]) -> list[Addition]:
    """Those of ``required`` whose key the object does not have, the first of each key, in their order.

    Raises like :func:`splice`.
    """
    found = scan(text)
    if found is None:
        raise ValueError("the text holds no JSON object")
    have = keys(text, found)
    lacked: list[Addition] = []
    for addition in required:
        key = decode(addition.key)
        if key not in have:
            have.add(key)
            lacked.append(addition)
    return lacked


def fill(text: bytes, required: Sequence[Addition]) -> bytes:
    """The object with exactly the missing ones of ``required`` added, in their order. Raises like :func:`splice`."""
    return splice(text, absent(text, required))


def replace(text: bytes, key: bytes, value: bytes) -> bytes:
    """The object with another value of a key, wherever it has that key, all other bytes as they were (P6b.16).

    ``key`` is a JSON string with its quotes, ``value`` one JSON value. Raises like :func:`splice`. O(length).
    """
    found = scan(text)
    if found is None:
        raise ValueError("the text holds no JSON object")
    name, pieces, at = decode(key), list[bytes](), 0
    for member in found.members:
        if decode(text[member.key_start : member.key_end]) == name:
            pieces += (text[at : member.value_start], value)
            at = member.value_end
    return b"".join((*pieces, text[at:]))
