"""Whether a text is JSON, with any depth of nesting; the standard reader gives up at a depth of about a thousand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import accumulate
from typing import Final, NamedTuple

from forkpoint.core import splice

_TOKEN = re.compile(
    rb"[ \t\r\n]*+(?:"
    rb"(?P<open>[{\[])|(?P<close>[}\]])|(?P<comma>,)|(?P<colon>:)"
    rb'|(?P<string>"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+")'
    rb"|(?P<scalar>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|true|false|null)"
    rb")"
)
_PARTNER = {b"{": b"}", b"[": b"]"}


DEEPEST: Final = 200_000
"""A line in which values are nested more levels than this is damaged. What clients write is ten levels deep; a line of a few
megabytes may be millions deep, and every reader that has no recursion takes seconds for it."""
_TEXT = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)
_BRACKETS = b"{}[]"
_ELSE = bytes(byte for byte in range(256) if byte not in _BRACKETS)
_STEPS = {ord("{"): 1, ord("["): 1, ord("}"): -1, ord("]"): -1}


class Wrong(NamedTuple):
    """Why a text is not one JSON value, and whether it only ends too early."""

    reason: str
    unfinished: bool


def is_too_deep(text: bytes) -> bool:
    """Whether values are nested in one another more than :data:`DEEPEST` levels. O(length), at the speed of a search where there
    are fewer brackets than that."""
    if text.count(b"[") + text.count(b"{") <= DEEPEST:
        return False
    brackets = _TEXT.sub(b"", text).translate(None, _ELSE)
    return max(accumulate(map(_STEPS.__getitem__, brackets)), default=0) > DEEPEST


def why_invalid(text: bytes) -> Wrong | None:
    """Why ``text``, valid UTF-8, is not exactly one JSON value, or ``None`` when it is. O(length), no recursion."""
    at = 0
    stack: list[bytes] = []
    expect = "value"  # or "key or close", "key", "colon", "value or close", "comma or close", "end"
    while True:
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            rest = text[at:].strip(b" \t\r\n")
            if rest:
                return Wrong(f"is not valid JSON at byte {len(text) - len(text[at:].lstrip()) + 1}", _is_torn(rest))
            return None if expect == "end" else Wrong("is not valid JSON: it ends too early", True)
        sort, at = match.lastgroup, match.end()
        token = match.group(sort)
        if expect == "end":
            if sort == "open":
                return Wrong("holds more than one JSON object", False)
            return Wrong(f"is not valid JSON: more text after the object, at byte {match.start() + 1}", False)
        if sort == "open" and "value" in expect:
            stack.append(token)
            expect = "key or close" if token == b"{" else "value or close"
            continue
        if sort == "close" and "close" in expect and token == _PARTNER[stack[-1]]:
            stack.pop()
        elif sort == "string" and "key" in expect:
            expect = "colon"
            continue
        elif sort == "colon" and expect == "colon":
            expect = "value"
            continue
        elif sort == "comma" and "comma" in expect:
            expect = "key" if stack[-1] == b"{" else "value"
            continue
        elif sort not in ("string", "scalar") or "value" not in expect:
            return Wrong(f"is not valid JSON at byte {match.start(sort) + 1}: {expect} expected", False)
        expect = "comma or close" if stack else "end"


def tokens(text: bytes) -> Iterator[tuple[str, bytes]]:
    """The tokens of a valid JSON text, each with its sort: open, close, comma, colon, string or scalar. O(length)."""
    for match in _TOKEN.finditer(text):
        if match.lastgroup is not None:
            yield match.lastgroup, match[match.lastgroup]


def _is_torn(rest: bytes) -> bool:
    """Whether what could not be read may be the beginning of a string, number or word that was cut off."""
    return rest[:1] in (b'"', b"-") or any(word.startswith(rest) for word in (b"true", b"false", b"null"))


def array_values(text: bytes) -> list[bytes]:
    """The values directly inside a valid JSON array. O(length)."""
    values: list[bytes] = []
    at = splice.skip_space(text, 1)
    while text[at : at + 1] != b"]":
        end = splice.value_end(text, at)
        values.append(text[at:end])
        at = splice.skip_space(text, end)
        if text[at : at + 1] == b",":
            at = splice.skip_space(text, at + 1)
    return values


def dump(value: object) -> bytes:
    """A value as clients write it: compact JSON, not ASCII-escaped; what UTF-8 cannot say is escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:  # a lone surrogate
        return json.dumps(value, separators=(",", ":")).encode()
