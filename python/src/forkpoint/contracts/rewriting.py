"""Chapter 11 behind contracts: drops, stubs, compaction, what stands against them, and sub-agents."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from icontract import require

from forkpoint.contracts import behind
from forkpoint.core import rewriting
from forkpoint.core.entries import DuplicateUuid, Entry, EntryError, Id, Log, UnknownEntry
from forkpoint.core.rewriting import Callers, CoveredEntry, Entries, NoSuchPlace, NotARoot, Notes, Pair, StubReasons


@behind(rewriting.drop)
def drop(log: Log, covered: AbstractSet[Id]) -> Log:
    """Whether they may be dropped is asked with :func:`separated` and :func:`unrooted`, or for one conversation with
    :func:`lost`."""
    return rewriting.drop(log, covered)


@behind(rewriting.separated)
def separated(entries: Entries, covered: AbstractSet[Id]) -> Pair | None:
    return rewriting.separated(entries, covered)


@behind(rewriting.separated_call)
def separated_call(entries: Entries, covered: AbstractSet[Id]) -> Pair | None:
    return rewriting.separated_call(entries, covered)


@behind(rewriting.unrooted)
def unrooted(entries: Entries, covered: AbstractSet[Id]) -> Id | None:
    return rewriting.unrooted(entries, covered)


@behind(rewriting.lost)
@require(lambda covered, uuid: uuid not in covered, error=lambda uuid: CoveredEntry(uuid))
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
def lost(log: Log, covered: AbstractSet[Id], uuid: Id) -> Pair | None:
    return rewriting.lost(log, covered, uuid)


@behind(rewriting.cuts)
def cuts(entries: Entries) -> list[int]:
    return rewriting.cuts(entries)


@behind(rewriting.steps)
def steps(entries: Entries) -> list[tuple[int, int]]:
    return rewriting.steps(entries)


def _misplaced(log: Log, count: int) -> NoSuchPlace:
    return NoSuchPlace(count, len(log))


@behind(rewriting.drop_with_stub)
@require(lambda log, stub: stub.uuid not in log, error=lambda stub: DuplicateUuid(stub.uuid))
def drop_with_stub(log: Log, covered: AbstractSet[Id], stub: Entry) -> Log:
    return rewriting.drop_with_stub(log, covered, stub)


@behind(rewriting.compact)
@require(lambda log, stub: stub.uuid not in log, error=lambda stub: DuplicateUuid(stub.uuid))
@require(lambda log, count: 0 <= count <= len(log), error=_misplaced)
def compact(log: Log, count: int, stub: Entry) -> Log:
    return rewriting.compact(log, count, stub)


@behind(rewriting.stray)
@require(lambda log, count: 0 <= count <= len(log), error=_misplaced)
def stray(log: Log, count: int) -> Id | None:
    return rewriting.stray(log, count)


@behind(rewriting.stub_reasons)
def stub_reasons(entries: Entries, covered: AbstractSet[Id], notes: Notes) -> StubReasons:
    return rewriting.stub_reasons(entries, covered, notes)


@behind(rewriting.with_threads)
def with_threads(log: Log, callers: Callers, covered: AbstractSet[Id]) -> frozenset[Id]:
    return rewriting.with_threads(log, callers, covered)


@behind(rewriting.hidden_running)
def hidden_running(log: Log, callers: Callers, running: AbstractSet[Id], covered: AbstractSet[Id]) -> frozenset[Id]:
    return rewriting.hidden_running(log, callers, running, covered)


def _no_root(log: Log, root: Id) -> EntryError:
    parent = log.entry(root).parent if root in log else None
    return UnknownEntry(root) if parent is None else NotARoot(root, parent)


@behind(rewriting.promote)
@require(lambda log, root: root in log and log.entry(root).parent is None, error=_no_root)
def promote(log: Log, root: Id) -> Log:
    return rewriting.promote(log, root)
