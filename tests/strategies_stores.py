"""Sessions with all that can stand beside their logs, stores of them, and operations that can be done."""

from __future__ import annotations

from hypothesis import strategies as st

from forkpoint.core import contexts
from forkpoint.core.entries import Entry, Id, Kind, Log
from forkpoint.core.overlays import Overlay
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
    Operation,
    Session,
    Store,
    apply,
    enabled,
)
from forkpoint.core.trims import Face, Faces
from strategies import KEYS, additions, schemas, small_logs
from strategies_merging import node, pairs_of_files
from strategies_rendering import preservations
from strategies_rewriting import STUB, covers
from strategies_trims import faces

WHOLE = Session(
    Log([Entry("p"), Entry("b"), Entry("r", "b"), Entry("m", "r")]),
    {"b": Preserved("m", ("p",))},
    {"r": Overlay(frozenset({"p"}), 0)},
    {"m": "p"},
    {"r": {"p": Face((), {"said": "short"})}},
    "b",
)
"""A session with a boundary, a record that gives a face, and the node of a merge; its head is none of the last two."""


@st.composite
def _says(draw: st.DrawFn, session: Session, uuid: Id, name: str) -> Overlay:
    """What a record below an entry may say."""
    own = contexts.members(session.log, uuid)
    known = [None, None, *sorted((one for one in session.sayings if one in own), key=str)]
    supersedes = draw(st.sampled_from(known))
    covered = frozenset() if supersedes is not None and draw(st.booleans()) else draw(covers(session.log)) & own
    stub = STUB._replace(uuid=f"stub of {name}") if draw(st.integers(0, 3)) == 0 else None
    return Overlay(covered, draw(st.integers(0, 2)), stub, supersedes)


@st.composite
def _faces(draw: st.DrawFn, session: Session, uuid: Id) -> Faces | None:
    """The faces that a record below an entry may give, if it is a trim."""
    if draw(st.booleans()):
        return None
    own = contexts.members(session.log, uuid)
    return {one: face for one, face in draw(faces(session.log)).items() if one in own}


@st.composite
def stamps(draw: st.DrawFn, log: Log) -> dict[object, dict[str, object]]:
    """Keys for some of the entries, and for one that is not there."""
    uuids = st.sampled_from([*(entry.uuid for entry in log), "nowhere"])
    return draw(st.dictionaries(uuids, st.dictionaries(st.sampled_from(KEYS), st.integers(7, 9), max_size=2), max_size=3))


@st.composite
def operations(draw: st.DrawFn, store: Store, name: object) -> Operation:
    """One that can be done; what it makes is called ``name``."""
    key = draw(st.sampled_from(sorted(store, key=str)))
    session = store[key]
    uuids = [entry.uuid for entry in session.log]
    uuid, fresh = draw(st.sampled_from(uuids)), f"of {name}"
    entry = draw(additions(session.log))._replace(uuid=fresh)
    listed = tuple(draw(st.lists(st.sampled_from(uuids), max_size=2)))
    boundary = Entry(fresh, None, uuid, Kind.SYSTEM)
    below = Entry(fresh, uuid, kind=Kind.SYSTEM)
    every: list[Operation] = [
        DoAppend(key, entry),
        DoCompaction(key, boundary, Preserved(draw(st.sampled_from([fresh, uuid])), listed)),
        DoRecord(key, below, draw(_says(session, uuid, fresh)), draw(_faces(session, uuid))),
        DoMerge(key, node(fresh, uuid), draw(st.sampled_from(uuids))),
        DoUnion(key, draw(st.sampled_from(sorted(store, key=str)))),
        DoCheckout(key, uuid),
        DoFork(key, uuid, name),
        DoForkPrefix(key, uuid, name),
        DoExport(key, uuid, name),
        DoBackfill(key, draw(schemas()), name),
        DoRestamp(key, draw(stamps(session.log)), name),
    ]
    chosen = draw(st.sampled_from(every))
    return chosen if enabled(store, chosen) else DoCheckout(key, uuid)


@st.composite
def stores_and_operations(draw: st.DrawFn, most: int = 3) -> tuple[Store, list[Operation]]:
    """A store, and a history of it."""
    store = now = draw(starts())
    history = []
    for number in range(draw(st.integers(0, most))):
        history.append(draw(operations(now, f"log {number}")))
        now = apply(now, history[-1])
    return store, history


@st.composite
def starts(draw: st.DrawFn) -> Store:
    """A store of two sessions, the first of which may have been compacted."""
    log, preserved = draw(st.one_of(small_logs(5).map(lambda one: (one, {})), preservations()))
    there = {uuid: what for uuid, what in preserved.items() if uuid in log}
    return Store({"a": Session(log, there), "b": Session(Log([Entry("other")]))})


@st.composite
def sessions(draw: st.DrawFn) -> Session:
    """A session to which several things were done."""
    store, history = draw(stores_and_operations(4))
    for operation in history:
        store = apply(store, operation)
    return store[draw(st.sampled_from(sorted(store, key=str)))]


@st.composite
def sessions_and_points(draw: st.DrawFn) -> tuple[Session, Id]:
    """A session, and an entry that it can be exported at."""
    session = draw(sessions())
    store = Store({"a": session})
    uuids = [entry.uuid for entry in session.log if enabled(store, DoExport("a", entry.uuid, "new"))]
    return session, draw(st.sampled_from(uuids))


@st.composite
def pairs_of_sessions(draw: st.DrawFn) -> tuple[Session, Session]:
    """Two sessions of one store: one may be a fork of the other."""
    store, history = draw(stores_and_operations(4))
    for operation in history:
        store = apply(store, operation)
    keys = st.sampled_from(sorted(store, key=str))
    return store[draw(keys)], store[draw(keys)]


@st.composite
def restamped_pairs(draw: st.DrawFn) -> tuple[Log, Log, frozenset[str]]:
    """Two files, the second under another session id, and the keys that are not looked at."""
    a, b = draw(pairs_of_files())
    if draw(st.booleans()):
        b = Log(entry._replace(fields={**entry.fields, "sessionId": "b"}) for entry in b)
    return a, b, draw(st.sampled_from([frozenset({"sessionId"}), frozenset()]))
