"""RFC 8785 of a JSON value: one spelling for all texts of the same value, so that two texts can be compared by a digest.

What RFC 8785 leaves open is settled here, so that every valid JSON text has a canonical form:

- of a repeated key the last member counts, as it does for every common reader;
- a number is the nearest double, as in a client; one beyond the range of doubles stands as it is written;
- half of a surrogate pair that stands alone is an escape in lower case;
- nesting may have any depth.

Two ways lead to it: :func:`decode` and :func:`encode` are many times faster and let the caller leave out keys in between,
:func:`canonical` takes everything. They agree where both apply.
"""

from __future__ import annotations

import json
import math
import re
from functools import lru_cache
from typing import Any, TypeAlias

import msgspec
import rfc8785

from forkpoint.clients import jsontext

_LONG = re.compile(rb"(?:\A|[:,\[ \t\r\n-])[0-9]{16}")
"""A whole number this long may not be exact as a double. Slow to look for; the two below tell most lines that have none."""
_ZEROS = b"0" * 16
_DIGITS = bytes(ord("0") if chr(byte).isdigit() and byte < 128 else byte for byte in range(256))
_ASTRAL = (b"\xf0", b"\xf1", b"\xf2", b"\xf3", b"\xf4", b"\\ud", b"\\uD")
_HIGH = (b"\xee", b"\xef", b"\\ue", b"\\uE", b"\\uf", b"\\uF")
"""Keys are ordered by their UTF-16 units; by UTF-8 the order is another one only where characters of both sorts meet."""
_HALF = re.compile("([\ud800-\udfff])")


def decode(text: bytes) -> Any | None:
    """The value of a valid JSON text for :func:`encode`, or ``None`` when only :func:`canonical` can take it."""
    if _ZEROS in text.translate(_DIGITS) and _LONG.search(text):
        return None
    try:
        value = _decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if text.isascii() and b"\\u" not in text:
        return value
    both = any(sign in text for sign in _ASTRAL) and any(sign in text for sign in _HIGH)
    return value if not both or _ascii_keys(value) else None


def encode(value: Any) -> bytes:
    """The canonical form of a value of :func:`decode`, or of a part of one."""
    return _encode(value)


def of(text: bytes) -> bytes:
    """The canonical form of a valid JSON text, the fast way where that takes it."""
    value = decode(text)
    return canonical(text) if value is None else encode(value)


def canonical(text: bytes) -> bytes:
    """The canonical form of a valid JSON text. O(length), but for the order of keys; no recursion."""
    stack: list[dict[str, _Pieces] | list[_Pieces]] = []  # the objects and arrays that are not closed yet
    keys: list[str] = []  # of each object among them that has a value coming: under which key
    done: _Pieces = []
    key_next = False
    for sort, token in jsontext.tokens(text):
        if sort == "string" and key_next:
            keys.append(json.loads(token))
            key_next = False
            continue
        if sort == "open":
            stack.append({} if token == b"{" else [])
            key_next = token == b"{"
            continue
        if sort in ("comma", "colon"):
            key_next = sort == "comma" and isinstance(stack[-1], dict)
            continue
        if sort == "close":
            done = _closed(stack.pop())
            key_next = False
        else:
            done = [_string(json.loads(token)) if sort == "string" else _scalar(token)]
        if stack:
            above = stack[-1]
            if isinstance(above, dict):
                above[keys.pop()] = done
            else:
                above.append(done)
    return _joined(done)


_Pieces: TypeAlias = "list[bytes | _Pieces]"
"""A canonical text in pieces within pieces, so that no level of nesting copies those below it."""


def _closed(value: dict[str, _Pieces] | list[_Pieces]) -> _Pieces:
    found: _Pieces = [b"{" if isinstance(value, dict) else b"["]
    if isinstance(value, dict):
        for key in sorted(value, key=lambda key: key.encode("utf-16-be", "surrogatepass")):
            found += [_string(key), b":", value[key], b","]
    else:
        for item in value:
            found += [item, b","]
    if len(found) > 1:
        found.pop()
    found.append(b"}" if isinstance(value, dict) else b"]")
    return found


def _joined(pieces: _Pieces) -> bytes:
    flat: list[bytes] = []
    todo: list[bytes | _Pieces] = [pieces]
    while todo:
        piece = todo.pop()
        if isinstance(piece, bytes):
            flat.append(piece)
        else:
            todo.extend(reversed(piece))
    return b"".join(flat)


def _string(text: str) -> bytes:
    pieces = _HALF.split(text)
    body = [
        rfc8785.dumps(piece)[1:-1] if number % 2 == 0 else f"\\u{ord(piece):04x}".encode() for number, piece in enumerate(pieces)
    ]
    return b'"' + b"".join(body) + b'"'


def _scalar(token: bytes) -> bytes:
    return token if token in (b"true", b"false", b"null") else _number(token)


def _number(token: bytes) -> bytes:
    value = float(token)
    return rfc8785.dumps(value) if math.isfinite(value) else token


@lru_cache(maxsize=4096)
def _fraction(text: str) -> msgspec.Raw:
    return msgspec.Raw(_number(text.encode()))


_decode = msgspec.json.Decoder(float_hook=_fraction).decode
_encode = msgspec.json.Encoder(order="sorted").encode


def _ascii_keys(value: Any) -> bool:
    todo = [value]
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            if not all(map(str.isascii, value)):
                return False
            todo.extend(value.values())
        elif isinstance(value, list):
            todo.extend(value)
    return True
