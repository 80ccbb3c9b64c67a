"""A transcript as a session of the model: its log, and all that stands beside it."""

from __future__ import annotations

from typing import Final

from forkpoint.clients.claude.keys import FORKED_FROM
from forkpoint.clients.claude.lines import SESSION_KEY
from forkpoint.core.entries import Id, Log
from forkpoint.core.overlays import Overlay
from forkpoint.core.stores import DoAppend, DoCheckout, DoCompaction, DoMerge, DoRecord, Operation, Session, bare_log
from forkpoint.transcript.format.compaction import preserved
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query.merges import merges
from forkpoint.transcript.query.overlays import records

STAMPED: Final = frozenset({SESSION_KEY, FORKED_FROM})
"""The keys that a restamped line has otherwise."""


def state(transcript: Transcript, head: Id) -> Session:
    """The session that a file is, at a head, without what a restamped copy has otherwise, and without faces: a line says which
    parts of an entry it trims, and the whole face is that of all trims that count. Raises
    :class:`~forkpoint.transcript.query.overlays.BadRecord` where a record cannot be read. O(bytes)."""
    return _state(transcript, head, bare_log(transcript.log, STAMPED))


def bare_state(transcript: Transcript, head: Id) -> Session:
    """The same without any keys: how the entries hang together, and what stands beside them. O(entries)."""
    return _state(transcript, head, Log(entry._replace(fields={}) for entry in transcript.log))


def _state(transcript: Transcript, head: Id, log: Log) -> Session:
    sayings: dict[Id, Overlay] = {record.uuid: record.overlay() for record in records(transcript, range(len(transcript.log)))}
    return Session(log, preserved(transcript), sayings, merges(transcript), head=head)


def history(before: Session, after: Session, name: Id) -> list[Operation]:
    """The operations of chapter 14 that make a session of what it was, if its log only grew: one for each entry that came, by
    what stands beside it, and the move of the head. ``name`` is what the session is called. O(entries that came)."""
    made: list[Operation] = []
    for entry in list(after.log)[len(before.log) :]:
        if entry.uuid in after.sayings:
            made.append(DoRecord(name, entry, after.sayings[entry.uuid]))
        elif entry.uuid in after.merges:
            made.append(DoMerge(name, entry, after.merges[entry.uuid]))
        elif entry.uuid in after.preserved:
            made.append(DoCompaction(name, entry, after.preserved[entry.uuid]))
        else:
            made.append(DoAppend(name, entry))
    return [*made, *([DoCheckout(name, after.head)] if after.head is not None else [])]
