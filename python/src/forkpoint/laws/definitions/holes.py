"""Chapter 19, said plainly over tuples of entries and computed slowly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from forkpoint.core.entries import Entry, Id
from forkpoint.laws.definitions.balance import legal
from forkpoint.laws.definitions.contexts import context, needs
from forkpoint.laws.definitions.entries import Entries, well_formed


def needed(log: Entries, uuid: Id, entry: Entry) -> bool:
    """The conversation at a point needs an entry, wherever that stands."""
    return any(needs(one, entry) for one in context(log, uuid))


def fillings(log: Entries, possible: Sequence[Entry]) -> Iterator[Entries]:
    """The log as it stands, and with each entry that may have stood in a hole, wherever it can stand."""
    yield log
    for one in possible:
        for at in range(len(log) + 1):
            whole = (*log[:at], one, *log[at:])
            if well_formed(whole):
                yield whole


def legal_in_each(log: Entries, uuid: Id, possible: Sequence[Entry]) -> bool:
    """A point is legal however a hole is filled."""
    return all(legal(whole, uuid) for whole in fillings(log, possible))
