"""Chapter 7: P4 fork-preserves-ancestry, and growth."""

from __future__ import annotations

from forkpoint.core import ancestries, balance, contexts, forks
from forkpoint.core.entries import Entry, Id, Log, Opaque, fits
from forkpoint.laws import definitions as d
from forkpoint.laws import law
from forkpoint.laws.definitions import Entries


@law("P4.13", "ForkIsWellFormed ForkPrefixIsWellFormed AppendIsWellFormed", forks.fork, forks.fork_prefix)
def fork_is_well_formed(result: Log) -> bool:
    return d.well_formed(tuple(result))


@law("P4.13", "AppendIsWellFormed", forks.append)
def append_is_well_formed(log: Log, entry: Entry, result: Log) -> bool:
    return fits(log, entry) and d.well_formed(tuple(result))


def _has_structure(log: Entries) -> bool:
    return d.unique_uuids(log) and d.no_dangling_parents(log) and d.acyclic(log)


@law("P4.14", "OperationsPreserveStructure", forks.fork, forks.fork_prefix)
def operations_preserve_structure(result: Log) -> bool:
    return _has_structure(tuple(result))


@law("P4.14", "OperationsPreserveStructure", forks.append)
def append_preserves_structure(result: Log) -> bool:
    return _has_structure(tuple(result))


@law("P4.15", "ForkHoldsExactlyTheContext", forks.fork, quick=lambda uuid, result: result[-1].uuid == uuid)
def fork_holds_exactly_the_context(log: Log, uuid: Id, result: Log) -> bool:
    return tuple(result) == d.context(tuple(log), uuid) and all(entry == log.entry(entry.uuid) for entry in result)


@law("P4.16", "ForkPreservesAncestry ForkPrefixPreservesAncestry", forks.fork, forks.fork_prefix)
def fork_preserves_ancestry(log: Log, result: Log) -> bool:
    return all(ancestries.ancestry(result, kept.uuid) == d.ancestry(tuple(log), kept.uuid) for kept in result)


@law("P4.17", "ForkPreservesContexts ForkPrefixPreservesContexts", forks.fork, forks.fork_prefix)
def fork_preserves_contexts(log: Log, result: Log) -> bool:
    return all(
        contexts.context(result, kept.uuid) == d.context(tuple(result), kept.uuid) == d.context(tuple(log), kept.uuid)
        for kept in result
    )


@law("P4.18", "ForkOfForkIsFork ForkingAgainChangesNothing", forks.fork)
def fork_of_fork_is_fork(log: Log, uuid: Id, result: Log) -> bool:
    return all(forks.fork(result, kept.uuid) == forks.fork(log, kept.uuid) for kept in result) and (
        forks.fork(result, uuid) == result
    )


@law("P4.19", "ForkPreservesBalance", forks.fork)
def fork_preserves_balance(log: Log, result: Log) -> bool:
    return all(
        balance.balanced(contexts.context(result, kept.uuid))
        == d.paired_by_id_and_order(d.blocks(d.context(tuple(log), kept.uuid)))
        for kept in result
    )


@law("P4.20", "ForkKeepsLegal ForkPrefixKeepsLegal", forks.fork)
def fork_keeps_legal(log: Log, uuid: Id, result: Log) -> bool:
    settled = d.settled(tuple(log), uuid)

    def fits_in(before: bool, after: bool) -> bool:
        return after == before if settled else after or not before

    return all(fits_in(d.legal(tuple(log), kept.uuid), balance.legal(result, kept.uuid)) for kept in result)


@law("P4.20", "ForkPrefixKeepsLegal", forks.fork_prefix)
def fork_prefix_keeps_legal(log: Log, result: Log) -> bool:
    before, after = tuple(log), tuple(result)
    return all(
        (balance.legal(result, kept.uuid) or not d.legal(before, kept.uuid))
        and (d.resumable(after, kept.uuid) or not d.resumable(before, kept.uuid))
        for kept in result
    )


@law("P4.21", "ForkIsSharedPrefixOfContinuation", forks.fork)
def fork_is_shared_prefix_of_continuation(log: Log, uuid: Id, result: Log) -> bool:
    """Continued by all that the log holds, one below the other: by parts of its messages, by calls and by results."""
    after = result
    for number, entry in enumerate(log):
        after = forks.append(after, entry._replace(uuid=f"more {number}", parent=after[-1].uuid))
    whole = d.well_formed(tuple(after)) and contexts.context(after, after[-1].uuid) == tuple(after)
    return whole and tuple(after)[: -len(log)] == d.context(tuple(log), uuid)


@law(
    "P4.22", "AppendAddsExactlyOne AppendKeepsOldAncestries", forks.append,
    quick=lambda log, entry, result: len(result) == len(log) + 1 and result[-1] == entry,
)  # fmt: skip
def append_adds_exactly_one(log: Log, entry: Entry, result: Log) -> bool:
    before = tuple(log)
    return tuple(result) == (*before, entry) and all(
        ancestries.ancestry(result, old.uuid) == d.ancestry(before, old.uuid) for old in before
    )


@law("P4.23", "AppendKeepsOldContexts", forks.append)
def append_keeps_old_contexts(log: Log, result: Log) -> bool:
    return all(contexts.context(result, old.uuid) == d.context(tuple(log), old.uuid) for old in log)


@law("P4.24", "LegalSurvivesAppendExactly NewAnswersLeaveResumablePoints", forks.append)
def legal_survives_append_exactly(log: Log, entry: Entry, result: Log) -> bool:
    before = tuple(log)

    def survives(uuid: Id, was: bool) -> bool:
        return was and not any(d.needs(member, entry) for member in d.context(before, uuid))

    return all(
        balance.legal(result, old.uuid) == survives(old.uuid, d.legal(before, old.uuid))
        and balance.resumable(result, old.uuid) == survives(old.uuid, d.resumable(before, old.uuid))
        for old in before
    )


def _goes_on(log: Log, entry: Entry) -> bool:
    """Nothing else was to come for what it continues, and it needs nothing else of the log."""
    assert entry.parent is not None
    needed = {old.uuid for old in log if d.needs(entry, old)}
    return d.settled(tuple(log), entry.parent) and needed <= d.members(tuple(log), entry.parent)


@law("P4.25", "AppendContextIsContextAndEntry", forks.append)
def append_context_is_context_and_entry(log: Log, entry: Entry, result: Log) -> bool:
    if entry.parent is None:
        return True
    one_more = contexts.context(result, entry.uuid) == (*d.context(tuple(log), entry.parent), entry)
    return one_more == _goes_on(log, entry)


@law("P4.26", "BranchThenForkIsForkThenAppend", forks.append)
def branch_then_fork_is_fork_then_append(log: Log, entry: Entry, result: Log) -> bool:
    if entry.parent is None:
        return True
    same = forks.fork(result, entry.uuid) == forks.append(forks.fork(log, entry.parent), entry)
    return same == _goes_on(log, entry)


@law("P4.27", "PromptAtResumablePointGoesOn", forks.fork)
def prompt_at_resumable_point_goes_on(log: Log, uuid: Id, result: Log) -> bool:
    if not d.resumable(tuple(log), uuid):
        return True
    prompt = Entry("a prompt that is new", uuid, blocks=(Opaque(),))
    longer = forks.append(log, prompt)
    return (
        forks.fork(longer, prompt.uuid) == forks.append(result, prompt)
        and contexts.context(longer, prompt.uuid) == (*d.context(tuple(log), uuid), prompt)
        and d.resumable(tuple(longer), prompt.uuid)
    )


@law("P4.28", "ForkLineageIsAnEndOfLineage AppendKeepsOldLineages ForkPrefixPreservesLineage", forks.fork)
def fork_lineage_is_an_end_of_lineage(log: Log, result: Log) -> bool:
    def ends(kept: Id) -> bool:
        before, after = ancestries.lineage(log, kept).entries, ancestries.lineage(result, kept).entries
        return before[len(before) - len(after) :] == after

    return all(ends(kept.uuid) for kept in result)


@law("P4.28", "ForkPrefixPreservesLineage", forks.fork_prefix)
def fork_prefix_preserves_lineage(log: Log, result: Log) -> bool:
    return all(ancestries.lineage(result, kept.uuid) == ancestries.lineage(log, kept.uuid) for kept in result)


@law("P4.28", "AppendKeepsOldLineages", forks.append)
def append_keeps_old_lineages(log: Log, result: Log) -> bool:
    return all(ancestries.lineage(result, kept.uuid) == ancestries.lineage(log, kept.uuid) for kept in log)


@law(
    "P4.29", "ForkIsForkPrefixOnLinearLogs ForkIsForkPrefixExactly LinearIsWellFormed", forks.fork_prefix,
    quick=lambda log, uuid, result: len(result) == log.position(uuid) + 1 and result[-1].uuid == uuid,
)  # fmt: skip
def fork_is_fork_prefix_on_linear_logs(log: Log, uuid: Id, result: Log) -> bool:
    """In general they are the same exactly if all up to the point is in its context."""
    entries, made = tuple(log), forks.fork(log, uuid)
    same = d.uuids(d.as_of(entries, uuid)) == d.members(entries, uuid)
    return (
        tuple(result) == d.as_of(entries, uuid)
        and (made == result) == same
        and forks.linear(log) == d.linear(entries)
        and (same or not d.linear(entries))
    )
