"""Answers of checks, verifications and repairs."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from forkpoint.answers.base import Answer, Counts, Shape


class Violation(Shape, kw_only=True):
    """Where a property does not hold, or a note on it."""

    line: int
    uuid: str
    property: str
    message: str


class Damaged(Shape, kw_only=True):
    """A damaged line."""

    line: int
    reason: str


class SchemaFailure(Shape, kw_only=True):
    """A key of a line that its schema rejects."""

    line: int
    type: str
    key: str
    wrong: str
    cure: str | None


class Judged(Shape, kw_only=True):
    """What the lines are by the schemas of a client version."""

    version: str
    valid: bool
    judged: int
    rejected: int
    reserved: int
    unknown: Counts
    failures: list[SchemaFailure]
    notes: list[str]


class Checked(Answer, kw_only=True):
    """``check``: whether every property holds. ``nothing`` says why nothing can be read of a file without an entry, ``held_back``
    why the head of one whose properties hold cannot be forked."""

    file: str
    healthy: bool
    entries: int
    sidecars: int
    violations: list[Violation]
    damaged: list[Damaged]
    notes: list[Violation]
    nothing: str | UnsetType = UNSET
    held_back: str | UnsetType = UNSET
    schemas: Judged | UnsetType = UNSET
    oracle: str | UnsetType = UNSET

    @property
    def success(self) -> bool:
        return self.healthy and (self.schemas is UNSET or self.schemas.valid)


class Finding(Shape, kw_only=True):
    """One thing that is wrong with a line: its cause, what a client loses, and what `repair` does."""

    line: int
    uuid: str | None
    property: str
    kind: str
    message: str
    cause: str
    loss: str
    cure: str


class Diagnosed(Answer, kw_only=True):
    """``doctor``: what is wrong, and whether it can be repaired: by the command, or why not. ``refused`` counts the findings of
    what the API refuses though the tree is sound; ``held_back`` says why the head cannot be forked."""

    file: str
    healthy: bool
    searched: int
    findings: list[Finding]
    refused: int
    command: str | None
    hopeless: str | None
    held_back: str | UnsetType = UNSET

    @property
    def success(self) -> bool:
        return self.healthy and not self.refused and self.hopeless is None


class Difference(Shape, kw_only=True):
    """The first entry in which fork and source differ."""

    uuid: str
    line: int | None
    source_line: int | None
    what: str


class Verified(Answer, kw_only=True):
    """``verify-fork``: whether a fork still holds what was forked."""

    file: str
    source: str | None
    verified: bool
    verdict: str
    entries: int
    additions: int
    against: list[str]
    difference: Difference | None
    notes: list[str]

    @property
    def success(self) -> bool:
        return self.verified


class Reason(Shape, kw_only=True):
    """Why a line is not, or not alone, as it was."""

    kind: str
    cause: str
    loss: str
    cure: str


class Text(Shape, kw_only=True):
    """A line: as text, as base64 where it is none, or by where it stands where it is too long to be read."""

    text: str | UnsetType = UNSET
    base64: str | UnsetType = UNSET
    start: int | UnsetType = UNSET
    end: int | UnsetType = UNSET


class LineChange(Shape, kw_only=True):
    """A line of the source that is not in the new file as it was, and what stands for it."""

    line: int
    uuid: str | None
    reasons: list[Reason]
    before: Text | UnsetType = UNSET
    after: list[Text] | UnsetType = UNSET


class Brought(Shape, kw_only=True):
    """An entry that came from another file."""

    line: int
    file: str
    uuid: str


class Repaired(Answer, kw_only=True):
    """``repair``: the new file and its report, if they were written, and every line that was changed. ``stayed`` is how many
    files of the session did not go along, since there is no place for them."""

    path: str | None
    report: str | None
    source: str
    entries: Counts
    searched: int
    unread: list[str]
    changes: list[LineChange]
    brought: list[Brought]
    stayed: int

    @property
    def done(self) -> str:
        return f"{self.path} is written" if self.path is not None else ""
