"""Deferred records: what an export leaves out of a session to which nobody may append now, since a client runs in it.

A deferred record is the record that would be appended, kept in forkpoint's own folder. Wherever it counts, the session is looked
at as it will be when its deferred records are appended below its head, one behind the other: so they mean what appended ones
mean, and every check of those is a check of these.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from forkpoint.ops.refusals import Code, Refusal
from forkpoint.ops.session import Session
from forkpoint.store import deferred
from forkpoint.store.deferred import BadDeferred, Deferred
from forkpoint.transcript.format.written import KEY, stamp

if TYPE_CHECKING:
    from forkpoint.transcript.make.inplace import Batch
    from forkpoint.transcript.make.recording import Change


def ahead(session: Session) -> Session:
    """The session as it will be when its deferred records are appended; itself where it has none. ``unwritten`` of what comes
    out holds their lines.

    Refuses where one cannot be read, or nothing can be appended at the head. O(deferred records x bytes); holds the file in
    memory.
    """
    for record in _kept(session):
        if record.uuid in session.log:
            continue  # it was appended since
        from forkpoint.ops import appending  # most sessions defer nothing
        from forkpoint.store import forking
        from forkpoint.transcript.make import inplace
        from forkpoint.transcript.make.recording import Change, batch

        former = appending.end_of_records(session, appending.former_head(session, appending.asked_for()))
        change = Change(says={KEY: record.says}, notice=record.notice, words=record.words)
        try:
            made = batch(
                session.transcript,
                session.outline,
                former,
                change,
                forking.source_id(session.transcript, former),
                operation=record.uuid,
            )
        except inplace.CannotBeHead as error:
            where = f"{session.file}:{session.line(former)}"
            raise Refusal(f"{where}: its deferred records cannot be applied at the head: {error}", Code.ILLEGAL) from error
        session = beyond(session, made)
    return session


def beyond(session: Session, made: Batch) -> Session:
    """The session as it will be when a record is appended."""
    from forkpoint.transcript.format.reader import foreseen

    after = Session(foreseen(session.transcript, made.lines), session.tell)
    assert made.below is not None
    after.unwritten = {**session.unwritten, made.below: made.lines[0].decode("utf-8", "surrogateescape")}
    return after


def keep(session: Session, made: Batch, change: Change) -> str:
    """Keeps a record for the exports of a session that is as :func:`ahead` gives it; the file that holds it. Refuses where that
    cannot be done; (``STALE``) where somebody else deferred one meanwhile."""
    own = _id(session)
    assert made.below is not None
    says = change.says[KEY]
    assert isinstance(says, dict)
    record = Deferred(uuid=made.below, says=says, notice=change.notice, words=change.words, created=stamp(datetime.now(UTC)))
    before = _kept(session)
    try:
        path = deferred.add(own, record, len(before))
        stands = deferred.of(own) == [*before, record]
    except FileExistsError as error:
        raise Refusal(f"{session.file}: somebody deferred another record meanwhile; nothing was kept", Code.STALE) from error
    except BadDeferred as error:
        raise Refusal(str(error)) from error
    except OSError as error:
        raise Refusal(f"cannot keep a deferred record: {error.strerror or error}") from error
    if not stands:
        raise Refusal(f"{path}: what stands there is not what was written; remove it to go on without it", Code.UNSURE)
    return os.fspath(path)


def _kept(session: Session) -> list[Deferred]:
    if session.id is None:
        return []
    try:
        return deferred.of(session.id)
    except BadDeferred as error:
        raise Refusal(f"{session.file}: {error}") from error


def _id(session: Session) -> str:
    if session.id is None:
        raise Refusal(f"{session.file}: records are deferred by session id, and it has none; leave --defer out")
    return session.id
