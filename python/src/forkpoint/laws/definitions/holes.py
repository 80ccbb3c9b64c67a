"""Chapter 19, said plainly over tuples of entries and computed slowly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement, pairwise, permutations

from forkpoint.core.entries import Entry, Id
from forkpoint.laws.definitions.balance import legal
from forkpoint.laws.definitions.contexts import context, needs
from forkpoint.laws.definitions.entries import Entries, well_formed


def needed(log: Entries, uuid: Id, entry: Entry) -> bool:
    """The conversation at a point needs an entry, wherever that stands."""
    return any(needs(one, entry) for one in context(log, uuid))


def fillings(log: Entries, possible: Sequence[Entry]) -> Iterator[Entries]:
    """The log as it stands, and with each entry that may have stood in a hole, and each two of them, wherever they can stand."""
    yield log
    rows = [(one,) for one in possible] + list(permutations(possible, 2))
    for row in rows:
        for places in combinations_with_replacement(range(len(log) + 1), len(row)):
            cuts = [0, *places, len(log)]
            whole = tuple(entry for n, (a, b) in enumerate(pairwise(cuts)) for entry in (*log[a:b], *row[n : n + 1]))
            if well_formed(whole):
                yield whole


def legal_in_each(log: Entries, uuid: Id, possible: Sequence[Entry]) -> bool:
    """A point is legal however the holes are filled, with two entries at most."""
    return all(legal(whole, uuid) for whole in fillings(log, possible))
