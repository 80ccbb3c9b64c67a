"""Chapter 11: drops, stubs, compaction, and the sub-agents that are hidden with their turn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise

from forkpoint.core import ancestries, balance, contexts, rewriting
from forkpoint.core.entries import Entry, Id, Log, Opaque
from forkpoint.core.rewriting import Callers, Notes, Pair, StubReasons
from forkpoint.laws import definitions as d
from forkpoint.laws import law
from forkpoint.laws.definitions import Entries

Cover = AbstractSet[Id]


def _ids(entries: Iterable[Entry]) -> list[Id]:
    return [entry.uuid for entry in entries]


def _balanced(entries: Iterable[Entry]) -> bool:
    return d.paired_by_id_and_order(d.blocks(entries))


def _whole_and_rooted(entries: Entries, covered: Cover) -> bool:
    return d.whole(entries, frozenset(covered)) and d.rooted(entries, frozenset(covered))


def _alike(one: Entry, other: Entry) -> bool:
    """The same but for the parent."""
    return one._replace(parent=None) == other._replace(parent=None)


def _silent(entry: Entry) -> bool:
    return all(isinstance(block, Opaque) for block in entry.blocks)


def _beside(entries: Entries, stub: Entry) -> bool:
    """A stub that is silent and tied to nothing."""
    return _silent(stub) and not any(d.tied(stub, entry) for entry in entries)


def _stay_good(before: Entries, after: Log, covered: Cover) -> bool:
    """Every survivor that was legal, or could be resumed, still is and can."""
    return all(
        (balance.resumable(after, entry.uuid) or not d.resumable(before, entry.uuid))
        and (balance.legal(after, entry.uuid) or not d.legal(before, entry.uuid))
        for entry in before
        if entry.uuid not in covered
    )


def _between(covered: Cover, result: Pair | None) -> bool:
    """A pair names what is covered, and what is left."""
    return result is None or (result.covered in covered and result.left not in covered)


# ---- drops


@law("P12.1", "DropIsWellFormed", rewriting.drop)
def drop_is_well_formed(result: Log) -> bool:
    return d.well_formed(tuple(result))


@law(
    "P12.2", "DropHoldsExactlyTheRest", rewriting.drop,
    quick=lambda log, covered, result: (
        len(result) == len(log) - sum(uuid in log for uuid in covered)
        and all(one.uuid not in covered and _alike(one, log.entry(one.uuid)) for one in result)
    ),
)  # fmt: skip
def drop_holds_exactly_the_rest(log: Log, covered: Cover, result: Log) -> bool:
    left = tuple(entry._replace(parent=None) for entry in log if entry.uuid not in covered)
    return tuple(entry._replace(parent=None) for entry in result) == left


@law("P12.3", "HeirIsNearestSurvivingAncestor DropHoldsExactlyTheRest", rewriting.drop)
def heir_is_nearest_surviving_ancestor(log: Log, covered: Cover, result: Log) -> bool:
    entries, heirs = tuple(log), rewriting.heir_positions(log, covered)
    named = [log[heir].uuid if heir >= 0 else None for heir in heirs]
    above = {e.uuid: [old for old in _ids(d.ancestry(entries, e.uuid)[:-1]) if old not in covered][-1:] for e in result}
    return all([entry.parent] == (above[entry.uuid] or [None]) for entry in result) and named == [
        d.heir(entries, frozenset(covered), entry.uuid) for entry in log
    ]


@law("P12.4", "AncestryAfterDrop", rewriting.drop)
def ancestry_after_drop(log: Log, covered: Cover, result: Log) -> bool:
    return all(
        _ids(ancestries.ancestry(result, left.uuid))
        == [uuid for uuid in _ids(d.ancestry(tuple(log), left.uuid)) if uuid not in covered]
        for left in result
    )


@law("P12.5", "DropOfDropIsDropOfUnion")
def drop_of_drop_is_drop_of_union(log: Log, covered: Cover, more: Cover) -> bool:
    return rewriting.drop(rewriting.drop(log, covered), more) == rewriting.drop(log, covered | more)


@law("P12.6", "DropsCommute")
def drops_commute(log: Log, covered: Cover, more: Cover) -> bool:
    return rewriting.drop(rewriting.drop(log, covered), more) == rewriting.drop(rewriting.drop(log, more), covered)


@law("P12.7", "DropOfNothingIsTheLog CoveringNothing", rewriting.drop)
def drop_of_nothing_is_the_log(log: Log, covered: Cover, result: Log) -> bool:
    return (result == log) == (not d.uuids(log) & frozenset(covered)) and rewriting.drop(log, frozenset({"nowhere"})) is log


@law("P12.8", "DropAddsNoMembers", rewriting.drop)
def drop_adds_no_members(log: Log, covered: Cover, result: Log) -> bool:
    return all(contexts.members(result, left.uuid) <= d.members(tuple(log), left.uuid) - covered for left in result)


@law("P12.9", "ContextAfterDropExactly", rewriting.lost, quick=lambda covered, result: _between(covered, result))
def context_after_drop_exactly(log: Log, covered: Cover, uuid: Id, result: Pair | None) -> bool:
    entries, ids = tuple(log), frozenset(covered)
    left, own = d.drop(entries, ids), d.context(entries, uuid)
    same = contexts.context(rewriting.drop(log, covered), uuid) == d.drop(own, ids)
    if result is not None and not (
        result.covered in d.uuids(own) & ids
        and result.left in d.uuids(own) - ids - d.members(left, uuid)
        and d.needs(log.entry(result.covered), log.entry(result.left))
    ):
        return False
    return (result is None) == same == d.exits(entries, ids, uuid)


@law("P12.10", "WholeAndRootedHasExits", rewriting.lost)
def whole_and_rooted_has_exits(log: Log, covered: Cover, uuid: Id, result: Pair | None) -> bool:
    return result is None or not _whole_and_rooted(d.context(tuple(log), uuid), covered)


@law("P12.11", "WholeAndRootedInContext")
def whole_and_rooted_in_context(log: Log, covered: Cover, uuid: Id) -> bool:
    own = contexts.context(log, uuid)
    checks = (rewriting.separated, rewriting.separated_call, rewriting.unrooted)
    return all(check(log, covered) is not None or check(own, covered) is None for check in checks)


# ---- balance, cuts and steps


@law("P12.12", "BalancedAfterDropExactly", rewriting.separated_call, quick=lambda covered, result: _between(covered, result))
def balanced_after_drop_exactly(entries: Sequence[Entry], covered: Cover, result: Pair | None) -> bool:
    log, ids = tuple(entries), frozenset(covered)
    return (result is None) == d.whole_for_tools(log, ids) and (
        not _balanced(log) or (result is None) == _balanced(d.drop(log, ids))
    )


@law("P12.13", "WholeDropTakesItsCallsOut")
def whole_drop_takes_its_calls_out(log: Log, covered: Cover) -> bool:
    books = balance.run(balance.BLANK, log)
    if books is None or not d.whole_for_tools(tuple(log), frozenset(covered)):
        return True
    hidden = frozenset().union(*(d.tools_of(entry) for entry in log if entry.uuid in covered))
    left = balance.Books(books.out - hidden, books.made - hidden)
    return balance.run(balance.BLANK, rewriting.drop(log, covered)) == left


@law("P12.14", "SpanBetweenCutsIsWhole DropBetweenCutsKeepsBalance", rewriting.cuts)
def span_between_cuts_is_whole(entries: Sequence[Entry], result: Sequence[int]) -> bool:
    log = tuple(entries)

    def good(start: int, end: int) -> bool:
        covered = rewriting.span(log, start, end)
        return (
            covered == d.uuids(log[start:end])
            and (not balance.sound(log) or d.whole(log, covered))
            and (not _balanced(log) or _balanced(d.drop(log, covered)))
        )

    return all(good(start, end) for start in result for end in result if start <= end)


@law("P12.15", "EachEntryHasItsStep NoStepIsEmpty EndsAreCuts", rewriting.steps)
def each_entry_has_its_step(entries: Sequence[Entry], result: Sequence[tuple[int, int]]) -> bool:
    log, last = tuple(entries), max(place for place in range(len(entries) + 1) if d.is_cut(tuple(entries), place))
    cuts = [place for place in range(len(log) + 1) if d.is_cut(log, place)]
    return [*result] == [*pairwise(cuts)] and (
        all(d.is_step(log, start, end) for start, end in result)
        and all(sum(start <= place < end for start, end in result) == 1 for place in range(last))
        and d.is_cut(log, 0)
        and (not _balanced(log) or last == len(log))
    )


@law("P12.16", "LegalAfterDropExactly", rewriting.drop)
def legal_after_drop_exactly(log: Log, covered: Cover, result: Log) -> bool:
    entries = tuple(log)

    def exactly(uuid: Id) -> bool:
        if not d.exits(entries, frozenset(covered), uuid):
            return True
        keeps = d.whole_for_tools(d.context(entries, uuid), frozenset(covered))
        resumable = not d.resumable(entries, uuid) or balance.resumable(result, uuid) == keeps
        return resumable and (not d.legal(entries, uuid) or balance.legal(result, uuid) == keeps)

    return all(exactly(entry.uuid) for entry in result)


@law("P12.17", "LegalPointsOutsideStayLegal", rewriting.drop)
def legal_points_outside_stay_legal(log: Log, covered: Cover, result: Log) -> bool:
    entries, ids = tuple(log), frozenset(covered)
    if not _whole_and_rooted(entries, covered):
        return True
    same = all(contexts.context(result, one.uuid) == d.drop(d.context(entries, one.uuid), ids) for one in result)
    return same and _stay_good(entries, result, covered)


# ---- sub-agents


@law("P12.18", "SubAgentsAreHiddenWithTheirTurn", rewriting.with_threads, quick=lambda covered, result: covered <= result)
def sub_agents_are_hidden_with_their_turn(log: Log, callers: Callers, covered: Cover, result: Cover) -> bool:
    threads = all(rewriting.thread(log, root) == d.thread(tuple(log), root) for root in callers)
    return threads and result == d.with_threads(tuple(log), callers, frozenset(covered))


@law("P12.19", "SubAgentsOfSurvivorsSurvive", rewriting.with_threads)
def sub_agents_of_survivors_survive(log: Log, callers: Callers, covered: Cover, result: Cover) -> bool:
    if not _called_are_roots(log, callers):
        return True
    threads = {root: d.thread(tuple(log), root) for root, caller in callers.items() if caller not in result}
    return all(own & covered or not own & result for own in threads.values())


@law(
    "P12.20", "RunningSubAgentsAreNotHidden RunningSubAgentsAreLeftWhole NoneRunsExactly", rewriting.hidden_running,
    quick=lambda running, result: result <= running,
)  # fmt: skip
def running_sub_agents_are_not_hidden(log: Log, callers: Callers, running: Cover, covered: Cover, result: Cover) -> bool:
    hidden = d.with_threads(tuple(log), callers, frozenset(covered))
    if result != hidden & running or any(callers[root] in covered and root not in result for root in running if root in callers):
        return False
    if result:
        return True
    roots = [root for root in callers if root in running and root in log]
    left = d.uuids(rewriting.drop(log, hidden))
    whole = not _called_are_roots(log, callers) or all(
        d.thread(tuple(log), root) & covered or d.thread(tuple(log), root) <= left for root in roots
    )
    return whole and all(root in left for root in roots)


def _called_are_roots(log: Log, callers: Callers) -> bool:
    """What P12.19 and P12.20 suppose: every sub-agent with a caller begins the log of its own."""
    return all(root in log and log.entry(root).parent is None for root in callers)


@law(
    "P12.21",
    "PromotedKeepsItsOwn PromotedKeepsContextExactly",
    rewriting.promote,
    quick=lambda root, result: result[0].uuid == root,
)
def promoted_keeps_its_own(log: Log, root: Id, result: Log) -> bool:
    entries, made = tuple(log), tuple(result)
    return (
        made == d.keep(entries, d.thread(entries, root))
        and d.well_formed(made)
        and all(
            entry == log.entry(entry.uuid) and d.ancestry(made, entry.uuid) == d.ancestry(entries, entry.uuid) for entry in made
        )
        and all(
            (contexts.context(result, one.uuid) == d.context(entries, one.uuid))
            == d.closed(d.as_of(entries, one.uuid), d.members(made, one.uuid))
            for one in made
        )
    )


@law("P12.22", "HiddenThreadsChangeNoContextBeside", rewriting.with_threads)
def hidden_threads_change_no_context_beside(log: Log, callers: Callers, covered: Cover, result: Cover) -> bool:
    left = rewriting.drop(log, result)

    def same(uuid: Id) -> bool:
        own = d.context(tuple(log), uuid)
        if (result - covered) & d.uuids(own) or not _whole_and_rooted(own, covered):
            return True
        return contexts.context(left, uuid) == d.drop(own, frozenset(covered))

    return all(same(entry.uuid) for entry in log if entry.uuid not in covered)


@law(
    "P12.23",
    "RewritingFast.FastDrop RewritingFast.FastDropWithStub RewritingFast.FastCompact RewritingFast.FastPromote"
    " RewritingFast.Heirs",
    rewriting.drop,
)
def fast_drop(log: Log, covered: Cover, result: Log) -> bool:
    return tuple(result) == d.drop(tuple(log), frozenset(covered))


@law(
    "P12.24",
    "RewritingFast.DecideWhole RewritingFast.DecideWholeForTools RewritingFast.DecideRooted RewritingFast.Cuts"
    " RewritingFast.DecideCoversEffect RewritingFast.DecideCoversReference RewritingFast.DecideCoversBeforeDecision"
    " RewritingFast.FastWithThreads",
    rewriting.separated,
    quick=lambda covered, result: _between(covered, result),
)
def fast_decisions(entries: Sequence[Entry], covered: Cover, result: Pair | None) -> bool:
    log, ids, places = tuple(entries), frozenset(covered), range(len(entries) + 1)
    return (result is None) == d.whole(log, ids) and rewriting.cuts(log) == [place for place in places if d.is_cut(log, place)]


@law(
    "P12.24", "RewritingFast.DecideRooted", rewriting.unrooted, quick=lambda covered, result: result is None or result in covered
)
def fast_unrooted(entries: Sequence[Entry], covered: Cover, result: Id | None) -> bool:
    return (result is None) == d.rooted(tuple(entries), frozenset(covered))


@law(
    "P12.24",
    "RewritingFast.Cuts",
    rewriting.cuts,
    quick=lambda result: result[0] == 0 and all(a < b for a, b in pairwise(result)),
)
def fast_cuts(entries: Sequence[Entry], result: Sequence[int]) -> bool:
    return [*result] == [place for place in range(len(entries) + 1) if d.is_cut(tuple(entries), place)]


# ---- stubs


@law(
    "P13.1", "DropWithStubIsDropAndStub StubStandsInPlace NothingCoveredLeavesNoStub", rewriting.drop_with_stub,
    quick=lambda log, covered, stub, result: (stub.uuid in result) == any(uuid in log for uuid in covered),
)  # fmt: skip
def drop_with_stub_is_drop_and_stub(log: Log, covered: Cover, stub: Entry, result: Log) -> bool:
    entries, ids, made = tuple(log), frozenset(covered), tuple(result)
    first = d.keep(entries, ids)[:1]
    return (
        made == d.drop_with_stub(entries, ids, stub)
        and d.well_formed(made)
        and d.drop(made, frozenset({stub.uuid})) == d.drop(entries, ids)
        and all(result.entry(stub.uuid) == stub._replace(parent=d.heir(entries, ids, one.uuid)) for one in first)
        and (bool(first) or result == log)
    )


@law("P13.2", "SilentStubKeepsBooks", rewriting.drop_with_stub)
def silent_stub_keeps_books(log: Log, covered: Cover, stub: Entry, result: Log) -> bool:
    if not _silent(stub):
        return True
    plain = rewriting.drop(log, covered)
    keeps = d.whole_for_tools(tuple(log), frozenset(covered))
    return balance.run(balance.BLANK, result) == balance.run(balance.BLANK, plain) and (
        not _balanced(log) or _balanced(result) == keeps
    )


@law("P13.3", "DropsWithStubsCommute")
def drops_with_stubs_commute(log: Log, covered: Cover, more: Cover, stub: Entry) -> bool:
    rest, other = more - covered, stub._replace(uuid="another stub")
    one = rewriting.drop_with_stub(rewriting.drop_with_stub(log, covered, stub), rest, other)
    return one == rewriting.drop_with_stub(rewriting.drop_with_stub(log, rest, other), covered, stub)


@law("P13.4", "ContextAfterDropWithStub ContextBesideStub", rewriting.drop_with_stub)
def context_after_drop_with_stub(log: Log, covered: Cover, stub: Entry, result: Log) -> bool:
    entries, ids = tuple(log), frozenset(covered)
    if not _whole_and_rooted(entries, covered) or not _beside(entries, stub):
        return True

    def same(uuid: Id) -> bool:
        before, after = d.context(entries, uuid), contexts.context(result, uuid)
        return after == d.drop_with_stub(before, ids, stub) and (bool(ids & d.uuids(before)) or after == before)

    return all(same(entry.uuid) for entry in log if entry.uuid not in covered)


@law(
    "P13.5", "CompactIsWellFormed CompactHoldsExactlyTheRest", rewriting.compact,
    quick=lambda log, count, stub, result: (
        len(result) == len(log) - count + 1
        and result[0].uuid == stub.uuid
        and all(_alike(new, log[count + place]) for place, new in enumerate(tuple(result)[1:]))
    ),
)  # fmt: skip
def compact_is_well_formed(log: Log, count: int, stub: Entry, result: Log) -> bool:
    before = d.uuids(tuple(log)[:count])
    rest = tuple(one._replace(parent=stub.uuid if one.parent in before else one.parent) for one in tuple(log)[count:])
    return d.well_formed(tuple(result)) and tuple(result) == (stub._replace(parent=None), *rest) == d.compact(
        tuple(log), count, stub
    )


@law(
    "P13.6", "CompactIsDropOfPrefixExactly", rewriting.stray,
    quick=lambda log, count, result: result is None or log.position(result) >= count,
)  # fmt: skip
def compact_is_drop_of_prefix_exactly(log: Log, count: int, result: Id | None) -> bool:
    entries, stub = tuple(log), Entry("a stub that is new")
    if (result is None) != d.hangs_on_first(entries, count):
        return False
    if result is not None:
        above = log.entry(result).parent
        if above is None or log.position(above) >= count or d.ancestry(entries, above)[0] == log[0]:
            return False
    dropped = rewriting.drop_with_stub(log, d.uuids(entries[:count]), stub)
    return count == 0 or (rewriting.compact(log, count, stub) == dropped) == (result is None)


@law("P13.7", "CompactIsDropOfOneRootedPrefix SecondRootIsLostAnywhere", rewriting.stray)
def compact_is_drop_of_one_rooted_prefix(log: Log, count: int, result: Id | None) -> bool:
    """A second root is lost as soon as an entry behind the prefix continues it."""
    roots = [entry.uuid for entry in tuple(log)[:count] if entry.parent is None]
    if len(roots) <= 1:
        return result is None
    new, stub = Entry("an entry that is new", roots[1]), Entry("a stub that is new")
    longer = log.append(new)
    dropped = rewriting.drop_with_stub(longer, d.uuids(tuple(log)[:count]), stub)
    found = rewriting.stray(longer, count)
    return found is not None and (count < len(log) or found == new.uuid) and rewriting.compact(longer, count, stub) != dropped


@law("P13.8", "StubRuleExactly", rewriting.stub_reasons)
def stub_rule_exactly(entries: Sequence[Entry], covered: Cover, notes: Notes, result: StubReasons) -> bool:
    log, ids = tuple(entries), frozenset(covered)
    there, left = d.uuids(log), d.drop(tuple(entries), ids)
    stays = [
        all(one.uuid not in ids for one in log if d.uses_of(one) & notes.effects),
        all(uuid not in ids for one in left for uuid in notes.refers.get(one.uuid, ()) if uuid in there),
        all(_ids(d.as_of(left, one.uuid)) == _ids(d.as_of(log, one.uuid)) for one in left if one.uuid in notes.decisions),
    ]
    told = [d.covers_effect(log, ids, notes), d.covers_reference(log, ids, notes), d.covers_before_decision(log, ids, notes)]
    if [reason is None for reason in result] != stays or told != [not one for one in stays]:
        return False
    effect, reference, decision = result
    place = {one.uuid: number for number, one in enumerate(log)}
    return (
        (effect is None or (effect in ids and bool(d.uses_of(log[place[effect]]) & notes.effects)))
        and (reference is None or reference.covered in notes.refers[reference.left])
        and (decision is None or place[decision.covered] < place[decision.left])
    )


@law("P13.9", "CompactKeepsBalanceExactly", rewriting.compact)
def compact_keeps_balance_exactly(log: Log, count: int, stub: Entry, result: Log) -> bool:
    return not (_balanced(log) and _silent(stub)) or _balanced(result) == _balanced(tuple(log)[:count])


@law("P13.10", "LegalPointsStayLegalWithStub", rewriting.drop_with_stub)
def legal_points_stay_legal_with_stub(log: Log, covered: Cover, stub: Entry, result: Log) -> bool:
    entries = tuple(log)
    if not _whole_and_rooted(entries, covered) or not _beside(entries, stub):
        return True
    return _stay_good(entries, result, covered)
