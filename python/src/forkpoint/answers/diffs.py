"""What two sessions share, and what each added."""

from __future__ import annotations

from forkpoint.answers.base import Answer, Counts, Place, Shape


class Pair(Shape, kw_only=True):
    """An entry that two sessions share, in each."""

    a: Place
    b: Place


class SideTurn(Shape, kw_only=True):
    """What a conversation added in one turn: how many answers, the last one, its calls, and the files they were to change."""

    number: int | None
    prompt: Place | None
    text: str | None
    goes_on: bool
    answers: int
    answer: str | None
    calls: Counts
    files: list[str]
    entries: int


class ComparedSide(Shape, kw_only=True):
    """One of two conversations that are compared."""

    file: str
    point: Place
    entries: int
    added: int
    alone: list[Place]
    turns: list[SideTurn]


class SentEntry(Shape, kw_only=True):
    """An entry of which something is sent."""

    uuid: str
    line: int
    kind: str
    text: str


class ContextSide(Shape, kw_only=True):
    """What a client would send at a point: how many entries, and those behind what both send alike at their beginnings."""

    file: str
    point: Place
    sent: int
    tokens_estimate: int
    rest: list[SentEntry]


class ContextsCompared(Answer, kw_only=True):
    """``diff --context``: whether a client would send the same at two points, and how many of the first entries are alike."""

    same: bool
    alike: int
    a: ContextSide
    b: ContextSide


class Compared(Answer, kw_only=True):
    """``diff``: where two conversations part, and what each added since."""

    shared: int
    fork_point: Pair | None
    changed: list[Pair]
    a: ComparedSide
    b: ComparedSide

    @property
    def success(self) -> bool:
        return bool(self.shared)
