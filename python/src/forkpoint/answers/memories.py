"""Answers about memories."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, UnsetType

from forkpoint.answers.base import Answer, Shape


class Left(Shape, kw_only=True):
    """A field or text that was changed; without a value it was taken out."""

    name: str
    value: Any | UnsetType = UNSET


class ClashSide(Shape, kw_only=True):
    """What a fork made of a field that clashes, and where that is kept beside."""

    fork: str
    value: Any | UnsetType = UNSET
    beside: str | None


class ClashTarget(Shape, kw_only=True):
    """What the target has of a field that clashes."""

    value: Any | UnsetType = UNSET


class Clash(Shape, kw_only=True):
    """A field that was changed differently."""

    name: str
    open: bool
    target: ClashTarget
    forks: list[ClashSide]


class MemoryForked(Answer, kw_only=True):
    """``memory-fork``: what goes along."""

    path: str | None
    name: str
    agents: list[str]
    fields: int
    texts: int
    messages: int

    @property
    def done(self) -> str:
        return f"{self.path} is written" if self.path is not None else ""


class MemoryMerged(Answer, kw_only=True):
    """``memory-merge``: what changed, and what clashes."""

    path: str | None
    merged: bool
    changed: list[Left]
    messages: int
    clashes: list[Clash]
    forks: list[str]

    @property
    def done(self) -> str:
        return f"{self.path} is written" if self.path is not None else ""
