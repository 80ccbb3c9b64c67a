"""``store snapshot``, ``store restore``, ``store branch``: state outside a store, kept and made again at an event (P15)."""

from __future__ import annotations

import os
from pathlib import Path

from forkpoint.ops.answers import StoreBranched, StoreRestored, StoreSnapshot
from forkpoint.ops.refusals import Refusal
from forkpoint.ops.storing import opened
from forkpoint.worldlines import attached
from forkpoint.worldlines.faults import NoState
from forkpoint.worldlines.store import Store


def snapshot(path: str, event: str, url: str | None = None, name: str | None = None) -> StoreSnapshot:
    """Keeps a folder, or a SQLite file, as it is now, as the state at an event. It is called after its kind unless ``name`` names
    it. Refuses what is neither. O(bytes)."""
    where = Path(path)
    folder = where.is_dir()
    if not folder and not where.is_file():
        raise Refusal(f"{path}: there is no folder and no SQLite file")
    keep, name = (
        (attached.snapshot_folder, name or attached.FOLDER) if folder else (attached.snapshot_database, name or attached.DATABASE)
    )
    with opened(url, create=False) as store:
        return StoreSnapshot(event=event, name=name, hash=keep(store, event, where, name=name))


def restore(event: str, out: str, url: str | None = None, name: str | None = None) -> StoreRestored:
    """Makes the state at an event anew, where nothing stands yet, whole or not at all.

    Refuses (``ILLEGAL``) where no snapshot says what it is: never an empty one in silence. O(bytes)."""
    with opened(url, create=False) as store:
        return StoreRestored(event=event, name=_make(store, event, out, name), path=os.path.abspath(out))


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
) -> StoreBranched:
    """Makes a worldline that comes from an event (P9), called so, and first, where ``out`` names a place, the state as it was
    there. The same ``id`` again gives the same worldline.

    Refuses (``ILLEGAL``) an event at which nobody can go on, with the nearest legal ones, and a state that nothing knows; then
    there is no worldline either. O(log events + bytes)."""
    with opened(url, create=False, governance=governance) as store:
        if out is not None and store.legal(event) is None:
            _make(store, event, out, name)
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
        )


def _make(store: Store, event: str, out: str, name: str | None) -> str:
    """Makes the state of a name at an event, or else that of a folder, or else that of a database; its name."""
    try:
        attached.restore(store, event, Path(out), name=name or attached.FOLDER)
    except NoState as error:
        if name is not None or error.before:
            raise
    else:
        return name or attached.FOLDER
    attached.restore(store, event, Path(out), name=attached.DATABASE)
    return attached.DATABASE
