"""Chapter 6: the complete turn, and the nearest legal points."""

from __future__ import annotations

from collections.abc import Sequence

from forkpoint.core import balance, contexts, turns
from forkpoint.core.entries import Id, Log
from forkpoint.laws import definitions as d
from forkpoint.laws import law
from forkpoint.laws.definitions import Entries


@law("P3.5", "ConversationIsContext", contexts.context)
def conversation_is_context(log: Log, uuid: Id, result: Entries) -> bool:
    return d.heard(tuple(log), uuid) == result


@law("P3.6", "ThereIsExactlyOneConversation CompleteTurnAsksOfOneConversation", contexts.context)
def there_is_exactly_one_conversation(log: Log, uuid: Id, result: Entries) -> bool:
    """It is heard in whatever order the entries are listened to."""
    return d.heard(tuple(log), uuid) == result and d.uuids(result) == d.members(tuple(log), uuid)


@law("P3.7", "LegalIsCompleteTurn SettledHoldsTheWholeMessage", balance.legal)
def legal_is_complete_turn(log: Log, uuid: Id, result: bool) -> bool:
    return result == d.complete_turn(tuple(log), uuid)


@law(
    "P3.8",
    "NearestLegalAncestorIsNearest TurnsFast.FastNearestLegalAncestor TurnsFast.FastNearestLegalAncestors LegalIsItsOwnNearest",
    turns.nearest_legal_ancestor,
    quick=lambda log, legal, result: result is None or legal[log.position(result)],
)
def nearest_legal_ancestor_is_nearest(log: Log, uuid: Id, result: Id | None) -> bool:
    return result == d.nearest_legal_ancestor(tuple(log), uuid)


@law(
    "P3.9", "FirstLegalDescendantsAreFirst TurnsFast.FastFirstLegalDescendants", turns.first_legal_descendants,
    quick=lambda log, legal, result: all(legal[log.position(found)] for found in result),
)  # fmt: skip
def first_legal_descendants_are_first(log: Log, uuid: Id, result: Sequence[Id]) -> bool:
    return set(result) == d.first_legal_descendants(tuple(log), uuid) and len(set(result)) == len(result)


@law("P3.10", "EachBranchHasOneFirstLegal FirstLegalsAreUnrelated", turns.first_legal_descendants)
def each_branch_has_one_first_legal(log: Log, uuid: Id, result: Sequence[Id]) -> bool:
    entries, first = tuple(log), set(result)
    below = [entry.uuid for entry in log if entry.uuid != uuid and uuid in d.uuids(d.ancestry(entries, entry.uuid))]
    return all(len(first & d.uuids(d.ancestry(entries, one))) == 1 for one in below if d.legal(entries, one)) and all(
        first & d.uuids(d.ancestry(entries, one)) == {one} for one in first
    )
