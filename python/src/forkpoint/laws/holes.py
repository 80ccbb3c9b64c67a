"""Chapter 19: P3, over what is sent and over what is not known."""

from __future__ import annotations

from collections.abc import Sequence, Set

from forkpoint.core import balance, contexts, holes, rendering
from forkpoint.core.entries import Entry, Id, Kind, Log, Result, Use
from forkpoint.core.holes import AnswerTo, Aside, Fragment, PartOf
from forkpoint.core.rendering import Preservation
from forkpoint.laws import definitions as d
from forkpoint.laws import law


@law("P3.11", "WhatIsSentIsPaired ForkKeepsLegalToSend", holes.legal_to_send)
def what_is_sent_is_paired(log: Log, preserved: Preservation, uuid: Id, result: bool) -> bool:
    sent = tuple(rendering.rendered(log, preserved, uuid))
    if result != (d.legal(tuple(log), uuid) and d.paired_by_id_and_order(d.blocks(sent))):
        return False
    if not any(entry.uuid in preserved for entry in log if entry.parent is None) and result != d.legal(tuple(log), uuid):
        return False
    paired = d.paired_by_id_and_order(d.blocks(d.context(tuple(log), uuid)))
    return not result or (paired and holes.legal_to_send(rendering.fork_kept(log, preserved, uuid), preserved, uuid))


def _fresh(log: Log, possible: Sequence[Entry]) -> list[Entry]:
    """Of some entries those that stand nowhere in the log."""
    return [one for one in possible if one.uuid not in log]


@law("P3.12", "UnneededFillingsChangeNothing WhatFillsHoldsAll")
def unneeded_fillings_change_nothing(log: Log, possible: Sequence[Entry], uuid: Id) -> bool:
    """Of one entry or two, wherever they stood."""
    unneeded = [one for one in _fresh(log, possible) if not d.needed(tuple(log), uuid, one)]
    own = contexts.context(log, uuid)
    return all(
        contexts.context(Log(whole), uuid) == own
        and contexts.settled(Log(whole), uuid) == contexts.settled(log, uuid)
        and balance.legal(Log(whole), uuid) == balance.legal(log, uuid)
        for whole in d.fillings(tuple(log), unneeded)
    )


@law("P3.13", "LegalInEachExactly WrittenLast WhatFitsMayHaveStood NeededBehindIsNotLegal")
def legal_in_each_exactly(log: Log, possible: Sequence[Entry], uuid: Id) -> bool:
    """Of holes that held two entries at most, together."""
    may = _fresh(log, possible)
    stood = [one for one in may if any(one in whole for whole in d.fillings(tuple(log), may))]
    beside = balance.legal(log, uuid) and not any(holes.needed_at(log, uuid, one) for one in stood)
    return d.legal_in_each(tuple(log), uuid, may) == beside


@law("P3.13", "LegalInEachExactly", holes.needed_at)
def needed_is_what_needs(log: Log, uuid: Id, entry: Entry, result: bool) -> bool:
    return result == d.needed(tuple(log), uuid, entry)


def _witness(fragment: Fragment) -> Entry:
    """An entry that says what was read."""
    match fragment:
        case PartOf(message):
            return Entry("lost", kind=Kind.ASSISTANT, message=message)
        case AnswerTo(calls):
            return Entry("lost", kind=Kind.USER, blocks=tuple(map(Result, sorted(calls, key=str))))
        case Aside():
            return Entry("lost", kind=Kind.SYSTEM)


@law("P3.14", "FragmentsDecideExactly", holes.wants)
def fragments_decide_exactly(entry: Entry, fragment: Fragment, result: bool) -> bool:
    lost = _witness(fragment)
    return entry.parent == lost.uuid or result == (holes.says(fragment, lost) and d.needs(entry, lost))


@law("P3.14", "FragmentsDecideExactly", holes.says)
def what_says_so_is_needed_where_it_is_wanted(fragment: Fragment, entry: Entry, result: bool) -> bool:
    if isinstance(fragment, PartOf):
        return result == (entry.kind is Kind.ASSISTANT and entry.message == fragment.message)
    if isinstance(fragment, Aside):
        return result == (entry.kind not in (Kind.USER, Kind.ASSISTANT))
    answers = {block.id for block in entry.blocks if isinstance(block, Result)}
    return result == (entry.kind is Kind.USER and answers == fragment.calls)


def _shows_a_call(entries: Sequence[Entry], message: Id) -> bool:
    parts = [entry for entry in entries if entry.kind is Kind.ASSISTANT and entry.message == message]
    return any(isinstance(block, Use) for part in parts for block in part.blocks)


@law("P3.15", "AnAnnouncedCallIsMissed UnkeptOfOneMore", holes.unkept)
def an_announced_call_is_missed(log: Log, announced: Set[Id], result: frozenset[Id]) -> bool:
    """Where one lost part made the call, wherever it stood."""
    if result != {message for message in announced if not _shows_a_call(tuple(log), message)}:
        return False

    def missed(part: Entry, lost: Entry) -> bool:
        return holes.wants(part, PartOf(lost.message)) and not any(
            contexts.context(Log(whole), part.uuid) == contexts.context(log, part.uuid) and balance.legal(Log(whole), part.uuid)
            for whole in d.fillings(tuple(log), [lost])
            if len(whole) > len(log)
        )

    return all(
        missed(part, Entry("lost", part.uuid, kind=Kind.ASSISTANT, message=part.message, blocks=(Use("lost"),)))
        for part in log
        if part.kind is Kind.ASSISTANT and part.message in result
    )
