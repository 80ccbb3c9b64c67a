"""Damaged lines that can be read again without guessing: what is whole in them, byte for byte, and what a client reads.

A cure is taken only when what results is readable. Anything else stays damaged.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, NamedTuple

from forkpoint.clients.claude.keys import ENTRY_START, PARENT
from forkpoint.clients.claude.lines import SESSION_KEY
from forkpoint.clients.claude.patterns import FIRST_PARENT
from forkpoint.clients.jsontext import is_too_deep
from forkpoint.clients.lines import BYTE_ORDER_MARK, LONGEST
from forkpoint.core import splice
from forkpoint.transcript.format import reader

_NUMBER: Final = rb"[0-9.eE+-]*+"
_REDACTED: Final = re.compile(
    rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|(?<=[:,\[ ])(?P<number>'
    + _NUMBER
    + rb"(?:\[[A-Z][A-Z0-9_ ]*+\]"
    + _NUMBER
    + rb")++)(?=[,}\]])",
    re.DOTALL,
)
"""A string, which is passed over, or the text of a redaction tool where a number stood."""
_ENTRY: Final = re.compile(re.escape(ENTRY_START))
_PADDING: Final = re.compile(rb"\A(?:\x00|\xef\xbb\xbf)++")
_WORK: Final = 1 << 22
"""How many bytes, besides four times the line, are looked at to find an entry behind a torn one."""
_UUID: Final = re.compile(rb'"uuid":(?:"([^"\\]*)"|(null))')

AS_IT_IS: Final = ", byte for byte"
"""What is said of a part of a line of which nothing is changed."""


class Mended(NamedTuple):
    """What a damaged line holds: readable lines, and in words what was wrong and what was done."""

    lines: list[bytes]
    cause: str
    cure: str


class Names(NamedTuple):
    """The uuid of the entry on a line that cannot be read, and its parent's; ``None`` for a root."""

    uuid: str
    parent: str | None


def readable(line: bytes) -> bool:
    """Whether the reader takes a line as an entry or a sidecar. O(length)."""
    if not line.strip() or b"\n" in line or line.startswith(BYTE_ORDER_MARK):
        return False
    return not reader.parse(line + b"\n", Path()).damage


def mend(raw: bytes) -> Mended | None:
    """What can be read of a damaged line, or ``None``. O(length)."""
    if len(raw) > LONGEST or is_too_deep(raw):
        return None
    causes, cures = [], []
    text = _PADDING.sub(b"", raw).rstrip(b"\x00")
    if text != raw:
        causes.append("NUL bytes or byte-order marks pad the line")
        cures.append("they are taken off")
    try:
        text.decode()
    except UnicodeDecodeError:
        text = text.decode("utf-8", "replace").encode()
        causes.append("the line is not valid UTF-8")
        cures.append("each invalid sequence becomes U+FFFD, which is what clients read")
    quoted = _quote(text)
    parts = [text] if readable(text) else _split(quoted)
    if parts is not None:
        if len(parts) > 1:
            causes.append(f"{len(parts)} lines were written without a newline between them")
            cures.append(f"each gets a line of its own{AS_IT_IS}")
        if quoted != text and not readable(text):
            causes.append("a redaction tool wrote text where a number stood")
            cures.append("the text is put into quotes")
    else:
        rest = _behind_a_torn_one(text)
        if rest is None:
            return None
        parts = [rest]
        causes.append("the line is torn, and the next one was written behind it without a newline")
        cures.append(f"the whole one is kept{AS_IT_IS}, the torn one is not")
    return Mended(parts, " and ".join(causes), " and ".join(cures)) if causes else None


def _split(text: bytes) -> list[bytes] | None:
    """The objects that stand one behind another in a line, each readable; ``None`` when something else stands there."""
    parts: list[bytes] = []
    at = splice.skip_space(text, 0)
    while at < len(text):
        end = splice.value_end(text, at)
        if end < 0 or not readable(text[at:end]):
            return None
        parts.append(text[at:end])
        at = splice.skip_space(text, end)
    return parts or None


def _quote(text: bytes) -> bytes:
    """The text with redacted numbers in quotes, the strings untouched."""
    return _REDACTED.sub(lambda match: b'"%b"' % match["number"] if match["number"] else match[0], text)


def _behind_a_torn_one(text: bytes) -> bytes | None:
    """The whole entry at the end of a line that begins with a torn one. Only what has every mark of an entry counts: an
    object inside the torn line must not be taken for one."""
    work = _WORK + 4 * len(text)
    for match in _ENTRY.finditer(text, 1):
        rest = text[match.start() :]
        work -= len(rest)
        if work < 0:
            break
        found = splice.scan(rest)
        if found is None or not readable(rest):
            continue
        keys = {rest[member.key_start : member.key_end] for member in found.members}
        if keys >= {b'"uuid"', f'"{PARENT}"'.encode(), f'"{SESSION_KEY}"'.encode(), b'"type"', b'"timestamp"'}:
            return rest
    return None


def uuids(raw: bytes) -> set[str]:
    """What a line names as uuids, its own and those inside it. O(length)."""
    found = {match[1] for match in _UUID.finditer(raw) if match[1]}
    return {uuid.decode("utf-8", "surrogateescape") for uuid in found}


def names(raw: bytes) -> Names | None:
    """How a line that cannot be read names itself and its parent, when it does: its ``parentUuid`` is the first key as
    clients write it, and its ``uuid`` stands behind the message. ``None`` when either is not to be told."""
    parent = FIRST_PARENT.match(raw.lstrip(b"\x00 \t\r"), 1)
    found = uuids(raw)
    if parent is None or len(found) != 1:
        return None
    try:
        return Names(found.pop(), None if parent[2] else parent[1].decode())
    except UnicodeDecodeError:
        return None
