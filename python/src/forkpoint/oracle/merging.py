"""Chapter 13 by the generated code: what is reached and held, merging, the union of two files."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Final

import _dafny

from forkpoint.core.entries import DanglingParent, DuplicateUuid, Entry, Id, Log
from forkpoint.core.merging import Digest, History, Mode, NoTarget, QuoteMarks
from forkpoint.oracle import convert, entries
from forkpoint.oracle.generated import Merging, MergingFast

_fast: Final = MergingFast.default__


def second_parent(history: History, uuid: Id) -> Id | None:
    """The entry that was merged at ``uuid``, or ``None``."""
    made = convert.prepared(history.log)
    second = _fast.FastSecond(made.log, _dafny.Map(history.merges), made.at, made.position(uuid))
    return None if second < 0 else history.log[second].uuid


def _reach(history: History, uuid: Id) -> Any:
    made = convert.prepared(history.log)
    return _fast.FastReach(made.log, _dafny.Map(history.merges), made.at, made.up, made.position(uuid))


def reach_positions(history: History, uuid: Id) -> list[int]:
    """The positions of what is reached from ``uuid``, rising."""
    return convert.marked(_reach(history, uuid))


def reach(history: History, uuid: Id) -> frozenset[Id]:
    """What is reached from ``uuid``."""
    return frozenset(history.log[position].uuid for position in reach_positions(history, uuid))


def held_positions(history: History, uuid: Id) -> list[int]:
    """The positions of what is held at ``uuid``, rising."""
    made = convert.prepared(history.log)
    return convert.marked(_fast.FastHeld(made.links, _reach(history, uuid)))


def held(history: History, uuid: Id) -> frozenset[Id]:
    """What is held at ``uuid``."""
    return frozenset(history.log[position].uuid for position in held_positions(history, uuid))


def _merged(history: History, node: Entry, source: Id) -> tuple[Any, Id]:
    """What a merge makes of a history, and where the target goes on. Raises as the core does when the model says that the node
    or the source cannot be merged."""
    made = convert.prepared(history.log)
    made.position(source)
    if node.parent is None:
        raise NoTarget(node.uuid)
    if not entries.fits(history.log, node):
        raise DuplicateUuid(node.uuid) if node.uuid in history.log else DanglingParent(node.uuid, node.parent)
    before = Merging.History_History(made.log, _dafny.Map(history.merges))
    after, head = _fast.FastMerge(before, made.at, made.up, convert.entry(node), source, made.position(node.parent))
    return after, head


def merge(history: History, node: Entry, source: Id) -> History:
    """The branch that ends at ``source`` merged into the one that ``node`` continues."""
    after, _ = _merged(history, node, source)
    return History(Log(convert.entries_of(after.log)), MappingProxyType(dict(after.merges)))


def head(history: History, node: Entry, source: Id) -> Id:
    """Where the target goes on after the merge."""
    _, where = _merged(history, node, source)
    return where


def quoted(history: History, mode: Mode, target: Id, source: Id) -> tuple[Entry, ...]:
    """The entries that a node quotes, in the order of the log."""
    beside, own = held_positions(history, source), set(held_positions(history, target))
    return tuple(history.log[position] for position in beside if position not in own) if mode is Mode.FULL else ()


def _words(text: str) -> Any:
    return convert.sequence(map(ord, text))


def _text(words: Any) -> str:
    return "".join(map(chr, words))


def _marks(marks: QuoteMarks) -> Any:
    opens, width, begins, closes, ends = marks
    return Merging.QuoteMarks_QuoteMarks(_words(opens), width, _words(begins), _words(closes), _words(ends))


def quote(marks: QuoteMarks, digest: Digest, text: str) -> str:
    """A text between two marks that carry its digest."""
    return _text(Merging.default__.QuoteWords(_marks(marks), lambda words: _words(digest(_text(words))), _words(text)))


def unquote(marks: QuoteMarks, digest: Digest, text: str) -> str | None:
    """The quoted text with which a text begins. By the definitions, which recurse, so for short texts."""
    found = Merging.default__.UnquoteWords(_marks(marks), lambda words: _words(digest(_text(words))), _words(text))
    return _text(found.value) if found.is_Some else None


def news(a: Log, b: Log) -> tuple[Entry, ...]:
    """The entries of ``b`` that ``a`` does not have."""
    ours = convert.prepared(a)
    return convert.entries_of(_fast.FastNews(ours.at, convert.prepared(b).log))


def union(a: Log, b: Log) -> Log:
    """Two files as one log: ``a``, then what is new in ``b``."""
    return Log((*a, *news(a, b)))


def agree(a: Log, b: Log) -> bool:
    """Whether the same uuid is the same entry in both."""
    ours = convert.prepared(a)
    return bool(_fast.FastAgree(ours.log, ours.at, convert.prepared(b).log))


def parts_from(b: Log, a: Log) -> bool:
    """Whether ``b`` begins with what it shares with ``a``, as it stands there."""
    return bool(_fast.FastPartsFrom(convert.prepared(b).log, convert.prepared(a).log))
