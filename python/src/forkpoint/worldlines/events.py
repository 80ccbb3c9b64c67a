"""Events: what is appended to a worldline, and what the model sees of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from forkpoint.clients.claude.codec import KINDS, Nameless, read_line, speech
from forkpoint.clients.lines import LONGEST
from forkpoint.core.entries import Block, Entry, Id, Kind
from forkpoint.worldlines.faults import BadEvent

BLANK: Final = hashlib.sha256(b"forkpoint worldline 1").digest()
"""The chain of no events."""
LONGEST_ID: Final = 200


@dataclass(frozen=True)
class Event:
    """An event: its id, which is the idempotency key of its append, and its body, a JSON object as bytes.

    The body is read as a line of a transcript is: ``type``, ``message`` with its ``id`` and ``content``, ``isSidechain``. What
    it says of its own uuid and parent counts for nothing: an event's parent is the event before it. ``at`` is when it was
    appended, in microseconds since 1970, and 0 before that. Raises :class:`~forkpoint.worldlines.faults.BadEvent`.
    """

    id: str
    body: bytes
    at: int = 0

    @classmethod
    def of(cls, id: str, says: Mapping[str, Any]) -> Event:
        """An event from an object that JSON can hold."""
        try:
            body = json.dumps(says, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise BadEvent(f"the event {id!r} cannot be written as JSON: {error}") from error
        return cls(id, body)

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not 0 < len(self.id) <= LONGEST_ID or not self.id.isprintable():
            raise BadEvent(f"an event needs an id of 1 to {LONGEST_ID} printable characters, not {self.id!r:.80}")
        if not isinstance(self.body, bytes) or len(self.body) > LONGEST:
            raise BadEvent(f"the event {self.id!r} needs a body of bytes, at most {LONGEST:,} of them")

    def __repr__(self) -> str:
        return f"<Event {self.id}: {self.kind.value}, {len(self.body)} bytes>"

    @property
    def says(self) -> dict[str, Any]:
        """The body as an object.

        Raises :class:`~forkpoint.worldlines.faults.BadEvent` for one that is nested too deep, or holds too long a number.
        """
        try:
            found = json.loads(self.body)
        except (ValueError, RecursionError) as error:
            raise BadEvent(f"the body of the event {self.id!r} cannot be read whole: {error}") from error
        assert isinstance(found, dict)
        return found

    @cached_property
    def content(self) -> bytes:
        """The SHA-256 of the body."""
        return hashlib.sha256(self.body).digest()

    @cached_property
    def _read(self) -> tuple[Kind, str, tuple[Block, ...], Id | None, bool]:
        line = read_line(self.body, last=False)
        if isinstance(line, str):
            raise BadEvent(f"the body of the event {self.id!r} {line}")
        kind = KINDS.get(line.type, Kind.OTHER)
        try:
            blocks, message, _ = speech([line], [kind])
        except Nameless as error:
            raise BadEvent(f"the body of the event {self.id!r} {error}") from error
        return kind, line.type or "", blocks[0], message[0], bool(line.sidechain)

    @property
    def kind(self) -> Kind:
        """Who or what it is from."""
        return self._read[0]

    @property
    def type(self) -> str:
        """What its body calls itself."""
        return self._read[1]

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Its tool calls, results and other blocks."""
        return self._read[2]

    @property
    def message(self) -> Id | None:
        """The message of the assistant that it is a part of."""
        return self._read[3]

    @property
    def aside(self) -> bool:
        """Whether it is an entry of a sub-agent in the line of its caller."""
        return self._read[4]

    def entry(self, parent: str | None) -> Entry:
        """What the model sees of it behind another event."""
        kind, _, blocks, message, aside = self._read
        return Entry(self.id, parent, None, kind, message, blocks, aside)


def link(chain: bytes, event: Event) -> bytes:
    """The chain over some events and one more: what an event has behind it and is, its id included (P14)."""
    return hashlib.sha256(b"".join((chain, hashlib.sha256(event.id.encode()).digest(), event.content))).digest()


def spoken(event: Event) -> str:
    """What the assistant of the main line says in an event; empty where nothing."""
    message = event.says.get("message")
    if event.kind is not Kind.ASSISTANT or event.aside or not isinstance(message, dict):
        return ""
    content = message.get("content")
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = [block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str))


def merged(event: Event) -> str | None:
    """The event of another worldline that a merge brought last; None for any other event."""
    if b'"secondParent"' not in event.body:
        return None
    try:
        says = event.says.get("forkpoint")
    except BadEvent:
        return None
    end = says.get("secondParent") if isinstance(says, dict) else None
    return end if isinstance(end, str) else None
