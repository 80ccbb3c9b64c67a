"""The prefix witness: what shows, later and from the files alone, that a conversation is still the one that was forked.

Two hash chains over the kept entries in canonical order, both bound to their number: one over the uuids, one over what the
entries say, in the canonical form of RFC 8785 without the envelope. A client that copies a conversation (``/branch``,
``--fork-session``) rewrites the envelope only, so both chains survive it; a changed word, a lost, added or exchanged
entry breaks them. The digest of the lines themselves is provenance: it says that not even a byte changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Final

import msgspec

from forkpoint.clients.claude.lines import ENVELOPE
from forkpoint.core import splice
from forkpoint.core.witnesses import chain
from forkpoint.transcript.format import canonical
from forkpoint.transcript.format.reader import Transcript

SCHEME: Final = 1
"""Names the definition of the chains and of the envelope; a witness of another scheme is not compared."""

LIMIT: Final = 16 << 20
"""Up to so many bytes of lines a fork makes the content chain unasked; it costs several times what the others do."""


@dataclass(frozen=True, slots=True)
class Witness:
    """The witness of ``length`` entries: SHA-256 digests in hexadecimal.

    ``ids``: of the uuid chain. ``content``: of the content chain, None when it was not made. ``lines``: of the lines
    themselves, each with a newline.
    """

    length: int
    ids: str
    content: str | None
    lines: str

    def shape(self) -> dict[str, object]:
        """As JSON: ``scheme``, ``length``, ``ids``, ``content`` (left out when not made), ``lines``."""
        shape: dict[str, object] = {"scheme": SCHEME, "length": self.length, "ids": self.ids}
        if self.content is not None:
            shape["content"] = self.content
        return {**shape, "lines": self.lines}


def from_shape(shape: Mapping[str, object]) -> Witness | None:
    """The witness that a JSON object describes, or ``None`` when it describes none of this scheme."""
    length, ids, content, lines = (shape.get(key) for key in ("length", "ids", "content", "lines"))
    if shape.get("scheme") != SCHEME or not isinstance(length, int) or not isinstance(ids, str) or not isinstance(lines, str):
        return None
    return Witness(length, ids, content, lines) if isinstance(content, str | None) else None


def witness(lines: Iterable[bytes], uuids: Iterable[str] | None = None, *, content: bool = True) -> Witness:
    """The witness of entries, given by their lines (without newlines) in canonical order.

    ``uuids`` are theirs in the same order, and are read from the lines when not given; ``content`` says whether the content
    chain is made. Linear in the bytes.
    """
    names, whole = list[bytes](), hashlib.sha256()

    def said_in_turn() -> Iterator[bytes]:
        for line, uuid in zip(lines, repeat(None) if uuids is None else uuids, strict=uuids is not None):
            names.append(_name(uuid_of(line) if uuid is None else uuid))
            whole.update(line)
            whole.update(b"\n")
            yield said(line) if content else b""

    contents = chain(_link, _start(b"content"), said_in_turn())
    ids, length = chain(_link, _start(b"ids"), names), len(names)
    return Witness(length, _end(ids, length), _end(contents, length) if content else None, whole.hexdigest())


def of(
    transcript: Transcript,
    positions: Sequence[int],
    *,
    content: bool | None = None,
    change: Callable[[bytes], bytes] | None = None,
) -> Witness:
    """The witness of entries of a transcript, by their positions in canonical order: :func:`witness`, faster.

    Without a word on ``content`` the content chain is made for up to :data:`LIMIT` bytes of lines. ``change`` makes of each line
    the one that counts.
    """
    spans = [transcript.span(position) for position in positions]
    if content is None:
        content = sum(span.end - span.start for span in spans) <= LIMIT
    names, contents, whole = transcript.log.spine.uuids, _start(b"content"), hashlib.sha256()
    ids = chain(_link, _start(b"ids"), (_name(str(names[position])) for position in positions))
    for run in transcript.runs(spans):
        if change is not None:
            run = b"\n".join(map(change, run.split(b"\n")))
        whole.update(run)
        whole.update(b"\n")
        if content:
            contents = chain(_link, contents, map(said, run.split(b"\n")))
    length = len(positions)
    return Witness(length, _end(ids, length), _end(contents, length) if content else None, whole.hexdigest())


def _name(uuid: str) -> bytes:
    return uuid.encode("utf-8", "surrogatepass")


def said(line: bytes) -> bytes:
    """What an entry says: the canonical form of its line without the envelope. O(length)."""
    value = canonical.decode(line)
    if not isinstance(value, dict):
        return canonical.canonical(b"{" + b",".join(_members(line)) + b"}")
    for key in ENVELOPE & value.keys():
        del value[key]
    return canonical.encode(value)


def _members(line: bytes) -> Iterator[bytes]:
    found = splice.scan(line)
    for member in found.members if found else ():
        if json.loads(line[member.key_start : member.key_end]) not in ENVELOPE:
            yield line[member.key_start : member.value_end]


class _Named(msgspec.Struct):
    uuid: str


def uuid_of(line: bytes) -> str:
    """The uuid of an entry's line."""
    try:
        return _decode(line).uuid
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        found = splice.scan(line)
        uuid = ""
        for member in found.members if found else ():
            if json.loads(line[member.key_start : member.key_end]) == "uuid":
                uuid = json.loads(line[member.value_start : member.value_end])
        return uuid


_decode = msgspec.json.Decoder(_Named).decode


def _start(chain: bytes) -> bytes:
    return hashlib.sha256(b"forkpoint witness %d %s" % (SCHEME, chain)).digest()


def _link(above: bytes, item: bytes) -> bytes:
    """The next value of a chain. What it follows has 32 bytes, so no two pairs read alike."""
    return hashlib.sha256(above + item).digest()


def _end(chain: bytes, length: int) -> str:
    """Binds a chain to the number of its links."""
    return hashlib.sha256(chain + length.to_bytes(8, "big")).hexdigest()
