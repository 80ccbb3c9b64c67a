"""The normal form of a session."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, UnsetType

from forkpoint.answers.base import Answer, Counts, Shape


class Was(Shape, kw_only=True):
    """What a client wrote where it could have written the same otherwise: keys that were not there, values of another type."""

    absent: list[str] | UnsetType = UNSET
    odd: dict[str, Any] | UnsetType = UNSET


class WasEntry(Was, kw_only=True):
    """The same of an entry: its type where that is none that is known, and its message where that is no object."""

    noType: bool | UnsetType = UNSET  # noqa: N815, the key of the normal form
    type: Any = UNSET
    message: Any = UNSET


class NormalText(Shape, kw_only=True, tag_field="block", tag="text"):
    """A text."""

    text: str
    was: Was | UnsetType = UNSET
    rest: dict[str, Any] | UnsetType = UNSET


class NormalThinking(Shape, kw_only=True, tag_field="block", tag="thinking"):
    """What a model thought."""

    text: str
    signature: str | None
    was: Was | UnsetType = UNSET
    rest: dict[str, Any] | UnsetType = UNSET


class NormalCall(Shape, kw_only=True, tag_field="block", tag="call"):
    """A call of a tool."""

    id: str
    name: str | None
    input: dict[str, Any] | None
    was: Was | UnsetType = UNSET
    rest: dict[str, Any] | UnsetType = UNSET


class NormalOpaque(Shape, kw_only=True, tag_field="block", tag="opaque"):
    """Any other block, as it was."""

    value: Any


class NormalResult(Shape, kw_only=True, tag_field="block", tag="result"):
    """The result of a call. ``content`` says how it was written where that was no list: as a text, not at all, or oddly."""

    call: str
    blocks: list[NormalText | NormalThinking | NormalCall | NormalOpaque]
    content: str | UnsetType = UNSET
    error: bool
    was: Was | UnsetType = UNSET
    rest: dict[str, Any] | UnsetType = UNSET


class NormalMessage(Shape, kw_only=True):
    """The message of an entry, without its blocks."""

    id: str | None
    role: str | None
    content: str | UnsetType = UNSET
    was: Was | UnsetType = UNSET
    rest: dict[str, Any] | UnsetType = UNSET


class NormalEntry(Shape, kw_only=True, tag_field="what", tag="entry"):
    """An entry in normal form. ``rest`` holds all keys that have no place of their own."""

    form: int
    uuid: str
    kind: str
    parent: str | None
    logicalParent: str | None  # noqa: N815, the key of the normal form
    sidechain: bool
    version: str | None
    session: str | None
    time: str | None
    message: NormalMessage | None
    blocks: list[NormalText | NormalThinking | NormalCall | NormalResult | NormalOpaque]
    was: WasEntry | UnsetType = UNSET
    rest: dict[str, Any]


class NormalSidecar(Shape, kw_only=True, tag_field="what", tag="sidecar"):
    """A line without a uuid, as it was."""

    form: int
    type: str | None
    value: dict[str, Any]


class NormalLine(Shape, kw_only=True, tag_field="what", tag="line"):
    """A line that cannot be said in normal form, as text."""

    form: int
    text: str


class Normalized(Answer, kw_only=True):
    """``normalize``: the lines in normal form. ``unknown`` counts the shapes that nobody knows, by name."""

    file: str
    lines: list[NormalEntry | NormalSidecar | NormalLine]
    unknown: Counts
