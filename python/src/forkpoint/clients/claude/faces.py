"""The content of a line replaced, block by block: all other bytes stay as they were, but for spaces between blocks."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final, NamedTuple

from forkpoint.clients import jsontext
from forkpoint.clients.claude.blocks import SERVER_CALLS, is_server_result
from forkpoint.clients.edits import with_raw
from forkpoint.clients.jsontext import dump
from forkpoint.core import splice

WHOLE: Final = frozenset({"thinking", "redacted_thinking", "image", "document"}) | SERVER_CALLS
"""The types of blocks in whose place a text stands as a whole, as in that of a server tool's result; of the others a part is
replaced."""
LEFT_OUT: Final = "left_out"
"""The key under which the input of a call says what was left out of it."""


class Piece(NamedTuple):
    """A block of a message whose content is replaced by a text: its place, and, of an image in a result, its place there."""

    block: int
    inner: int | None
    text: str


class BadPiece(ValueError):
    """A piece that names no block of the line."""


def faced(line: bytes, pieces: Iterable[Piece]) -> bytes:
    """The line with the texts of pieces in the place of its blocks' content. Raises :class:`BadPiece`. O(length) a piece."""
    for piece in pieces:
        message = _value(line, "message")
        content = _value(message, "content")
        if content[:1] == b'"' and piece.block == 0 and piece.inner is None:
            made = dump(piece.text)
        else:
            blocks = _blocks(content, piece.block)
            blocks[piece.block] = _faced(blocks[piece.block], piece)
            made = b"[" + b",".join(blocks) + b"]"
        line = with_raw(line, "message", with_raw(message, "content", made))
    return line


def _faced(block: bytes, piece: Piece) -> bytes:
    kind = json.loads(_value(block, "type"))
    if kind == "tool_result":
        if piece.inner is None:
            return with_raw(block, "content", dump(piece.text))
        inner = _blocks(_value(block, "content"), piece.inner)
        inner[piece.inner] = dump({"type": "text", "text": piece.text})
        return with_raw(block, "content", b"[" + b",".join(inner) + b"]")
    if piece.inner is not None:
        raise BadPiece(f"block {piece.block} is no result")
    if kind == "tool_use":
        return with_raw(block, "input", dump({LEFT_OUT: piece.text}))
    if kind == "text":
        return with_raw(block, "text", dump(piece.text))
    if isinstance(kind, str) and (kind in WHOLE or is_server_result(kind)):
        return dump({"type": "text", "text": piece.text})
    raise BadPiece(f"block {piece.block} is of a type whose content cannot be replaced")


def _blocks(content: bytes, wanted: int) -> list[bytes]:
    found = jsontext.array_values(content) if content[:1] == b"[" else []
    if not 0 <= wanted < len(found):
        raise BadPiece(f"there is no block {wanted}")
    return found


def _value(text: bytes, key: str) -> bytes:
    """The value of a key, the last where it stands twice, as every common reader takes it."""
    found = splice.scan(text)
    name = splice.decode(dump(key))
    values = [
        text[member.value_start : member.value_end]
        for member in (found.members if found is not None else ())
        if splice.decode(text[member.key_start : member.key_end]) == name
    ]
    if not values:
        raise BadPiece(f"it has no {key}")
    return values[-1]
