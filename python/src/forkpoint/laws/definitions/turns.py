"""Chapter 6, said plainly over tuples of entries and computed slowly."""

from __future__ import annotations

from forkpoint.core.entries import Entry, Id, Kind, Opaque, Use
from forkpoint.laws.definitions.ancestries import ancestry
from forkpoint.laws.definitions.balance import legal
from forkpoint.laws.definitions.entries import Entries, as_of, index_of


def events_of(entry: Entry) -> tuple[tuple[str, Id], ...]:
    """What happens in an entry: a part of a message is spoken, calls go out, answers come back."""
    spoken = (("part", entry.message),) if entry.kind is Kind.ASSISTANT and entry.message is not None else ()
    answer = "answer by the user" if entry.kind is Kind.USER else "answer by another"
    done = tuple(
        ("call" if isinstance(block, Use) else answer, block.id) for block in entry.blocks if not isinstance(block, Opaque)
    )
    return spoken + done


def heard(log: Entries, uuid: Id) -> Entries:
    """The conversation at ``uuid``, found by ways on which each entry calls for the next."""
    past = as_of(log, uuid)
    reached: list[Entry] = [past[-1]]
    for here in reached:
        said = set(events_of(here))
        for there in past:
            told = set(events_of(there))
            calls_for = (
                here.parent == there.uuid
                or any(event in told for event in said if event[0] == "part")
                or any(("answer by the user", name) in told for sort, name in said if sort == "call")
            )
            if calls_for and there not in reached:
                reached.append(there)
    return tuple(entry for entry in log if entry in reached)


def complete_turn(log: Entries, uuid: Id) -> bool:
    """A complete turn ends at ``uuid``: the assistant speaks, no call is out, nothing is to come."""
    entry = log[index_of(log, uuid)]
    if entry.kind is not Kind.ASSISTANT or entry.sidechain:
        return False
    now = [event for e in heard(log, uuid) for event in events_of(e)]
    later = {event for e in log[index_of(log, uuid) + 1 :] for event in events_of(e)}
    calls = [name for sort, name in now if sort == "call"]
    returns = [name for sort, name in now if sort.startswith("answer")]
    order = [(sort == "call", name) for sort, name in now if sort != "part"]
    no_call_is_out = (
        sorted(map(repr, calls)) == sorted(map(repr, returns))
        and len(set(calls)) == len(calls)
        and all(order.index((True, name)) < order.index((False, name)) for name in calls)
    )
    nothing_to_come = not any(
        (sort == "part" and (sort, name) in later) or (sort == "call" and ("answer by the user", name) in later)
        for sort, name in now
    )
    return no_call_is_out and nothing_to_come


def nearest_legal_ancestor(log: Entries, uuid: Id) -> Id | None:
    """The last legal entry of the ancestry."""
    return next((entry.uuid for entry in reversed(ancestry(log, uuid)) if legal(log, entry.uuid)), None)


def first_legal_descendants(log: Entries, uuid: Id) -> frozenset[Id]:
    """The legal entries strictly below ``uuid`` with no legal entry between."""

    def first_below(down: Id) -> bool:
        way = [entry.uuid for entry in ancestry(log, down)]
        if down == uuid or uuid not in way or not legal(log, down):
            return False
        return not any(legal(log, between) for between in way[way.index(uuid) + 1 : -1])

    return frozenset(entry.uuid for entry in log if first_below(entry.uuid))
