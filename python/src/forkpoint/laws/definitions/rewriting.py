"""Chapter 11, said plainly over tuples of entries and computed slowly."""

from __future__ import annotations

from forkpoint.core.entries import Entry, Id
from forkpoint.core.rewriting import Callers, Notes
from forkpoint.laws.definitions.ancestries import ancestry
from forkpoint.laws.definitions.balance import blocks, paired_by_id_and_order
from forkpoint.laws.definitions.contexts import mates, members, needs, results_of, uses_of
from forkpoint.laws.definitions.entries import Entries, as_of, keep, uuids


def heir(log: Entries, ids: frozenset[Id], parent: Id | None) -> Id | None:
    """The nearest entry at ``parent`` or above it that is not covered, by recursion on the end of the log."""
    if parent is None or parent not in ids or not log:
        return parent
    return heir(log[:-1], ids, log[-1].parent if log[-1].uuid == parent else parent)


def drop(log: Entries, ids: frozenset[Id]) -> Entries:
    """The log without the covered entries; a survivor's parent becomes its nearest surviving ancestor."""
    if not log:
        return ()
    before, last = log[:-1], log[-1]
    left = () if last.uuid in ids else (last._replace(parent=heir(before, ids, last.parent)),)
    return drop(before, ids) + left


def rest(log: Entries, ids: frozenset[Id]) -> Entries:
    """The entries that are not covered, as they are."""
    return keep(log, uuids(log) - ids)


def tools_of(entry: Entry) -> frozenset[Id]:
    """The tool uses that an entry makes or answers."""
    return uses_of(entry) | results_of(entry)


def tied(a: Entry, b: Entry) -> bool:
    """Two entries that only stand together."""
    return mates(a, b) or bool(tools_of(a) & tools_of(b))


def whole_for_tools(log: Entries, ids: frozenset[Id]) -> bool:
    """A cover that separates no call from its answer."""
    return all(b.uuid in ids for a in log if a.uuid in ids for b in log if tools_of(a) & tools_of(b))


def whole(log: Entries, ids: frozenset[Id]) -> bool:
    """A cover that separates nothing that only stands together."""
    return all(b.uuid in ids for a in log if a.uuid in ids for b in log if tied(a, b))


def rooted(log: Entries, ids: frozenset[Id]) -> bool:
    """Every covered entry but the first continues a covered one."""
    return all(entry.parent is not None and entry.parent in ids for entry in keep(log, ids)[1:])


def is_cut(log: Entries, place: int) -> bool:
    """A place where no call is out and no API message is split."""
    return paired_by_id_and_order(blocks(log[:place])) and not any(mates(a, b) for a in log[:place] for b in log[place:])


def is_step(log: Entries, start: int, end: int) -> bool:
    """What stands between a cut and the next one."""
    return (
        start < end
        and is_cut(log, start)
        and is_cut(log, end)
        and not any(is_cut(log, between) for between in range(start + 1, end))
    )


def exits(log: Entries, ids: frozenset[Id], uuid: Id) -> bool:
    """Whatever a covered entry of the conversation needs and is not covered itself belongs to the conversation still."""
    own, past = members(log, uuid), as_of(log, uuid)
    after = members(drop(log, ids), uuid)
    return all(b.uuid in ids or b.uuid in after for a in past if a.uuid in ids and a.uuid in own for b in past if needs(a, b))


def replace(log: Entries, first: Id, stub: Entry) -> Entries:
    """Another entry in the place of the one with the uuid ``first``."""
    return tuple(
        stub._replace(parent=entry.parent)
        if entry.uuid == first
        else entry._replace(parent=stub.uuid if entry.parent == first else entry.parent)
        for entry in log
    )


def drop_with_stub(log: Entries, ids: frozenset[Id], stub: Entry) -> Entries:
    """A drop that leaves a stub where the first covered entry stood."""
    covered = keep(log, ids)
    return replace(drop(log, ids - {covered[0].uuid}), covered[0].uuid, stub) if covered else log


def compact(log: Entries, count: int, stub: Entry) -> Entries:
    """The log with a summary, a root, in place of its first entries."""
    before = uuids(log[:count])
    onto = tuple(entry._replace(parent=stub.uuid if entry.parent in before else entry.parent) for entry in log[count:])
    return (stub._replace(parent=None), *onto)


def hangs_on_first(log: Entries, count: int) -> bool:
    """Whatever continues an entry of the prefix descends from the first entry."""
    before = uuids(log[:count])
    return all(
        ancestry(log, entry.parent)[0] == log[0] for entry in log[count:] if entry.parent is not None and entry.parent in before
    )


def covers_effect(log: Entries, ids: frozenset[Id], notes: Notes) -> bool:
    """A covered entry made a call that had an effect."""
    return any(entry.uuid in ids and uses_of(entry) & notes.effects for entry in log)


def covers_reference(log: Entries, ids: frozenset[Id], notes: Notes) -> bool:
    """A survivor refers to a covered entry."""
    there = uuids(log)
    return any(e.uuid not in ids and frozenset(notes.refers.get(e.uuid, ())) & there & ids for e in log)


def covers_before_decision(log: Entries, ids: frozenset[Id], notes: Notes) -> bool:
    """A covered entry stands before a decision that survives."""
    return any(
        log[i].uuid in ids and log[j].uuid not in ids and log[j].uuid in notes.decisions
        for j in range(len(log))
        for i in range(j)
    )


def thread(log: Entries, root: Id) -> frozenset[Id]:
    """All that descends from an entry."""
    return frozenset(entry.uuid for entry in log if root in uuids(ancestry(log, entry.uuid)))


def with_threads(log: Entries, callers: Callers, ids: frozenset[Id]) -> frozenset[Id]:
    """A cover and what is hidden with it."""
    while True:
        more = ids.union(*(thread(log, root) for root, caller in callers.items() if caller in ids))
        if more == ids:
            return ids
        ids = more
