"""Chapter 11 by the generated code: drops, stubs, compaction and sub-agents.

Where the port names what stands against a drop, the model decides whether there is something, and the first of it is sought with
the model's own relations; that may cost the square.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import Any

import _dafny

from forkpoint.core.entries import DuplicateUuid, Entry, Id, Log
from forkpoint.core.rewriting import (
    Callers,
    CoveredEntry,
    Entries,
    NoSuchPlace,
    NotARoot,
    Notes,
    Pair,
    StubReasons,
)
from forkpoint.oracle import contexts, convert
from forkpoint.oracle.generated import AncestriesFast, Contexts, EntriesFast, Rewriting, RewritingFast

_model = Rewriting.default__
_fast = RewritingFast.default__


def _log(made: Any) -> Log:
    return Log(convert.entries_of(made))


def heir_positions(log: Log, covered: AbstractSet[Id]) -> list[int]:
    """For each position that of the nearest entry, there or above, that is not covered; -1 where there is none."""
    made = convert.prepared(log)
    heirs = map(convert.value_of, _fast.Heirs(made.log, made.up, _dafny.Set(covered)))
    return [-1 if heir is None else log.position(heir) for heir in heirs]


def drop(log: Log, covered: AbstractSet[Id]) -> Log:
    """The log without the covered entries."""
    return _log(_fast.FastDrop(convert.prepared_entries(log), _dafny.Set(covered)))


def _first_pair(entries: Entries, covered: AbstractSet[Id], stand_together: Callable[[Any, Any], bool]) -> Pair | None:
    made = convert.prepared_entries(entries)
    for a in made:
        for b in made:
            if a.uuid in covered and b.uuid not in covered and stand_together(a, b):
                return Pair(a.uuid, b.uuid)
    return None


def separated(entries: Entries, covered: AbstractSet[Id]) -> Pair | None:
    """The first covered entry that is tied to one that is left, and the first such."""
    if _fast.DecideWhole(convert.prepared_entries(entries), _dafny.Set(covered)):
        return None
    return _first_pair(entries, covered, _model.Tied)


def separated_call(entries: Entries, covered: AbstractSet[Id]) -> Pair | None:
    """The first covered entry that shares a tool use with one that is left, and the first such."""
    if _fast.DecideWholeForTools(convert.prepared_entries(entries), _dafny.Set(covered)):
        return None
    return _first_pair(entries, covered, lambda a, b: len(_model.ToolsOf(a) & _model.ToolsOf(b)) > 0)


def unrooted(entries: Entries, covered: AbstractSet[Id]) -> Id | None:
    """The second covered entry or a later one, the first that continues no covered entry."""
    made, ids = convert.prepared_entries(entries), _dafny.Set(covered)
    if _fast.DecideRooted(made, ids):
        return None
    later = convert.entries_of(EntriesFast.default__.FastKeep(made, ids))[1:]
    return next(entry.uuid for entry in later if entry.parent is None or entry.parent not in covered)


def lost(log: Log, covered: AbstractSet[Id], uuid: Id) -> Pair | None:
    """What the conversation at ``uuid`` loses by a drop beside what is covered: its members before less those after (P12.9)."""
    own = contexts.members(log, uuid)
    if uuid in covered:
        raise CoveredEntry(uuid)
    gone = own - contexts.members(drop(log, covered), uuid) - covered
    needs: Callable[[Any, Any], bool] = Contexts.default__.Needs
    return _first_pair(contexts.context(log, uuid), covered, lambda a, b: b.uuid in gone and needs(a, b))


def cuts(entries: Entries) -> list[int]:
    """The places where no call is out and no API message is split, rising."""
    return [int(place) for place in _fast.Cuts(convert.prepared_entries(entries))]


def steps(entries: Entries) -> list[tuple[int, int]]:
    """The steps of a conversation: what stands between a cut and the next one."""
    return list(pairwise(cuts(entries)))


def span(entries: Entries, start: int, end: int) -> frozenset[Id]:
    """The uuids of what stands between two places."""
    for place in (start, end):
        if not 0 <= place <= len(entries):
            raise NoSuchPlace(place, len(entries))
    if start > end:
        return frozenset()
    return frozenset(AncestriesFast.default__.Index(convert.prepared_entries(entries)[start:end]).keys)


def drop_with_stub(log: Log, covered: AbstractSet[Id], stub: Entry) -> Log:
    """The log with a stub in place of the covered entries."""
    if stub.uuid in log:
        raise DuplicateUuid(stub.uuid)
    return _log(_fast.FastDropWithStub(convert.prepared_entries(log), _dafny.Set(covered), convert.entry(stub)))


def compact(log: Log, count: int, stub: Entry) -> Log:
    """The log with a summary, a root, in place of its first ``count`` entries."""
    if not 0 <= count <= len(log):
        raise NoSuchPlace(count, len(log))
    if stub.uuid in log:
        raise DuplicateUuid(stub.uuid)
    return _log(_fast.FastCompact(convert.prepared_entries(log), count, convert.entry(stub)))


def stray(log: Log, count: int) -> Id | None:
    """The first entry that continues one of the first ``count`` entries which does not descend from the first of all."""
    if not 0 <= count <= len(log):
        raise NoSuchPlace(count, len(log))
    entries = tuple(log)
    before = {entry.uuid for entry in entries[:count]}
    own = thread(log, entries[0].uuid) if count else frozenset()
    return next((entry.uuid for entry in entries[count:] if entry.parent in before and entry.parent not in own), None)


def _notes(notes: Notes) -> Any:
    refers = _dafny.Map({key: _dafny.Set(uuids) for key, uuids in notes.refers.items()})
    return Rewriting.Notes_Notes(_dafny.Set(notes.effects), refers, _dafny.Set(notes.decisions))


def stub_reasons(entries: Entries, covered: AbstractSet[Id], notes: Notes) -> StubReasons:
    """The stub rule: why a span may not vanish without a stub."""
    made, ids, known = convert.prepared_entries(entries), _dafny.Set(covered), _notes(notes)
    effect: Id | None = None
    reference: Pair | None = None
    decision: Pair | None = None
    if _fast.DecideCoversEffect(made, ids, known):
        effect = next(e.uuid for e in made if _fast.DecideCoversEffect(convert.sequence([e]), ids, known))
    if _fast.DecideCoversReference(made, ids, known):
        there = _of(made) & covered
        left = next(e.uuid for e in made if e.uuid not in covered and set(notes.refers.get(e.uuid, ())) & there)
        reference = Pair(next(e.uuid for e in made if e.uuid in covered and e.uuid in notes.refers[left]), left)
    if _fast.DecideCoversBeforeDecision(made, ids, known):
        end = bisect_left(range(len(made)), True, key=lambda n: _fast.DecideCoversBeforeDecision(made[:n], ids, known))
        decision = Pair(next(e.uuid for e in made if e.uuid in covered), made[end - 1].uuid)
    return StubReasons(effect, reference, decision)


def _of(made: Any) -> set[Id]:
    return {entry.uuid for entry in made}


def thread(log: Log, root: Id) -> frozenset[Id]:
    """What descends from an entry, the entry included."""
    own = _fast.MarkThreads(convert.prepared_entries(log), _dafny.Map({root: root}), _dafny.Set({root}))
    return frozenset(log[position].uuid for position in convert.marked(own))


def with_threads(log: Log, callers: Callers, covered: AbstractSet[Id]) -> frozenset[Id]:
    """A cover and what is hidden with it."""
    return frozenset(_fast.FastWithThreads(convert.prepared_entries(log), _dafny.Map(callers), _dafny.Set(covered)))


def hidden_running(log: Log, callers: Callers, running: AbstractSet[Id], covered: AbstractSet[Id]) -> frozenset[Id]:
    """The entries of running sub-agents that a drop would hide."""
    return with_threads(log, callers, covered) & running


def promote(log: Log, root: Id) -> Log:
    """A sub-agent as a log of its own."""
    parent = log.entry(root).parent
    if parent is not None:
        raise NotARoot(root, parent)
    return _log(_fast.FastPromote(convert.prepared_entries(log), root))
