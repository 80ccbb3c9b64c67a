"""``store snapshot``, ``store restore``, ``store branch``: state outside a store, kept and made again at an event (P15)."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypedDict, Unpack

from forkpoint.answers.refusals import Refusal, translating
from forkpoint.answers.worldlines import StoreBranched, StoreRestored, StoreSnapshot
from forkpoint.ops.session import Progress
from forkpoint.ops.storing import opened
from forkpoint.ops.threads import shown
from forkpoint.worldlines import attached, fanout
from forkpoint.worldlines.events import Event
from forkpoint.worldlines.faults import NoState
from forkpoint.worldlines.rows import untold
from forkpoint.worldlines.store import Store


def snapshot(
    path: str, event: str, url: str | None = None, name: str | None = None, progress: Callable[[str], Progress] | None = None
) -> StoreSnapshot:
    """Keeps a folder, or a SQLite file, as it is now, as the state at an event. It is called after its kind unless ``name`` names
    it. Refuses what is neither. O(bytes)."""
    where = Path(path)
    folder = where.is_dir()
    if not folder and not where.is_file():
        raise Refusal("there is no folder and no SQLite file", file=path)
    keep, name = (
        (attached.snapshot_folder, name or attached.FOLDER) if folder else (attached.snapshot_database, name or attached.DATABASE)
    )
    told = untold if progress is None else progress(f"keeping {path}")
    with opened(url, create=False) as store:
        return StoreSnapshot(event=event, name=name, hash=keep(store, event, where, name=name, told=told))


class Reducing(TypedDict, total=False):
    """What makes the state of events that stand behind a snapshot, or of all of them."""

    reduce: Sequence[str] | None
    """A command: ``FORKPOINT_STATE`` names the folder or file, which it changes; its input is the events, one a line, as
    ``timeline --json`` has them."""
    from_nothing: bool
    """Where there is no snapshot, begin with an empty folder."""
    timeout_s: float
    progress: Callable[[str], Progress]


def restore(event: str, out: str, url: str | None = None, name: str | None = None, **reducing: Unpack[Reducing]) -> StoreRestored:
    """Makes the state at an event anew, where nothing stands yet, whole or not at all.

    Refuses (``ILLEGAL``) where neither a snapshot nor a reducer says what it is: never an empty one in silence. O(bytes)."""
    with opened(url, create=False) as store:
        called, replayed = _make(store, event, out, name, **reducing)
        return StoreRestored(event=event, name=called, path=os.path.abspath(out), replayed=replayed)


def branch(
    event: str,
    url: str | None = None,
    *,
    id: str | None = None,
    called: str | None = None,
    out: str | None = None,
    name: str | None = None,
    by: str | None = None,
    why: str | None = None,
    governance: str | None = None,
    **reducing: Unpack[Reducing],
) -> StoreBranched:
    """Makes a worldline that comes from an event (P9), called so, and first, where ``out`` names a place, the state as it was
    there. The same ``id`` again gives the same worldline.

    Refuses (``ILLEGAL``) an event at which nobody can go on, with the nearest legal ones, and a state that nothing knows; then
    there is no worldline either. O(log events + bytes)."""
    if out is None and (reducing.get("reduce") or reducing.get("from_nothing")):
        raise Refusal("a reducer makes a state: say where, with --out")
    with opened(url, create=False, governance=governance) as store:
        made_here = out is not None and store.legal(event) is None
        if out is not None and made_here:
            _make(store, event, out, name, **reducing)
        with attached.or_gone(Path(out) if out is not None and made_here else None):
            made = store.branch(event, id, name=called, by=by, why=why)
        return StoreBranched(
            store=store.url,
            thread=made.thread,
            worldline=made.id,
            name=made.name,
            source=made.source,
            base=made.base,
            length=made.length,
            path=None if out is None else os.path.abspath(out),
            discarded=made.discarded,
        )


def _make(
    store: Store,
    event: str,
    out: str,
    name: str | None,
    reduce: Sequence[str] | None = None,
    from_nothing: bool = False,
    timeout_s: float = 600.0,
    progress: Callable[[str], Progress] | None = None,
) -> tuple[str, int]:
    """Makes the state of a name at an event, or else that of a folder, or else that of a database; its name, and how many events
    were replayed."""
    if reduce is not None and not reduce:
        raise Refusal("the reducer is an empty command")
    if from_nothing and not reduce:
        raise Refusal("nothing says what the events make of an empty folder: give a reducer")
    make = functools.partial(
        attached.restore,
        store,
        event,
        Path(out),
        replay=functools.partial(_replay, reduce, timeout_s) if reduce else None,
        told=untold if progress is None else progress(f"making {out}"),
    )
    lacking: list[NoState] = []
    for called in (attached.FOLDER, attached.DATABASE) if name is None else (name,):
        try:
            return called, make(name=called)
        except NoState as error:
            lacking.append(error)
    if behind := [error for error in lacking if error.before]:
        raise behind[0]
    if not from_nothing:
        raise lacking[-1]
    if name == attached.DATABASE:
        raise Refusal("--from-nothing begins with an empty folder, and not with a database")
    called = name or attached.FOLDER
    return called, make(name=called, start=attached.nothing())


def _replay(words: Sequence[str], timeout_s: float, place: Path, events: Sequence[Event]) -> None:
    """Runs a reducer over a state; refuses where it fails."""
    told = "".join(json.dumps(shown(each).shape()) + "\n" for each in events)
    with translating(RuntimeError, TimeoutError, before=f"the state was not made: {' '.join(words)}: "):
        fanout.ran(words, told, timeout_s, {"FORKPOINT_STATE": str(place.absolute())})
