"""What a client would send at a place: the entries of the rendered context (chapter 10), each with what is sent of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from forkpoint.core import rendering
from forkpoint.core.entries import Kind
from forkpoint.transcript.ask.reading import MEDIA
from forkpoint.transcript.format import canonical
from forkpoint.transcript.format.compaction import preserved
from forkpoint.transcript.format.edits import raw_value
from forkpoint.transcript.format.reader import Transcript


class Sent(NamedTuple):
    """An entry of which something is sent: its position, and that as canonical JSON."""

    position: int
    what: bytes


def sent(transcript: Transcript, position: int) -> list[Sent]:
    """What is sent at an entry, in its order: of a user's or an assistant's entry the content, of an attachment the whole.

    Envelope, uuids, ids and counts of messages are not sent. Reads each line of the context."""
    log = transcript.log
    found: list[Sent] = []
    for at in rendering.rendered_positions(log, preserved(transcript), log.spine.uuids[position]):
        kind, line = log[at].kind, transcript.line(transcript.span(at))
        if kind in (Kind.USER, Kind.ASSISTANT) and (message := raw_value(line, "message"))[:1] == b"{":
            found.append(_sent(at, kind, raw_value(message, "content") or b"null"))
        elif kind is Kind.ATTACHMENT and (attachment := raw_value(line, "attachment")) not in (b"", b"null"):
            found.append(_sent(at, kind, attachment))
    return found


def _sent(position: int, kind: Kind, what: bytes) -> Sent:
    return Sent(position, canonical.of(b'["%b",%b]' % (kind.value.encode(), what)))


def common(one: Sequence[Sent], other: Sequence[Sent]) -> int:
    """How many of the first are sent alike: what a cache of prompts can share."""
    alike = (index for index, (mine, theirs) in enumerate(zip(one, other, strict=False)) if mine.what != theirs.what)
    return next(alike, min(len(one), len(other)))


def words(transcript: Transcript, position: int) -> str:
    """How an entry that is sent begins, for a person."""
    keys = transcript.keys(transcript.span(position))
    message = keys.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return content
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict):
            kind = str(block.get("type"))
            text = block.get("text")
            return text if isinstance(text, str) else f"[{block.get('name') or kind}]" if kind not in MEDIA else MEDIA[kind]
    return "[attachment]"
