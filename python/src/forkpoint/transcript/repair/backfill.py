"""Backfill of a whole file by splicing bytes: each entry by the schema of its own type and of the target version.

Each entry is filled by itself, whatever stands beside it (P6b.4), so filling commutes with a fork (P6b.5).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import msgspec

from forkpoint.clients.claude.lines import SIDE
from forkpoint.clients.claude.schemas import Schemas
from forkpoint.clients.lines import BYTE_ORDER_MARK
from forkpoint.core.backfill import additions, reported
from forkpoint.core.entries import Kind
from forkpoint.core.splice import Addition
from forkpoint.transcript.format import reader
from forkpoint.transcript.format.reader import Fields, Memory, Transcript

SPACE: Final = b" \t\r\n"
BLOCK: Final = 1 << 20
"""How many bytes are read at once."""


@dataclass(slots=True)
class Cost:
    """What filling does; complete when :func:`backfill` is."""

    entries: int = 0
    changed: int = 0
    """Entries to which something was added."""
    bytes: int = 0
    """How many bytes were added to them."""
    added: dict[str, int] = field(default_factory=dict)
    """Each key that was added, with the number of entries."""
    missing: dict[str, int] = field(default_factory=dict)
    """Each required key that was left out because it must not be made up, with the number of entries that lack it."""


def backfill(transcript: Transcript, held: Schemas, cost: Cost) -> Iterator[bytes]:
    """The bytes of the file with every entry's missing keys filled; every other line and every old byte of the entries stays.

    The lines stay in file order. A byte-order mark is left out, and the last line ends in a newline. Raises :class:`OSError`
    when the file cannot be read any more. O(bytes), a megabyte or a line at a time.
    """
    ahead = _Ahead(transcript)
    filler = Filler(transcript, held)
    at = len(BYTE_ORDER_MARK) if ahead.read(0, len(BYTE_ORDER_MARK)) == BYTE_ORDER_MARK else 0
    for position, node in sorted(enumerate(transcript.nodes), key=lambda numbered: numbered[1].span.start):
        yield from ahead.pieces(at, node.span.start)
        yield filler.fill(position, ahead.read(node.span.start, node.span.end), cost)
        at = node.span.end
    yield from ahead.pieces(at, transcript.size)
    if not transcript.complete:
        yield b"\n"


def filled(transcript: Transcript, held: Schemas) -> Transcript:
    """A session whose entries have the keys that a version needs, as :func:`backfill` writes it; held in memory. O(bytes)."""
    made = reader.parse(b"".join(backfill(transcript, held, Cost())), transcript.path)
    made.client = transcript.client
    return made


def lines(transcript: Transcript) -> Iterator[bytes]:
    """The lines of a file without their newlines, blank ones too, as they stand: without a byte-order mark, and without the
    nothing behind the last newline. A megabyte at a time."""
    rest, at = b"", 0
    while piece := transcript.source.read(at, min(at + BLOCK, transcript.size)):
        whole = (rest + piece if at else piece.removeprefix(BYTE_ORDER_MARK)).split(b"\n")
        rest, at = whole.pop(), at + len(piece)
        yield from whole
        if at >= transcript.size:
            break
    if rest:
        yield rest


class Filler:
    """Fills the lines of one transcript, in any order."""

    def __init__(self, transcript: Transcript, held: Schemas) -> None:
        self._nodes = transcript.nodes
        self._schemas = held

    def fill(self, position: int, raw: bytes, cost: Cost) -> bytes:
        """The line ``raw`` of the entry at ``position`` with its missing keys; what that costs is added to ``cost``."""
        cost.entries += 1
        entry = self._nodes[position].entry
        if entry.kind is Kind.OTHER:
            return raw
        fields = _fields(raw)
        name = self._schemas.name(fields)
        if name is None:
            return raw
        schema = self._schemas.model(name)
        entry = entry._replace(fields=fields)
        lacking = reported(schema, entry)
        for key in lacking:
            cost.missing[key] = cost.missing.get(key, 0) + 1
        new = additions(schema, entry)
        if not new:
            return raw
        for key in new:
            cost.added[key] = cost.added.get(key, 0) + 1
        filled = _splice(raw, [Addition(_json(key), _json(value)) for key, value in new.items()])
        cost.changed += 1
        cost.bytes += len(filled) - len(raw)
        return filled


def _splice(raw: bytes, new: Iterable[Addition]) -> bytes:
    """What :func:`forkpoint.core.splice.splice` gives for the line of an entry, without its scan: the reader knows that the line
    holds an object with a member, and the closing brace of one is its last byte that is no white space."""
    close = len(raw.rstrip(SPACE)) - 1
    return b"".join((raw[:close], *(b",%b:%b" % addition for addition in new), raw[close:]))


class _Attachment(msgspec.Struct, gc=False):
    type: object = None


_top = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_attachment = msgspec.json.Decoder(_Attachment).decode


def _fields(raw: bytes) -> Mapping[str, object]:
    """The keys of a line, and the values of those that name its type; the other values are left unread."""
    try:
        top = _top(raw)
        fields: dict[str, object] = dict(top)
        for key in ("type", "subtype", SIDE):
            if key in top:
                fields[key] = msgspec.json.decode(top[key])
        if "attachment" in top:
            fields["attachment"] = {"type": _attachment(top["attachment"]).type}
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Fields(Memory(raw), 0, len(raw))  # not as clients write it: the slow way
    return fields


class _Ahead:
    """Reads a file from front to back, a block at a time."""

    def __init__(self, transcript: Transcript) -> None:
        self._source = transcript.source
        self._size = transcript.size
        self._start = 0
        self._block = b""

    def read(self, start: int, end: int) -> bytes:
        """The bytes from ``start`` to ``end``, cut at the end of what was read before."""
        end = min(end, self._size)
        if start < self._start or end > self._start + len(self._block):
            self._start = start
            self._block = self._source.read(start, min(max(end, start + BLOCK), self._size))
        return self._block[start - self._start : end - self._start]

    def pieces(self, start: int, end: int) -> Iterator[bytes]:
        """The same in pieces of at most a block."""
        while start < end:
            yield self.read(start, min(end, start + BLOCK))
            start += BLOCK


@lru_cache(maxsize=64)
def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode("ascii")
