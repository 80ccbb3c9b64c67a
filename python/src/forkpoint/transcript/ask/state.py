"""A transcript as a session of the model: its log, and all that stands beside it."""

from __future__ import annotations

from typing import Final

from forkpoint.core.entries import Id
from forkpoint.core.overlays import Overlay
from forkpoint.core.stores import Session, bare_log
from forkpoint.transcript.ask.merges import merges
from forkpoint.transcript.ask.overlays import records
from forkpoint.transcript.format.compaction import preserved
from forkpoint.transcript.format.reader import Transcript

STAMPED: Final = frozenset({"sessionId", "forkedFrom"})
"""The keys that a restamped line has otherwise."""


def state(transcript: Transcript, head: Id) -> Session:
    """The session that a file is, at a head, without what a restamped copy has otherwise. Raises
    :class:`~forkpoint.transcript.ask.overlays.BadRecord` where a record cannot be read. O(entries)."""
    sayings: dict[Id, Overlay] = {record.uuid: record.overlay() for record in records(transcript, range(len(transcript.log)))}
    return Session(bare_log(transcript.log, STAMPED), preserved(transcript), sayings, merges(transcript), head)
