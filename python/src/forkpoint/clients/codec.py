"""What a client's format is, for whoever reads and writes its files: bytes to entries and back.

A :class:`Codec` is the one thing of a client that the reader knows. It makes of some lines a :class:`Parsed`: the entries, a list
for each part, in the words of the core. Nothing above the packages of the clients names a key of a line's own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Protocol

from forkpoint.clients.lines import Chunk
from forkpoint.core.entries import OPAQUE, Block, Id, Kind, Version

ONE_OPAQUE: Final = (OPAQUE,)
"""The blocks of an entry that is a text: one, of which nothing is known."""


@dataclass(slots=True)
class Parsed:
    """What some lines are: the entries in their order, a list for each part, and the other lines.

    ``logical``, ``callers``, ``asking`` and ``bad_parents`` count the entries here from 0. ``damage`` and ``sidecars``
    name lines by their place among the lines, from 0. A blank line is nothing.
    """

    numbers: list[int] = field(default_factory=list)
    """Of each entry the line it stands on, counted from 1 in the file."""
    uuids: list[Id] = field(default_factory=list)
    parents: list[Id | None] = field(default_factory=list)
    kinds: list[Kind] = field(default_factory=list)
    messages: list[Id | None] = field(default_factory=list)
    """The API message of an assistant's entry."""
    blocks: list[tuple[Block, ...]] = field(default_factory=list)
    versions: list[str | None] = field(default_factory=list)
    """The version of the client that wrote it, as the line says."""
    sidechain: bytes = b""
    """1 for each entry of a sub-agent, else 0."""
    prompt: bytes = b""
    """1 for each entry that may be a prompt: a user's on the main line, with words that the client did not write."""
    logical: dict[int, str] = field(default_factory=dict)
    """The entries behind which others go on, though these are not their parents."""
    callers: dict[int, str] = field(default_factory=dict)
    """The entries that name another than their parent as the one that made their call; empty where that is no name."""
    asking: list[int] = field(default_factory=list)
    """The entries whose message stopped for a tool, and which hold no call themselves."""
    bad_parents: list[int] = field(default_factory=list)
    """The entries whose parent is neither a name nor none."""
    damage: list[tuple[int, str]] = field(default_factory=list)
    """The lines that hold nothing readable, each with the reason."""
    sidecars: list[tuple[int, str | None]] = field(default_factory=list)
    """The lines that hold an object which is no entry, each with its type."""


class Codec(Protocol):
    """A client's format."""

    @property
    def name(self) -> str:
        """What the client is called on the command line."""

    def parse(self, chunk: Chunk) -> Parsed:
        """What the lines of a chunk are. Never fails: damage is part of the answer. O(bytes)."""

    def repeats(self, first: bytes, second: bytes) -> bool:
        """Whether a line of the same name as an earlier one, and not the same bytes, says what that one says: a client wrote an
        entry twice. O(length)."""

    def prompt_text(self, line: bytes) -> str:
        """The words of a line that is a prompt; empty where it holds none. O(length)."""


def parse_version(text: str | None) -> Version:
    """``"2.1.78"`` as ``(2, 1, 78)``; parts that are no numbers end it."""
    parts: list[int] = []
    for part in (text or "").split("."):
        if not (part.isascii() and part.isdigit()) or len(part) > 9:
            break
        parts.append(int(part))
    return tuple(parts)
