"""Chapter 5: P3 tools-balanced; resumable and legal points."""

from __future__ import annotations

from collections.abc import Sequence

from forkpoint.core import balance, contexts
from forkpoint.core.balance import Survey
from forkpoint.core.entries import Entry, Id, Log
from forkpoint.laws import definitions as d
from forkpoint.laws import law


@law("P3.1", "BalancedIsPairedByIdAndOrder PairedIsCountedAndOrdered", balance.balanced)
def balanced_is_paired_by_id_and_order(entries: Sequence[Entry], result: bool) -> bool:
    return result == d.paired_by_id_and_order(d.blocks(entries))


@law("P3.2", "ContextIsContextAndAdded BalanceIsCompositional ParentsBooksGoOn")
def balance_is_compositional(log: Log, uuid: Id) -> bool:
    entries, parent = tuple(log), log.entry(uuid).parent
    if parent is None:
        return True
    above, here = d.members(entries, parent), d.members(entries, uuid)
    before, added = d.keep(entries, above), d.keep(entries, here - above)
    condition = all(one in above or log.position(one) > log.position(parent) for one in here)
    books = balance.run(balance.run(balance.BLANK, before), added)
    return condition == (d.context(entries, uuid) == before + added) and (
        not condition or balance.run(balance.BLANK, contexts.context(log, uuid)) == books
    )


@law("P3.3", "LegalPointsAreBalanced", balance.legal)
def legal_points_are_balanced(log: Log, uuid: Id, result: bool) -> bool:
    return result == d.legal(tuple(log), uuid) and (not result or d.paired_by_id_and_order(d.blocks(d.context(tuple(log), uuid))))


@law(
    "P3.4", "BalanceFast.Survey", balance.survey,
    quick=lambda log, result: len(result.balanced) == len(result.settled) == len(result.legal) == len(log),
)  # fmt: skip
def survey(log: Log, result: Survey) -> bool:
    entries = tuple(log)
    return all(
        result.balanced[position] == d.paired_by_id_and_order(d.blocks(d.context(entries, entry.uuid)))
        and result.settled[position] == d.settled(entries, entry.uuid)
        and result.legal[position] == d.legal(entries, entry.uuid)
        and result.resumable(position) == d.resumable(entries, entry.uuid) == balance.resumable(log, entry.uuid)
        for position, entry in enumerate(log)
    )


@law("P3.4", "BalanceFast.Survey", balance.resumable)
def survey_of_one(log: Log, uuid: Id, result: bool) -> bool:
    return result == d.resumable(tuple(log), uuid)
