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


class WireBlock(msgspec.Struct):
    """What the reader uses of a content block. Any type may stand where the client writes a string."""

    type: object = None
    id: object = None
    tool_use_id: object = None
    text: object = None


class WireMessage(msgspec.Struct):
    """What the reader uses of ``message``."""

    id: object = None
    content: str | list[WireBlock] | None = None


class WireLine(msgspec.Struct):
    """What the reader uses of a line."""

    type: object = None
    uuid: object = None
    parentUuid: object = None  # noqa: N815  (the keys are the client's)
    logicalParentUuid: object = None  # noqa: N815
    isSidechain: object = None  # noqa: N815
    isMeta: object = None  # noqa: N815
    version: object = None
    message: WireMessage | None = None


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

    ``last`` says that no newline ends the line, so that an unfinished object is a torn tail. Of a line without a uuid
    nothing but that is looked at; unknown keys, types and blocks pass.
    """
    try:
        wire = _decoder.decode(raw)
        raw.decode()  # the decoder does not look into the strings that it skips
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        careful = _read_carefully(raw, last=last)
        if isinstance(careful, str):
            return careful
        wire = careful
    return _why_damaged(wire) or wire


def _why_damaged(wire: WireLine) -> str | None:
    """What is wrong with the names in an entry, of which the tree and the conversations are made."""
    if wire.uuid is None:
        return None
    if not isinstance(wire.uuid, str):
        return "has a uuid that is not a string"
    if wire.message is None or wire.type not in ("user", "assistant"):
        return None
    if wire.type == "assistant" and not isinstance(wire.message.id, str | None):
        return "has a message.id that is not a string"
    if isinstance(wire.message.content, list):
        for block in wire.message.content:
            if block.type == "tool_use" and not isinstance(block.id, str):
                return "has a tool_use whose id is not a string"
            if block.type == "tool_result" and not isinstance(block.tool_use_id, str):
                return "has a tool_result whose tool_use_id is not a string"
    return None


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
    for name in ("type", "uuid", "parentUuid", "logicalParentUuid", "version", "isSidechain", "isMeta"):
        setattr(wire, name, _scalar(values.get(name)))
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
    message = WireMessage(_scalar(values.get("id")))
    content = values.get("content", b"null")
    if not content.startswith(b"["):
        text = _scalar(content)
        if text is not None and not isinstance(text, str):
            return "has a message.content that is neither text nor a list"
        message.content = text
        return message
    message.content = []
    for piece in jsontext.array_values(content):
        inner = splice.scan(piece)
        if inner is None:
            return "has a block in message.content that is not an object"
        parts = _values(piece, inner)
        message.content.append(WireBlock(*(_scalar(parts.get(key)) for key in ("type", "id", "tool_use_id", "text"))))
    return message


def _values(raw: bytes, found: splice.Scan) -> dict[str, bytes]:
    """The values of an object by key; the last of a repeated key wins, as it does for every common reader."""
    return {
        json.loads(raw[member.key_start : member.key_end]): raw[member.value_start : member.value_end] for member in found.members
    }


def _scalar(raw: bytes | None) -> object:
    """A string, true, false or null; for a number, an object or an array, which no key the reader uses holds, just that it
    is something else."""
    if raw is None or raw == b"null":
        return None
    if raw.startswith(b'"'):
        return json.loads(raw)
    return raw == b"true" if raw in (b"true", b"false") else ...
