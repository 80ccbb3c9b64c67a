"""Chapter 23, said plainly over tuples of entries and computed slowly."""

from __future__ import annotations

from collections.abc import Iterator

from forkpoint.core.below import Sides
from forkpoint.core.entries import Entry, Id, Kind
from forkpoint.core.rendering import Preservation
from forkpoint.laws.definitions.ancestries import ancestry
from forkpoint.laws.definitions.contexts import answers, mates, results_of, uses_of
from forkpoint.laws.definitions.entries import Entries, as_of, index_of, keep, uuids
from forkpoint.laws.definitions.rendering import crossed, kept


def is_aside(sides: Sides, entry: Entry) -> bool:
    """A side entry: the reader says so, it is no part of a message, and it holds neither a call nor a result."""
    kinds = (Kind.USER, Kind.SYSTEM, Kind.ATTACHMENT)
    return entry.uuid in sides.aside and entry.kind in kinds and not uses_of(entry) and not results_of(entry)


def is_passed_over(entry: Entry) -> bool:
    """A client does not see this entry: what hangs below it hangs on its parent."""
    return entry.kind is Kind.PROGRESS and not uses_of(entry) and not results_of(entry)


def on_one_side(sides: Sides, a: Id, b: Id) -> bool:
    """Two entries say the same of their side, or both say nothing."""
    return [sides.said[each] for each in (a,) if each in sides.said] == [sides.said[each] for each in (b,) if each in sides.said]


def passed(log: Entries, entry: Entry) -> Entries:
    """What is passed over above an entry, the nearest first."""
    found: Entries = ()
    while entry.parent is not None and is_passed_over(entry := log[index_of(log, entry.parent)]):
        found = (*found, entry)
    return found


def hook(log: Entries, entry: Entry) -> Entry | None:
    """The entry on which an entry hangs, as a client sees it."""
    last = (entry, *passed(log, entry))[-1]
    above = None if last.parent is None else log[index_of(log, last.parent)]
    return None if above is None or above.kind in (Kind.PROGRESS, Kind.OTHER) else above


def way(log: Entries, preserved: Preservation, uuid: Id) -> frozenset[Id]:
    """An entry and its ancestors, but for those that a boundary which it crosses left behind."""
    across = crossed(log, preserved, uuid)
    return uuids(ancestry(log, uuid)) - (uuids(ancestry(log, across.at)) if across is not None else frozenset())


def parts(log: Entries, here: frozenset[Id]) -> Entries:
    """The parts of the messages that have a part on the way."""
    return tuple(a for a in log if any(w.uuid in here and mates(w, a) for w in log))


def call_parts(log: Entries, here: frozenset[Id]) -> Entries:
    """The parts of those of these messages that make a call."""
    return tuple(a for a in log if any(uses_of(c) and mates(c, a) for c in parts(log, here)))


def results_of_parts(log: Entries, here: frozenset[Id]) -> Entries:
    """The entries with a result of a call of these messages, wherever they hang."""
    return tuple(b for b in log if any(answers(c, b) for c in parts(log, here)))


def taken(log: Entries, here: frozenset[Id]) -> frozenset[Id]:
    """What a client takes of the tree before it looks below."""
    return here | uuids(parts(log, here)) | uuids(results_of_parts(log, here))


def loaded(log: Entries, uuid: Id) -> frozenset[Id]:
    """What a client takes of a conversation that no boundary cuts, as the file is up to an entry."""
    before = log[: index_of(log, uuid) + 1]
    return taken(before, uuids(ancestry(before, uuid)))


def anchors(log: Entries, sides: Sides, here: frozenset[Id]) -> frozenset[Id]:
    """The entries below which chains hang."""
    found = uuids(call_parts(log, here)) | uuids(results_of_parts(log, here))
    for entry in log:
        above = hook(log, entry)
        if entry.uuid in here and is_aside(sides, entry) and above is not None and above.uuid in found:
            found |= {entry.uuid}
    return found


def children(log: Entries, here: frozenset[Id], uuid: Id) -> Entries:
    """What hangs on an entry, as a client sees it, and was not taken."""
    left = (entry for entry in log if entry.uuid not in taken(log, here) and entry.kind not in (Kind.PROGRESS, Kind.OTHER))
    return tuple(entry for entry in left if (above := hook(log, entry)) is not None and above.uuid == uuid)


def chains(log: Entries, sides: Sides, here: frozenset[Id]) -> Iterator[Entries]:
    """The chains below the anchors: side entries on the anchor's side, each the only child of the one before."""
    for anchor in anchors(log, sides, here):
        for first in children(log, here, anchor):
            chain: Entries = (first,)
            below = children(log, here, first.uuid)
            while len(below) == 1:
                chain, below = (*chain, *below), children(log, here, below[0].uuid)
            if not below and all(is_aside(sides, entry) and on_one_side(sides, anchor, entry.uuid) for entry in chain):
                yield chain


def beneath(log: Entries, preserved: Preservation, sides: Sides, uuid: Id) -> frozenset[Id]:
    """What hangs below the conversation, within the log as of its last entry, and is not kept anyway."""
    here, now = way(log, preserved, uuid), as_of(log, uuid)
    entries = [entry for chain in chains(now, sides, here) for entry in chain]
    between = [above for entry in entries for above in passed(now, entry)]
    return uuids((*entries, *between)) - kept(log, preserved, uuid)


def trailing(log: Entries, sides: Sides, uuid: Id) -> frozenset[Id]:
    """What trails behind the last words at or above an entry."""
    words = [entry.uuid for entry in ancestry(log, uuid) if entry.kind in (Kind.USER, Kind.ASSISTANT)][-1:]

    def follows(entry: Entry) -> bool:
        above = ancestry(log, entry.uuid)
        behind = above[index_of(above, words[0]) + 1 :] if words and words[0] in uuids(above) else ()
        noted = [one for one in behind if is_aside(sides, one) and one.kind is not Kind.USER]
        rest = [one for one in behind if one not in noted]
        return bool(words and words[0] in uuids(above) and entry in noted and all(map(is_passed_over, rest)))

    found = tuple(entry for entry in log if follows(entry))
    return uuids((*found, *(above for entry in found for above in passed(log, entry))))


def sent_beside(log: Entries, preserved: Preservation, sides: Sides, uuid: Id, end: int) -> frozenset[Id]:
    """What is sent beside what is kept: what hangs below, and what trails behind among the first entries."""
    first = log[: max(end, index_of(log, uuid) + 1)]
    return beneath(log, preserved, sides, uuid) | (trailing(first, sides, uuid) - kept(log, preserved, uuid))


def fork_sent(log: Entries, preserved: Preservation, sides: Sides, uuid: Id, end: int) -> Entries:
    """The fork that keeps all that is sent."""
    return keep(log, kept(log, preserved, uuid) | sent_beside(log, preserved, sides, uuid, end))
