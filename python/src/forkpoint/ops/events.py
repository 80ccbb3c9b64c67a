"""What operations share that record an event in a ledger: the ledger, the event, and what becomes of it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from forkpoint.answers import base as answers
from forkpoint.answers.base import Recording
from forkpoint.answers.refusals import Code, Refusal, accessing, translating
from forkpoint.disk.files import refuse_odd

if TYPE_CHECKING:  # most operations record nothing
    from forkpoint.core.evidence import Event, Governance

TUPLE = "[actor:role:authority@env(environment)]"
T = TypeVar("T", bound=Recording)


@dataclass(frozen=True, slots=True)
class Book:
    """The ledger in which an operation is recorded: its file, who acts, and when."""

    path: Path
    who: Governance
    at: str


def book(ledger: str | None, governance: str | None, now: datetime | None = None) -> Book | None:
    """The ledger that was asked for, if one was; refuses when nobody says who acts, and what can be no ledger."""
    if ledger is None:
        return None
    if not governance:
        raise Refusal(f"--ledger needs --governance (or FORKPOINT_GOVERNANCE): {TUPLE}")
    acting = who(governance)
    with accessing("write", ledger):
        if os.path.lexists(ledger):
            refuse_odd(os.stat(ledger), Path(ledger))
    moment = (now or datetime.now(UTC)).astimezone(UTC)
    return Book(Path(ledger), acting, moment.isoformat())


def who(governance: str) -> Governance:
    """Who acts, by a governance tuple; refuses what is none."""
    from forkpoint.evidence.ledger import governance as parse

    with translating(ValueError, before="--governance: "):
        return parse(governance)


def is_tuple(governance: str) -> bool:
    """Whether a text is a governance tuple."""
    try:
        who(governance)
    except Refusal:
        return False
    return True


def record(answer: T, book: Book | None, event: Event | None) -> T:
    """The answer with what became of an event. What was done before stays done, so an event that cannot be recorded is said, and
    is no refusal."""
    answer.event = None
    if book is None or event is None:
        return answer
    from forkpoint.evidence import ledger

    made = {"ledger": str(book.path), "recorded": False, **ledger.as_json(event)}
    try:
        kept = ledger.record(book.path, event)
        made |= {"recorded": kept.new, **ledger.as_json(kept.event)}
    except ledger.Unconfirmed as error:
        answer.error = f"everything is done, but {book.path} is not sure: {error.strerror}"
    except OSError as error:
        answer.error = _failure(f"cannot write {book.path}: {error.strerror}")
    except ValueError as error:
        answer.error = _failure(str(error))
    answer.event = msgspec.convert(made, answers.Event)
    return answer


def keep(book: Book, event: Event) -> bool:
    """Records an event, and says whether it is new; refuses where it cannot be recorded."""
    from forkpoint.evidence import ledger

    try:
        return ledger.record(book.path, event).new
    except ledger.Unconfirmed as error:
        raise Refusal(f"{book.path} is not sure: {error.strerror}", Code.UNSURE) from error
    except OSError as error:
        raise Refusal(f"cannot write {book.path}: {error.strerror}", file=book.path) from error
    except ValueError as error:
        raise Refusal(error) from error


def _failure(reason: str) -> str:
    return f"everything is done, but the event was not recorded: {reason}"
