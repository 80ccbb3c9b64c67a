"""Chapter 12, said plainly over tuples of entries and computed slowly."""

from __future__ import annotations

from forkpoint.core.entries import Id
from forkpoint.core.overlays import Digest, Overlay, Record, Sayings
from forkpoint.laws.definitions.entries import Entries, keep, uuids
from forkpoint.laws.definitions.rewriting import drop, drop_with_stub


def records_in(log: Entries, sayings: Sayings) -> tuple[Record, ...]:
    """The records of a conversation, in order."""
    return tuple(Record(entry.uuid, sayings[entry.uuid]) for entry in log if entry.uuid in sayings)


def living(records: tuple[Record, ...], dead: frozenset[Id] = frozenset()) -> tuple[Record, ...]:
    """The records that live, by recursion on the end: one that a later living record supersedes is dead."""
    if not records:
        return ()
    before, last = records[:-1], records[-1]
    if last.id in dead:
        return living(before, dead)
    superseded = dead if last.says.supersedes is None else dead | {last.says.supersedes}
    return (*living(before, superseded), last)


def apply_all(log: Entries, records: tuple[Record, ...]) -> Entries:
    """A conversation after what several records say, one after the other."""
    for record in records:
        says = record.says
        log = drop(log, says.covered) if says.stub is None else drop_with_stub(log, says.covered, says.stub)
    return log


def stubs_are_new(log: Entries, records: tuple[Record, ...]) -> bool:
    """The stubs that records leave are new where they are left."""
    return all(
        record.says.stub is None or record.says.stub.uuid not in uuids(apply_all(log, records[:place]))
        for place, record in enumerate(records)
    )


def shown(log: Entries, sayings: Sayings) -> Entries:
    """A conversation as it is shown: what its active records say is applied, and all its records are hidden."""
    return drop(apply_all(log, living(records_in(log, sayings))), uuids(log) & frozenset(sayings))


def matches(log: Entries, overlay: Overlay, digest: Digest) -> bool:
    """What a record covers is still what it covered."""
    return bool(digest(keep(log, overlay.covered)) == overlay.hash)
