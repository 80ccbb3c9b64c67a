"""Chapter 13, said plainly over tuples of entries and computed slowly."""

from __future__ import annotations

from collections.abc import Mapping

from forkpoint.core.entries import Entry, Id
from forkpoint.laws.definitions.contexts import members
from forkpoint.laws.definitions.entries import Entries, index_of, keep, uuids


def second_parent(log: Entries, merges: Mapping[Id, Id], uuid: Id) -> Id | None:
    """The entry that was merged at ``uuid``: one that does not stand before it is none."""
    return merges[uuid] if uuid in merges and merges[uuid] in uuids(log[: index_of(log, uuid)]) else None


def reach(log: Entries, merges: Mapping[Id, Id], uuid: Id) -> frozenset[Id]:
    """What is reached from ``uuid`` through both parents, by recursion on the end of the log."""
    last, before = log[-1], log[:-1]
    if last.uuid != uuid:
        return reach(before, merges, uuid)
    first = frozenset() if last.parent is None else reach(before, merges, last.parent)
    merged = second_parent(log, merges, uuid)
    second = frozenset() if merged is None else reach(before, merges, merged)
    return frozenset({uuid}) | first | second


def both_parents_closed(log: Entries, merges: Mapping[Id, Id], ids: frozenset[Id]) -> bool:
    """A set that holds both parents of each of its entries."""
    return all(
        above is None or above in ids
        for entry in keep(log, ids)
        for above in (entry.parent, second_parent(log, merges, entry.uuid))
    )


def held(log: Entries, merges: Mapping[Id, Id], uuid: Id) -> frozenset[Id]:
    """What is held at ``uuid``: the conversations at everything that is reached."""
    return frozenset(member for reached in reach(log, merges, uuid) for member in members(log, reached))


def goes_on_at(log: Entries, merges: Mapping[Id, Id], node: Entry, source: Id) -> Id:
    """Where the target goes on after a merge: at the node, if there was something to merge."""
    return node.parent if source in reach(log, merges, node.parent) else node.uuid


def union(a: Entries, b: Entries) -> Entries:
    """``a``, then the entries of ``b`` that ``a`` does not have."""
    return a + keep(b, uuids(b) - uuids(a))


def agree(a: Entries, b: Entries) -> bool:
    """The same id is the same entry in both."""
    return all(x == y for x in a for y in b if x.uuid == y.uuid)


def parts_from(b: Entries, a: Entries) -> bool:
    """``b`` begins with what it shares with ``a``, as it stands there."""
    shared = keep(a, uuids(b))
    return b[: len(shared)] == shared
