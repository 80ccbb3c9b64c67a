"""Deferred records: what an export leaves out of a session to which nobody may append now, since a client runs in it.

A deferred record is the record that would be appended, kept in forkpoint's own folder. Wherever it counts, the session is looked
at as it will be when its deferred records are appended below its head, one behind the other: so they mean what appended ones
mean, and every check of those is a check of these.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from forkpoint.answers.refusals import Code, Refusal, translating
from forkpoint.clients.claude.written import KEY, stamp
from forkpoint.ops.session import Session
from forkpoint.requests import AppendRequest
from forkpoint.sessions import deferred
from forkpoint.sessions.deferred import CURE, BadDeferred, Deferred
from forkpoint.transcript.format.reader import foreseen
from forkpoint.transcript.query.overlays import BadRecord, record_of
from forkpoint.words import count

if TYPE_CHECKING:
    from forkpoint.transcript.write.inplace import Batch
    from forkpoint.transcript.write.recording import NewRecord


def kept(session: Session) -> list[Deferred]:
    """The deferred records of a session, in their order. Refuses where one cannot be read, and names its file."""
    own = session.id
    if own is None:
        return []
    with translating(BadDeferred, code=Code.UNHEALTHY, file=session.file):
        found = deferred.of(own)
    if found:
        for number, record in enumerate(found):
            try:
                record_of(0, 0, record.uuid, record.says)
            except BadRecord as error:
                why = f"{deferred.path_of(own, number)} {error.why.split(';')[0]}"
                raise Refusal(why, Code.UNHEALTHY, file=session.file, cure=CURE) from error
    return found


def tell(session: Session) -> None:
    """Says that deferred records are not in what is made of a session as it stands."""
    found = kept(session)
    if found:
        many = f"{count(len(found), 'deferred record')} {'does' if len(found) == 1 else 'do'}"
        session.tell(f"note: {session.file}: {many} not count here; `forkpoint export` makes a session in which they do")


def ahead(session: Session, records: Sequence[Deferred] | None = None) -> Session:
    """The session as it will be when its deferred records, or some of them, are appended; itself where it has none.
    ``unwritten`` of what comes out holds their lines.

    Refuses where one cannot be read, or nothing can be appended at the head. O(deferred records x bytes); holds the file in
    memory.
    """
    for number, record in enumerate(kept(session) if records is None else records):
        from forkpoint.ops import appending  # most sessions defer nothing
        from forkpoint.sessions import forking
        from forkpoint.transcript.write import inplace
        from forkpoint.transcript.write.recording import NewRecord, batch

        if record.uuid in session.log:
            if record.uuid in session.unwritten or _appended(session, record):
                continue
            assert session.id is not None
            why = f"{deferred.path_of(session.id, number)}: another entry of the session has its uuid"
            raise Refusal(why, Code.UNHEALTHY, file=session.file, cure=CURE)
        former = appending.end_of_records(session, appending.former_head(session, appending.asked_for(AppendRequest())))
        change = NewRecord(says={KEY: record.says}, notice=record.notice, words=record.words)
        own = forking.source_id(session.transcript, former)
        try:
            made = batch(session.transcript, session.outline, former, change, own, operation=record.uuid)
        except inplace.CannotBeHead as error:
            message = f"its deferred records cannot be applied at the head: {error}"
            raise Refusal(message, Code.ILLEGAL, file=session.file, line=session.line(former)) from error
        session = beyond(session, made)
    return session


def _appended(session: Session, record: Deferred) -> bool:
    """Whether a record was appended since."""
    at = session.log.position(record.uuid)
    return session.transcript.keys(session.transcript.span(at)).get(KEY) == record.says


def beyond(session: Session, made: Batch) -> Session:
    """The session as it will be when a record is appended."""
    after = Session(foreseen(session.transcript, made.lines), session.tell)
    assert made.below is not None
    after.unwritten = {**session.unwritten, made.below: made.lines[0].decode("utf-8", "surrogateescape")}
    return after


def keep(session: Session, made: Batch, change: NewRecord, before: Sequence[Deferred]) -> str:
    """Keeps a record for the exports of a session that is as :func:`ahead` gives it of the records ``before``; the file that
    holds it. Refuses where that cannot be done; (``STALE``) where somebody else deferred one meanwhile."""
    own = session.id
    if own is None:
        raise Refusal("records are deferred by session id, and it has none", file=session.file, cure="leave --defer out")
    assert made.below is not None
    says = change.says[KEY]
    assert isinstance(says, dict)
    record = Deferred(
        uuid=made.below,
        after=before[-1].uuid if before else None,
        says=says,
        notice=change.notice,
        words=change.words,
        created=stamp(datetime.now(UTC)),
    )
    try:
        path = deferred.add(own, record, len(before))
    except FileExistsError as error:
        raise Refusal("somebody deferred another record meanwhile; nothing was kept", Code.STALE, file=session.file) from error
    except BadDeferred as error:
        raise Refusal(error, Code.UNHEALTHY, file=session.file) from error
    except OSError as error:
        raise Refusal(f"cannot keep a deferred record: {error.strerror or error}") from error
    try:
        stands = deferred.of(own)[: len(before) + 1] == [*before, record]  # others may have come behind it
    except BadDeferred as error:
        why = f"the record {made.below} stands in {path}, and could not be read again: {error}"
        raise Refusal(why, Code.UNSURE, cure="`forkpoint overlays` tells whether it counts") from error
    if not stands:
        raise Refusal("what stands there is not what was written", Code.UNSURE, file=path)
    return os.fspath(path)
