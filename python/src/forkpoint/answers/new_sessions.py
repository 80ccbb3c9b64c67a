"""Answers of operations that make a session, or remove one."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from forkpoint.answers.base import Answer, Counts, Place, Recording, Shape
from forkpoint.answers.files import Worktree
from forkpoint.answers.manifests import Dependency


class MergedLeftOut(Shape, kw_only=True):
    """A branch that was merged into what a fork keeps, and is not kept itself."""

    node: Place
    end: str
    entries: int


class GoesAlong(Shape, kw_only=True):
    """A file that goes along with a new session."""

    source: str
    bytes: int


class Forked(Recording, kw_only=True):
    """``fork``, ``export``, ``promote``: the new session. Of one that is only tried, ``path`` is None and the sizes are said.

    ``destination`` is where one that is only tried would stand; None for standard output. ``folder`` is the working folder in
    which ``resume`` goes on in it.
    """

    id: str
    path: str | None
    name: str
    point: Place
    asked: Place
    reason: str | None
    note: str | None
    kept: int
    of: int
    entries_left_out: int
    sidecars: int
    sidecars_left_out: Counts
    companions: list[str]
    merged_left_out: list[MergedLeftOut]
    restamped: bool
    resume: str | None
    folder: str | None
    records: list[str] | UnsetType = UNSET
    promoted: str | UnsetType = UNSET
    destination: str | UnsetType | None = UNSET
    bytes: int | UnsetType = UNSET
    companion_bytes: int | UnsetType = UNSET
    goes_along: list[GoesAlong] | UnsetType = UNSET
    tokens_estimate: int | UnsetType = UNSET
    worktree: Worktree | UnsetType = UNSET
    manifest: list[Dependency] | UnsetType = UNSET

    @property
    def done(self) -> str:
        return "" if self.bytes is not UNSET else f"the session {self.id} stands in {self.path or 'standard output'}"


class Backfilled(Answer, kw_only=True):
    """``backfill``: what was filled in, and what is missing and must not be made up, by key."""

    path: str | None
    entries: int
    changed: int
    bytes: int
    added: Counts
    missing: Counts
    schema: str
    note: str | None
    damaged: int

    @property
    def done(self) -> str:
        return f"{self.path} is written" if self.path is not None else ""


class Removed(Answer, kw_only=True):
    """``discard``: what was removed, or would be."""

    file: str
    removed: list[str]
    would_remove: list[str]
