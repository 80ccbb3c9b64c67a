"""Why a store does not do what it is asked for. Each names what it found and the cure; nothing was changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from forkpoint.words import Cured

CHECK: Final = "`forkpoint store check` tells what is wrong with the store"


class Wrong(NamedTuple):
    """Something that does not hold: where, and what."""

    where: str
    why: str


class StoreError(Cured):
    """Something about the store; the message names the cure."""


class NoStore(StoreError):
    """It is not there, is no store of worldlines, or is one of another version."""


class Busy(StoreError):
    """Another process writes to it for longer than one waits."""


class Unknown(StoreError):
    """A thread, worldline, event or operation that is not there."""

    def __init__(self, what: str, id: str) -> None:
        super().__init__(f"there is no {what} {id!r}")
        self.what = what
        self.id = id


class Taken(StoreError):
    """An id that stands for something else: an event with other content or in another place, a worldline from elsewhere."""

    def __init__(self, what: str, id: str, why: str) -> None:
        super().__init__(f"the {what} {id!r} {why}")
        self.what = what
        self.id = id


class BadEvent(StoreError):
    """What is to be appended is no event: its body is no JSON object, or says what no entry can say."""


class StaleHead(StoreError):
    """The head is another than the one that was expected: somebody else appended. Nothing changed (P7)."""

    def __init__(self, worldline: str, expected: str | None, actual: str | None) -> None:
        super().__init__(
            f"the head of {worldline!r} is {actual!r}, not {expected!r}: somebody else appended; nothing changed",
            "read the timeline, then append behind its head, or rebase",
        )
        self.worldline = worldline
        self.expected = expected
        self.actual = actual


class IllegalPoint(StoreError):
    """An event behind which nobody can go on (P3): a call is open, a message is unfinished, or it is no assistant's.

    ``nearest``: the events at which one can, the closest one before it first, then the first one after it.
    """

    def __init__(self, event: str, why: str, nearest: Sequence[str]) -> None:
        near = f"; the nearest legal points: {', '.join(nearest)}" if nearest else "; its worldline has no legal point"
        super().__init__(f"no worldline can come from {event!r}: {why}{near}")
        self.event = event
        self.why = why
        self.nearest = tuple(nearest)


class NoState(StoreError):
    """The state at an event is not known: nothing was kept, and nothing says how to find it."""

    def __init__(self, event: str, why: str, *, before: bool = False) -> None:
        cure = "take a snapshot there, or give a reducer" + ("" if before else ", and where to start")
        super().__init__(f"the state at {event!r} is not known: {why}", cure)
        self.event = event
        self.before = before
        """Whether there is a snapshot before it."""


class NoSession(StoreError):
    """A worldline that no client could have written as a session."""

    def __init__(self, worldline: str, why: str) -> None:
        super().__init__(f"{worldline!r} cannot be exported: {why}")
        self.worldline = worldline


class BadBundle(StoreError):
    """A file that is no bundle, or no longer the one that was written."""

    def __init__(self, line: int, why: str, cure: str = "") -> None:
        super().__init__(f"line {line}: {why}", cure)
        self.why = why
        self.line = line


class BadState(StoreError):
    """A state outside the store that cannot be kept, or cannot be made anew."""
