"""Chapter 14 by the generated code: sessions and a store of them. By the definitions, so for small logs; but forks, exports and
what is seen are put together, as the definitions do, of the methods of the chapters before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import _dafny

from forkpoint.core.entries import DuplicateUuid, Entry, Id, Log, UnknownEntry
from forkpoint.core.merging import History
from forkpoint.core.overlays import Overlay, Record
from forkpoint.core.rendering import Preserved
from forkpoint.core.stores import (
    DoAppend,
    DoBackfill,
    DoCheckout,
    DoCompaction,
    DoExport,
    DoFork,
    DoForkPrefix,
    DoMerge,
    DoRecord,
    DoRestamp,
    DoUnion,
    NotEnabled,
    Operation,
    Session,
    Stamp,
    Store,
)
from forkpoint.oracle import contexts, convert, entries, merging, overlays, rendering, rewriting, trims
from forkpoint.oracle.generated import Overlays, Rendering, Stores
from forkpoint.oracle.overlays import overlay_of

_model: Final = Stores.default__


def _overlay(says: Overlay) -> Any:
    stub = None if says.stub is None else convert.with_fields(says.stub)
    return Overlays.Overlay_Overlay(_dafny.Set(says.covered), says.hash, convert.option(stub), convert.option(says.supersedes))


def _preserved(what: Preserved) -> Any:
    return Rendering.Preserved_Preserved(what.anchor, convert.sequence(what.uuids))


def _session(session: Session) -> Any:
    return Stores.Session_Session(
        convert.sequence(map(convert.with_fields, session.log)),
        _dafny.Map({key: _preserved(what) for key, what in session.preserved.items()}),
        _dafny.Map({key: _overlay(says) for key, says in session.sayings.items()}),
        _dafny.Map(session.merges),
        trims.trims_to(session.trims),
        convert.option(session.head),
    )


def _session_of(made: Any) -> Session:
    return Session(
        _log_of(made.log),
        {key: Preserved(what.anchor, tuple(what.ids)) for key, what in dict(made.preserved).items()},
        {key: overlay_of(says) for key, says in dict(made.sayings).items()},
        dict(made.merges),
        {key: trims.faces_of(faces) for key, faces in dict(made.trims).items()},
        convert.value_of(made.head),
    )


def _log_of(made: Any) -> Log:
    return Log(convert.entries_of(made))


def _store(store: Store) -> Any:
    return _dafny.Map({key: _session(session) for key, session in store.items()})


def _stamp(stamp: Stamp) -> Any:
    return _dafny.Map({uuid: _dafny.Map(keys) for uuid, keys in stamp.items()})


def _operation(operation: Operation) -> Any:
    match operation:
        case DoAppend(key, entry):
            return Stores.Operation_DoAppend(key, convert.with_fields(entry))
        case DoCompaction(key, boundary, preserves):
            return Stores.Operation_DoCompaction(key, convert.with_fields(boundary), _preserved(preserves))
        case DoRecord(key, record, says, faces):
            given = convert.option(None if faces is None else trims.faces_to(faces))
            return Stores.Operation_DoRecord(key, convert.with_fields(record), _overlay(says), given)
        case DoMerge(key, node, end):
            return Stores.Operation_DoMerge(key, convert.with_fields(node), end)
        case DoUnion(key, other):
            return Stores.Operation_DoUnion(key, other)
        case DoCheckout(key, at):
            return Stores.Operation_DoCheckout(key, at)
        case DoFork(source, at, target):
            return Stores.Operation_DoFork(source, at, target)
        case DoForkPrefix(source, at, target):
            return Stores.Operation_DoForkPrefix(source, at, target)
        case DoExport(source, at, target):
            return Stores.Operation_DoExport(source, at, target)
        case DoBackfill(source, schema, target):
            return Stores.Operation_DoBackfill(source, convert.schema(schema), target)
        case DoRestamp(source, stamp, target):
            return Stores.Operation_DoRestamp(source, _stamp(stamp), target)


def grown(session: Session, entry: Entry) -> Session:
    """The session with one more entry, which becomes the head."""
    if not entries.fits(session.log, entry):
        session.log.append(entry)  # raises what the core raises
    return _session_of(_model.Grown(_session(session), convert.with_fields(entry)))


def part_of(session: Session, log: Log, head: Id) -> Session:
    """A log of a session's entries with what stood beside each, and its head."""
    return _session_of(_model.PartOf(_session(session), convert.sequence(map(convert.with_fields, log)), head))


def fork_session(session: Session, uuid: Id) -> Session:
    """The fork of a session: what a fork of its log keeps, with what stood beside each entry."""
    return part_of(session, rendering.fork_kept(session.log, session.preserved, uuid), uuid)


def union_session(one: Session, other: Session) -> Session:
    """Two sessions as one: the first, then what is new in the second."""
    return _session_of(_model.UnionSession(_session(one), _session(other)))


def counting(session: Session, uuid: Id) -> tuple[Record, ...]:
    """The records that count at ``uuid``."""
    return overlays.active(contexts.context(session.log, uuid), session.sayings)


def seen(session: Session, uuid: Id) -> Log:
    """The whole log as it is seen from ``uuid``; raises :class:`DuplicateUuid` where a stub is not new."""
    hidden = contexts.members(session.log, uuid) & session.sayings.keys()
    return rewriting.drop(overlays.apply_all(session.log, counting(session, uuid)), hidden)


def faced(session: Session, uuid: Id, log: Log) -> Log:
    """A log of the session with the faces that the trims give which count at ``uuid``."""
    return trims.trim_all(log, counting(session, uuid), session.trims)


def shown_in(session: Session, uuid: Id) -> Log:
    """The conversation at ``uuid`` as it is shown, with the faces of its trims."""
    return trims.shown_trimmed_at(session.log, session.sayings, session.trims, uuid)


def end_shown(session: Session, uuid: Id) -> Id | None:
    """Where the conversation at ``uuid`` ends as it is shown."""
    shown = overlays.shown_at(session.log, session.sayings, uuid)
    return shown[len(shown) - 1].uuid if len(shown) else None


def export_session(session: Session, uuid: Id) -> Session:
    """The fork, where the conversation at ``uuid`` ends as it is shown, of the log as it is seen from there."""
    end = end_shown(session, uuid)
    if end is None:
        raise UnknownEntry(uuid)
    return fork_session(session._replace(log=faced(session, uuid, seen(session, uuid))), end)


def left_behind(session: Session, uuid: Id) -> frozenset[Id]:
    """What a fork leaves out of what its point holds."""
    kept = rendering.fork_kept(session.log, session.preserved, uuid)
    return merging.held(History(session.log, session.merges), uuid) - {entry.uuid for entry in kept}


def enabled(store: Store, operation: Operation) -> bool:
    """Whether what the operation names is there and what it makes is new."""
    if isinstance(operation, DoExport):
        where = DoFork(operation.source, operation.at, operation.target)
        return enabled(store, where) and _can_export(store[operation.source], operation.at)
    return bool(_model.Enabled(_store(store), _operation(operation)))


def _can_export(session: Session, uuid: Id) -> bool:
    try:
        end = end_shown(session, uuid)
        return end is not None and end in seen(session, uuid)
    except DuplicateUuid:
        return False


def apply(store: Store, operation: Operation) -> Store:
    """The store after an operation; raises :class:`NotEnabled` where the model says that it is not. Forks and exports are made of
    the parts that have fast methods."""
    if not enabled(store, operation):
        raise NotEnabled(operation)
    if isinstance(operation, DoFork | DoExport):
        made = fork_session if isinstance(operation, DoFork) else export_session
        return store.having(operation.target, made(store[operation.source], operation.at))
    return Store({key: _session_of(one) for key, one in dict(_model.Apply(_store(store), _operation(operation))).items()})


def apply_all(store: Store, operations: Iterable[Operation]) -> Store:
    """The store after several operations; raises :class:`NotEnabled` at the first that is not enabled in its turn."""
    for operation in operations:
        store = apply(store, operation)
    return store


def said_alike(one: Mapping[Id, Any], other: Mapping[Id, Any], uuid: Id) -> bool:
    """Whether the same is said of an entry in two maps, or nothing in both."""
    return bool(_model.SaidAlike(_dafny.Map(one), _dafny.Map(other), uuid))


def extends(session: Session, past: Session) -> bool:
    """Whether a session continues ``past``."""
    return bool(_model.Extends(_session(session), _session(past)))


def append_only(before: Store, after: Store) -> bool:
    """P5: whether every session of ``before`` is in ``after``, and continued there."""
    return bool(_model.AppendOnly(_store(before), _store(after)))


def bare_log(log: Log, envelope: frozenset[str]) -> Log:
    """A log without envelopes."""
    return _log_of(_model.BareLog(convert.sequence(map(convert.with_fields, log)), _dafny.Set(envelope)))


def stamp_log(log: Log, stamp: Stamp) -> Log:
    """A log with each entry stamped."""
    return _log_of(_model.StampLog(convert.sequence(map(convert.with_fields, log)), _stamp(stamp)))
