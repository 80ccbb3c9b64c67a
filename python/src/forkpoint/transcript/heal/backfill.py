"""Backfill of a whole file by splicing bytes: each entry by the schema of its own type and of the target version.

A key without a value of its own is filled from a default, or with the value that the log holds for the entry: a session id is
the one of the nearest ancestor that has one, else the one that all entries of the file that have one share. For the core that
is a schema for this one entry, so its theorems about an entry hold; those about a log hold because nothing but fields changes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import msgspec

from forkpoint.client.lines import SESSION_KEY
from forkpoint.core.backfill import additions, reported
from forkpoint.core.entries import Kind
from forkpoint.core.splice import Addition
from forkpoint.transcript.format import reader
from forkpoint.transcript.format.lines import BYTE_ORDER_MARK
from forkpoint.transcript.format.reader import Fields, Memory, Transcript
from forkpoint.transcript.format.schemas import Schemas

SPACE: Final = b" \t\r\n"
SESSION: Final = SESSION_KEY
"""The one key whose value is copied from the log."""
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
        self._sessions = _Sessions(transcript)

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
        if SESSION in lacking and (session := self._sessions.of(position)) is not None:
            schema = self._schemas.model(name, {SESSION: session})
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
        for key in ("type", "subtype", "isSidechain", SESSION):
            if key in top:
                fields[key] = msgspec.json.decode(top[key])
        if "attachment" in top:
            fields["attachment"] = {"type": _attachment(top["attachment"]).type}
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Fields(Memory(raw), 0, len(raw))  # not as clients write it: the slow way
    return fields


class _Sessions:
    """The session ids that the log holds."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._found: dict[int, str | None] = {}
        self._shared: str | None = None
        self._looked = False

    def of(self, position: int) -> str | None:
        """The session id for an entry that has none, or None when the log does not say. Amortised over a file: O(entries)."""
        log = self._transcript.log
        way: list[int] = []
        here: int | None = position
        found: str | None = None
        while here is not None and found is None:
            if here in self._found:
                found = self._found[here]
                break
            found = self._own(here) if here != position else None
            way.append(here)
            parent = log[here].parent
            here = None if parent is None else log.position(parent)
        for passed in way:
            self._found[passed] = found
        return found if found is not None else self._only()

    def _own(self, position: int) -> str | None:
        raw = self._transcript.line(self._transcript.span(position))
        session = _fields(raw).get(SESSION)
        return session if isinstance(session, str) else None

    def _only(self) -> str | None:
        if not self._looked:
            self._looked = True
            every = {self._own(position) for position in range(len(self._transcript.log))} - {None}
            self._shared = every.pop() if len(every) == 1 else None
        return self._shared


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
