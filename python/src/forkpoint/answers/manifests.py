"""Answers about what a session depends on."""

from __future__ import annotations

from forkpoint.answers.base import Answer, Place, Shape


class Dependency(Shape, kw_only=True):
    """Something that a continuation depends on.

    ``pinned``: the session holds it, with this ``hash``. ``carried``: a fork takes it along; what is not, the client takes as it
    is then. ``value`` is what it is, where that is short, ``line`` where it stands.
    """

    name: str
    pinned: bool
    carried: bool
    hash: str | None
    value: str | None
    line: int | None
    why: str


class Manifest(Answer, kw_only=True):
    """``manifest``: what a continuation at a point depends on."""

    file: str
    point: Place
    dependencies: list[Dependency]


class Differing(Shape, kw_only=True):
    """A dependency that two continuations have otherwise: the hashes, and what it is in each."""

    name: str
    hashes: list[str | None]
    values: list[str | None]


class ManifestsCompared(Answer, kw_only=True):
    """``manifest --against``: on what two continuations depend otherwise, what is the same, and what not both sessions hold."""

    files: list[str]
    points: list[Place]
    differ: list[Differing]
    same: list[str]
    unknown: list[str]
