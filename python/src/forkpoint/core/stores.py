"""Chapter 14: sessions, a store of them, and the operations on it (P5 append-only).

Mirrors ``dafny/14-Stores.dfy``. A session is a log and all that stands beside it: what boundaries preserve, what records say,
the faces that they give, second parents, the head.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple, TypeAlias, TypeVar

from forkpoint.core import overlays, rewriting, trims
from forkpoint.core.backfill import Schema, backfill_log
from forkpoint.core.contexts import context, members
from forkpoint.core.entries import DuplicateUuid, Entry, Id, Log, UnknownEntry, fits
from forkpoint.core.forks import append, fork_prefix
from forkpoint.core.merging import History, Merges, held, union
from forkpoint.core.overlays import Overlay, Record, Sayings
from forkpoint.core.rendering import Preservation, Preserved, fork_kept, kept_positions
from forkpoint.core.trims import Faces, Trims

T = TypeVar("T")


class Session(NamedTuple):
    """A log; by the uuids of its entries what boundaries preserve, what records say, the second parents, and the faces that
    trims give; and the entry at which it goes on, once there is one."""

    log: Log
    preserved: Preservation = MappingProxyType({})
    sayings: Sayings = MappingProxyType({})
    merges: Merges = MappingProxyType({})
    trims: Trims = MappingProxyType({})
    head: Id | None = None


@dataclass(frozen=True, slots=True)
class DoAppend:
    """Add one entry to a session."""

    session: Id
    entry: Entry


@dataclass(frozen=True, slots=True)
class DoCompaction:
    """Add a client's boundary, and what it preserves."""

    session: Id
    boundary: Entry
    preserves: Preserved


@dataclass(frozen=True, slots=True)
class DoRecord:
    """Add a record, and what it says: a drop, a compaction, a trim with the faces that it gives, an undo or a redo."""

    session: Id
    record: Entry
    says: Overlay
    faces: Faces | None = None


@dataclass(frozen=True, slots=True)
class DoMerge:
    """Add a node that merges the branch of the session which ends at an entry."""

    session: Id
    node: Entry
    end: Id


@dataclass(frozen=True, slots=True)
class DoUnion:
    """Bring what is new in another session."""

    session: Id
    other: Id


@dataclass(frozen=True, slots=True)
class DoCheckout:
    """Go on at an entry: at the end of another branch, or further up (a rewind)."""

    session: Id
    at: Id


@dataclass(frozen=True, slots=True)
class DoFork:
    """Fork a session at an entry into a new one."""

    source: Id
    at: Id
    target: Id


@dataclass(frozen=True, slots=True)
class DoForkPrefix:
    """Copy a session up to an entry into a new one."""

    source: Id
    at: Id
    target: Id


@dataclass(frozen=True, slots=True)
class DoExport:
    """Make a new session of what is shown at an entry."""

    source: Id
    at: Id
    target: Id


@dataclass(frozen=True, slots=True)
class DoBackfill:
    """Fill a session's entries by a schema into a new one."""

    source: Id
    schema: Schema
    target: Id


Stamp: TypeAlias = Mapping[Id, Mapping[str, object]]
"""What is written into envelopes: for the uuid of an entry, keys with their values."""


@dataclass(frozen=True, slots=True)
class DoRestamp:
    """Write keys into the envelopes of a session's entries, in a new one."""

    source: Id
    stamp: Stamp
    target: Id


Operation: TypeAlias = (
    DoAppend
    | DoCompaction
    | DoRecord
    | DoMerge
    | DoUnion
    | DoCheckout
    | DoFork
    | DoForkPrefix
    | DoExport
    | DoBackfill
    | DoRestamp
)


class NotEnabled(ValueError):
    """An operation that the store cannot do: it names what is not there, or would make what is."""

    def __init__(self, operation: Operation) -> None:
        super().__init__(f"the store cannot do {operation!r}: it names what is not there or makes what is there already")
        self.operation = operation


class Store(Mapping[Id, Session]):
    """Sessions by id, immutable. Operations give a new store that shares every session with the old one."""

    __slots__ = ("_sessions",)

    def __init__(self, sessions: Mapping[Id, Session] | None = None) -> None:
        self._sessions = dict(sessions or {})

    def __getitem__(self, key: Id) -> Session:
        return self._sessions[key]

    def __iter__(self) -> Iterator[Id]:
        return iter(self._sessions)

    def __len__(self) -> int:
        return len(self._sessions)

    def having(self, key: Id, session: Session) -> Store:
        """This store with ``key`` naming ``session``."""
        return Store({**self._sessions, key: session})


# ---- what an operation makes of a session


def grown(session: Session, entry: Entry) -> Session:
    """The session with one more entry, which becomes the head. Raises what :func:`~forkpoint.core.forks.append` raises."""
    return session._replace(log=append(session.log, entry), head=entry.uuid)


def _only(said: Mapping[Id, T], uuids: Container[Id]) -> Mapping[Id, T]:
    return MappingProxyType({uuid: value for uuid, value in said.items() if uuid in uuids})


def _with(said: Mapping[Id, T], more: Mapping[Id, T]) -> Mapping[Id, T]:
    return MappingProxyType({**said, **more})


def part_of(session: Session, log: Log, head: Id) -> Session:
    """A log of a session's entries with what stood beside each, and its head. O(what is said)."""
    return Session(
        log,
        _only(session.preserved, log),
        _only(session.sayings, log),
        _only(session.merges, log),
        _only(session.trims, log),
        head,
    )


def fork_session(session: Session, uuid: Id) -> Session:
    """The fork of a session: what a fork of its log keeps, with what stood beside each entry; it goes on at ``uuid``.

    Raises :class:`~forkpoint.core.entries.UnknownEntry`. Near-linear.
    """
    return part_of(session, fork_kept(session.log, session.preserved, uuid), uuid)


def union_session(session: Session, other: Session) -> Session:
    """Two sessions as one: the first, then what is new in the second, with what stood beside each entry. The head is the
    first's. O(length of ``other``), where ``session`` is the newest version of its log."""
    new = frozenset(entry.uuid for entry in other.log if entry.uuid not in session.log)
    return Session(
        union(session.log, other.log),
        _with(session.preserved, _only(other.preserved, new)),
        _with(session.sayings, _only(other.sayings, new)),
        _with(session.merges, _only(other.merges, new)),
        _with(session.trims, _only(other.trims, new)),
        session.head,
    )


def counting(session: Session, uuid: Id) -> tuple[Record, ...]:
    """The records that count at ``uuid``. Raises :class:`~forkpoint.core.entries.UnknownEntry`. Near-linear."""
    return overlays.active(context(session.log, uuid), session.sayings)


def seen(session: Session, uuid: Id) -> Log:
    """The whole log as it is seen from ``uuid``: what the records that count there say is applied to it, and the records of the
    conversation there are hidden.

    Raises :class:`~forkpoint.core.entries.UnknownEntry`, and :class:`~forkpoint.core.entries.DuplicateUuid` where a stub is not
    new. O(n) for each stub, and once more.
    """
    hidden = frozenset(one for one in members(session.log, uuid) if one in session.sayings)
    return rewriting.drop(overlays.apply_all(session.log, counting(session, uuid)), hidden)


def faced(session: Session, uuid: Id, log: Log) -> Log:
    """A log of the session with the faces that the trims give which count at ``uuid``.

    Raises :class:`~forkpoint.core.entries.UnknownEntry`. As :func:`counting`, and O(n) for each trim.
    """
    return trims.trim_all(log, counting(session, uuid), session.trims)


def shown_in(session: Session, uuid: Id) -> Log:
    """The conversation at ``uuid`` as it is shown: what records leave out is not there, and the rest has the faces of its trims.

    Raises and costs what :func:`~forkpoint.core.trims.shown_trimmed_at` does.
    """
    return trims.shown_trimmed_at(session.log, session.sayings, session.trims, uuid)


def end_shown(session: Session, uuid: Id) -> Id | None:
    """Where the conversation at ``uuid`` ends as it is shown: at its last entry; None when nothing is left of it. Raises and
    costs what :func:`~forkpoint.core.overlays.shown_at` does."""
    shown = overlays.shown_at(session.log, session.sayings, uuid)
    return shown[len(shown) - 1].uuid if len(shown) else None


def export_session(session: Session, uuid: Id) -> Session:
    """The export of a session: the fork, where the conversation at ``uuid`` ends as it is shown, of the log as it is seen from
    there, with its faces.

    Raises what :func:`seen` raises, and :class:`~forkpoint.core.entries.UnknownEntry` where nothing of the conversation is left.
    Costs as :func:`seen` and a fork.
    """
    end = end_shown(session, uuid)
    if end is None:
        raise UnknownEntry(uuid)
    return fork_session(session._replace(log=faced(session, uuid, seen(session, uuid))), end)


def left_behind(session: Session, uuid: Id) -> frozenset[Id]:
    """What a fork leaves out of what its point holds: what was merged there and belongs to no conversation that is kept.

    Raises :class:`~forkpoint.core.entries.UnknownEntry`. Near-linear.
    """
    log = session.log
    kept = {log.spine.uuids[position] for position in kept_positions(log, session.preserved, uuid)}
    return held(History(log, session.merges), uuid) - kept


# ---- operations


def enabled(store: Store, operation: Operation) -> bool:
    """Whether what the operation names is there and what it makes is new."""
    match operation:
        case DoAppend(key, entry):
            return key in store and fits(store[key].log, entry)
        case DoCompaction(key, boundary, _):
            return key in store and fits(store[key].log, boundary) and boundary.parent is None
        case DoRecord(key, record, says, faces):
            return key in store and fits(store[key].log, record) and _can_say(store[key], record, says, faces)
        case DoMerge(key, node, end):
            return key in store and fits(store[key].log, node) and node.parent is not None and end in store[key].log
        case DoUnion(key, other):
            return key in store and other in store
        case DoCheckout(key, at):
            return key in store and at in store[key].log
        case DoFork(source, at, target) | DoForkPrefix(source, at, target):
            return source in store and at in store[source].log and target not in store
        case DoExport(source, at, target):
            return source in store and at in store[source].log and target not in store and _can_export(store[source], at)
        case DoBackfill(source, _, target) | DoRestamp(source, _, target):
            return source in store and target not in store


def _can_say(session: Session, record: Entry, says: Overlay, faces: Faces | None) -> bool:
    """Whether a record speaks of the conversation that it continues."""
    if record.parent is None:
        return False
    own = members(session.log, record.parent)
    stubs = {said.stub.uuid for said in session.sayings.values() if said.stub is not None}
    below = says.supersedes is None or (says.supersedes in own and says.supersedes in session.sayings)
    stub = None if says.stub is None else says.stub.uuid
    new = stub is None or (stub != record.uuid and stub not in session.log and stub not in stubs)
    return says.covered <= own | stubs and (faces or {}).keys() <= own | stubs and new and below


def _can_export(session: Session, uuid: Id) -> bool:
    """Whether every stub is new, and something is left where the conversation ends."""
    try:
        end = end_shown(session, uuid)
        return end is not None and end in seen(session, uuid)
    except DuplicateUuid:
        return False


def apply(store: Store, operation: Operation) -> Store:
    """The store after an operation; raises :class:`NotEnabled` and leaves ``store`` as it is, as always."""
    if not enabled(store, operation):
        raise NotEnabled(operation)
    match operation:
        case DoAppend(key, entry):
            return store.having(key, grown(store[key], entry))
        case DoCompaction(key, boundary, preserves):
            made = grown(store[key], boundary)
            return store.having(key, made._replace(preserved=_with(made.preserved, {boundary.uuid: preserves})))
        case DoRecord(key, record, says, faces):
            made = grown(store[key], record)
            given = made.trims if faces is None else _with(made.trims, {record.uuid: faces})
            return store.having(key, made._replace(sayings=_with(made.sayings, {record.uuid: says}), trims=given))
        case DoMerge(key, node, end):
            made = grown(store[key], node)
            return store.having(key, made._replace(merges=_with(made.merges, {node.uuid: end})))
        case DoUnion(key, other):
            return store.having(key, union_session(store[key], store[other]))
        case DoCheckout(key, at):
            return store.having(key, store[key]._replace(head=at))
        case DoFork(source, at, target):
            return store.having(target, fork_session(store[source], at))
        case DoForkPrefix(source, at, target):
            return store.having(target, part_of(store[source], fork_prefix(store[source].log, at), at))
        case DoExport(source, at, target):
            return store.having(target, export_session(store[source], at))
        case DoBackfill(source, schema, target):
            return store.having(target, store[source]._replace(log=backfill_log(store[source].log, schema)))
        case DoRestamp(source, stamp, target):
            return store.having(target, store[source]._replace(log=stamp_log(store[source].log, stamp)))


def apply_all(store: Store, operations: Iterable[Operation]) -> Store:
    """The store after several operations; raises :class:`NotEnabled` at the first that is not enabled in its turn."""
    for operation in operations:
        store = apply(store, operation)
    return store


def said_alike(one: Mapping[Id, T], other: Mapping[Id, T], uuid: Id) -> bool:
    """Whether the same is said of an entry in two maps, or nothing in both. O(1)."""
    return one[uuid] == other[uuid] if uuid in one and uuid in other else uuid not in one and uuid not in other


def extends(session: Session, past: Session) -> bool:
    """Whether a session continues ``past``: its entries come first, unchanged and in place, and what stood beside each stands
    there. The head may be another. O(length of ``past``)."""
    return len(past.log) <= len(session.log) and all(
        session.log[position] == entry
        and said_alike(session.preserved, past.preserved, entry.uuid)
        and said_alike(session.sayings, past.sayings, entry.uuid)
        and said_alike(session.merges, past.merges, entry.uuid)
        and said_alike(session.trims, past.trims, entry.uuid)
        for position, entry in enumerate(past.log)
    )


def append_only(before: Store, after: Store) -> bool:
    """P5: whether every session of ``before`` is in ``after``, and continued there."""
    return all(key in after and extends(after[key], before[key]) for key in before)


# ---- envelopes


def bare_log(log: Log, envelope: frozenset[str]) -> Log:
    """A log without envelopes: the keys that a restamped copy has otherwise (the session's id), and nothing else. O(keys)."""
    return Log(entry._replace(fields={key: value for key, value in entry.fields.items() if key not in envelope}) for entry in log)


def stamp_log(log: Log, stamp: Stamp) -> Log:
    """A log with each entry stamped: the keys that the stamp has for it are set, and nothing else changes (P5.17). O(keys)."""
    return Log(entry._replace(fields={**entry.fields, **stamp[entry.uuid]}) if entry.uuid in stamp else entry for entry in log)
