"""Chapter 11: rewriting the past without touching it: a span of a conversation is left out, or replaced by a stub.

Mirrors ``dafny/11-Rewriting.dfy``. Everything here makes a new log and leaves the old one as it is (P5). A context is a
well-formed log itself, so each function serves a whole log and the conversation at one entry. Where the model asks whether a
span may be dropped, the port names what stands against it, or answers ``None``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain, pairwise
from typing import NamedTuple, TypeAlias

from forkpoint.core.balance import _enter
from forkpoint.core.contexts import member_positions
from forkpoint.core.entries import DuplicateUuid, Entry, EntryError, Id, Kind, Log, Opaque, Use

Entries: TypeAlias = Sequence[Entry] | Log


class Pair(NamedTuple):
    """An entry that is covered, and one that is left, which stand against a drop together."""

    covered: Id
    left: Id


class Notes(NamedTuple):
    """What is known of entries beside what they hold: the tool uses that had effects, the entries that an entry refers to, and
    the entries with which the user decided something."""

    effects: AbstractSet[Id] = frozenset()
    refers: Mapping[Id, AbstractSet[Id]] = {}
    decisions: AbstractSet[Id] = frozenset()


class StubReasons(NamedTuple):
    """Why a span may not vanish without a stub, each the first of its sort, or ``None``.

    ``effect`` is a covered entry that made a call with an effect; ``reference`` a covered entry and a survivor that refers to
    it; ``decision`` a covered entry and a surviving decision that stands after it.
    """

    effect: Id | None
    reference: Pair | None
    decision: Pair | None


Callers: TypeAlias = Mapping[Id, Id]
"""The sub-agents of a log, by their roots, and the entry that called each."""


class CoveredEntry(EntryError):
    """The conversation at an entry was asked for, and the entry is covered."""

    def __init__(self, uuid: Id) -> None:
        super().__init__(uuid, f"entry {uuid!r} is covered; the conversation at it is gone with it")


class NotARoot(EntryError):
    """An entry with a parent was named as the first entry of a sub-agent."""

    def __init__(self, uuid: Id, parent: Id) -> None:
        super().__init__(uuid, f"entry {uuid!r} continues {parent!r}; a sub-agent begins with a root")
        self.parent = parent


class NoSuchPlace(ValueError):
    """A log is not as long as the prefix that was asked for."""

    def __init__(self, place: int, length: int) -> None:
        super().__init__(f"place {place} is not in a log of {length} entries; places go from 0 to {length}")
        self.place = place
        self.length = length


# ---- drops


def heir_positions(log: Log, covered: AbstractSet[Id]) -> list[int]:
    """For each position that of the nearest entry, there or above, that is not covered; -1 where there is none. O(n)."""
    spine = log.spine
    uuids, parent = spine.uuids, spine.parent
    heirs: list[int] = []
    for position in range(len(log)):
        if uuids[position] not in covered:
            heirs.append(position)
        else:
            heirs.append(heirs[parent[position]] if parent[position] >= 0 else -1)
    return heirs


def _hung(entry: Entry, parent: Id | None) -> Entry:
    return entry if entry.parent == parent else entry._replace(parent=parent)


def drop(log: Log, covered: AbstractSet[Id]) -> Log:
    """The log without the covered entries, whatever they are.

    Of a survivor only the parent changes: it becomes its nearest surviving ancestor. Uuids that are not in the log do
    nothing; where none is, the log itself comes back. O(n).
    """
    if not any(uuid in log for uuid in covered):
        return log
    heirs = heir_positions(log, covered)
    uuids, parent = log.spine.uuids, log.spine.parent

    def left() -> Iterator[Entry]:
        for position, entry in enumerate(log):
            if heirs[position] == position:
                heir = heirs[parent[position]] if parent[position] >= 0 else -1
                yield _hung(entry, uuids[heir] if heir >= 0 else None)

    return Log(left())


# ---- what stands against a drop


def _tools(entry: Entry) -> Iterator[tuple[str, Id]]:
    """The tool uses that an entry makes or answers."""
    return (("tool", block.id) for block in entry.blocks if not isinstance(block, Opaque))


def _ties(entry: Entry) -> Iterator[tuple[str, Id]]:
    """What an entry shares with those that it only stands together with: an API message, tool uses."""
    if entry.kind is Kind.ASSISTANT and entry.message is not None:
        yield "message", entry.message
    yield from _tools(entry)


def _first_separated(
    entries: Entries, covered: AbstractSet[Id], ties: Callable[[Entry], Iterable[tuple[str, Id]]]
) -> Pair | None:
    left: dict[tuple[str, Id], int] = {}
    for position, entry in enumerate(entries):
        if entry.uuid not in covered:
            for tie in ties(entry):
                left.setdefault(tie, position)
    for entry in entries:
        if entry.uuid in covered:
            found = [left[tie] for tie in ties(entry) if tie in left]
            if found:
                return Pair(entry.uuid, entries[min(found)].uuid)
    return None


def separated(entries: Entries, covered: AbstractSet[Id]) -> Pair | None:
    """The first covered entry that is tied to one that is left, and the first such: parts of one API message, or a call and
    its answer. ``None`` exactly if the cover is whole. O(n)."""
    return _first_separated(entries, covered, _ties)


def separated_call(entries: Entries, covered: AbstractSet[Id]) -> Pair | None:
    """The first covered entry that shares a tool use with one that is left, and the first such. ``None`` exactly if the cover
    separates no call from its answer. O(n)."""
    return _first_separated(entries, covered, _tools)


def unrooted(entries: Entries, covered: AbstractSet[Id]) -> Id | None:
    """The second covered entry or a later one, the first that continues no covered entry. ``None`` exactly if the cover is
    rooted. O(n)."""
    inside = (entry for entry in entries if entry.uuid in covered)
    next(inside, None)
    return next((entry.uuid for entry in inside if entry.parent is None or entry.parent not in covered), None)


def lost(log: Log, covered: AbstractSet[Id], uuid: Id) -> Pair | None:
    """What the conversation at ``uuid`` loses by a drop beside what is covered: the first covered entry of it that needs a
    survivor which is not in the conversation after the drop, and the first such survivor.

    ``None`` exactly if the conversation after the drop is the one before without what is covered. Raises
    :class:`~forkpoint.core.entries.UnknownEntry`, and :class:`CoveredEntry` if ``uuid`` is covered. O(n).
    """
    spine = log.spine
    before = member_positions(log, uuid)
    if uuid in covered:
        raise CoveredEntry(uuid)
    after = drop(log.as_of(uuid), covered)
    still = {after.spine.uuids[position] for position in member_positions(after, uuid)}
    gone = {position for position in before if spine.uuids[position] not in covered and spine.uuids[position] not in still}
    if not gone:
        return None
    in_hub = dict(_first_in_hubs(log, before, gone))
    for position in before:
        if spine.uuids[position] in covered:
            needed = [in_hub[hub] for hub in spine.opens[position] if hub in in_hub]
            if spine.parent[position] in gone:
                needed.append(spine.parent[position])
            if needed:
                return Pair(spine.uuids[position], spine.uuids[min(needed)])
    raise AssertionError("P12.9: what is gone is needed by a covered entry")


def _first_in_hubs(log: Log, positions: Iterable[int], wanted: AbstractSet[int]) -> Iterator[tuple[int, int]]:
    """For each hub that some entries open, the first of its joiners that is wanted, if there is one."""
    for hub in {hub for position in positions for hub in log.spine.opens[position]}:
        found = next((joiner for joiner in log.spine.joiners[hub] if joiner in wanted), None)
        if found is not None:
            yield hub, found


# ---- spans and steps


def cuts(entries: Entries) -> list[int]:
    """The places where no call is out and no API message is split, rising; place ``n`` is in front of the entry ``n``.

    0 is always one; the end is one if the conversation is balanced. After a place where P3 is broken there is none. O(n).
    """
    last = {
        entry.message: position
        for position, entry in enumerate(entries)
        if entry.kind is Kind.ASSISTANT and entry.message is not None
    }
    found = [0]
    out: set[Id] = set()
    made: set[Id] = set()
    spoken = -1  # where the last part stands of the messages that have begun
    for position, entry in enumerate(entries):
        if not _enter(out, made, entry.blocks):
            break
        if entry.kind is Kind.ASSISTANT and entry.message is not None:
            spoken = max(spoken, last[entry.message])
        if not out and spoken <= position:
            found.append(position + 1)
    return found


def steps(entries: Entries) -> list[tuple[int, int]]:
    """The steps of a conversation, as places: what stands between a cut and the next one. A span of whole steps is whole if no
    use comes twice and every result answers an open use. O(n)."""
    return list(pairwise(cuts(entries)))


def span(entries: Entries, start: int, end: int) -> frozenset[Id]:
    """The uuids of what stands between two places, none where the end comes first; raises :class:`NoSuchPlace`. O(span)."""
    for place in (start, end):
        if not 0 <= place <= len(entries):
            raise NoSuchPlace(place, len(entries))
    return frozenset(entries[position].uuid for position in range(start, end))


# ---- stubs


def drop_with_stub(log: Log, covered: AbstractSet[Id], stub: Entry) -> Log:
    """The log with a stub in place of the covered entries: it stands where the first of them stood and continues what that one
    continued, and what hung on the span hangs on the stub or above it, as after :func:`drop`.

    Where nothing is covered the log itself comes back. The stub's own parent is not heeded. Raises
    :class:`~forkpoint.core.entries.DuplicateUuid` if the stub's uuid is in the log. O(n).
    """
    if stub.uuid in log:
        raise DuplicateUuid(stub.uuid)
    inside = [log.position(uuid) for uuid in covered if uuid in log]
    if not inside:
        return log
    first = min(inside)
    heirs = heir_positions(log, covered - {log.spine.uuids[first]})
    uuids, parent = log.spine.uuids, log.spine.parent

    def left() -> Iterator[Entry]:
        for position, entry in enumerate(log):
            if heirs[position] == position:
                heir = heirs[parent[position]] if parent[position] >= 0 else -1
                above = stub.uuid if heir == first else uuids[heir] if heir >= 0 else None
                yield _hung(stub if position == first else entry, above)

    return Log(left())


def compact(log: Log, count: int, stub: Entry) -> Log:
    """The log with a summary, a root, in place of its first ``count`` entries: whatever continued one of them continues the
    summary.

    Raises :class:`NoSuchPlace`, and :class:`~forkpoint.core.entries.DuplicateUuid` if the stub's uuid is in the log. O(n).
    """
    if not 0 <= count <= len(log):
        raise NoSuchPlace(count, len(log))
    if stub.uuid in log:
        raise DuplicateUuid(stub.uuid)
    parent = log.spine.parent
    rest = (
        _hung(log[position], stub.uuid if 0 <= parent[position] < count else log[position].parent)
        for position in range(count, len(log))
    )
    return Log(chain([stub._replace(parent=None)], rest))


def stray(log: Log, count: int) -> Id | None:
    """The first entry that continues one of the first ``count`` entries which does not descend from the first of all.

    ``None`` exactly if :func:`compact` is the drop of the prefix with the summary as stub. Raises :class:`NoSuchPlace`. O(n).
    """
    if not 0 <= count <= len(log):
        raise NoSuchPlace(count, len(log))
    parent = log.spine.parent
    below_first: list[bool] = []
    for position in range(count):
        below_first.append(position == 0 or (parent[position] >= 0 and below_first[parent[position]]))
    return next(
        (
            log.spine.uuids[position]
            for position in range(count, len(log))
            if 0 <= parent[position] < count and not below_first[parent[position]]
        ),
        None,
    )


def stub_reasons(entries: Entries, covered: AbstractSet[Id], notes: Notes) -> StubReasons:
    """The stub rule: why a span may not vanish without a stub. It may exactly if all three are ``None``. O(n + references)."""
    at = {entry.uuid: position for position, entry in enumerate(entries) if entry.uuid in covered}
    effect = next(
        (
            entry.uuid
            for entry in entries
            if entry.uuid in covered and any(isinstance(block, Use) and block.id in notes.effects for block in entry.blocks)
        ),
        None,
    )
    first = next(iter(at.values()), len(entries))
    reference: Pair | None = None
    decision: Pair | None = None
    for position, entry in enumerate(entries):
        if entry.uuid in covered:
            continue
        referred = [at[uuid] for uuid in notes.refers.get(entry.uuid, ()) if uuid in at]
        if reference is None and referred:
            reference = Pair(entries[min(referred)].uuid, entry.uuid)
        if decision is None and entry.uuid in notes.decisions and first < position:
            decision = Pair(entries[first].uuid, entry.uuid)
    return StubReasons(effect, reference, decision)


# ---- sub-agents


def _children(log: Log) -> dict[int, list[int]]:
    below: dict[int, list[int]] = {}
    for position in range(len(log)):
        below.setdefault(log.spine.parent[position], []).append(position)
    return below


def thread(log: Log, root: Id) -> frozenset[Id]:
    """What descends from an entry, the entry included: for a root, all that a sub-agent wrote. Nothing for a uuid that is not in
    the log. O(n)."""
    inside = bytearray(len(log))
    parent, uuids = log.spine.parent, log.spine.uuids
    for position in range(len(log)):
        inside[position] = uuids[position] == root or (parent[position] >= 0 and inside[parent[position]])
    return frozenset(uuids[position] for position in range(len(log)) if inside[position])


def with_threads(log: Log, callers: Callers, covered: AbstractSet[Id]) -> frozenset[Id]:
    """A cover and what is hidden with it: what the sub-agents wrote that covered entries called, those that these called, and so
    on, and nothing else. O(n)."""
    called: dict[Id, list[Id]] = {}
    for root, caller in callers.items():
        called.setdefault(caller, []).append(root)
    below = _children(log) if called else {}
    hidden = set(covered)
    descended = bytearray(len(log))
    todo = list(covered)
    while todo:
        ways = [log.position(root) for root in called.get(todo.pop(), ()) if root in log]
        while ways:
            position = ways.pop()
            if not descended[position]:
                descended[position] = 1
                ways += below.get(position, ())
                uuid = log.spine.uuids[position]
                if uuid not in hidden:
                    hidden.add(uuid)
                    todo.append(uuid)
    return frozenset(hidden)


def hidden_running(log: Log, callers: Callers, running: AbstractSet[Id], covered: AbstractSet[Id]) -> frozenset[Id]:
    """The entries of running sub-agents that a drop would hide: it is refused unless there are none. O(n)."""
    return with_threads(log, callers, covered) & running


def promote(log: Log, root: Id) -> Log:
    """A sub-agent as a log of its own: exactly its entries, unchanged, in the order of the log.

    Raises :class:`~forkpoint.core.entries.UnknownEntry`, and :class:`NotARoot` for an entry with a parent. O(n).
    """
    parent = log.entry(root).parent
    if parent is not None:
        raise NotARoot(root, parent)
    inside = thread(log, root)
    return Log(entry for entry in log if entry.uuid in inside)
