"""Bytes to lines: where each line stands, what it is, and why a damaged one is damaged.

Lines end at newline bytes only: U+0085, U+2028 and U+2029 stand raw inside strings. A byte-order mark, carriage returns,
blank lines and a missing last newline are healthy. A damaged line yields no entry and hides no other line.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

import msgspec

from forkpoint.core import splice
from forkpoint.transcript import jsontext

BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


class Span(NamedTuple):
    """A line: its number, counted from 1, and where its bytes stand, without the newline and without a byte-order mark."""

    number: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Damage:
    """A line that holds no readable object: its number and the reason."""

    line: int
    reason: str


class WireBlock(msgspec.Struct):
    """What the reader uses of a content block."""

    type: str = ""
    id: str | None = None
    tool_use_id: str | None = None
    text: str | None = None


class WireMessage(msgspec.Struct):
    """What the reader uses of ``message``."""

    id: str | None = None
    content: str | list[WireBlock] | None = None


class WireLine(msgspec.Struct):
    """What the reader uses of a line, in the types that clients write."""

    type: str | None = None
    uuid: str | None = None
    parentUuid: str | None = None  # noqa: N815  (the keys are the client's)
    logicalParentUuid: str | None = None  # noqa: N815
    isSidechain: bool | None = None  # noqa: N815
    isMeta: bool | None = None  # noqa: N815
    version: str | None = None
    message: WireMessage | None = None
    bad_parent: bool = False
    """Set by the careful reader when ``parentUuid`` is neither a string nor null."""


_decoder = msgspec.json.Decoder(WireLine)


def spans(data: bytes) -> Iterator[Span]:
    """The non-blank lines of a file."""
    start = len(BYTE_ORDER_MARK) if data.startswith(BYTE_ORDER_MARK) else 0
    number = 0
    while start < len(data):
        number += 1
        end = data.find(b"\n", start)
        if end < 0:
            end = len(data)
        if not data[start:end].isspace() and end > start:
            yield Span(number, start, end)
        start = end + 1


def read_line(raw: bytes, *, last: bool) -> WireLine | str:
    """What the reader uses of a line, or the reason why the line is damaged.

    ``last`` says that no newline ends the line, so that an unfinished object is a torn tail.
    """
    try:
        wire = _decoder.decode(raw)
        raw.decode()  # the decoder does not look into the strings that it skips
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _read_carefully(raw, last=last)
    return wire


def _read_carefully(raw: bytes, *, last: bool) -> WireLine | str:
    """The slow way, for lines that are not as clients write them: tells what is wrong, or reads what can be read."""
    if b"\x00" in raw:
        return "holds NUL bytes"
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        return f"is not valid UTF-8 (byte {error.start + 1} of the line)"
    wrong = jsontext.why_invalid(raw)
    if wrong is not None:
        return "is cut off: the file ends inside it" if last and wrong.unfinished else wrong.reason
    found = splice.scan(raw)
    if found is None:
        return "is JSON, but not an object"
    values = _values(raw, found)
    wire = WireLine()
    for name in ("type", "uuid", "logicalParentUuid", "version"):
        value = _scalar(values.get(name))
        if value is not None and not isinstance(value, str):
            return f"has a {name} that is not a string"
        setattr(wire, name, value)
    parent = _scalar(values.get("parentUuid"))
    if parent is None or isinstance(parent, str):
        wire.parentUuid = parent
    else:
        wire.bad_parent = True
    for name in ("isSidechain", "isMeta"):
        value = _scalar(values.get(name))
        if value is not None and not isinstance(value, bool):
            return f"has an {name} that is neither true nor false"
        setattr(wire, name, value)
    if wire.uuid is not None and wire.type in ("user", "assistant"):
        message = _message(values.get("message", b"null"))
        if isinstance(message, str):
            return message
        wire.message = message
    return wire


def _message(raw: bytes) -> WireMessage | str | None:
    found = splice.scan(raw)
    if found is None:
        return None if raw == b"null" else "has a message that is not an object"
    values = _values(raw, found)
    name = _scalar(values.get("id"))
    if name is not None and not isinstance(name, str):
        return "has a message.id that is not a string"
    content = values.get("content", b"null")
    if not content.startswith(b"["):
        text = _scalar(content)
        return WireMessage(name, text) if text is None or isinstance(text, str) else "has a message.content that is no text"
    blocks: list[WireBlock] = []
    for piece in jsontext.array_values(content):
        inner = splice.scan(piece)
        if inner is None:
            return "has a block in message.content that is not an object"
        parts = _values(piece, inner)
        block = WireBlock()
        for key in ("type", "id", "tool_use_id", "text"):
            value = _scalar(parts.get(key))
            if isinstance(value, str):
                setattr(block, key, value)
            elif value is not None and key != "text":
                return f"has a block in message.content whose {key} is not a string"
        blocks.append(block)
    return WireMessage(name, blocks)


def _values(raw: bytes, found: splice.Scan) -> dict[str, bytes]:
    """The values of an object by key; the last of a repeated key wins, as it does for every common reader."""
    return {
        json.loads(raw[member.key_start : member.key_end]): raw[member.value_start : member.value_end] for member in found.members
    }


def _scalar(raw: bytes | None) -> object:
    """A value, or an empty list in place of one that is an object or an array, of which no key the reader uses is one."""
    if raw is None:
        return None
    return [] if raw[:1] in (b"{", b"[") else json.loads(raw)
