"""Chapter 23: what hangs below the conversation, and what a fork that keeps it keeps."""

from __future__ import annotations

from collections.abc import Sequence

from forkpoint.core import balance, certificates, forks, holes, merging, rendering, rewriting, stores, trims
from forkpoint.core import below as port
from forkpoint.core.below import Sides
from forkpoint.core.certificates import Reading, Request
from forkpoint.core.entries import Entry, Id, Kind, Log
from forkpoint.core.rendering import Preservation
from forkpoint.core.stores import Session
from forkpoint.core.trims import Faces
from forkpoint.laws import definitions as d
from forkpoint.laws import law


@law("P27.1", "BelowStandsAside SentBesideStandsAside", port.sent_beside)
def below_stands_aside(log: Log, preserved: Preservation, sides: Sides, uuid: Id, end: int, result: frozenset[Id]) -> bool:
    entries = tuple(log)
    own = port.beneath(log, preserved, sides, uuid)
    before = all(log.position(one) < log.position(uuid) for one in own)
    return before and own <= result <= d.uuids(entries) and not result & d.kept(entries, preserved, uuid)


@law("P27.2", "BelowHangsOnWhatIsSent TrailingHangsTogether", port.sent_beside)
def below_hangs_on_what_is_sent(log: Log, preserved: Preservation, uuid: Id, result: frozenset[Id]) -> bool:
    sent = result | d.kept(tuple(log), preserved, uuid)
    return all(log.entry(one).parent in sent for one in result)


@law("P27.3", "BelowIsSilent", port.sent_beside)
def below_is_silent(log: Log, sides: Sides, result: frozenset[Id]) -> bool:
    found = [log.entry(one) for one in result]
    alone = all(d.is_aside(sides, entry) or d.is_passed_over(entry) for entry in found)
    needed = any(d.mates(one, entry) or d.answers(one, entry) or d.answers(entry, one) for entry in found for one in log)
    return alone and not needed


@law("P27.4", "BelowIsChains HangingIsInSomeChain", port.beneath)
def below_is_chains(log: Log, preserved: Preservation, sides: Sides, uuid: Id, result: frozenset[Id]) -> bool:
    return bool(result == d.beneath(tuple(log), preserved, sides, uuid))


@law("P27.5", "ForkBelowHoldsExactly ForkBelowIsWellFormed", port.fork_below)
def fork_below_holds_exactly(log: Log, preserved: Preservation, sides: Sides, uuid: Id, result: Log) -> bool:
    entries = tuple(log)
    ids = d.kept(entries, preserved, uuid) | d.beneath(entries, preserved, sides, uuid)
    return tuple(result) == d.keep(entries, ids) and d.well_formed(tuple(result)) and result[-1].uuid == uuid


@law("P27.6", "ForkBelowPreservesContexts", port.fork_below)
def fork_below_preserves_contexts(log: Log, result: Log) -> bool:
    before, after = tuple(log), tuple(result)
    return all(
        d.ancestry(after, kept.uuid) == d.ancestry(before, kept.uuid)
        and d.context(after, kept.uuid) == d.context(before, kept.uuid)
        for kept in result
    )


@law("P27.7", "BelowOfForkBelow ForkBelowOfForkBelow TrailingInKeep", port.fork_below)
def below_of_fork_below(log: Log, preserved: Preservation, sides: Sides, uuid: Id, result: Log) -> bool:
    same = port.beneath(result, preserved, sides, uuid) == d.beneath(tuple(log), preserved, sides, uuid)
    return same and port.fork_below(result, preserved, sides, uuid) == result


@law("P27.8", "AppendKeepsBelow BelowIsAsOf AppendKeepsWhatIsSent PrefixHasWhatIsSent UnionKeepsWhatIsSent", port.fork_below)
def growth_keeps_what_is_sent(log: Log, preserved: Preservation, sides: Sides, uuid: Id, result: Log) -> bool:
    end, told = len(log), Sides({GROWN, *(one for one in d.uuids(log) if one in sides.aside)}, sides.said)
    longer = [forks.append(log, Entry(GROWN, one.uuid, kind=kind)) for one in log for kind in (Kind.ATTACHMENT, Kind.ASSISTANT)]
    longer.append(merging.union(log, Log([Entry(GROWN), *(one for one in log if one.parent is None)])))
    sent = port.fork_sent(log, preserved, sides, uuid, end)
    return port.fork_below(log.as_of(uuid), preserved, sides, uuid) == result and all(
        port.fork_below(one, preserved, told, uuid) == result and port.fork_sent(one, preserved, told, uuid, end) == sent
        for one in longer
    )


GROWN = "one more"
"""The uuid of an entry that is in no log."""


@law("P27.9", "BalancedWithBelow ForkBelowIsBalancedExactly ForkSentIsBalancedExactly", port.fork_sent)
def sent_is_balanced_exactly(log: Log, preserved: Preservation, uuid: Id, result: Log) -> bool:
    return balance.balanced(tuple(result)) == balance.balanced(tuple(rendering.fork_kept(log, preserved, uuid)))


@law("P27.10", "LegalWithBelow LegalToSendWithBelow ForkBelowPreservesRendering", port.fork_below)
def legal_with_below(log: Log, preserved: Preservation, uuid: Id, result: Log) -> bool:
    legal = not d.legal(tuple(log), uuid) or d.legal(tuple(result), uuid)
    sent = not holes.legal_to_send(log, preserved, uuid) or holes.legal_to_send(result, preserved, uuid)
    return legal and sent and rendering.rendered(result, preserved, uuid) == rendering.rendered(log, preserved, uuid)


@law("P27.11", "NoSideEntriesNoBelow NoCallsNothingBelow", port.fork_below)
def without_side_entries_nothing_is_below(log: Log, preserved: Preservation, sides: Sides, uuid: Id, result: Log) -> bool:
    older = rendering.fork_kept(log, preserved, uuid)
    calls = d.call_parts(d.as_of(tuple(log), uuid), d.way(tuple(log), preserved, uuid))
    told = any(entry.uuid in sides.aside for entry in log)
    nothing = port.fork_below(log, preserved, Sides(frozenset(), sides.said), uuid) == older
    return nothing and (bool(told and calls) or result == older)


@law("P27.12", "ForkKeptLeavesBelow", port.fork_below)
def fork_kept_leaves_below(log: Log, preserved: Preservation, uuid: Id, result: Log) -> bool:
    older = rendering.fork_kept(log, preserved, uuid)
    return d.keep(tuple(result), d.kept(tuple(log), preserved, uuid)) == tuple(older)


@law("P27.13", "ForkSentHoldsExactly ForkSentOfForkSent", port.fork_sent)
def fork_sent_holds_exactly(log: Log, preserved: Preservation, sides: Sides, uuid: Id, end: int, result: Log) -> bool:
    wanted, sent = d.fork_sent(tuple(log), preserved, sides, uuid, end), d.uuids(result)
    again = port.fork_sent(result, preserved, sides, uuid, len(result)) == result
    whole = again or all(d.members(tuple(log), one) <= sent for one in sent)
    return tuple(result) == wanted and d.well_formed(tuple(result)) and (again or not whole)


@law("P27.14", "ForkSentPreservesContexts", port.fork_sent)
def fork_sent_preserves_contexts(log: Log, preserved: Preservation, sides: Sides, uuid: Id, result: Log) -> bool:
    before, after = tuple(log), tuple(result)
    own = d.kept(before, preserved, uuid) | port.beneath(log, preserved, sides, uuid)
    return all(
        d.ancestry(after, one) == d.ancestry(before, one) and d.context(after, one) == d.context(before, one) for one in own
    )


@law("P27.15", "TrimKeepsWhatIsSent")
def trim_keeps_what_is_sent(log: Log, preserved: Preservation, sides: Sides, uuid: Id, end: int, faces: Faces) -> bool:
    short = trims.trim(log, faces)
    same = port.sent_beside(short, preserved, sides, uuid, end) == port.sent_beside(log, preserved, sides, uuid, end)
    fork = port.fork_sent(log, preserved, sides, uuid, end)
    return same and port.fork_sent(short, preserved, sides, uuid, end) == trims.trim(fork, faces)


@law("P27.16", "DropKeepsWhatHangs")
def drop_keeps_what_hangs(log: Log, preserved: Preservation, sides: Sides, uuid: Id, end: int, covered: frozenset[Id]) -> bool:
    """Of a cover, and what of that which is sent beside hangs on it."""
    beside = port.sent_beside(log, preserved, sides, uuid, end)
    for entry in log:
        if entry.uuid in beside and entry.parent in covered:
            covered |= {entry.uuid}
    left = rewriting.drop(port.fork_sent(log, preserved, sides, uuid, end), covered)
    return d.well_formed(tuple(left)) and all(left.entry(one) == log.entry(one) for one in beside - covered)


@law("P27.17", "AcceptedFileHoldsWhatIsSent")
def accepted_file_holds_what_is_sent(log: Log, preserved: Preservation, sides: Sides, uuid: Id, end: int) -> bool:
    """Of each file near the one that was asked for; its lines are numbers of entries."""
    sent = port.fork_sent(log, preserved, sides, uuid, end)
    names = {str(at).encode(): entry for at, entry in enumerate(log)}
    lines = {entry.uuid: name for name, entry in names.items()}
    reading: Reading[bytes] = Reading(
        lambda line: names[line].uuid if line in names else None,
        lambda line: next((entry.uuid for name, entry in names.items() if line == b"head " + name), None),
    )
    request: Request[bytes, bytes] = Request([entry.uuid for entry in sent], lines, bytes.__eq__, lambda *_: False)
    right = [*(lines[entry.uuid] for entry in sent), b"head " + lines[sent[-1].uuid]]
    return certificates.accepts(reading, request, right) and all(
        [names[line] for line in d.entry_lines(reading, file)] == list(sent)
        for file in d.near(right)
        if certificates.accepts(reading, request, file)
    )


@law("P27.18", "ClientLoadsTheConversationExactly", port.loaded)
def client_loads_the_conversation_exactly(log: Log, uuid: Id, result: frozenset[Id]) -> bool:
    entries = tuple(log)
    before = entries[: log.position(uuid) + 1]
    enough = d.closed(before, result)
    whole = result == d.members(entries, uuid) and d.keep(entries, result) == d.context(entries, uuid)
    return result == d.loaded(entries, uuid) and result <= d.members(entries, uuid) and whole == enough


@law("P4.48", "ForkOfAFileIsSentAsTheFileWas ForkIsSentAsTheLogWas ForkEndsAtItsPoint NothingTrailsBehindTheEnd")
def fork_of_a_file_is_sent_as_the_file_was(log: Log, preserved: Preservation, sides: Sides, uuid: Id, end: int) -> bool:
    """Of the file that holds the log, and each file near the one that was asked for."""
    form = d.Format()
    source = Session(log, {one: what for one, what in preserved.items() if one in log}, head=log[-1].uuid)
    lines = {entry.uuid: form.entry_line(d.told_of(source, entry)) for entry in log}
    read = d.session_of(form, b"".join(line + b"\n" for line in lines.values()))
    fork = port.fork_sent(log, preserved, sides, uuid, end)
    reading: Reading[bytes] = Reading(lambda line: None if (told := form.told(line)) is None else told.entry.uuid, form.head)
    request: Request[bytes, bytes] = Request([entry.uuid for entry in fork], lines, bytes.__eq__, lambda *_: False)
    right = [*(lines[entry.uuid] for entry in fork), form.head_line(fork[-1].uuid)]
    beside = port.sent_beside(log, preserved, sides, uuid, end)
    whole = all(d.members(tuple(log), one) <= d.uuids(fork) for one in d.uuids(fork))
    behind = any(log.position(one) > log.position(uuid) for one in beside)

    def as_it_was(file: Sequence[bytes]) -> bool:
        made = d.session_of(form, b"".join(line + b"\n" for line in file))
        return (
            made == stores.part_of(source, fork, fork[-1].uuid)
            and (behind or made.head == uuid)
            and (
                not whole
                or (
                    d.rendered(tuple(made.log), made.preserved, uuid) == d.rendered(tuple(log), preserved, uuid)
                    and port.sent_beside(made.log, made.preserved, sides, uuid, len(made.log)) == beside
                )
            )
        )

    accepted = [file for file in d.near(right) if all(map(form.reader, file)) and certificates.accepts(reading, request, file)]
    return read == source and right in accepted and all(map(as_it_was, accepted))
