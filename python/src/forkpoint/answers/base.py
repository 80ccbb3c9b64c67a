"""What all answers share: a part, an answer, a failure, the event that was recorded."""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

Counts: TypeAlias = dict[str, int]


class Shape(msgspec.Struct, kw_only=True):
    """A part of an answer."""

    def shape(self) -> dict[str, Any]:
        """As ``--json`` prints it."""
        found = msgspec.to_builtins(self)
        assert isinstance(found, dict)
        return found


class Place(Shape, kw_only=True):
    """An entry. Its line is not said where the entry is not in the file as it stands."""

    uuid: str
    line: int | UnsetType = UNSET


class Refused(Shape, kw_only=True):
    """Why a place cannot be taken, and which ones can."""

    reason: str
    nearest: list[Place] = []
    left_out: int | UnsetType = UNSET
    cure: str | UnsetType = UNSET


class Answer(Shape, kw_only=True):
    """What an operation gives."""

    @property
    def success(self) -> bool:
        """Whether what was asked about is as it should be."""
        return True

    @property
    def done(self) -> str:
        """What was done, as a clause, for a message that something behind it failed; empty where nothing was."""
        return ""


class Heads(Shape, kw_only=True):
    """The head of a worldline that was expected, and the one that it has."""

    worldline: str
    expected: str | None
    actual: str | None


class Failure(Answer, kw_only=True):
    """The answer of an operation that was not done, or not all of it: why, of which kind that is, the place, and what helps."""

    error: str | UnsetType = UNSET
    code: str | UnsetType = UNSET
    file: str | UnsetType = UNSET
    line: int | UnsetType = UNSET
    cure: str | UnsetType = UNSET
    refused: Refused | UnsetType = UNSET
    stale: Heads | UnsetType = UNSET
    operation: str | UnsetType = UNSET
    stands: bool | UnsetType | None = UNSET


class Event(Shape, kw_only=True, rename={"prefix_sha": "prefix-sha"}):
    """An event of a ledger, and whether it is on record now."""

    ledger: str
    recorded: bool
    event: str
    id: str
    ts: str
    tuple: str
    parent: str | UnsetType = UNSET
    branch: str | UnsetType = UNSET
    prefix_sha: str | UnsetType = UNSET
    note: str | UnsetType = UNSET
    inputs: list[str] | UnsetType = UNSET
    join: str | UnsetType = UNSET
    gate: str | UnsetType = UNSET
    verdict: str | UnsetType = UNSET
    reviewer: str | UnsetType = UNSET


class Recording(Answer, kw_only=True):
    """An answer with the event that was recorded: None where no ledger was named. ``error`` says why it was not."""

    event: Event | UnsetType | None = UNSET
    error: str | UnsetType = UNSET
