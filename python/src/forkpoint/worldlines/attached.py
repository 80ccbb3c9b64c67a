"""State outside the store that belongs to a worldline: a folder, or a SQLite file, as it was at an event.

A snapshot of a folder is a list of what is in it, with the hash of each file's bytes; the bytes are kept once, however many
snapshots have them. Restoring makes a new folder, whole or not at all. What happens to the source afterwards does not show (P9),
and where no snapshot says what the state was, a reducer of the user's does, or it is refused (P15).
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from forkpoint.disk import files
from forkpoint.worldlines.checking import STATE
from forkpoint.worldlines.events import Event
from forkpoint.worldlines.faults import BadState, Busy, StoreError
from forkpoint.worldlines.rows import Told, Worldline, untold
from forkpoint.worldlines.store import Store

FOLDER, DATABASE = "folder", "database"
MADE, WHOLE = "made", ".whole"
"""What a state is called while it comes into being, and the end of the name of a database that a reducer worked on."""
SCHEME: Final = 1
ROUNDS: Final = 3
"""How often a file that changes while it is read is read again."""

PAGES: Final = 4096
"""So many pages of a database are read between two words of how far that got."""

Reducer = Callable[[bytes, Event], bytes]
Replay = Callable[[Path, Sequence[Event]], None]
"""Brings what stands at a place, a folder or a file, to the state behind some more events."""


def snapshot_folder(store: Store, event: str, folder: Path, *, name: str = FOLDER, told: Told = untold) -> str:
    """Keeps a folder as it is, as the state at an event; the hash of what is kept. Links are kept as links and not followed.
    ``told`` is told how many of the things in it are kept.

    Raises :class:`~forkpoint.worldlines.faults.BadState` for what is no file, folder or link, and
    :class:`~forkpoint.worldlines.faults.Busy` for a file that changes all the time. O(bytes that are new, and all that are read).
    """
    every, found = list(_below(folder)), []
    for path in every:
        found.append(_item(store, folder, path))
        told(len(found), len(every))
    return store.snapshot(event, _manifest(FOLDER, found), name=name)


def snapshot_database(store: Store, event: str, file: Path, *, name: str = DATABASE, told: Told = untold) -> str:
    """Keeps a SQLite file as one of its readers sees it, also while others write to it. ``told`` is told how many pages are read.
    O(bytes)."""
    if not file.is_file():
        raise BadState(f"{file} is no regular file")
    try:
        with _read_only(file) as source, contextlib.closing(sqlite3.connect(":memory:")) as copy:
            source.backup(copy, pages=PAGES, progress=lambda _, left, whole: told(whole - left, whole))
            body = copy.serialize()
    except (sqlite3.Error, OSError) as error:
        raise BadState(f"{file} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    item = {"path": file.name, "kind": "file", "mode": stat.S_IMODE(file.stat().st_mode), "hash": store.keep_piece(body)}
    return store.snapshot(event, _manifest(DATABASE, [item]), name=name)


@contextlib.contextmanager
def _read_only(file: Path) -> Iterator[sqlite3.Connection]:
    """A database as its readers see it. Where a write to it was cut off, that is undone in a copy, and the file stays. Raises
    :class:`sqlite3.Error`, :class:`OSError`, and :class:`~forkpoint.worldlines.faults.Busy`."""
    with contextlib.closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as found:
        try:
            found.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_READONLY_ROLLBACK:
                raise
        else:
            yield found
            return
    with tempfile.TemporaryDirectory(prefix="forkpoint-", ignore_cleanup_errors=True) as made:
        every = [file, file.with_name(f"{file.name}-journal")]
        before = [path.stat() for path in every]
        for path, name in zip(every, ("copy", "copy-journal"), strict=True):
            shutil.copyfile(path, Path(made) / name)
        if [_seen(path.stat()) for path in every] != list(map(_seen, before)):
            raise Busy(f"{file} changes while it is read", "try again")
        with contextlib.closing(sqlite3.connect(Path(made) / "copy")) as undone:
            undone.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            yield undone


def _seen(status: os.stat_result) -> tuple[int, int, int]:
    """What tells a file from what it becomes when somebody writes to it."""
    return status.st_size, status.st_mtime_ns, status.st_ino


def restore(
    store: Store,
    event: str,
    target: Path,
    *,
    name: str = FOLDER,
    reduce: Reducer | None = None,
    start: bytes | None = None,
    replay: Replay | None = None,
    told: Told = untold,
) -> int:
    """Makes the state at an event anew: a folder, or for a database a file, at a place where nothing is. Gives how many events
    ``replay`` was given.

    ``reduce`` and ``start`` as in :meth:`~forkpoint.worldlines.store.Store.state`; what they give is a list as a snapshot has it.
    ``replay`` stands in the place of ``reduce``: it is called once, with what the snapshot has and all events behind it. ``told``
    is told how much of the list is made. Raises what ``replay`` does, :class:`~forkpoint.worldlines.faults.NoState`, or
    :class:`~forkpoint.worldlines.faults.BadState` for a list that leads out of the folder, for bytes that are not what was kept,
    and where something is in the way. O(bytes).
    """
    behind: list[Event] = []

    def collect(state: bytes, each: Event) -> bytes:
        behind.append(each)
        return state

    kind, items = _items(store.state(event, reduce if replay is None else collect, start, name=name))
    if os.path.lexists(target):
        raise BadState(f"{target}: something stands there already", "name another place")
    try:
        with files.stage(target) as stage:
            stage.plan([files.FILE, *_planned(items)])
            root = stage.folder / MADE
            try:
                made = _made(store, root, kind, items, told)
                if replay is not None and behind:
                    _refuse_links_out(root, items)
                    replay(made, behind)
                    made = _looked_at(made, kind)
                if kind == FOLDER:
                    stage.publish(MADE, target)
                else:
                    os.rename(made, stage.folder / files.FILE)
                    stage.commit()
            finally:
                shutil.rmtree(root, ignore_errors=True)  # a reducer may have left more there than was planned
    except OSError as error:
        raise BadState(f"{error.filename or target}: {error.strerror}; nothing stands at {target}") from error
    return len(behind)


def _planned(items: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The names on a stage of what is made of a list, so that it can be taken away again after a kill."""
    for item in items:
        name = f"{MADE}/{item['path']}"
        if item["kind"] == "folder":
            yield f"{name}/{MADE}"  # for its sake the folder is emptied, too
        else:
            yield from (name, *(f"{name}{more}" for more in (WHOLE, "-journal", "-wal", "-shm")))


def _made(store: Store, root: Path, kind: str, items: Sequence[dict[str, Any]], told: Told) -> Path:
    """Makes what is in a list in a new folder: that folder, or the database in it."""
    root.mkdir()
    for made_now, item in enumerate(items, 1):
        _make(store, root, item)
        told(made_now, len(items))
    for item in reversed(items):  # a folder that nobody may write to gets its mode when all is in it
        if item["kind"] != "link":
            os.chmod(root / item["path"], item["mode"])
    return root if kind == FOLDER else root / str(items[0]["path"])


def branch_with(
    store: Store,
    event: str,
    target: Path,
    id: str | None = None,
    *,
    name: str = FOLDER,
    reduce: Reducer | None = None,
    start: bytes | None = None,
) -> Worldline:
    """Makes a worldline that comes from an event, with the state as it was there.

    The state comes first: where it is not known, there is no worldline either. The same again is refused, as the state is there.
    """
    made = store.legal(event) is None
    if made:
        restore(store, event, target, name=name, reduce=reduce, start=start)
    with or_gone(target if made else None):
        return store.branch(event, id)


@contextlib.contextmanager
def or_gone(made: Path | None) -> Iterator[None]:
    """Takes a state that was made away again where the store refuses what it is for: it would be in the way of another try."""
    try:
        yield
    except StoreError:
        if made is not None:
            shutil.rmtree(made, ignore_errors=True) if made.is_dir() else made.unlink(missing_ok=True)
        raise


def _looked_at(made: Path, kind: str) -> Path:
    """What a reducer left, if it is of the kind that it was; a database with all that was committed, in one file."""
    status = made.lstat() if os.path.lexists(made) else None
    if kind == FOLDER:
        if status is None or not stat.S_ISDIR(status.st_mode):
            raise BadState("the reducer left no folder where there was one; nothing was made")
        return made
    if status is None or not stat.S_ISREG(status.st_mode):
        raise BadState("the reducer left no database where there was one; nothing was made")
    whole = made.with_name(f"{made.name}{WHOLE}")
    try:
        with (
            contextlib.closing(sqlite3.connect(made.absolute().as_uri() + "?mode=rw", uri=True)) as source,
            contextlib.closing(sqlite3.connect(whole)) as copy,
        ):
            source.backup(copy)
    except sqlite3.Error as error:
        raise BadState(f"what the reducer left is no database: {error}; nothing was made") from error
    os.chmod(whole, stat.S_IMODE(status.st_mode))
    return whole


def nothing() -> bytes:
    """The state of a folder in which nothing is, for ``start``."""
    return _manifest(FOLDER, [])


def _below(folder: Path) -> Iterator[Path]:
    """What is in a folder, a folder before what is in it."""
    try:
        for path in sorted(folder.iterdir()):
            yield path
            if path.is_dir() and not path.is_symlink():
                yield from _below(path)
    except OSError as error:
        raise BadState(f"{error.filename}: {error.strerror}") from error


def _item(store: Store, folder: Path, path: Path) -> dict[str, object]:
    """A line of the list."""
    try:
        status = path.lstat()
        name = path.relative_to(folder).as_posix()
        name.encode()  # a name that is no text cannot stand in a list
        found: dict[str, object] = {"path": name, "mode": stat.S_IMODE(status.st_mode)}
        if stat.S_ISLNK(status.st_mode):
            return {**found, "kind": "link", "to": os.readlink(path)}
        if stat.S_ISDIR(status.st_mode):
            return {**found, "kind": "folder"}
        if not stat.S_ISREG(status.st_mode):
            raise BadState(f"{path} is no file, folder or link")
        for _ in range(ROUNDS):
            before, body, after = path.stat(), path.read_bytes(), path.stat()
            if _seen(before) == _seen(after):
                return {**found, "kind": "file", "hash": store.keep_piece(body)}
    except OSError as error:
        raise BadState(f"{path}: {error.strerror}") from error
    except UnicodeEncodeError as error:
        raise BadState(f"{str(path)!r}: its name is no text") from error
    raise Busy(f"{path} changes while it is read", "try again")


def _manifest(kind: str, items: list[dict[str, Any]]) -> bytes:
    return json.dumps({STATE: SCHEME, "kind": kind, "items": items}, separators=(",", ":"), sort_keys=True).encode()


def _items(manifest: bytes) -> tuple[str, list[dict[str, Any]]]:
    """The kind of a state and what is in it; a list that cannot be made is refused."""
    try:
        says = json.loads(manifest)
        kind, items = says["kind"], says["items"]
        good = says[STATE] == SCHEME and (kind == FOLDER or (kind == DATABASE and len(items) == 1))
        seen: dict[str, str] = {}
        for item in items:
            parts = item["path"].split("/")
            above = "/".join(parts[:-1])
            good = (
                good
                and all(part not in ("", ".", "..") and "\0" not in part for part in parts)
                and item["path"] not in seen
                and (not above or seen.get(above) == "folder")  # so that no link leads out
                and item["kind"] in ("file", "folder", "link")
                and isinstance(item["mode"], int)
                and 0 <= item["mode"] <= 0o777
                and (item["kind"] != "file" or isinstance(item["hash"], str))
                and (item["kind"] != "link" or (isinstance(item["to"], str) and "\0" not in item["to"]))
            )
            seen[item["path"]] = item["kind"]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise BadState(f"what is kept is no list of files: {type(error).__name__}: {error}") from error
    if good and kind == DATABASE and items[0]["kind"] != "file":
        raise BadState(f"{items[0]['path']!r}, which is to be a database, is a {items[0]['kind']}; nothing was made")
    if not good:
        raise BadState("what is kept is a list that leads out of its folder, or has something twice; nothing was made")
    return kind, items


def _refuse_links_out(root: Path, items: Sequence[dict[str, Any]]) -> None:
    """Refuses to let somebody work on a state with a link out of it: what is written there is no part of the state."""
    real = os.path.realpath(root)
    for item in items:
        if item["kind"] == "link":
            path = root / item["path"]
            if os.path.commonpath([real, os.path.realpath(path.parent / item["to"])]) != real:
                raise BadState(
                    f"{item['path']!r} is a link out of the state, to {item['to']!r}: nothing was made",
                    "restore the state without a reducer, and look at it",
                )


def _make(store: Store, work: Path, item: dict[str, Any]) -> None:
    path = work / item["path"]
    if item["kind"] == "folder":
        path.mkdir(mode=0o700)
    elif item["kind"] == "link":
        path.symlink_to(item["to"])
    else:
        with path.open("xb") as file:
            file.write(store.piece(item["hash"]))
            file.flush()
            os.fsync(file.fileno())
