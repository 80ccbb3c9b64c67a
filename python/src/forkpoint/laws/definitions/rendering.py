"""Chapter 10, said plainly over tuples of entries and computed slowly."""

from __future__ import annotations

from forkpoint.core.entries import Id
from forkpoint.core.rendering import Crossing, Preservation, Preserved
from forkpoint.laws.definitions.ancestries import ancestry
from forkpoint.laws.definitions.contexts import context, members
from forkpoint.laws.definitions.entries import Entries, index_of, keep, uuids


def resolves(log: Entries, boundary: Id, listed: tuple[Id, ...]) -> bool:
    """Every id of a list stands before the boundary, and none is listed twice."""
    before = uuids(log[: index_of(log, boundary)])
    return all(uuid in before and listed.count(uuid) == 1 for uuid in listed)


def heeds(log: Entries, preserved: Preservation, conversation: frozenset[Id], boundary: Id) -> bool:
    """A conversation heeds what one of its boundaries preserves."""
    return (
        boundary in conversation
        and boundary in preserved
        and log[index_of(log, boundary)].parent is None
        and preserved[boundary].anchor in conversation
        and preserved[boundary].anchor not in preserved[boundary].uuids
        and resolves(log, boundary, preserved[boundary].uuids)
    )


def resent(log: Entries, preserved: Preservation, uuid: Id) -> Preserved | None:
    """What is sent again: what the root of the ancestry preserves, where the conversation heeds it."""
    root = ancestry(log, uuid)[0].uuid
    return preserved[root] if heeds(log, preserved, members(log, uuid), root) else None


def chosen(log: Entries, ids: tuple[Id, ...]) -> Entries:
    """The entries with some ids, in the order of the ids."""
    return tuple(log[index_of(log, uuid)] for uuid in ids)


def put_after(log: Entries, anchor: Id, more: Entries) -> Entries:
    """Entries with others put right after the one with the uuid ``anchor``. For unique uuids."""
    return tuple(each for entry in log for each in ((entry, *more) if entry.uuid == anchor else (entry,)))


def rendered_from_root(log: Entries, preserved: Preservation, uuid: Id) -> Entries:
    """The conversation as its root sends it: the context, and what its boundary preserves right after the anchor."""
    again = resent(log, preserved, uuid)
    if again is None:
        return context(log, uuid)
    return put_after(keep(log, members(log, uuid) - frozenset(again.uuids)), again.anchor, chosen(log, again.uuids))


def preserves(log: Entries, preserved: Preservation, boundary: Id, uuid: Id) -> bool:
    """A boundary has an entry on its list, and the conversation at its own anchor heeds it."""
    return (
        boundary in preserved
        and uuid in preserved[boundary].uuids
        and preserved[boundary].anchor in uuids(log)
        and heeds(log, preserved, members(log, preserved[boundary].anchor), boundary)
    )


def crossed(log: Entries, preserved: Preservation, uuid: Id) -> Crossing | None:
    """The boundary that the ancestry crosses, by recursion on the end of the log."""
    entry, before = log[-1], log[:-1]
    if entry.uuid != uuid:
        return crossed(before, preserved, uuid)
    if entry.parent is None or entry.parent not in uuids(before):
        return None
    last = [other.uuid for other in before if preserves(before, preserved, other.uuid, entry.parent)][-1:]
    return Crossing(last[0], entry.parent) if last else crossed(before, preserved, entry.parent)


def sent_again(preserved: Preservation, crossing: Crossing) -> tuple[Id, ...]:
    """What a crossing sends again: the list up to the entry at which the conversation goes on, by recursion on its end."""
    listed = preserved[crossing.boundary].uuids
    while listed[-1] != crossing.at:
        listed = listed[:-1]
    return listed


def rendered_across(log: Entries, preserved: Preservation, crossing: Crossing, uuid: Id) -> Entries:
    """The conversation as the client sends it across a boundary."""
    first = members(log, preserved[crossing.boundary].anchor)
    again = sent_again(preserved, crossing)
    beyond = members(log, uuid) - members(log, crossing.at) - frozenset(again) - first
    return keep(log, first - frozenset(again)) + chosen(log, again) + keep(log, beyond)


def rendered(log: Entries, preserved: Preservation, uuid: Id) -> Entries:
    """The conversation as the client sends it: across the boundary that its ancestry crosses, or from its root."""
    crossing = crossed(log, preserved, uuid)
    if crossing is None:
        return rendered_from_root(log, preserved, uuid)
    return rendered_across(log, preserved, crossing, uuid)


def reaches(log: Entries, preserved: Preservation, uuid: Id) -> frozenset[Id]:
    """What is sent from outside the conversation, and what must be there for it."""
    own, crossing = members(log, uuid), crossed(log, preserved, uuid)
    within = frozenset(listed for b in uuids(log) if heeds(log, preserved, own, b) for listed in preserved[b].uuids)
    if crossing is None:
        return within
    anchor, listed = preserved[crossing.boundary]
    return within.union(listed, [anchor])


def kept(log: Entries, preserved: Preservation, uuid: Id) -> frozenset[Id]:
    """The conversation, and the conversation at each entry that it reaches."""
    return members(log, uuid).union(*(members(log, listed) for listed in reaches(log, preserved, uuid)))
