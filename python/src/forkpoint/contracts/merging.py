"""Chapter 14 behind contracts: merging and union (R1, R2). Here, not in the core, a merge demands a resumable target and a
user's node without tool blocks, and a union demands files that agree."""

from __future__ import annotations

from icontract import ensure, require

from forkpoint.contracts import FULL, called
from forkpoint.core import balance, merging
from forkpoint.core.entries import DanglingParent, DuplicateUuid, Entry, EntryError, Id, Kind, Log, Opaque, UnknownEntry
from forkpoint.core.merging import History, Mode, NoTarget
from forkpoint.laws import definitions


class IllegalMerge(EntryError):
    """A merge was asked for where R1 would break: into an entry that is not resumable, or by a node that is not a user's or has
    tool blocks. ``uuid`` names the entry or the node."""


class Disagreement(EntryError):
    """Two files name different entries by one uuid: a union would lose the one of the second."""

    def __init__(self, a: Log, b: Log) -> None:
        uuid = next(entry.uuid for entry in b if entry.uuid in a and a.entry(entry.uuid) != entry)
        super().__init__(uuid, f"uuid {uuid!r} names different entries in the two files")


def _unresumable(node: Entry) -> IllegalMerge:
    return IllegalMerge(node.parent, f"merge target {node.parent!r} is not resumable: a call is open, or more of it comes later")


def _unfit(node: Entry) -> IllegalMerge:
    return IllegalMerge(node.uuid, f"merge node {node.uuid!r} must be a user's entry without tool blocks")


def _members(history: History, uuid: Id) -> frozenset[Id]:
    return definitions.members(tuple(history.log), uuid)


def _reach(history: History, uuid: Id) -> frozenset[Id]:
    return definitions.reach(tuple(history.log), history.merges, uuid)


def _held(history: History, uuid: Id) -> frozenset[Id]:
    return definitions.held(tuple(history.log), history.merges, uuid)


def _goes_on_at(history: History, node: Entry, source: Id) -> Id:
    return definitions.goes_on_at(tuple(history.log), history.merges, node, source)


@called
@require(lambda history, uuid: uuid in history.log, error=lambda uuid: UnknownEntry(uuid))
@ensure(lambda uuid, result: uuid in result)
@ensure(lambda history, uuid, result: result == _reach(history, uuid), enabled=FULL)
@ensure(
    lambda history, result: definitions.both_parents_closed(tuple(history.log), history.merges, result),
    enabled=FULL,
)
def reach(history: History, uuid: Id) -> frozenset[Id]:
    """What is reached from ``uuid`` through both parents, :func:`forkpoint.core.merging.reach`; raises :class:`UnknownEntry`."""
    return merging.reach(history, uuid)


@called
@require(lambda history, uuid: uuid in history.log, error=lambda uuid: UnknownEntry(uuid))
@ensure(lambda uuid, result: uuid in result)
@ensure(lambda history, uuid, result: result == _held(history, uuid), enabled=FULL)
@ensure(lambda history, uuid, result: result >= _members(history, uuid) | _reach(history, uuid), enabled=FULL)
def held(history: History, uuid: Id) -> frozenset[Id]:
    """The conversations at everything that is reached, :func:`forkpoint.core.merging.held`; raises :class:`UnknownEntry`."""
    return merging.held(history, uuid)


def _stays_resumable_exactly(a: Log, b: Log, both: Log) -> bool:
    first, added = tuple(a), definitions.keep(tuple(b), definitions.uuids(b) - definitions.uuids(a))
    return all(
        definitions.resumable(tuple(both), e.uuid)
        != any(definitions.needs(x, y) for x in definitions.context(first, e.uuid) for y in added)
        for e in a
        if definitions.resumable(first, e.uuid)
    )


@called
@require(lambda node: node.kind is Kind.USER and all(isinstance(block, Opaque) for block in node.blocks), error=_unfit)
@require(lambda history, node: balance.resumable(history.log, node.parent), error=_unresumable)
@require(lambda history, node: node.parent in history.log, error=lambda node: DanglingParent(node.uuid, node.parent))
@require(lambda history, node: node.uuid not in history.log, error=lambda node: DuplicateUuid(node.uuid))
@require(lambda node: node.parent is not None, error=lambda node: NoTarget(node.uuid))
@require(lambda history, source: source in history.log, error=lambda source: UnknownEntry(source))
@ensure(
    lambda history, node, source, result: (
        result is history
        or (len(result.log) == len(history.log) + 1 and result.log[-1] is node and result.merges[node.uuid] == source)
    )
)
@ensure(lambda history, node, source, result: (result is history) == (source in _reach(history, node.parent)), enabled=FULL)
@ensure(
    lambda history, node, result: (
        tuple(result.log) in (tuple(history.log), (*history.log, node))
        and {uuid: above for uuid, above in result.merges.items() if uuid != node.uuid}
        == {uuid: above for uuid, above in history.merges.items() if uuid != node.uuid}
    ),
    enabled=FULL,
)
@ensure(
    lambda history, result: all(
        definitions.ancestry(tuple(result.log), e.uuid) == definitions.ancestry(tuple(history.log), e.uuid)
        and definitions.context(tuple(result.log), e.uuid) == definitions.context(tuple(history.log), e.uuid)
        and definitions.legal(tuple(result.log), e.uuid) == definitions.legal(tuple(history.log), e.uuid)
        and _reach(result, e.uuid) == _reach(history, e.uuid)
        for e in history.log
    ),
    enabled=FULL,
)
@ensure(
    lambda history, node, source, result: (
        _reach(result, _goes_on_at(history, node, source)) - {node.uuid} == _reach(history, node.parent) | _reach(history, source)
        and _held(result, _goes_on_at(history, node, source)) - {node.uuid}
        == _held(history, node.parent) | _held(history, source)
    ),
    enabled=FULL,
)
@ensure(
    lambda history, node, source, result: definitions.resumable(tuple(result.log), _goes_on_at(history, node, source)),
    enabled=FULL,
)
def merge(history: History, node: Entry, source: Id) -> History:
    """The branch that ends at ``source`` merged into the entry that ``node`` continues, :func:`forkpoint.core.merging.merge`.

    Raises what that does, and :class:`IllegalMerge` where the target is not resumable, or the node is not a user's or has tool
    blocks: the result satisfies every property (R1), and no entry of either branch is lost (R2).
    """
    return merging.merge(history, node, source)


@called
@require(lambda history, target: target in history.log, error=lambda target: UnknownEntry(target))
@require(lambda history, source: source in history.log, error=lambda source: UnknownEntry(source))
@ensure(lambda mode, result: mode is Mode.FULL or result == ())
@ensure(
    lambda history, mode, target, source, result: (
        mode is not Mode.FULL or result == definitions.keep(tuple(history.log), _held(history, source) - _held(history, target))
    ),
    enabled=FULL,
)
def quoted(history: History, mode: Mode, target: Id, source: Id) -> tuple[Entry, ...]:
    """The entries that a merge node quotes, :func:`forkpoint.core.merging.quoted`; raises :class:`UnknownEntry`."""
    return merging.quoted(history, mode, target, source)


@called
@require(lambda a, b: merging.agree(a, b), error=lambda a, b: Disagreement(a, b))
@ensure(lambda a, b, result: max(len(a), len(b)) <= len(result) <= len(a) + len(b))
@ensure(lambda a, b, result: tuple(result) == definitions.union(tuple(a), tuple(b)), enabled=FULL)
@ensure(lambda result: definitions.well_formed(tuple(result)), enabled=FULL)
@ensure(lambda a, b, result: set(definitions.uuids(result)) == definitions.uuids(a) | definitions.uuids(b), enabled=FULL)
@ensure(lambda b, result: all(result.entry(e.uuid) == e for e in b), enabled=FULL)
@ensure(
    lambda a, b, result: all(
        definitions.members(tuple(b), e.uuid) <= definitions.members(tuple(result), e.uuid) for e in b if e.uuid not in a
    ),
    enabled=FULL,
)
@ensure(lambda a, b, result: _stays_resumable_exactly(a, b, result), enabled=FULL)
@ensure(
    lambda a, result: all(
        definitions.context(tuple(result), e.uuid) == definitions.context(tuple(a), e.uuid)
        and definitions.ancestry(tuple(result), e.uuid) == definitions.ancestry(tuple(a), e.uuid)
        for e in a
    ),
    enabled=FULL,
)
@ensure(
    lambda a, b, result: (
        not definitions.parts_from(tuple(b), tuple(a))
        or (
            definitions.keep(tuple(result), definitions.uuids(b)) == tuple(b)
            and all(definitions.ancestry(tuple(result), e.uuid) == definitions.ancestry(tuple(b), e.uuid) for e in b)
        )
    ),
    enabled=FULL,
)
def union(a: Log, b: Log) -> Log:
    """Two files as one log, :func:`forkpoint.core.merging.union`; raises :class:`Disagreement`, so that nothing is lost."""
    return merging.union(a, b)
