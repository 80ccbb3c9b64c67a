"""What appends to a session's own file share: only when nobody else is at it, and never twice."""

from __future__ import annotations

import contextlib
import uuid as uuids
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final, TypeVar

from forkpoint import runtime_checks
from forkpoint.answers.appends import Standing
from forkpoint.answers.base import Failure
from forkpoint.answers.refusals import Code, Refusal, translating
from forkpoint.clients.claude.places import SESSION_ID
from forkpoint.disk import append
from forkpoint.ops.session import Session, bad_record
from forkpoint.requests import AppendRequest
from forkpoint.sessions import forking
from forkpoint.transcript.format.reader import foreseen
from forkpoint.transcript.query import select
from forkpoint.transcript.query.head import behind_the_turn, head
from forkpoint.transcript.write import inplace

TRIES: Final = 3
"""How often a forced operation starts over when the session changes under its hands."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Attempt:
    """A request that appends, with the id of the operation: a fresh one if none was given."""

    operation: str
    again: bool
    """Whether the operation is repeated."""
    if_head: str | None = None
    force: bool = False
    dry_run: bool = False
    oracle: bool = False


def asked_for(request: AppendRequest, *, oracle: bool = False) -> Attempt:
    """How something is to be appended; refuses an id that is none."""
    operation = request.operation
    if operation is not None and not SESSION_ID.fullmatch(operation):
        raise Refusal(f"--operation needs a uuid, not {operation!r}")
    own = operation or str(uuids.uuid4())
    return Attempt(own, operation is not None, request.if_head, request.force, request.dry_run, oracle)


def attempt(session: Session, asked: Attempt, command: str, act: Callable[[Session], T], cure: str = "") -> T | Standing:
    """Acts on a session, anew when it changed meanwhile and that is to be overlooked; or finds that the operation stands.

    ``command`` is what it does, as :func:`inplace.done_by` says it, ``cure`` what can be done in its place while somebody is at
    work. Refuses an id that stands for another command.
    """
    for left in reversed(range(TRIES)):
        try:
            standing = _standing(session, asked, command) if asked.again else None
            return act(session) if standing is None else standing
        except append.Stale as error:
            if not asked.force or not left:
                why = f"{error}; nothing was appended{_both_heads(session)}"
                helps = "" if asked.force else f"--force goes on nevertheless{cure}"
                raise Refusal(why, Code.STALE, file=session.file, cure=helps) from error
            session.become(session.read_again().transcript)
    raise AssertionError("the last try ends")


def _both_heads(session: Session) -> str:
    """The head that was expected and the one that is there now, where they differ (P24.5)."""
    try:
        now = session.read_again()
    except (OSError, Refusal):
        return ""
    then, here = (_named(one) for one in (session, now))
    return "" if then == here else f"; the head was {then} and is {here}"


def _named(session: Session) -> str:
    position = session.head.position
    return "nowhere" if position is None else f"{session.log.spine.uuids[position]} (line {session.line(position)})"


def _standing(session: Session, asked: Attempt, command: str) -> Standing | None:
    """An operation that is repeated, if it stands in the session; what it lacks is appended."""
    transcript = session.transcript
    if inplace.is_foreign(transcript, asked.operation):
        message = f"{asked.operation} is an entry that no operation appended; leave --operation out"
        raise Refusal(message, file=session.file, line=session.line(transcript.log.position(asked.operation)))
    found = inplace.standing(transcript, session.outline, asked.operation, session_id(session))
    if found is None:
        return None
    other = inplace.done_by(transcript, asked.operation)
    if other != command:
        message = f"the operation {asked.operation} stands for {other}, not for {command}; leave --operation out"
        raise Refusal(message, file=session.file, line=found.line)
    lines: list[str] = []
    if found.rest is not None:
        must_fit(session)
        lines = as_text(found.rest)
        if not asked.dry_run:
            take(session, asked, found.rest)
    return Standing(file=session.file, operation=asked.operation, line=found.line, appended=lines)


def session_id(session: Session) -> str:
    """The id of a session."""
    former = session.head.position
    return forking.source_id(session.transcript, former if former is not None else 0)


def hanging(session: Session, position: int, says: str) -> AbstractContextManager[None]:
    """Refuse where the entry at a position cannot become the head."""
    line = session.line(position)
    return translating(inplace.CannotBeHead, code=Code.ILLEGAL, file=session.file, line=line, before=f"{says}: ")


def as_text(what: inplace.Batch) -> list[str]:
    """The lines of a batch, for an answer."""
    return [line.decode("utf-8", "surrogateescape") for line in what.lines]


def take(session: Session, asked: Attempt, what: inplace.Batch) -> int:
    """Appends a batch: the session is what it is then. The position of its head; refuses when it cannot be."""
    _promise(session, what)
    try:
        after, found = inplace.take(session.transcript, what, quiet=0 if asked.force else append.QUIET)
    except inplace.Unfit as error:
        raise Refusal(error, Code.ILLEGAL, file=session.file) from error
    except inplace.NotTaken as error:
        raise _unsure(session, what, str(error), stands=True) from error
    except append.Unconfirmed as error:
        raise _unsure(session, what, str(error), stands=error.stands) from error
    except OSError as error:
        raise Refusal(f"cannot append to {session.file}: {error.strerror}; nothing was appended") from error
    assert found.position is not None
    session.become(after)
    return found.position


def _promise(session: Session, what: inplace.Batch) -> None:
    """Asks, before anything is written, what chapter 14 promises of an append: that it is a history of the model's operations,
    each enabled in its turn. Of small sessions that are as logs are, and in full only, as it reads the file twice."""
    transcript = session.transcript
    if runtime_checks.LEVEL != runtime_checks.FULL or len(transcript.log) > runtime_checks.SMALL or transcript.violations:
        return
    from forkpoint.core import stores
    from forkpoint.transcript.query.overlays import BadRecord
    from forkpoint.transcript.query.state import history, state

    later = foreseen(transcript, what.lines)
    then, now = (head(one).position for one in (transcript, later))
    if then is None or now is None or later.violations:
        return
    with contextlib.suppress(BadRecord):
        before, after = (state(one, one.log.spine.uuids[at]) for one, at in ((transcript, then), (later, now)))
        store, operations = stores.Store({"session": before}), history(before, after, "session")
        try:
            made = stores.apply_all(store, operations)
        except stores.NotEnabled as error:
            raise runtime_checks.BrokenPromise(f"{error}; nothing was written") from error
        if made["session"] != after:
            raise runtime_checks.BrokenPromise("P5.2 the session would be another than the model's; nothing was written")
        runtime_checks.ask(stores.apply_all, (store, operations), lambda: made, dear=True)


def _unsure(session: Session, what: inplace.Batch, why: str, *, stands: bool | None) -> Refusal:
    """How an operation ends that appended something, and does not know that all is as it should be."""
    again = f"the same command with --operation {what.operation} appends nothing that stands already"
    failure = Failure(operation=what.operation, stands=stands)
    return Refusal(why, Code.UNSURE, file=session.file, cure=again, stands=failure)


def former_head(session: Session, asked: Attempt) -> int:
    """The head of a session; refuses when there is none, or another than the one that was named."""
    former = session.head
    if former.position is None:
        raise Refusal(f"there is no head: {former.why}", file=session.file)
    uuid = str(session.log.spine.uuids[former.position])
    later = behind_the_turn(session.transcript)
    if later is not None and later.position is not None:
        here, there = session.line(former.position), session.line(later.position)
        own = ".".join(map(str, former.version))
        why = f"the client that wrote it, {own}, goes on at line {here}, and clients from 2.1.315 at line {there}"
        cure = f"--client 2.1.315 appends at the one, --client {own} at the other, and hides what follows"
        raise Refusal(f"{why}; nothing was appended", Code.ILLEGAL, file=session.file, cure=cure)
    if asked.if_head is not None and not select.is_named(session.transcript, former.position, asked.if_head):
        line = session.line(former.position)
        why = f"the head is {uuid} (line {line}), not {asked.if_head}: nothing was appended"
        raise Refusal(why, Code.STALE, file=session.file, cure=f"look at what is new, then give --if-head {uuid}")
    return former.position


def must_fit(session: Session) -> None:
    """Refuses when nothing may be appended to a file as it is."""
    why = inplace.unfit(session.transcript)
    if why is not None:
        raise Refusal(why, Code.ILLEGAL, file=session.file)


def end_of_records(session: Session, head: int) -> int:
    """Where the next record hangs: at the last of those below the head, if there are some."""
    from forkpoint.transcript.query import overlays

    try:
        return overlays.end_of_records(session.transcript, head)
    except overlays.BadRecord as error:
        raise bad_record(session, error) from error
