"""Chapter 12 behind contracts: drops, stubs, compaction, what stands against them, and sub-agents."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from itertools import pairwise

from icontract import ensure, require

from forkpoint.contracts import FULL, called
from forkpoint.core import balance, rewriting
from forkpoint.core.entries import DuplicateUuid, Entry, EntryError, Id, Log, Opaque, UnknownEntry
from forkpoint.core.rewriting import Callers, CoveredEntry, Entries, NoSuchPlace, NotARoot, Notes, Pair, StubReasons
from forkpoint.laws import definitions


def _balances(entries: Entries) -> bool:
    return definitions.paired_by_id_and_order(definitions.blocks(entries))


def _whole_and_rooted(log: Log, covered: AbstractSet[Id]) -> bool:
    return definitions.whole(tuple(log), frozenset(covered)) and definitions.rooted(tuple(log), frozenset(covered))


def _keeps_survivors(log: Log, covered: AbstractSet[Id], after: Log) -> bool:
    """The context of every survivor without what is covered, and every legal point."""
    before, left, ids = tuple(log), tuple(after), frozenset(covered)
    return all(
        definitions.context(left, e.uuid) == definitions.drop(definitions.context(before, e.uuid), ids)
        and (definitions.legal(left, e.uuid) or not definitions.legal(before, e.uuid))
        for e in after
    )


@called
@ensure(lambda log, covered, result: all(e.uuid not in covered for e in result))
@ensure(lambda log, covered, result: len(result) == len(log) - sum(uuid in log for uuid in covered))
@ensure(lambda log, result: all(e._replace(parent=None) == log.entry(e.uuid)._replace(parent=None) for e in result))
@ensure(lambda log, covered, result: tuple(result) == definitions.drop(tuple(log), frozenset(covered)), enabled=FULL)
@ensure(
    lambda log, covered, result: all(
        [a.uuid for a in definitions.ancestry(tuple(result), e.uuid)]
        == [a.uuid for a in definitions.rest(definitions.ancestry(tuple(log), e.uuid), frozenset(covered))]
        and definitions.members(tuple(result), e.uuid) <= definitions.members(tuple(log), e.uuid) - covered
        for e in result
    ),
    enabled=FULL,
)
@ensure(lambda log, covered, result: not _whole_and_rooted(log, covered) or _keeps_survivors(log, covered, result), enabled=FULL)
def drop(log: Log, covered: AbstractSet[Id]) -> Log:
    """The log without the covered entries, :func:`forkpoint.core.rewriting.drop`. Whether they may be dropped is asked with
    :func:`separated` and :func:`unrooted`, or for one conversation with :func:`lost`."""
    return rewriting.drop(log, covered)


@called
@ensure(lambda covered, result: result is None or (result.covered in covered and result.left not in covered))
@ensure(lambda entries, covered, result: (result is None) == definitions.whole(tuple(entries), frozenset(covered)), enabled=FULL)
def separated(entries: Entries, covered: AbstractSet[Id]) -> Pair | None:
    """What a cover separates that only stands together, :func:`forkpoint.core.rewriting.separated`."""
    return rewriting.separated(entries, covered)


@called
@ensure(lambda covered, result: result is None or (result.covered in covered and result.left not in covered))
@ensure(
    lambda entries, covered, result: (
        (result is None) == definitions.whole_for_tools(tuple(entries), frozenset(covered))
        and (not _balances(entries) or (result is None) == _balanced(entries, covered))
    ),
    enabled=FULL,
)
def separated_call(entries: Entries, covered: AbstractSet[Id]) -> Pair | None:
    """The call that a cover separates from its answer, :func:`forkpoint.core.rewriting.separated_call`."""
    return rewriting.separated_call(entries, covered)


def _balanced(entries: Entries, covered: AbstractSet[Id]) -> bool:
    """Whether the conversation is balanced after the drop."""
    return _balances(definitions.drop(tuple(entries), frozenset(covered)))


@called
@ensure(lambda covered, result: result is None or result in covered)
@ensure(lambda entries, covered, result: (result is None) == definitions.rooted(tuple(entries), frozenset(covered)), enabled=FULL)
def unrooted(entries: Entries, covered: AbstractSet[Id]) -> Id | None:
    """The covered entry that makes a cover not rooted, :func:`forkpoint.core.rewriting.unrooted`."""
    return rewriting.unrooted(entries, covered)


@called
@require(lambda covered, uuid: uuid not in covered, error=lambda uuid: CoveredEntry(uuid))
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
@ensure(lambda covered, result: result is None or (result.covered in covered and result.left not in covered))
@ensure(
    lambda log, covered, uuid, result: (
        (result is None)
        == definitions.exits(tuple(log), frozenset(covered), uuid)
        == (
            definitions.context(definitions.drop(tuple(log), frozenset(covered)), uuid)
            == definitions.drop(definitions.context(tuple(log), uuid), frozenset(covered))
        )
    ),
    enabled=FULL,
)
def lost(log: Log, covered: AbstractSet[Id], uuid: Id) -> Pair | None:
    """What the conversation at ``uuid`` loses by a drop beside what is covered, :func:`forkpoint.core.rewriting.lost`; raises
    :class:`UnknownEntry` and :class:`CoveredEntry`."""
    return rewriting.lost(log, covered, uuid)


@called
@ensure(lambda result: result[0] == 0 and all(a < b for a, b in pairwise(result)))
@ensure(
    lambda entries, result: (
        set(result) == {place for place in range(len(entries) + 1) if definitions.is_cut(tuple(entries), place)}
    ),
    enabled=FULL,
)
def cuts(entries: Entries) -> list[int]:
    """The places where no call is out and no API message is split, :func:`forkpoint.core.rewriting.cuts`."""
    return rewriting.cuts(entries)


@called
@ensure(lambda entries, result: all(definitions.is_step(tuple(entries), *step) for step in result), enabled=FULL)
@ensure(
    lambda entries, result: (
        not balance.sound(entries)
        or all(definitions.whole(tuple(entries), definitions.uuids(tuple(entries)[start:end])) for start, end in result)
    ),
    enabled=FULL,
)
def steps(entries: Entries) -> list[tuple[int, int]]:
    """The steps of a conversation, :func:`forkpoint.core.rewriting.steps`."""
    return rewriting.steps(entries)


def _silent(stub: Entry) -> bool:
    return all(isinstance(block, Opaque) for block in stub.blocks)


def _keeps_legal_points(log: Log, covered: AbstractSet[Id], stub: Entry, after: Log) -> bool:
    """Every survivor that was legal, or could be resumed, if the stub is silent and tied to nothing."""
    before, left = tuple(log), tuple(after)
    if not _silent(stub) or any(definitions.tied(stub, entry) for entry in before):
        return True
    return all(
        (definitions.resumable(left, entry.uuid) or not definitions.resumable(before, entry.uuid))
        and (definitions.legal(left, entry.uuid) or not definitions.legal(before, entry.uuid))
        for entry in before
        if entry.uuid not in covered
    )


def _misplaced(log: Log, count: int) -> NoSuchPlace:
    return NoSuchPlace(count, len(log))


@called
@require(lambda log, stub: stub.uuid not in log, error=lambda stub: DuplicateUuid(stub.uuid))
@ensure(lambda log, covered, stub, result: (stub.uuid in result) == any(uuid in log for uuid in covered))
@ensure(
    lambda log, covered, stub, result: tuple(result) == definitions.drop_with_stub(tuple(log), frozenset(covered), stub),
    enabled=FULL,
)
@ensure(
    lambda log, covered, stub, result: (
        definitions.drop(tuple(result), frozenset({stub.uuid})) == definitions.drop(tuple(log), frozenset(covered))
    ),
    enabled=FULL,
)
@ensure(
    lambda log, covered, stub, result: not _whole_and_rooted(log, covered) or _keeps_legal_points(log, covered, stub, result),
    enabled=FULL,
)
def drop_with_stub(log: Log, covered: AbstractSet[Id], stub: Entry) -> Log:
    """The log with a stub in place of the covered entries, :func:`forkpoint.core.rewriting.drop_with_stub`; raises
    :class:`DuplicateUuid`."""
    return rewriting.drop_with_stub(log, covered, stub)


@called
@require(lambda log, stub: stub.uuid not in log, error=lambda stub: DuplicateUuid(stub.uuid))
@require(lambda log, count: 0 <= count <= len(log), error=_misplaced)
@ensure(lambda log, count, stub, result: len(result) == len(log) - count + 1 and result[0].uuid == stub.uuid)
@ensure(
    lambda log, count, result: all(
        new._replace(parent=None) == old._replace(parent=None)
        for new, old in zip(tuple(result)[1:], tuple(log)[count:], strict=True)
    )
)
@ensure(lambda log, count, stub, result: tuple(result) == definitions.compact(tuple(log), count, stub), enabled=FULL)
@ensure(
    lambda log, count, stub, result: not (_balances(log) and _silent(stub)) or _balances(result) == _balances(tuple(log)[:count]),
    enabled=FULL,
)
@ensure(
    lambda log, count, stub, result: (
        count == 0
        or definitions.hangs_on_first(tuple(log), count)
        == (tuple(result) == definitions.drop_with_stub(tuple(log), definitions.uuids(tuple(log)[:count]), stub))
    ),
    enabled=FULL,
)
def compact(log: Log, count: int, stub: Entry) -> Log:
    """The log with a summary in place of its first entries, :func:`forkpoint.core.rewriting.compact`; raises
    :class:`NoSuchPlace` and :class:`DuplicateUuid`."""
    return rewriting.compact(log, count, stub)


@called
@require(lambda log, count: 0 <= count <= len(log), error=_misplaced)
@ensure(lambda log, count, result: result is None or log.position(result) >= count)
@ensure(lambda log, count, result: (result is None) == definitions.hangs_on_first(tuple(log), count), enabled=FULL)
def stray(log: Log, count: int) -> Id | None:
    """The entry for which a compaction is not the drop of the prefix, :func:`forkpoint.core.rewriting.stray`; raises
    :class:`NoSuchPlace`."""
    return rewriting.stray(log, count)


@called
@ensure(
    lambda entries, covered, notes, result: (
        [reason is not None for reason in result]
        == [
            definitions.covers_effect(tuple(entries), frozenset(covered), notes),
            definitions.covers_reference(tuple(entries), frozenset(covered), notes),
            definitions.covers_before_decision(tuple(entries), frozenset(covered), notes),
        ]
    ),
    enabled=FULL,
)
def stub_reasons(entries: Entries, covered: AbstractSet[Id], notes: Notes) -> StubReasons:
    """Why a span may not vanish without a stub, :func:`forkpoint.core.rewriting.stub_reasons`."""
    return rewriting.stub_reasons(entries, covered, notes)


@called
@ensure(lambda covered, result: covered <= result)
@ensure(
    lambda log, callers, covered, result: result == definitions.with_threads(tuple(log), callers, frozenset(covered)),
    enabled=FULL,
)
def with_threads(log: Log, callers: Callers, covered: AbstractSet[Id]) -> frozenset[Id]:
    """A cover and the sub-agents that are hidden with it, :func:`forkpoint.core.rewriting.with_threads`."""
    return rewriting.with_threads(log, callers, covered)


def _leaves_running_whole(log: Log, callers: Callers, running: AbstractSet[Id], covered: AbstractSet[Id]) -> bool:
    """Every running sub-agent of which nothing is covered, if all sub-agents are roots of the log."""
    if not all(root in log and log.entry(root).parent is None for root in callers):
        return True
    hidden = definitions.with_threads(tuple(log), callers, frozenset(covered))
    threads = [definitions.thread(tuple(log), root) for root in callers if root in running]
    return all(own & covered or not own & hidden for own in threads)


@called
@ensure(lambda running, result: result <= running)
@ensure(
    lambda log, callers, running, covered, result: (
        result == definitions.with_threads(tuple(log), callers, frozenset(covered)) & running
    ),
    enabled=FULL,
)
@ensure(
    lambda log, callers, running, covered, result: bool(result) or _leaves_running_whole(log, callers, running, covered),
    enabled=FULL,
)
def hidden_running(log: Log, callers: Callers, running: AbstractSet[Id], covered: AbstractSet[Id]) -> frozenset[Id]:
    """The running sub-agents that a drop would hide, :func:`forkpoint.core.rewriting.hidden_running`."""
    return rewriting.hidden_running(log, callers, running, covered)


def _no_root(log: Log, root: Id) -> EntryError:
    parent = log.entry(root).parent if root in log else None
    return UnknownEntry(root) if parent is None else NotARoot(root, parent)


@called
@require(lambda log, root: root in log and log.entry(root).parent is None, error=_no_root)
@ensure(lambda root, result: result[0].uuid == root)
@ensure(
    lambda log, root, result: tuple(result) == definitions.keep(tuple(log), definitions.thread(tuple(log), root)), enabled=FULL
)
@ensure(
    lambda log, result: all(
        definitions.ancestry(tuple(result), e.uuid) == definitions.ancestry(tuple(log), e.uuid)
        and (definitions.context(tuple(result), e.uuid) == definitions.context(tuple(log), e.uuid))
        == definitions.closed(definitions.as_of(tuple(log), e.uuid), definitions.members(tuple(result), e.uuid))
        for e in result
    ),
    enabled=FULL,
)
def promote(log: Log, root: Id) -> Log:
    """A sub-agent as a log of its own, :func:`forkpoint.core.rewriting.promote`; raises :class:`UnknownEntry` and
    :class:`NotARoot`."""
    return rewriting.promote(log, root)
