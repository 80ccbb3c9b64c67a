"""Chapter 10: rendered contexts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from forkpoint.core import ancestries, balance, contexts, forks, order, rendering
from forkpoint.core.entries import Entry, Id, Log, Opaque
from forkpoint.core.rendering import NOTHING_PRESERVED, Crossing, Preservation, Preserved
from forkpoint.laws import definitions as d
from forkpoint.laws import law
from forkpoint.laws.definitions import Entries


def _ids(entries: Iterable[Entry]) -> list[Id]:
    return [entry.uuid for entry in entries]


def _crossed_again(log: Log, preserved: Preservation, uuid: Id) -> tuple[Crossing, tuple[Id, ...]] | None:
    """What is crossed, and what is sent again there."""
    crossing = d.crossed(tuple(log), preserved, uuid)
    return None if crossing is None else (crossing, d.sent_again(preserved, crossing))


@law(
    "P4.30",
    "RenderedHoldsExactly IsThereExactly",
    rendering.rendered,
    quick=lambda result: len({entry.uuid for entry in result}) == len(result),
)
def rendered_holds_exactly(log: Log, preserved: Preservation, uuid: Id, result: Entries) -> bool:
    entries, sent = tuple(log), _ids(result)
    own, again = d.members(entries, uuid), d.resent(entries, preserved, uuid)
    across = _crossed_again(log, preserved, uuid)
    held = own | set(again.uuids if again else ())
    if across is not None:
        crossing, listed = across
        what = preserved[crossing.boundary]
        if crossing.at not in what.uuids or not {crossing.boundary, what.anchor, *what.uuids} <= d.uuids(entries):
            return False
        held = d.members(entries, what.anchor) | set(listed) | (own - d.members(entries, crossing.at))
    return len(set(sent)) == len(sent) and set(sent) == held and all(entry == log.entry(entry.uuid) for entry in result)


@law("P4.31", "RenderedIsRestWithPreservedAfterAnchor RenderedIsSentAcross RenderedEndsIn", rendering.rendered)
def rendered_is_rest_with_preserved_after_anchor(log: Log, preserved: Preservation, uuid: Id, result: Entries) -> bool:
    sent, own = _ids(result), _ids(d.context(tuple(log), uuid))
    across, again = _crossed_again(log, preserved, uuid), d.resent(tuple(log), preserved, uuid)
    if across is not None:
        crossing, listed = across
        anchor = preserved[crossing.boundary].anchor
        before = [one for one in _ids(d.context(tuple(log), anchor)) if one not in listed]
        gone = {*before, *listed} | d.members(tuple(log), crossing.at) | d.members(tuple(log), anchor)
        return listed[-1] == crossing.at and sent == [*before, *listed, *(one for one in own if one not in gone)]
    if again is None:
        return sent == own
    rest = [one for one in own if one not in again.uuids]
    place = rest.index(again.anchor) + 1
    last = again.uuids[-1] if again.anchor == uuid and again.uuids else uuid
    return sent == [*rest[:place], *again.uuids, *rest[place:]] and sent[-1] == last


@law("P4.32", "RenderedIsContextWhereNothingIsResent NothingPreservedNothingResent")
def rendered_is_context_where_nothing_is_preserved(log: Log, uuid: Id) -> bool:
    """What is no root is no boundary."""
    children = {entry.uuid: Preserved(uuid, (log[0].uuid,)) for entry in log if entry.parent is not None}
    return all(
        rendering.rendered(log, preserved, uuid) == d.context(tuple(log), uuid)
        and rendering.kept_positions(log, preserved, uuid) == contexts.member_positions(log, uuid)
        and rendering.fork_kept(log, preserved, uuid) == forks.fork(log, uuid)
        for preserved in (NOTHING_PRESERVED, children)
    )


def _one_root(log: Log, uuid: Id) -> bool:
    return sum(log.entry(own).parent is None for own in d.members(tuple(log), uuid)) == 1


@law("P4.33", "KeptIsLeast KeptHoldsWhatIsSent KeptHoldsConversations KeptIsLeastThatSends", rendering.kept_positions)
def kept_is_least(log: Log, preserved: Preservation, uuid: Id, result: Sequence[int]) -> bool:
    entries = tuple(log)
    held = d.uuids(entries[position] for position in result)
    sent = d.uuids(d.rendered(entries, preserved, uuid))
    whole = held == d.kept(entries, preserved, uuid) and sent <= held and all(d.members(entries, one) <= held for one in held)
    if not whole or not _one_root(log, uuid):
        return whole
    crossing, again = d.crossed(entries, preserved, uuid), d.resent(entries, preserved, uuid)
    if crossing is not None:
        what = preserved[crossing.boundary]
        sent = sent.union([what.anchor], what.uuids, again.uuids if again else ())
    return held == sent.union(*(d.members(entries, one) for one in sent))


@law("P4.34", "KeptStandsBefore LastRootOfTheFork", rendering.fork_kept)
def kept_stands_before(log: Log, preserved: Preservation, uuid: Id, result: Log) -> bool:
    entries, own = tuple(log), d.members(tuple(log), uuid)
    crossing = d.crossed(entries, preserved, uuid)
    anchor = -1 if crossing is None else log.position(preserved[crossing.boundary].anchor)
    heeded = [log.position(one) for one in own if d.heeds(entries, preserved, own, one)]
    beside = [log.position(one) for one in d.uuids(result) - own]
    before = all(place <= anchor or any(place < boundary for boundary in heeded) for place in beside)
    if not before or not _one_root(log, uuid):
        return before
    last = [entry.uuid for entry in result if entry.parent is None][-1]
    if crossing is None:
        return last == d.ancestry(entries, uuid)[0].uuid
    return not _one_root(log, preserved[crossing.boundary].anchor) or last == crossing.boundary


@law("P4.35", "ForkKeptIsWellFormed ForkKeptIsCanonical", rendering.fork_kept)
def fork_kept_is_well_formed(result: Log) -> bool:
    return d.well_formed(tuple(result)) and order.canonical(tuple(result)) == result


@law("P4.36", "ForkKeptHoldsExactlyWhatIsKept", rendering.fork_kept, quick=lambda uuid, result: result[-1].uuid == uuid)
def fork_kept_holds_exactly_what_is_kept(log: Log, preserved: Preservation, uuid: Id, result: Log) -> bool:
    kept = d.keep(tuple(log), d.kept(tuple(log), preserved, uuid))
    return tuple(result) == kept and all(entry == log.entry(entry.uuid) for entry in result)


@law("P4.37", "ForkKeptPreservesAncestry", rendering.fork_kept)
def fork_kept_preserves_ancestry(log: Log, result: Log) -> bool:
    return all(ancestries.ancestry(result, kept.uuid) == d.ancestry(tuple(log), kept.uuid) for kept in result)


@law("P4.38", "ForkKeptPreservesContexts", rendering.fork_kept)
def fork_kept_preserves_contexts(log: Log, result: Log) -> bool:
    return all(contexts.context(result, kept.uuid) == d.context(tuple(log), kept.uuid) for kept in result)


@law("P4.39", "ForkKeptPreservesRendering ForkKeptPreservesRenderingWhereNeedsAreKept", rendering.fork_kept)
def fork_kept_preserves_rendering(log: Log, preserved: Preservation, uuid: Id, result: Log) -> bool:
    entries, held = tuple(log), d.uuids(result)
    here = d.crossed(entries, preserved, uuid)

    def crosses_another(one: Id) -> bool:
        crossing = d.crossed(entries, preserved, one)
        return crossing is not None and (here is None or here.boundary != crossing.boundary)

    def same(one: Id) -> bool:
        return rendering.rendered(result, preserved, one) == d.rendered(entries, preserved, one)

    inside = (one for one in d.members(entries, uuid) if not crosses_another(one))
    enough = (one for one in held if d.kept(entries, preserved, one) <= held)
    return all(same(one) and d.kept(entries, preserved, one) <= held for one in inside) and all(map(same, enough))


@law("P4.40", "ForkKeptOfForkKept ForkingKeptAgainChangesNothing", rendering.fork_kept)
def fork_kept_of_fork_kept(log: Log, preserved: Preservation, uuid: Id, result: Log) -> bool:
    def exactly(one: Id) -> bool:
        same = rendering.fork_kept(result, preserved, one) == rendering.fork_kept(log, preserved, one)
        return same == (d.kept(tuple(log), preserved, one) <= d.uuids(result))

    return rendering.fork_kept(result, preserved, uuid) == result and all(exactly(kept.uuid) for kept in result)


@law("P4.41", "ForkKeptIsForkExactly", rendering.fork_kept)
def fork_kept_is_fork_exactly(log: Log, preserved: Preservation, uuid: Id, result: Log) -> bool:
    reached = d.reaches(tuple(log), preserved, uuid)
    return (result == forks.fork(log, uuid)) == (reached <= d.members(tuple(log), uuid))


@law("P4.42", "ForkKeptKeepsLegal", rendering.fork_kept)
def fork_kept_keeps_legal(log: Log, uuid: Id, result: Log) -> bool:
    entries, left = tuple(log), tuple(result)

    def stays(one: Id) -> bool:
        return (d.legal(left, one) or not d.legal(entries, one)) and (d.resumable(left, one) or not d.resumable(entries, one))

    balanced = d.paired_by_id_and_order(d.blocks(d.context(entries, uuid)))
    return d.settled(left, uuid) and balance.resumable(result, uuid) == balanced and all(stays(kept.uuid) for kept in result)


@law("P4.43", "AppendKeepsOldRenderings")
def append_keeps_old_renderings(log: Log, preserved: Preservation, entry: Entry) -> bool:
    """Also where the new entry preserves something itself."""
    longer = forks.append(log, entry)
    more = {**preserved, entry.uuid: Preserved(log[0].uuid, (log[-1].uuid,))}
    return all(
        rendering.rendered(longer, more, old.uuid) == d.rendered(tuple(log), preserved, old.uuid)
        and rendering.kept_positions(longer, more, old.uuid) == rendering.kept_positions(log, preserved, old.uuid)
        for old in log
    )


@law("P4.44", "AppendRendersOneMore AppendRendersAcross BranchThenForkKeptIsForkKeptThenAppend")
def append_renders_one_more(log: Log, preserved: Preservation) -> bool:
    """A prompt at every settled entry."""

    def good(uuid: Id) -> bool:
        entries, prompt = tuple(log), Entry("a prompt that is new", uuid, blocks=(Opaque(),))
        longer = forks.append(log, prompt)
        sent = rendering.rendered(longer, preserved, prompt.uuid)
        last = [one.uuid for one in log if d.preserves(entries, preserved, one.uuid, uuid)][-1:]
        if last:
            anchor, listed = preserved[last[0]]
            again = listed[: listed.index(uuid) + 1]
            first = tuple(one for one in d.context(entries, anchor) if one.uuid not in again)
            return sent == (*first, *d.chosen(entries, again), prompt)
        kept = forks.append(rendering.fork_kept(log, preserved, uuid), prompt)
        return sent == (*d.rendered(entries, preserved, uuid), prompt) and (
            rendering.fork_kept(longer, preserved, prompt.uuid) == kept
        )

    return all(good(entry.uuid) for entry in log if d.settled(tuple(log), entry.uuid))


def _apart(one: Iterable[Entry], other: Iterable[Entry]) -> bool:
    """No tool id stands in both, be it of a call or of a result."""
    first, second = ({block.id for block in d.blocks(part) if not isinstance(block, Opaque)} for part in (one, other))
    return not first & second


@law("P4.45", "RenderedIsBalancedExactly RenderedAcrossIsBalancedExactly", rendering.rendered)
def rendered_is_balanced_exactly(log: Log, preserved: Preservation, uuid: Id, result: Entries) -> bool:
    across, again = _crossed_again(log, preserved, uuid), d.resent(tuple(log), preserved, uuid)
    listed = across[1] if across else again.uuids if again else ()
    sent, rest = d.chosen(tuple(log), listed), tuple(entry for entry in result if entry.uuid not in listed)
    context = d.context(tuple(log), uuid)
    if not across and not d.uuids(context) & {*listed} and rest != context:
        return False
    if not listed or not _apart(sent, rest):
        return True
    balanced = [d.paired_by_id_and_order(d.blocks(part)) for part in (result, sent, rest)]
    sound = [balance.sound(part) for part in (result, sent, rest)]
    return balanced[0] == (balanced[1] and balanced[2]) and sound[0] == (sound[1] and sound[2])


@law(
    "P4.46",
    "RenderingFast.FastKept RenderingFast.FastRendered RenderingFast.FastCrossed RenderingFast.FastRoot"
    " RenderingFast.DecideResolves RenderingFast.DecideHeeds",
    rendering.rendered_positions,
)
def fast_kept(log: Log, preserved: Preservation, uuid: Id, result: Sequence[int]) -> bool:
    entries, own = tuple(log), d.members(tuple(log), uuid)
    inside = set(contexts.member_positions(log, uuid))
    kept = frozenset(entries[position].uuid for position in rendering.kept_positions(log, preserved, uuid))
    return (
        tuple(entries[position] for position in result) == d.rendered(entries, preserved, uuid)
        and kept == d.kept(entries, preserved, uuid)
        and entries[rendering.root_position(log, uuid)] == d.ancestry(entries, uuid)[0]
        and rendering.resent(log, preserved, uuid) == d.resent(entries, preserved, uuid)
        and all(
            rendering.heeds(log, preserved, inside, place) == d.heeds(entries, preserved, own, entry.uuid)
            for place, entry in enumerate(log)
        )
        and all(
            rendering.resolves(log, one, preserved[one].uuids) == d.resolves(entries, one, preserved[one].uuids)
            for one in preserved
            if one in log
        )
    )


@law("P4.47", "CrossedIsTheLast WhatIsCrossed", rendering.crossed)
def crossed_is_the_last(log: Log, preserved: Preservation, uuid: Id, result: Crossing | None) -> bool:
    """Of all boundaries and entries of the ancestry, said of the whole log."""
    way = _ids(d.ancestry(tuple(log), uuid))

    def crosses(boundary: Id, place: int) -> bool:
        if place == 0 or not d.preserves(tuple(log), preserved, boundary, way[place - 1]):
            return False
        return log.position(preserved[boundary].anchor) < log.position(way[place])

    found = {place: Crossing(one.uuid, way[place - 1]) for place in range(len(way)) for one in log if crosses(one.uuid, place)}
    own = {log[position].uuid: crossing for position, crossing in rendering.crossers(log, preserved).items()}
    return (
        result == (found[max(found)] if found else None) == d.crossed(tuple(log), preserved, uuid)
        and {one: own[one] for one in way if one in own} == {way[place]: crossing for place, crossing in found.items()}
        and (result is None or rendering.sent_again(preserved, result) == d.sent_again(preserved, result))
    )
