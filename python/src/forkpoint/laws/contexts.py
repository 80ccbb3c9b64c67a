"""Chapter 4: contexts."""

from __future__ import annotations

from forkpoint.core import contexts
from forkpoint.core.entries import Entry, Id, Kind, Log, Result, Use
from forkpoint.laws import definitions as d
from forkpoint.laws import law
from forkpoint.laws.definitions import Entries


def _needs(a: Entry, b: Entry) -> bool:
    """Said of blocks: what an entry needs is its parent, a part of its message, or a result of a call in it."""
    part = a.kind is b.kind is Kind.ASSISTANT and a.message is not None and a.message == b.message
    answers = any(isinstance(block, Use) and Result(block.id) in b.blocks for block in a.blocks)
    return a.parent == b.uuid or part or (b.kind is Kind.USER and answers)


@law(
    "P4.6",
    "MembersAreTheLeastClosedSet MembersAreClosedAsOf MembersAreLeast MembersAreInClosedSets NeedsExactly",
    contexts.members,
)
def members_are_the_least_closed_set(log: Log, uuid: Id, result: frozenset[Id]) -> bool:
    """None of them can be taken away: what is left is not closed."""
    past = tuple(log.as_of(uuid))
    if any(d.needs(a, b) != _needs(a, b) for a in past for b in past):
        return False
    without = (d.closed(past, result - {other}) for other in result - {uuid})
    return uuid in result and d.closed(past, result) and result == d.members(tuple(log), uuid) and not any(without)


@law("P4.7", "ContextHoldsExactlyTheMembers ContextIsInLogOrder", contexts.context)
def context_holds_exactly_the_members(log: Log, uuid: Id, result: Entries) -> bool:
    return result == d.keep(tuple(log), d.members(tuple(log), uuid))


@law("P4.8", "ContextEndsIn", contexts.context, quick=lambda uuid, result: result[-1].uuid == uuid)
def context_ends_in(log: Log, uuid: Id, result: Entries) -> bool:
    return result[-1] == log.entry(uuid)


@law("P4.9", "MembersOfParent", contexts.members)
def members_of_parent(log: Log, uuid: Id, result: frozenset[Id]) -> bool:
    parent = log.entry(uuid).parent
    return parent is None or d.members(tuple(log), parent) <= result


@law("P4.10", "ContextHoldsAncestry", contexts.context)
def context_holds_ancestry(log: Log, uuid: Id, result: Entries) -> bool:
    return all(d.uuids(d.ancestry(tuple(log), held.uuid)) <= d.uuids(result) for held in result)


@law("P4.11", "ContextsFast.FastContext ContextsFast.FastMembers ContextsFast.BuildLinks", contexts.member_positions)
def fast_context(log: Log, uuid: Id, result: list[int]) -> bool:
    return result == [position for position, entry in enumerate(log) if entry.uuid in d.members(tuple(log), uuid)]


@law("P4.12", "ContextsFast.FastSettled", contexts.settled)
def fast_settled(log: Log, uuid: Id, result: bool) -> bool:
    """What is to come is found, too; and as of itself every entry is settled."""
    own, place = d.context(tuple(log), uuid), log.position(uuid)
    later = [n for n, entry in enumerate(log) if n > place and any(d.needs(member, entry) for member in own)]
    return (
        result == d.settled(tuple(log), uuid)
        and contexts.later_members(log, uuid) == later
        and contexts.settled(log.as_of(uuid), uuid)
    )
