"""Answers about evidence and the ledger."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from forkpoint.answers.base import Answer, Recording, Shape


class JudgedRefusal(Shape, kw_only=True):
    """The gate that refused, and why."""

    gate: str
    why: str


class PrunedReason(Shape, kw_only=True):
    """An artifact that does not hold by itself, and why."""

    id: str
    why: str


class Pruned(Shape, kw_only=True):
    """A branch that is left out."""

    branch: str
    reasons: list[PrunedReason]


class BranchNote(Shape, kw_only=True):
    """What a branch says beside its artifacts."""

    branch: str
    note: str


class Verdict(Recording, kw_only=True):
    """``judge``: whether what branches bring home stands together."""

    verdict: str
    refusal: JudgedRefusal | None
    artifacts: list[dict[str, Any]]
    pruned: list[Pruned]
    notes: list[BranchNote]

    @property
    def success(self) -> bool:
        return self.verdict == "survives"

    @property
    def done(self) -> str:
        return f"the verdict stands in {self.event.ledger}" if self.event and self.error is UNSET else ""


class Events(Answer, kw_only=True):
    """``ledger``: the events of a ledger, in the order in which they were recorded."""

    file: str
    events: list[dict[str, Any]]
