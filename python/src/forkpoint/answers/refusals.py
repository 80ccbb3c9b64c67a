"""How an operation ends: the codes, and the refusal that carries one."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, Final

from msgspec import UNSET

from forkpoint.answers.base import Answer, Failure, Place, Refused
from forkpoint.words import Cured


class Code(Enum):
    """How an operation ended."""

    DONE = "done"
    UNHEALTHY = "unhealthy"
    """Violations or damaged lines; a fork that does not verify, nothing in common, a refuted verdict, a clash."""
    WRONG_USE = "wrong-use"
    """Wrong use, an unknown session or point, unreadable input, unwritable output."""
    ILLEGAL = "illegal"
    """A point that cannot be forked or be the head; entries that a drop cannot leave out; a branch that does not merge."""
    UNKNOWN = "unknown"
    """A thread, worldline or event of a store that is not there."""
    TAKEN = "taken"
    """An id that stands for something else in a store."""
    BUSY = "busy"
    """Somebody else writes to a store for longer than one waits."""
    STALE = "stale"
    """The session changed, or changes right now: the command appended and removed nothing."""
    UNSURE = "unsure"
    """The command did something, but not all of it, or nothing confirmed it."""
    BROKEN = "broken"
    """An error in forkpoint itself."""


EXIT: Final[Mapping[Code, int]] = {
    Code.DONE: 0,
    Code.UNHEALTHY: 1,
    Code.WRONG_USE: 2,
    Code.ILLEGAL: 3,
    Code.UNKNOWN: 2,
    Code.TAKEN: 3,
    Code.BUSY: 4,
    Code.STALE: 4,
    Code.UNSURE: 5,
    Code.BROKEN: 70,
}
"""The exit code of each ending."""
HTTP: Final[Mapping[Code, int]] = {
    Code.DONE: 200,
    Code.UNHEALTHY: 200,
    Code.WRONG_USE: 400,
    Code.ILLEGAL: 409,
    Code.UNKNOWN: 404,
    Code.TAKEN: 409,
    Code.BUSY: 503,
    Code.STALE: 409,
    Code.UNSURE: 500,
    Code.BROKEN: 500,
}
"""The status of each ending, where the service says it."""


class Refusal(Exception):
    """Why an operation was not done, or not all of it.

    ``message`` says why, as a text or as the error that said it first. ``code`` says of which kind it is, ``file`` and ``line``
    the place (a path, a number from 1), ``cure`` what helps, and ``refused`` the nearest points where there are some. The text
    begins with the place, if the message does not name it, and ends with the cure: ``file:line: message; cure``. ``stands`` is
    what a failure tells besides, or the answer of an operation that found what is not as it should be.
    """

    def __init__(
        self,
        message: str | Exception,
        code: Code = Code.WRONG_USE,
        *,
        file: object = None,
        line: int | None = None,
        cure: str = "",
        refused: Refused | None = None,
        stands: Answer | None = None,
    ) -> None:
        if isinstance(message, Cured):
            cure = cure or message.cure
            message = message.message
        self.file = None if file is None else str(file)
        self.line = line
        self.message = f"{message}; {cure}" if cure else str(message)
        place = ":".join(str(part) for part in (self.file, line) if part is not None)
        named = line is None and self.message.startswith("cannot ") and f" {self.file}: " in self.message
        super().__init__(f"{place}: {self.message}" if place and not named else self.message)
        self.code = code
        self.refused = refused
        self.reason = str(message) if refused is None else refused.reason
        """Why, without the place and the cure."""
        self.cure = cure or (refused.cure or "" if refused is not None else "")
        """What helps; empty where that is in the message, or nothing does."""
        self._stands = stands

    @property
    def answer(self) -> Mapping[str, Any]:
        """What a program is told: the object that ``--json`` prints."""
        if self._stands is not None and not isinstance(self._stands, Failure):
            return self._stands.shape()
        failure = Failure(
            error=str(self),
            code=self.code.value,
            file=UNSET if self.file is None else self.file,
            line=UNSET if self.line is None else self.line,
            cure=self.cure or UNSET,
            refused=UNSET if self.refused is None else self.refused,
        )
        return {**failure.shape(), **(self._stands.shape() if self._stands is not None else {})}

    @property
    def nearest(self) -> Sequence[Place]:
        """The nearest points that can be taken."""
        return () if self.refused is None else self.refused.nearest


class Unsaid(Refusal):
    """An answer that cannot be printed, so only standard error can say so."""

    def __init__(self, reason: str, done: str = "") -> None:
        super().__init__(f"cannot write to standard output: {reason}{done}", Code.UNSURE if done else Code.WRONG_USE)
        self.why = reason


@contextlib.contextmanager
def translating(
    *kinds: type[Exception],
    code: Code = Code.WRONG_USE,
    file: object = None,
    line: int | None = None,
    before: str = "",
    after: str = "",
    cure: str = "",
) -> Iterator[None]:
    """Refuse where one of some errors comes: what the error says, between two texts. Without texts an error keeps its cure. The
    file is the given one, else the one that the error has as its path."""
    try:
        yield
    except kinds as error:
        says = f"{before}{error}{after}" if before or after else error
        raise Refusal(says, code, file=file or getattr(error, "path", None), line=line, cure=cure) from error


@contextlib.contextmanager
def accessing(what: str, file: object, *, code: Code = Code.WRONG_USE, after: str = "") -> Iterator[None]:
    """Refuse where the system does not let something be done to a file: ``cannot read FILE: why``. The file is the one that
    the error names, else the given one."""
    try:
        yield
    except OSError as error:
        at = error.filename or file
        raise Refusal(f"cannot {what} {at}: {error.strerror or error}{after}", code, file=at) from error


@contextlib.contextmanager
def done(what: str) -> Iterator[None]:
    """What is left to do when something was written: where it fails, it is said what was done."""
    try:
        yield
    except Unsaid as error:
        raise Unsaid(error.why, f"; {what} all the same") from error
    except OSError as error:
        name = f"{os.fsdecode(error.filename)}: " if error.filename else ""
        raise Refusal(f"{what}, but not all could be said of it: {name}{error.strerror or error}", Code.UNSURE) from error
