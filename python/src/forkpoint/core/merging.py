"""Chapter 13: merging. Two branches of a log become one by one appended node with a second parent; two files become one log.

Mirrors ``dafny/13-Merging.dfy``. A second parent is no edge of conversations and no part of an entry: it stands beside the
log, as a mapping.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from forkpoint.core.contexts import gathered_positions
from forkpoint.core.entries import DanglingParent, DuplicateUuid, Entry, EntryError, Id, Log
from forkpoint.core.forks import append

Merges: TypeAlias = Mapping[Id, Id]
"""The second parents: from the uuid of a merge node to the uuid of the entry at which the merged branch ends."""

NOTHING_MERGED: Final[Merges] = MappingProxyType({})


class History(NamedTuple):
    """A log and its second parents."""

    log: Log
    merges: Merges = NOTHING_MERGED


class Mode(Enum):
    """How much of the merged branch a node tells: what it left in memory, its insights, a summary, or all of it."""

    MEMORIES = "memories"
    INSIGHTS = "insights"
    SUMMARY = "summary"
    FULL = "full"


class NoTarget(EntryError):
    """A merge node that continues no entry: there is nothing to merge into."""

    def __init__(self, uuid: Id) -> None:
        super().__init__(uuid, f"merge node {uuid!r} has no parent; it must continue the entry that is merged into")


def second_parent(history: History, uuid: Id) -> Id | None:
    """The entry that was merged at ``uuid``, or ``None``; raises :class:`UnknownEntry`. One that does not stand before its
    node is none. O(1)."""
    log, _ = history
    above = _second_position(history, log.position(uuid))
    return None if above < 0 else log.spine.uuids[above]


def _second_position(history: History, position: int) -> int:
    log, merges = history
    uuid = log.spine.uuids[position]
    if uuid not in merges:
        return -1
    above = log.spine.at.get(merges[uuid], position)
    return above if above < position else -1


def reach_positions(history: History, uuid: Id) -> list[int]:
    """The positions of what is reached from ``uuid``, rising. Near-linear in the answer."""
    first = history.log.position(uuid)
    parent = history.log.spine.parent
    inside = {first}
    todo = [first]
    while todo:
        position = todo.pop()
        for above in (parent[position], _second_position(history, position)):
            if above >= 0 and above not in inside:
                inside.add(above)
                todo.append(above)
    return sorted(inside)


def reach(history: History, uuid: Id) -> frozenset[Id]:
    """What is reached from ``uuid``: the least set that holds it and both parents of each of its entries; raises
    :class:`UnknownEntry`. Near-linear in the answer."""
    uuids = history.log.spine.uuids
    return frozenset(uuids[position] for position in reach_positions(history, uuid))


def held_positions(history: History, uuid: Id) -> list[int]:
    """The positions of what is held at ``uuid``, rising. Near-linear in the answer."""
    uuids = history.log.spine.uuids
    return gathered_positions(history.log, [uuids[position] for position in reach_positions(history, uuid)])


def held(history: History, uuid: Id) -> frozenset[Id]:
    """What is held at ``uuid``: the conversations at everything that is reached; raises :class:`UnknownEntry`. Near-linear in
    the answer."""
    uuids = history.log.spine.uuids
    return frozenset(uuids[position] for position in held_positions(history, uuid))


def _target(history: History, node: Entry, source: Id) -> Id:
    """The entry that the node continues; raises what :func:`merge` raises."""
    history.log.position(source)
    if node.parent is None:
        raise NoTarget(node.uuid)
    if node.uuid in history.log:
        raise DuplicateUuid(node.uuid)
    if node.parent not in history.log:
        raise DanglingParent(node.uuid, node.parent)
    return node.parent


def merge(history: History, node: Entry, source: Id) -> History:
    """The branch that ends at ``source`` merged into the target, the entry that ``node`` continues: the node is appended, and
    the source is its second parent. Where the target reaches the source already it is ``history`` itself.

    Raises :class:`UnknownEntry` for the source, :class:`NoTarget`, :class:`DuplicateUuid` and :class:`DanglingParent`.
    Near-linear in what the target reaches.
    """
    if source in reach(history, _target(history, node, source)):
        return history
    return History(append(history.log, node), MappingProxyType({**history.merges, node.uuid: source}))


def head(history: History, node: Entry, source: Id) -> Id:
    """Where the target goes on after :func:`merge`: at the node, if there was something to merge, else at the target. Raises
    and costs what that does."""
    target = _target(history, node, source)
    return target if source in reach(history, target) else node.uuid


def quoted(history: History, mode: Mode, target: Id, source: Id) -> tuple[Entry, ...]:
    """The entries that a node quotes, in the order of the log: in full, what the source holds and the target does not; in the
    other modes none. Raises :class:`UnknownEntry`. Near-linear in what the two hold."""
    beside, own = held_positions(history, source), set(held_positions(history, target))
    entries = history.log.spine.entries
    return tuple(entries[position] for position in beside if position not in own) if mode is Mode.FULL else ()


class QuoteMarks(NamedTuple):
    """What stands around a quoted text: ``opens``, its digest in ``width`` characters and ``begins`` before it; ``closes``, the
    digest and ``ends`` behind it."""

    opens: str
    width: int
    begins: str
    closes: str
    ends: str


Digest: TypeAlias = Callable[[str], str]
"""The digest of a text, as characters."""


def quote(marks: QuoteMarks, digest: Digest, text: str) -> str:
    """A text between two marks that carry its digest (R2.16). O(length), and one digest."""
    mark = digest(text)
    return f"{marks.opens}{mark}{marks.begins}{text}{marks.closes}{mark}{marks.ends}"


def unquote(marks: QuoteMarks, digest: Digest, text: str) -> str | None:
    """The quoted text with which a text begins, exactly as it was quoted; None where it begins with none (R2.16). O(length),
    and a digest for each mark that might close it."""
    marked = len(marks.opens) + marks.width
    start = marked + len(marks.begins)
    if len(text) < start or not text.startswith(marks.opens) or text[marked:start] != marks.begins:
        return None
    mark = text[len(marks.opens) : marked]
    close = marks.closes + mark + marks.ends
    at = text.find(close, start)
    while at >= 0 and digest(text[start:at]) != mark:
        at = text.find(close, at + 1)
    return None if at < 0 else text[start:at]


def news(a: Log, b: Log) -> tuple[Entry, ...]:
    """The entries of ``b`` whose uuids are not in ``a``, in the order of ``b``. O(length of ``b``)."""
    return tuple(entry for entry in b if entry.uuid not in a)


def union(a: Log, b: Log) -> Log:
    """Two files as one log: ``a``, then what is new in ``b``. Where both name another entry by one uuid, the one of ``b`` is
    lost: ask :func:`agree`. O(length of ``b``), where ``a`` is the newest version of its log."""
    whole = a
    for entry in news(a, b):
        whole = append(whole, entry)
    return whole


def agree(a: Log, b: Log) -> bool:
    """Whether a uuid that is in both logs is the same entry in both. O(length of ``b``)."""
    return all(a.entry(entry.uuid) == entry for entry in b if entry.uuid in a)


def parts_from(b: Log, a: Log) -> bool:
    """Whether ``b`` begins with what it shares with ``a``, as it stands there: they part once and for all. O(both lengths)."""
    shared = [entry for entry in a if entry.uuid in b]
    return all(ours == entry for ours, entry in zip(shared, b, strict=False))
