"""Chapter 12: overlays. What is left out of a conversation is said by records, entries of the log themselves, which are
appended and applied when the conversation is shown: nothing is ever deleted (P5), and a record is undone by another one.

Mirrors ``dafny/12-Overlays.dfy``. What a record says stands beside the log, as a mapping from the record's uuid.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from forkpoint.core.entries import Entry, EntryError, Id, Log
from forkpoint.core.forks import fork
from forkpoint.core.rewriting import Entries, drop, drop_with_stub


class Overlay(NamedTuple):
    """What a record says: the entries it covers, the hash of what it covers, the stub that it leaves there, if any, and the
    older record that it supersedes, if any."""

    covered: frozenset[Id]
    hash: object
    stub: Entry | None = None
    supersedes: Id | None = None


Sayings: TypeAlias = Mapping[Id, Overlay]
"""What the records of a log say, by their uuids."""

Digest: TypeAlias = Callable[[tuple[Entry, ...]], object]
"""The hash of what a record covers, in the order of the conversation."""


class Record(NamedTuple):
    """A record and what it says."""

    id: Id
    says: Overlay


class CoverChanged(EntryError):
    """A record that counts covers other entries than it was made for; ``uuid`` names the record."""

    def __init__(self, uuid: Id) -> None:
        super().__init__(uuid, f"what the record {uuid!r} covers is not what it covered when it was made: its hash differs")


def records_in(entries: Entries, sayings: Sayings) -> tuple[Record, ...]:
    """The records of a conversation, in order. O(n)."""
    return tuple(Record(entry.uuid, sayings[entry.uuid]) for entry in entries if entry.uuid in sayings)


def living(records: Sequence[Record]) -> tuple[Record, ...]:
    """The records that live, in order: all but those that a later living record supersedes. O(records)."""
    dead: set[Id] = set()
    found: list[Record] = []
    for record in reversed(records):
        if record.id not in dead:
            found.append(record)
            if record.says.supersedes is not None:
                dead.add(record.says.supersedes)
    return tuple(reversed(found))


def active(entries: Entries, sayings: Sayings) -> tuple[Record, ...]:
    """The records that count in a conversation: those of its own entries that live. O(n)."""
    return living(records_in(entries, sayings))


def apply_all(log: Log, records: Sequence[Record]) -> Log:
    """A conversation after what several records say, one after the other.

    Raises :class:`~forkpoint.core.entries.DuplicateUuid` where a stub is not new. O(n) for each stub, and once more.
    """
    covered: frozenset[Id] = frozenset()
    for record in records:
        if record.says.stub is None:
            covered |= record.says.covered  # drops one after another are one drop (P12.5)
        else:
            log = drop_with_stub(drop(log, covered), record.says.covered, record.says.stub)
            covered = frozenset()
    return drop(log, covered)


def shown(log: Log, sayings: Sayings) -> Log:
    """A conversation as it is shown: what its records say is applied, and the records themselves are hidden.

    Raises :class:`~forkpoint.core.entries.DuplicateUuid` where a stub is not new. O(n) for each stub, and once more.
    """
    records = records_in(log, sayings)
    return drop(apply_all(log, living(records)), frozenset(record.id for record in records))


def shown_at(log: Log, sayings: Sayings, uuid: Id) -> Log:
    """The conversation at ``uuid`` as it is shown. The records that count are those in it, so each head has its own.

    Raises :class:`~forkpoint.core.entries.UnknownEntry`, and what :func:`shown` raises. Costs as :func:`shown`.
    """
    return shown(fork(log, uuid), sayings)


def undo(uuid: Id, digest: object) -> Overlay:
    """What a record says that only supersedes another one: an undo; of an undo, a redo. It covers nothing, and ``digest`` is the
    hash of that."""
    return Overlay(frozenset(), digest, None, uuid)


def changed(entries: Entries, sayings: Sayings, digest: Digest) -> tuple[Id, ...]:
    """The records that count and cover other entries than they were made for, by their hashes, in order.

    O(n + what the records cover), and the digests.
    """
    at = {entry.uuid: position for position, entry in enumerate(entries)}

    def held(record: Record) -> tuple[Entry, ...]:
        return tuple(entries[position] for position in sorted(at[uuid] for uuid in record.says.covered if uuid in at))

    return tuple(record.id for record in active(entries, sayings) if digest(held(record)) != record.says.hash)


def checked(log: Log, sayings: Sayings, digest: Digest) -> Log:
    """The conversation as it is shown; raises :class:`CoverChanged` where what a record covers is not what it covered.

    Costs as :func:`changed` and :func:`shown`.
    """
    for uuid in changed(log, sayings, digest):
        raise CoverChanged(uuid)
    return shown(log, sayings)
