"""Chapter 4, said plainly over tuples of entries and computed slowly."""

from __future__ import annotations

from forkpoint.core.entries import Entry, Id, Kind, Result, Use
from forkpoint.laws.definitions.entries import Entries, as_of, keep


def uses_of(entry: Entry) -> frozenset[Id]:
    """The tool uses in an entry."""
    return frozenset(block.id for block in entry.blocks if isinstance(block, Use))


def results_of(entry: Entry) -> frozenset[Id]:
    """The tool uses that an entry has results of."""
    return frozenset(block.id for block in entry.blocks if isinstance(block, Result))


def mates(a: Entry, b: Entry) -> bool:
    """Two parts of one API message."""
    return a.kind is b.kind is Kind.ASSISTANT and a.message is not None and a.message == b.message


def answers(a: Entry, b: Entry) -> bool:
    """``b`` is a user entry with a result of a use in ``a``."""
    return b.kind is Kind.USER and bool(uses_of(a) & results_of(b))


def needs(a: Entry, b: Entry) -> bool:
    """A conversation that holds ``a`` is not whole without ``b``."""
    return a.parent == b.uuid or mates(a, b) or answers(a, b)


def closed(log: Entries, ids: frozenset[Id]) -> bool:
    """A set of entries that needs nothing more of the log."""
    return not any(needs(a, b) for a in log if a.uuid in ids for b in log if b.uuid not in ids)


def closure(log: Entries, ids: frozenset[Id]) -> frozenset[Id]:
    """The least closed set that contains ``ids``."""
    while True:
        more = {b.uuid for a in log if a.uuid in ids for b in log if b.uuid not in ids and needs(a, b)}
        if not more:
            return ids
        ids |= more


def members(log: Entries, uuid: Id) -> frozenset[Id]:
    """The ids of the conversation at ``uuid``."""
    return closure(as_of(log, uuid), frozenset({uuid}))


def context(log: Entries, uuid: Id) -> Entries:
    """The conversation at ``uuid``, in the order of the log."""
    return keep(log, members(log, uuid))


def settled(log: Entries, uuid: Id) -> bool:
    """The members are closed in the whole log too."""
    return closed(log, members(log, uuid))
