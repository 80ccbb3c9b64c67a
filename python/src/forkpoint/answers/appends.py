"""Answers of operations that append to a session."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, UnsetType

from forkpoint.answers.base import Answer, Place, Recording, Shape
from forkpoint.answers.files import FilesPut


class Standing(Recording, kw_only=True):
    """An operation that was repeated and stands already: its line, and what of it was lacking."""

    file: str
    operation: str
    line: int
    appended: list[str]

    @property
    def done(self) -> str:
        return f"the operation {self.operation} stands in {self.file}"


class SaidPrompt(Shape, kw_only=True):
    """A prompt: its number, and its words."""

    number: int
    text: str


class Moved(Answer, kw_only=True):
    """``checkout``, ``rewind``: the head as it was, and as it is now. ``undo`` is the command that goes back, if there is one.

    ``stay`` are the prompts on the way to both heads, ``left_behind`` those that the new one leaves, ``taken_up`` those that it
    comes to.
    """

    file: str
    former: Place
    operation: str
    head: Place
    stay: int
    left_behind: list[SaidPrompt]
    taken_up: list[SaidPrompt]
    appended: list[str]
    undo: str | None
    files: FilesPut | UnsetType = UNSET

    @property
    def done(self) -> str:
        return "" if self.undo is None else f"the head of {self.file} was moved to {self.head.uuid}"


class Superseded(Shape, kw_only=True):
    """The record that another one takes back; on no line where it is deferred."""

    uuid: str
    line: int | None
    what: str


class Record(Shape, kw_only=True):
    """The record that was appended; it has no line before it is."""

    uuid: str
    line: int | None


class Seen(Shape, kw_only=True):
    """How much of the conversation is seen, and in ``stuck`` why nobody can go on from it; null where one can."""

    entries: int
    tokens_estimate: int
    stuck: str | None


class TrimmedPart(Shape, kw_only=True):
    """A part of a message that a trim covers, or could: its entry, the tool or the type of the block, its kind, and how large it
    is. ``reason`` and ``because`` say why it is of no more use."""

    uuid: str
    line: int
    kind: str
    what: str
    call: str | None
    characters: int
    tokens_estimate: int
    reason: str | UnsetType = UNSET
    because: str | UnsetType = UNSET


class Suggested(Answer, kw_only=True):
    """``trim --suggest``, ``drop --suggest``: the parts that are of no more use, the largest first, or the steps of which all is,
    and what of the conversation at the head they are."""

    file: str
    parts: list[TrimmedPart]
    steps: list[str]
    tokens_estimate: int
    of: int


class Recorded(Answer, kw_only=True):
    """``drop``, ``compact``, ``trim``, ``undo``, ``redo``: what is said by the new record, in ``words``, and what is seen
    then. ``deferred`` is the file that keeps a record which is not appended."""

    file: str
    operation: str
    words: str
    superseded: Superseded | UnsetType = UNSET
    steps: list[str] | UnsetType = UNSET
    entries: int | UnsetType = UNSET
    stub: str | UnsetType | None = UNSET
    stub_because: list[str] | UnsetType = UNSET
    trimmed: list[TrimmedPart] | UnsetType = UNSET
    record: Record
    seen: Seen | None
    oracle: str | UnsetType = UNSET
    appended: list[str]
    deferred: str | UnsetType = UNSET
    undo: str | None

    @property
    def done(self) -> str:
        where = self.file if self.deferred is UNSET else self.deferred
        return "" if self.undo is None else f"the record {self.record.uuid} stands in {where}"


class Memory(Shape, kw_only=True):
    """What a branch changed in its memory; no hash where it was taken out."""

    name: str
    hash: str | None


class Merged(Recording, kw_only=True):
    """``merge``: the two ends, the node that joins them, and what it tells. Without a node nothing was appended."""

    file: str
    operation: str
    source: str
    mode: str
    head: Place
    merged: Place
    entries: int
    node: Place | None
    text: str | None
    insights: list[dict[str, Any]] | None
    memories: list[Memory] | None
    appended: list[str]
    words: str
    oracle: str | UnsetType = UNSET

    @property
    def done(self) -> str:
        return "" if self.node is None else f"the merge stands in {self.file}"
