"""What the commands share that record an event in a ledger: the options, the event, and how it ends when it is not recorded."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from forkpoint.cli.common import UNSURE, Stop, note, say_json
from forkpoint.transcript.files import refuse_odd

if TYPE_CHECKING:  # most commands record nothing
    from forkpoint.core.evidence import Event, Governance

LEDGER_OPTION = click.option("--ledger", metavar="FILE", help="Record the event in this ledger; needs --governance.")
GOVERNANCE_OPTION = click.option(
    "--governance", envvar="FORKPOINT_GOVERNANCE", help="The governance tuple, for the ledger.  [env: FORKPOINT_GOVERNANCE]"
)
TUPLE = "[actor:role:authority@env(environment)]"


@dataclass(frozen=True, slots=True)
class Book:
    """The ledger that a command records in: its file, who acts, and when."""

    path: Path
    who: Governance
    at: str


class Kept(NamedTuple):
    """What became of an event: its place in the JSON answer, and why it was not recorded, if it was not."""

    shape: dict[str, Any] | None
    failure: str | None


NOTHING = Kept(None, None)
"""What becomes of an event where there is no ledger."""


def book(ledger: str | None, governance: str | None, now: datetime | None = None) -> Book | None:
    """The ledger that was asked for, if one was; stops when nobody says who acts."""
    if ledger is None:
        return None
    from forkpoint.evidence.ledger import governance as parse

    if not governance:
        raise Stop(f"--ledger needs --governance (or FORKPOINT_GOVERNANCE): {TUPLE}")
    try:
        who = parse(governance)
    except ValueError as error:
        raise Stop(f"--governance: {error}") from error
    try:
        if os.path.lexists(ledger):
            refuse_odd(os.stat(ledger), Path(ledger))
    except OSError as error:
        raise Stop(f"cannot write {ledger}: {error.strerror}") from error
    moment = (now or datetime.now(UTC)).astimezone(UTC)
    return Book(Path(ledger), who, moment.isoformat())


def record(book: Book, event: Event) -> Kept:
    """Records an event. What was done before stays done, so an event that cannot be recorded is no error here."""
    from forkpoint.evidence import ledger

    shape = {"ledger": str(book.path), "recorded": False, **ledger.as_json(event)}
    try:
        kept = ledger.record(book.path, event)
    except ledger.Unconfirmed as error:
        return Kept(shape, f"everything is done, but {book.path} is not sure: {error.strerror}")
    except OSError as error:
        return Kept(shape, _failure(f"cannot write {book.path}: {error.strerror}"))
    except ValueError as error:
        return Kept(shape, _failure(str(error)))
    return Kept({**shape, "recorded": kept.new, **ledger.as_json(kept.event)}, None)


def close(kept: Kept, shape: dict[str, Any], *, as_json: bool) -> None:
    """Ends an answer: says ``shape`` and the event as JSON, or what became of the event in words; stops when it was not
    recorded."""
    if kept.failure is not None:
        if not as_json:
            note(f"the event: {json.dumps(_line(kept))}")
        raise Stop(kept.failure, UNSURE, **shape, event=kept.shape, error=kept.failure)
    if as_json:
        say_json(shape | {"event": kept.shape})
    elif kept.shape is not None:
        done = "recorded" if kept.shape["recorded"] else "on record already"
        note(f"{done} in {kept.shape['ledger']}: the {kept.shape['event']} {kept.shape['id']}")


def _line(kept: Kept) -> dict[str, Any]:
    """The event as it would stand in the ledger."""
    return {key: value for key, value in (kept.shape or {}).items() if key not in ("ledger", "recorded")}


def _failure(reason: str) -> str:
    return f"everything is done, but the event was not recorded: {reason}"
