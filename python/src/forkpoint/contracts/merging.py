"""Chapter 13 behind contracts: merging and union (R1, R2). Here, not in the core, a merge demands a resumable target and a
user's node without tool blocks, and a union demands files that agree."""

from __future__ import annotations

from icontract import require

from forkpoint.contracts import behind
from forkpoint.core import balance, merging
from forkpoint.core.entries import DanglingParent, DuplicateUuid, Entry, EntryError, Id, Kind, Log, Opaque, UnknownEntry
from forkpoint.core.merging import History, Mode, NoTarget


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


@behind(merging.reach)
@require(lambda history, uuid: uuid in history.log, error=lambda uuid: UnknownEntry(uuid))
def reach(history: History, uuid: Id) -> frozenset[Id]:
    return merging.reach(history, uuid)


@behind(merging.held)
@require(lambda history, uuid: uuid in history.log, error=lambda uuid: UnknownEntry(uuid))
def held(history: History, uuid: Id) -> frozenset[Id]:
    return merging.held(history, uuid)


@behind(merging.merge)
@require(lambda node: node.kind is Kind.USER and all(isinstance(block, Opaque) for block in node.blocks), error=_unfit)
@require(lambda history, node: balance.resumable(history.log, node.parent), error=_unresumable)
@require(lambda history, node: node.parent in history.log, error=lambda node: DanglingParent(node.uuid, node.parent))
@require(lambda history, node: node.uuid not in history.log, error=lambda node: DuplicateUuid(node.uuid))
@require(lambda node: node.parent is not None, error=lambda node: NoTarget(node.uuid))
@require(lambda history, source: source in history.log, error=lambda source: UnknownEntry(source))
def merge(history: History, node: Entry, source: Id) -> History:
    """Here the result satisfies every property (R1), and no entry of either branch is lost (R2): raises :class:`IllegalMerge`
    where the target is not resumable, or the node is not a user's or has tool blocks."""
    return merging.merge(history, node, source)


@behind(merging.quoted)
@require(lambda history, target: target in history.log, error=lambda target: UnknownEntry(target))
@require(lambda history, source: source in history.log, error=lambda source: UnknownEntry(source))
def quoted(history: History, mode: Mode, target: Id, source: Id) -> tuple[Entry, ...]:
    return merging.quoted(history, mode, target, source)


@behind(merging.union)
@require(lambda a, b: merging.agree(a, b), error=lambda a, b: Disagreement(a, b))
def union(a: Log, b: Log) -> Log:
    """Here the files must agree, so that nothing is lost: raises :class:`Disagreement`."""
    return merging.union(a, b)
