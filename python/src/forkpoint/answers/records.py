"""The records of a session."""

from __future__ import annotations

from forkpoint.answers.base import Answer, Place, Shape


class ListedRecord(Shape, kw_only=True):
    """A record of a conversation: whether it counts, and whether what it covers is what it was. A deferred one is on no line."""

    uuid: str
    line: int | None
    what: str
    counts: bool
    fits: bool
    covered: list[str]
    hash: str
    stub: str | None
    supersedes: str | None


class Records(Answer, kw_only=True):
    """``overlays``: the records of the conversation at an entry."""

    file: str
    at: Place
    records: list[ListedRecord]
