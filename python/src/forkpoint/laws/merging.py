"""Chapter 13: merging (R1, R2) and the union of files (P23)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

from forkpoint.core import ancestries, balance, contexts, forks, merging
from forkpoint.core.entries import Entry, Id, Kind, Log, Opaque, Result, Use
from forkpoint.core.merging import Digest, History, Mode, QuoteMarks
from forkpoint.laws import definitions as d
from forkpoint.laws import law
from forkpoint.laws.definitions import Entries


def _members(history: History, uuid: Id) -> frozenset[Id]:
    return d.members(tuple(history.log), uuid)


def _reach(history: History, uuid: Id) -> frozenset[Id]:
    return d.reach(tuple(history.log), history.merges, uuid)


def _held(history: History, uuid: Id) -> frozenset[Id]:
    return d.held(tuple(history.log), history.merges, uuid)


def _goes_on_at(history: History, node: Entry, source: Id) -> Id:
    return d.goes_on_at(tuple(history.log), history.merges, node, source)


def _merged(history: History, node: Entry, source: Id) -> tuple[History, Id]:
    """The history after a merge, and where the target goes on."""
    return merging.merge(history, node, source), merging.head(history, node, source)


def _node(uuid: str, target: Id) -> Entry:
    """A user's entry without tool blocks."""
    return Entry(uuid, target, blocks=(Opaque("merged"),))


def _target(node: Entry) -> Id:
    assert node.parent is not None
    return node.parent


def _needs_nothing_else(log: Log, target: Id, node: Entry) -> bool:
    """The conversation at the target is all that a new entry needs."""
    own = d.members(tuple(log), target)
    return d.settled(tuple(log), target) and all(entry.uuid in own for entry in log if d.needs(node, entry))


def _users(node: Entry) -> bool:
    return node.kind is Kind.USER and all(isinstance(block, Opaque) for block in node.blocks)


# ---- R1: the result satisfies every property


@law("R1.1", "MergeIsWellFormed", merging.merge)
def merge_is_well_formed(result: History) -> bool:
    entries = tuple(result.log)
    return d.well_formed(entries) and d.unique_uuids(entries) and d.no_dangling_parents(entries) and d.acyclic(entries)


@law(
    "R1.2", "MergeIsAppendOnly OldEntriesStayInPlace", merging.merge,
    quick=lambda history, node, source, result: (
        result is history
        or (len(result.log) == len(history.log) + 1 and result.log[-1] is node and result.merges[node.uuid] == source)
    ),
)  # fmt: skip
def merge_is_append_only(history: History, node: Entry, result: History) -> bool:
    before = tuple(history.log)
    others = {uuid: above for uuid, above in result.merges.items() if uuid != node.uuid}
    return (
        tuple(result.log) in (before, (*before, node))
        and others == {uuid: above for uuid, above in history.merges.items() if uuid != node.uuid}
        and all(merging.second_parent(result, old.uuid) == merging.second_parent(history, old.uuid) for old in before)
    )


@law("R1.3", "MergeKeepsOldAncestriesAndContexts MergeKeepsWhatIsHeld", merging.merge)
def merge_keeps_old_ancestries_and_contexts(history: History, result: History) -> bool:
    entries = tuple(history.log)
    return all(
        ancestries.ancestry(result.log, old.uuid) == d.ancestry(entries, old.uuid)
        and contexts.context(result.log, old.uuid) == d.context(entries, old.uuid)
        and merging.reach(result, old.uuid) == _reach(history, old.uuid)
        and merging.held(result, old.uuid) == _held(history, old.uuid)
        for old in entries
    )


@law("R1.4", "MergeContextIsTargetContextAndNode UsersNodeAddsOnlyItself", merging.merge)
def merge_context_is_target_context_and_node(history: History, node: Entry, source: Id, result: History) -> bool:
    target = _target(node)
    if source in _reach(history, target):
        return True
    alone = _needs_nothing_else(history.log, target, node)
    same = d.context(tuple(result.log), node.uuid) == (*d.context(tuple(history.log), target), node)
    return same == alone and (alone or not (_users(node) and d.settled(tuple(history.log), target)))


@law("R1.5", "MergeKeepsLegalExactly", merging.merge)
def merge_keeps_legal_exactly(history: History, node: Entry, result: History) -> bool:
    before, after = tuple(history.log), tuple(result.log)
    if not _users(node):
        return True
    same = all(
        d.legal(after, old.uuid) == d.legal(before, old.uuid) and d.resumable(after, old.uuid) == d.resumable(before, old.uuid)
        for old in before
    )
    return same and (node.uuid not in result.log or not d.resumable(before, _target(node)) or d.resumable(after, node.uuid))


@law("R1.6", "MergedSessionSatisfiesEveryProperty", merging.merge)
def merged_session_satisfies_every_property(history: History, node: Entry, source: Id, result: History) -> bool:
    before, after = tuple(history.log), tuple(result.log)
    if not _users(node) or not d.resumable(before, _target(node)):
        return True

    def balanced(log: Entries, uuid: Id) -> bool:
        return d.paired_by_id_and_order(d.blocks(d.context(log, uuid)))

    return (
        d.unique_uuids(after)
        and d.no_dangling_parents(after)
        and balanced(after, _goes_on_at(history, node, source))
        and all(balanced(after, old.uuid) == balanced(before, old.uuid) for old in before)
        and all(d.ancestry(after, old.uuid) == d.ancestry(before, old.uuid) for old in before)
        and after[: len(before)] == before
    )


@law("R1.7", "ResumableInUnionExactly", merging.union)
def resumable_in_union_exactly(a: Log, b: Log, result: Log) -> bool:
    first, added = tuple(a), d.keep(tuple(b), d.uuids(b) - d.uuids(a))

    def exactly(uuid: Id) -> bool:
        needed = any(d.needs(own, new) for own in d.context(first, uuid) for new in added)
        return balance.resumable(result, uuid) != needed

    return all(exactly(entry.uuid) for entry in a if d.resumable(first, entry.uuid))


# ---- R2: no entry of either branch is lost


@law(
    "R2.1", "ReachIsBothParentsClosed WithoutParentsAllIsClosed ReachIsLeast ReachIsInLog ReachOfReached"
    " ReachHoldsAncestry", merging.reach,
    quick=lambda uuid, result: uuid in result,
)  # fmt: skip
def reach_is_least(history: History, uuid: Id, result: frozenset[Id]) -> bool:
    entries, merges = tuple(history.log), history.merges
    without = (d.both_parents_closed(entries, merges, result - {other}) for other in result - {uuid})
    return (
        result == _reach(history, uuid) <= d.uuids(entries)
        and d.both_parents_closed(entries, merges, result)
        and not any(without)
        and all(merging.reach(history, other) <= result for other in result)
        and d.uuids(d.ancestry(entries, uuid)) <= result
        and merging.reach(History(history.log), uuid) == d.uuids(d.ancestry(entries, uuid))
        and merging.second_parent(history, uuid) == d.second_parent(entries, merges, uuid)
    )


@law("R2.2", "MergeChangesNothingExactlyWhereReached", merging.merge)
def merge_changes_nothing_exactly_where_reached(history: History, node: Entry, source: Id, result: History) -> bool:
    target = _target(node)
    reached, head = source in _reach(history, target), merging.head(history, node, source)
    second = merging.second_parent(history, target) if reached else source
    return (
        (result is history) == (result == history) == reached
        and head == (target if reached else node.uuid)
        and merging.second_parent(result, head) == second
    )


@law("R2.3", "MergeReachesExactlyBoth HeadReachesExactlyBoth", merging.merge)
def merge_reaches_exactly_both(history: History, node: Entry, source: Id, result: History) -> bool:
    reached, both = _reach(result, _goes_on_at(history, node, source)), _reach(history, _target(node)) | _reach(history, source)
    return reached - {node.uuid} == both and (node.uuid in reached) == (result is not history)


@law("R2.4", "MergeKeepsBothSidesInOrder", merging.merge)
def merge_keeps_both_sides_in_order(history: History, node: Entry, source: Id, result: History) -> bool:
    before, after = tuple(history.log), tuple(result.log)
    a, b = _reach(history, _target(node)), _reach(history, source)
    if source in a:
        return True
    return all(d.keep(after, side) == d.keep(before, side) for side in (a, b)) and (
        d.keep(after, _reach(result, node.uuid)) == (*d.keep(before, a | b), node)
    )


@law("R2.5", "MergeIsIdempotent MergeAbsorbsWhatIsReached")
def merge_is_idempotent_and_absorbing(history: History, node: Entry, source: Id) -> bool:
    after, head = _merged(history, node, source)
    again = _node("another node", head)
    reached = _reach(history, _target(node)) | _reach(history, source)
    return all(_merged(after, again, one) == (after, head) for one in reached)


@law("R2.6", "MergeIsCommutativeInReach")
def merge_is_commutative_in_reach(history: History, target: Id, source: Id, third: Id) -> bool:
    there, a = _merged(history, _node("there", target), source)
    here, b = _merged(history, _node("here", source), target)
    return merging.reach(there, a) - {"there"} == merging.reach(here, b) - {"here"}


@law("R2.7", "MergeIsAssociativeInReach MergingFromTheLeftReaches MergingFromTheRightReaches")
def merge_is_associative_in_reach(history: History, target: Id, source: Id, third: Id) -> bool:
    between, middle = _merged(history, _node("left 1", target), source)
    left, x = _merged(between, _node("left 2", middle), third)
    between, middle = _merged(history, _node("right 1", source), third)
    right, y = _merged(between, _node("right 2", target), middle)
    together = _reach(history, target) | _reach(history, source) | _reach(history, third)
    from_the_left, from_the_right = merging.reach(left, x), merging.reach(right, y)
    return from_the_left - {"left 1", "left 2"} == from_the_right - {"right 1", "right 2"} == together


@law("R2.8", "ContextsNeverCommute")
def contexts_never_commute(history: History, target: Id, source: Id, third: Id) -> bool:
    """For nodes that need nothing else."""
    entries = tuple(history.log)
    if target in _reach(history, source) or source in _reach(history, target):
        return True
    if not (d.settled(entries, target) and d.settled(entries, source)):
        return True
    there = merging.merge(history, _node("node", target), source).log
    here = merging.merge(history, _node("node", source), target).log
    one, other = contexts.context(there, "node")[:-1], contexts.context(here, "node")[:-1]
    return one == d.context(entries, target) and other == d.context(entries, source) and one != other


@law(
    "R2.9",
    "HeldHoldsConversationAndReach HeldIsTheConversationWhereNothingWasMerged MergeHoldsExactlyBoth HeadHoldsExactlyBoth",
    merging.held,
    quick=lambda uuid, result: uuid in result,
)
def merge_holds_exactly_both(history: History, uuid: Id, result: frozenset[Id]) -> bool:
    """What is held at an entry."""
    own = d.members(tuple(history.log), uuid)
    return (
        result == _held(history, uuid) <= d.uuids(history.log)
        and own | _reach(history, uuid) <= result
        and merging.held(History(history.log), uuid) == own
    )


@law("R2.9", "MergeHoldsExactlyBoth HeadHoldsExactlyBoth", merging.merge)
def node_holds_exactly_both(history: History, node: Entry, source: Id, result: History) -> bool:
    head, both = _goes_on_at(history, node, source), _held(history, _target(node)) | _held(history, source)
    own = frozenset() if result is history else _members(result, node.uuid)
    return merging.held(result, head) == both | own and (
        not _needs_nothing_else(history.log, _target(node), node) or merging.held(result, head) - {node.uuid} == both
    )


@law("R2.10", "NoEntryOfEitherBranchIsLost HeadHoldsBoth", merging.merge)
def no_entry_of_either_branch_is_lost(history: History, node: Entry, source: Id, result: History) -> bool:
    entries, held = tuple(history.log), _held(result, _goes_on_at(history, node, source))
    both = d.keep(entries, _members(history, _target(node)) | _members(history, source))
    return all(
        one.uuid in held and result.log.entry(one.uuid) == one and result.log.position(one.uuid) == d.index_of(entries, one.uuid)
        for one in both
    )


@law("R2.11", "LinearHistoryKeepsBothExactly NoLinearHistoryKeepsTwoBranches LinearHasOneChildAParent")
def linear_history_keeps_both_exactly(one: Entries, other: Entries) -> bool:
    """Of two linear histories; every order of their entries is tried."""
    whole = {entry.uuid: entry for entry in (*one, *other)}.values()
    possible = any(map(forks.linear, permutations(whole)))
    goes_on = one[: len(other)] == other or other[: len(one)] == one
    return forks.linear(one) and forks.linear(other) and possible == goes_on


@law("R2.12", "QuotedExactly", merging.quoted, quick=lambda mode, result: mode is Mode.FULL or result == ())
def quoted_exactly(history: History, mode: Mode, target: Id, source: Id, result: Entries) -> bool:
    beside = d.keep(tuple(history.log), _held(history, source) - _held(history, target))
    return result == (beside if mode is Mode.FULL else ()) and (source not in _reach(history, target) or result == ())


@law("R2.12", "QuotedIsWhatTheMergeBrings")
def quoted_is_what_the_merge_brings(history: History, target: Id, source: Id) -> bool:
    if not d.settled(tuple(history.log), target):
        return True
    after, head = _merged(history, _node("between", target), source)
    gained = _held(after, head) - {"between"} - _held(history, target)
    return d.uuids(merging.quoted(history, Mode.FULL, target, source)) == gained


@law("R2.13", "QuotedFromTheLeft QuotedFromTheRight FromTheRightTheThirdIsQuotedAgain")
def quoted_once_from_the_left_and_again_from_the_right(history: History, target: Id, source: Id, third: Id) -> bool:
    if not (d.settled(tuple(history.log), target) and d.settled(tuple(history.log), source)):
        return True

    def quoted(now: History, a: Id, b: Id) -> frozenset[Id]:
        return d.uuids(merging.quoted(now, Mode.FULL, a, b))

    held = {each: _held(history, each) for each in (target, source, third)}
    beside = (held[source] | held[third]) - held[target]
    between, middle = _merged(history, _node("between", target), source)
    first, second = quoted(history, target, source), quoted(between, middle, third)
    if first & second or first | second != beside:
        return False
    between, middle = _merged(history, _node("between", source), third)
    first, second = quoted(history, source, third), quoted(between, target, middle)
    return (
        second - {"between"} == beside
        and first & second == held[third] - held[source] - held[target]
        and ("between" in second) == (between is not history)
    )


@law("R2.14", "NothingOfTwoFilesIsLost UnionHoldsTheSecondFile UnionKeepsMembersOfTheFirstFile", merging.union)
def nothing_of_two_files_is_lost(a: Log, b: Log, result: Log) -> bool:
    """At every entry of the first file, and at every one that is new in the second."""
    if not len(a) or not d.agree(tuple(a), tuple(b)):
        return True

    def kept(target: Id, source: Id) -> bool:
        after, head = _merged(History(result), _node("a node that is new", target), source)
        held = merging.held(after, head)
        own = (*d.context(tuple(a), target), *d.context(tuple(b), source))
        return (
            tuple(after.log)[: len(a)] == tuple(a)
            and d.members(tuple(b), source) <= d.members(tuple(result), source)
            and all(one.uuid in held and after.log.entry(one.uuid) == one for one in own)
        )

    return all(kept(one.uuid, entry.uuid) for one in a for entry in b if entry.uuid not in a)


@law("R2.15", "MergingFast.FastReach MergingFast.FastHeld MergingFast.FastSecond MergingFast.FastMerge", merging.reach_positions)
def fast_reach(history: History, uuid: Id, result: Sequence[int]) -> bool:
    entries = tuple(history.log)
    held = tuple(entries[place] for place in merging.held_positions(history, uuid))
    return tuple(entries[place] for place in result) == d.keep(entries, _reach(history, uuid)) and (
        held == d.keep(entries, _held(history, uuid))
    )


# ---- P23: two files as one log


@law(
    "P23.1", "UnionIsWellFormed UuidsOfUnion", merging.union,
    quick=lambda a, b, result: max(len(a), len(b)) <= len(result) <= len(a) + len(b),
)  # fmt: skip
def union_is_well_formed(a: Log, b: Log, result: Log) -> bool:
    return (
        d.well_formed(tuple(result))
        and d.uuids(result) == d.uuids(a) | d.uuids(b)
        and tuple(result) == d.union(tuple(a), tuple(b)) == (*a, *merging.news(a, b))
    )


@law("P23.2", "UnionIsAssociative UnionIsIdempotent")
def union_is_associative_and_idempotent(a: Log, b: Log, c: Log) -> bool:
    both = merging.union(a, b)
    return (
        merging.union(both, c) == merging.union(a, merging.union(b, c))
        and merging.union(a, a) == a
        and merging.union(both, b) == merging.union(both, a) == both
    )


@law("P23.3", "UnionLosesNothingExactlyIfTheyAgree UnionCommutesExactlyIfTheyAgree", merging.union)
def union_loses_nothing_exactly_if_they_agree(a: Log, b: Log, result: Log) -> bool:
    there, here = list(result), list(merging.union(b, a))
    commutes = all(entry in there for entry in here) and all(entry in here for entry in there)
    return (
        d.agree(tuple(a), tuple(b)) == all(entry in there for entry in b) == commutes
        and all(entry in there for entry in a)
        and all(entry in [*a, *b] for entry in there)
    )


@law("P23.4", "UnionKeepsTheFirstFile", merging.union)
def union_keeps_the_first_file(a: Log, result: Log) -> bool:
    return tuple(result)[: len(a)] == tuple(a) and all(
        ancestries.ancestry(result, entry.uuid) == d.ancestry(tuple(a), entry.uuid)
        and contexts.context(result, entry.uuid) == d.context(tuple(a), entry.uuid)
        for entry in a
    )


@law("P23.5", "SecondFileStandsInUnionExactly", merging.union)
def second_file_stands_in_union_exactly(a: Log, b: Log, result: Log) -> bool:
    return (d.keep(tuple(result), d.uuids(b)) == tuple(b)) == d.parts_from(tuple(b), tuple(a))


@law("P23.6", "UnionKeepsContextsOfTheSecondFileExactly ForksProofs.ContextInKeepExactly", merging.union)
def union_keeps_contexts_of_the_second_file_exactly(a: Log, b: Log, result: Log) -> bool:
    own, both = tuple(b), tuple(result)
    if not d.parts_from(own, tuple(a)):
        return True
    return all(
        d.ancestry(both, entry.uuid) == d.ancestry(own, entry.uuid)
        and (contexts.context(result, entry.uuid) == d.context(own, entry.uuid))
        == d.closed(d.as_of(both, entry.uuid), d.members(own, entry.uuid))
        for entry in b
    )


@law("P23.7", "UnionKeepsContextsOfASettledFork UnionWithContinuedFork")
def settled_fork_comes_back(log: Log, uuid: Id) -> bool:
    """A fork continued by a call, its answer, and a prompt."""
    if not d.settled(tuple(log), uuid):
        return True
    made = kept = forks.fork(log, uuid)
    call = Entry("new 0", made[-1].uuid, kind=Kind.ASSISTANT, message="new", blocks=(Use("new"),))
    for entry in (call, Entry("new 1", "new 0", blocks=(Result("new"),)), Entry("new 2", "new 1", blocks=(Opaque(),))):
        made = forks.append(made, entry)
    both = merging.union(log, made)
    return tuple(both) == (*log, *list(made)[len(kept) :]) and all(
        contexts.context(both, entry.uuid) == d.context(tuple(made), entry.uuid) for entry in made
    )


@law("P23.8", "UnionKeepsContextOfContinuedForkExactly")
def union_keeps_context_of_continued_fork_exactly(log: Log, entry: Entry) -> bool:
    """A fork at the parent of an entry that fits the log, continued by it."""
    if entry.parent is None:
        return True
    made = forks.append(forks.fork(log, entry.parent), entry)
    both = merging.union(log, made)
    same = contexts.context(both, entry.uuid) == contexts.context(made, entry.uuid)
    return tuple(both) == (*log, entry) and same == _needs_nothing_else(log, entry.parent, entry)


@law("P23.9", "MergingFast.FastNews MergingFast.FastAgree MergingFast.FastPartsFrom", merging.news)
def fast_news(a: Log, b: Log, result: Entries) -> bool:
    ours, theirs = tuple(a), tuple(b)
    return (
        result == d.keep(theirs, d.uuids(theirs) - d.uuids(ours))
        and merging.agree(a, b) == merging.agree(b, a) == d.agree(ours, theirs)
        and merging.parts_from(b, a) == d.parts_from(theirs, ours)
    )


# ---- what a node tells word for word


def _tells_apart(digest: Digest, text: str) -> bool:
    """The digest tells a text from its beginnings."""
    return all(digest(text[:size]) != digest(text) for size in range(len(text)))


@law("R2.16", "UnquoteOfQuoteIsTheText", merging.quote, quick=lambda text, result: text in result)
def unquote_of_quote_is_the_text(marks: QuoteMarks, digest: Digest, text: str, result: str) -> bool:
    """With anything behind it, a closing mark too."""
    whole = result == "".join((marks.opens, digest(text), marks.begins, text, marks.closes, digest(text), marks.ends))
    told = len(digest(text)) == marks.width and _tells_apart(digest, text)
    more = ("", "more", result, result[len(marks.opens) :])
    return whole and (not told or all(merging.unquote(marks, digest, result + rest) == text for rest in more))


@law("R2.16", "UnquotedWasQuoted", merging.unquote)
def unquoted_was_quoted(marks: QuoteMarks, digest: Digest, text: str, result: str | None) -> bool:
    places = [
        text[start:at]
        for start in [len(marks.opens) + marks.width + len(marks.begins)]
        for at in range(start, len(text) + 1)
        if len(digest(text[start:at])) == marks.width and text.startswith(merging.quote(marks, digest, text[start:at]))
    ]
    return result == (places[0] if places else None)
