"""What a repair says of a line: what it was, what became of it, and why."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from forkpoint.transcript.format.reader import Transcript


class Search(NamedTuple):
    """What a search for entries in other files gave: the files that hold each uuid, how many files were searched, and those that
    could not be read."""

    found: dict[str, list[Path]]
    searched: int
    unread: tuple[Path, ...] = ()


Finder = Callable[[Collection[str]], Search]
"""Looks for entries with these uuids in other files."""


class Reason(NamedTuple):
    """Why a line is not, or not alone, as it was: the cause as far as the facts tell, what a client loses, the cure."""

    kind: str
    cause: str
    loss: str
    cure: str


@dataclass(slots=True)
class Line:
    """A line of the new file, and where it is from."""

    data: bytes
    source: int
    """The number of the line in the source; 0 for one that was brought in."""
    origin: Path | None = None
    """The file that a line was brought in from."""
    reasons: list[Reason] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class LineChange:
    """What became of one line of the source. ``after`` is empty when the line was left out."""

    line: int
    uuid: str | None
    start: int
    end: int
    """Where the line stands in the source; :meth:`Transcript.line` reads it."""
    after: tuple[bytes, ...]
    changed: bool
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Repaired:
    """A repaired transcript. ``lines`` in order, without newlines; every other line of the source is in ``changes``."""

    lines: list[Line]
    changes: list[LineChange]
    """In the order of the source: the lines that changed or were left out, and those that something was done for."""
    transcript: Transcript
    """The new file as the reader sees it."""
    searched: int
    """How many other files were searched."""
    unread: tuple[Path, ...] = ()
    """Those that could not be read, though something that is lost may stand in them."""

    @property
    def brought(self) -> list[Line]:
        """The lines from other files."""
        return [line for line in self.lines if line.origin is not None]


class RepairError(ValueError):
    """A file that cannot be repaired by the cures that there are."""
