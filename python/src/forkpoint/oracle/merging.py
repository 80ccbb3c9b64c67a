"""Chapter 14 by the generated code: what is reached and held, merging, the union of two files. By the definitions, so for
small logs."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import Any, Final

import _dafny

from forkpoint.core.entries import DanglingParent, DuplicateUuid, Entry, Id, Log
from forkpoint.core.merging import History, Mode, NoTarget
from forkpoint.oracle import convert, entries
from forkpoint.oracle.generated import Entries, Merging

_MODES: Final = {
    Mode.MEMORIES: Merging.Mode_Memories(),
    Mode.INSIGHTS: Merging.Mode_Insights(),
    Mode.SUMMARY: Merging.Mode_Summarized(),
    Mode.FULL: Merging.Mode_Full(),
}


def _log(log: Iterable[Entry]) -> Any:
    """A log of the model whose entries compare by content."""
    return convert.sequence(map(convert.with_fields, log))


def _history(history: History) -> Any:
    return Merging.History_History(convert.prepared(history.log).log, _dafny.Map(history.merges))


def _asked(history: History, *uuids: Id) -> Any:
    """The history in the model; raises :class:`UnknownEntry` for the first uuid that is not in it."""
    for uuid in uuids:
        convert.prepared(history.log).position(uuid)
    return _history(history)


def second_parent(history: History, uuid: Id) -> Id | None:
    """The entry that was merged at ``uuid``, or ``None``."""
    made = _asked(history, uuid)
    found: Id | None = convert.value_of(Merging.default__.SecondParent(made.log, made.merges, uuid))
    return found


def reach_positions(history: History, uuid: Id) -> list[int]:
    """The positions of what is reached from ``uuid``, rising."""
    return sorted(map(convert.prepared(history.log).position, reach(history, uuid)))


def reach(history: History, uuid: Id) -> frozenset[Id]:
    """What is reached from ``uuid``."""
    made = _asked(history, uuid)
    return frozenset(Merging.default__.Reach(made.log, made.merges, uuid).Elements)


def held_positions(history: History, uuid: Id) -> list[int]:
    """The positions of what is held at ``uuid``, rising."""
    return sorted(map(convert.prepared(history.log).position, held(history, uuid)))


def held(history: History, uuid: Id) -> frozenset[Id]:
    """What is held at ``uuid``."""
    made = _asked(history, uuid)
    return frozenset(Merging.default__.Held(made.log, made.merges, uuid).Elements)


def _can_merge(history: History, node: Entry, source: Id) -> Any:
    """The history in the model; raises as the core does when the model says that the node or the source cannot be merged."""
    made = _asked(history, source)
    if node.parent is None:
        raise NoTarget(node.uuid)
    if not entries.fits(history.log, node):
        raise DuplicateUuid(node.uuid) if node.uuid in history.log else DanglingParent(node.uuid, node.parent)
    return made


def merge(history: History, node: Entry, source: Id) -> History:
    """The branch that ends at ``source`` merged into the one that ``node`` continues."""
    made = Merging.default__.Merge(_can_merge(history, node, source), convert.entry(node), source)
    return History(Log(convert.entries_of(made.log)), MappingProxyType(dict(made.merges)))


def head(history: History, node: Entry, source: Id) -> Id:
    """Where the target goes on after the merge."""
    made = _can_merge(history, node, source)
    found: Id = Merging.default__.Head(made, convert.entry(node), source)
    return found


def quoted(history: History, mode: Mode, target: Id, source: Id) -> tuple[Entry, ...]:
    """The entries that a node quotes, in the order of the log."""
    made = _asked(history, source, target)
    return convert.entries_of(Entries.default__.Keep(made.log, Merging.default__.Quoted(made, _MODES[mode], target, source)))


def news(a: Log, b: Log) -> tuple[Entry, ...]:
    """The entries of ``b`` that ``a`` does not have."""
    return convert.entries_of(Merging.default__.News(_log(a), _log(b)))


def union(a: Log, b: Log) -> Log:
    """Two files as one log: ``a``, then what is new in ``b``."""
    return Log(convert.entries_of(Merging.default__.Union(_log(a), _log(b))))


def agree(a: Log, b: Log) -> bool:
    """Whether the same uuid is the same entry in both."""
    return bool(Merging.default__.Agree(_log(a), _log(b)))


def parts_from(b: Log, a: Log) -> bool:
    """Whether ``b`` begins with what it shares with ``a``, as it stands there."""
    return bool(Merging.default__.PartsFrom(_log(b), _log(a)))
