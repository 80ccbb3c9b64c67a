"""What is known of sessions from last time: one SQLite file in the user's cache, which saves work and is never believed.

It holds what a listing says of each file, what the reader makes of each large file, and the words of all of them
(:mod:`forkpoint.sessions.full_text`). A listing, and a search, take a file for the one that it was when device, inode, size and
both times are the same; whoever reads a session asks for the BLAKE3 hash of the bytes. A file that is missing, damaged
or of another release is made anew; one that cannot be had, or that another process holds, costs a reading of the sessions,
nothing else.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sqlite3
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

import msgspec

from forkpoint.clients.lines import CHUNK
from forkpoint.disk.state import make_folders
from forkpoint.sessions.summaries import Summary
from forkpoint.transcript.format import columns, reader

if TYPE_CHECKING:
    from blake3 import blake3

FORMAT: Final = 5
"""Goes up with every change of what is kept or how it is found."""
APPLICATION: Final = 0x666F726B
"""What SQLite's header says the file is: ``fork``."""
WORTH: Final = 1 << 20
"""A smaller file is parsed as fast as it is looked up, in bytes."""
WORTH_AGAIN: Final = 8
"""What was made of a file is kept anew when an eighth of it is new."""
MOST: Final = 1 << 29
"""So many bytes of what the reader made are kept; those that were used last."""
PATIENCE: Final = 0.25
"""For how many seconds another process is waited for."""

SCHEMA: Final = """
CREATE TABLE session(folder BLOB, name BLOB, stamp TEXT, summary BLOB, PRIMARY KEY(folder, name)) STRICT, WITHOUT ROWID;
CREATE TABLE made(
    path BLOB PRIMARY KEY, length INTEGER NOT NULL, hash BLOB NOT NULL, used INTEGER NOT NULL, size INTEGER NOT NULL,
    columns BLOB NOT NULL) STRICT;
CREATE TABLE noted(path BLOB, name TEXT, hash BLOB, data BLOB, PRIMARY KEY(path, name)) STRICT;
CREATE TABLE searched(
    id INTEGER PRIMARY KEY AUTOINCREMENT, folder BLOB NOT NULL, name BLOB NOT NULL, stamp TEXT NOT NULL,
    length INTEGER NOT NULL CHECK(length >= 0), lines INTEGER NOT NULL CHECK(lines >= 0), hash BLOB NOT NULL,
    UNIQUE(folder, name)) STRICT;
CREATE TABLE said(
    id INTEGER PRIMARY KEY AUTOINCREMENT, file INTEGER NOT NULL, line INTEGER NOT NULL, first INTEGER NOT NULL CHECK(first >= 0),
    last INTEGER NOT NULL CHECK(last BETWEEN first AND first + 67108864), uuid TEXT NOT NULL, role TEXT NOT NULL,
    time TEXT NOT NULL) STRICT;
CREATE INDEX said_file ON said(file);
CREATE TABLE used(said INTEGER NOT NULL, tool TEXT, call TEXT, path TEXT) STRICT;
CREATE INDEX used_said ON used(said);
CREATE INDEX used_tool ON used(tool);
CREATE INDEX used_path ON used(path);
CREATE VIRTUAL TABLE words USING fts5(text, content='', tokenize="unicode61 remove_diacritics 2");
"""

_decoder = msgspec.msgpack.Decoder(Summary)
_ODD: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_SCHEMA, sqlite3.SQLITE_FORMAT)


def enabled() -> bool:
    """Whether the environment allows a catalog: ``FORKPOINT_CATALOG=off`` does not."""
    return os.environ.get("FORKPOINT_CATALOG", "").lower() != "off"


def cache_dir() -> Path:
    """The folder of the catalog: ``forkpoint`` in ``XDG_CACHE_HOME`` when that is an absolute path, else in ``~/.cache``."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return Path(base if os.path.isabs(base) else os.path.expanduser("~/.cache")) / "forkpoint"


def place() -> Path:
    """Where the catalog is, or would be."""
    return cache_dir() / "catalog.sqlite"


def stamp(status: os.stat_result) -> str:
    """What a listing takes for the same file: device, inode, size, and when bytes and inode changed last."""
    return f"{status.st_dev}:{status.st_ino}:{status.st_size}:{status.st_mtime_ns}:{status.st_ctime_ns}"


@contextlib.contextmanager
def opened() -> Iterator[sqlite3.Connection | None]:
    """The catalog; None when there is none that can be used.

    What SQLite says against the file within the block ends the block in silence; a file that is odd is removed then, and the next
    one who asks makes it anew.
    """
    connection = _connect() if enabled() else None
    if connection is None:
        yield None
        return
    try:
        yield connection
    except sqlite3.Error as error:
        _give_up(error)
    finally:
        connection.close()


@contextlib.contextmanager
def somewhere(*, patience: float = PATIENCE, in_memory: bool = False) -> Iterator[sqlite3.Connection]:
    """The catalog, for which another process is waited for so many seconds; where there is none that can be used, or
    ``in_memory``, one in memory that is gone after the block. What SQLite says against either is raised."""
    connection = None if in_memory or not enabled() else _connect()
    if connection is None:
        connection = sqlite3.connect(":memory:", isolation_level=None)
        _prepare(connection)
    try:
        connection.execute(f"PRAGMA busy_timeout={int(patience * 1000)}")
        yield connection
    except sqlite3.Error as error:
        _give_up(error)
        raise
    finally:
        connection.close()


@contextlib.contextmanager
def writing(connection: sqlite3.Connection) -> Iterator[None]:
    """What is written within the block stands all at once, or not at all; raises :class:`sqlite3.Error` where it cannot."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.rollback()
        raise
    connection.commit()


def _connect() -> sqlite3.Connection | None:
    for _ in range(2):
        connection = None
        try:
            file = place()
            make_folders(file.parent)
            if not _is_there(file):
                return None
            connection = sqlite3.connect(file, timeout=PATIENCE, isolation_level=None)
            _prepare(connection)
            return connection
        except sqlite3.Error as error:
            if connection is not None:
                connection.close()
            if not _give_up(error):
                return None
        except (OSError, ValueError):
            return None
    return None


def _is_there(file: Path) -> bool:
    """Whether a regular file is there, made now if nothing is; raises :class:`OSError`.

    One that is there is not opened: SQLite's locks of a process end when the process closes any of its own handles of the file.
    """
    try:
        status = os.lstat(file)
        if stat.S_ISREG(status.st_mode) and status.st_mode & 0o077 and status.st_uid == os.geteuid():
            os.chmod(file, 0o600)  # what sessions say is nobody else's
        return stat.S_ISREG(status.st_mode)
    except FileNotFoundError:
        with contextlib.suppress(FileExistsError):
            os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        return stat.S_ISREG(os.lstat(file).st_mode)


def _prepare(connection: sqlite3.Connection) -> None:
    """Makes the tables where nothing is; raises :class:`sqlite3.Error` where something is that is no catalog of this release.
    Views, triggers and other tables are no part of one: what is read back is data, and never runs."""
    connection.execute("PRAGMA trusted_schema=OFF")
    expected = _schema()
    if _tables(connection) == expected and _marks(connection) == [APPLICATION, FORMAT]:
        return
    with writing(connection):
        found = _tables(connection)
        if found == expected and _marks(connection) == [APPLICATION, FORMAT]:  # another process was faster
            return
        if found:
            error = sqlite3.DatabaseError("a catalog of another release")
            error.sqlite_errorcode = sqlite3.SQLITE_FORMAT
            raise error
        _make(connection)
        connection.execute(f"PRAGMA application_id={APPLICATION}")
        connection.execute(f"PRAGMA user_version={FORMAT}")


def _make(connection: sqlite3.Connection) -> None:
    for statement in filter(str.strip, SCHEMA.split(";")):
        connection.execute(statement)


def _tables(connection: sqlite3.Connection) -> list[tuple[object, ...]]:
    """All that is in the file, as SQLite describes it."""
    return connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name").fetchall()


@functools.cache
def _schema() -> list[tuple[object, ...]]:
    """The same of a catalog that is made now."""
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        _make(connection)
        return _tables(connection)


def _marks(connection: sqlite3.Connection) -> list[object]:
    return [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]


def _give_up(error: sqlite3.Error) -> bool:
    """Removes a catalog that is odd; whether it did. One that is busy, full or not to be written stays."""
    if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_FORMAT) & 0xFF not in _ODD:
        return False
    return drop()


def drop() -> bool:
    """Removes the catalog; whether there was one."""
    file = place()
    with contextlib.suppress(OSError):
        file.with_name(f"{file.name}-journal").unlink()
    try:
        file.unlink()
    except OSError:
        return False
    return True


def sizes() -> tuple[int | None, list[int]]:
    """How many bytes the catalog has, None where there is none, and of how many files it has a summary, columns and words."""
    try:
        size = os.lstat(place()).st_size
    except OSError:
        return None, [0, 0, 0]
    found = [0, 0, 0]
    with opened() as connection:
        if connection is not None:
            tables = ("session", "made", "searched")
            found = [connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables]
    return size, found


def key(folder: Path) -> bytes:
    """What a folder is called in the catalog."""
    return os.fsencode(os.path.realpath(folder))


def load(connection: sqlite3.Connection, folder: Path) -> dict[str, tuple[str, Summary]]:
    """What is kept of the sessions in a folder, by file name, each with the stamp of the file that it is of."""
    found: dict[str, tuple[str, Summary]] = {}
    for name, mark, data in connection.execute("SELECT name, stamp, summary FROM session WHERE folder = ?", (key(folder),)):
        with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError, TypeError):
            found[os.fsdecode(name)] = str(mark), _decoder.decode(data)
    return found


def known(folders: Iterable[Path]) -> dict[Path, dict[str, tuple[str, Summary]]]:
    """What :func:`load` says of each of some folders; nothing where there is no catalog."""
    found: dict[Path, dict[str, tuple[str, Summary]]] = {folder: {} for folder in folders}
    with opened() as connection:
        if connection is not None:
            found.update((folder, load(connection, folder)) for folder in found)
    return found


def save(connection: sqlite3.Connection, folder: Path, new: Mapping[str, tuple[str, Summary]], gone: Iterable[str] = ()) -> None:
    """Keeps what was found of sessions in a folder, and forgets those that are gone."""
    where = key(folder)
    connection.executemany("DELETE FROM session WHERE folder = ? AND name = ?", [(where, os.fsencode(name)) for name in gone])
    rows = []
    for name, (mark, summary) in new.items():
        with contextlib.suppress(UnicodeEncodeError):
            rows.append((where, os.fsencode(name), mark, msgspec.msgpack.encode(summary)))
    connection.executemany("INSERT OR REPLACE INTO session VALUES (?, ?, ?, ?)", rows)


def read(path: str | os.PathLike[str], progress: Callable[[int, int], object] | None = None) -> reader.Transcript:
    """Reads a transcript as :func:`forkpoint.transcript.format.reader.read` does; of a large file that was read before, only what
    came after is parsed.

    What is kept is used where the hash of the bytes that it was made from is that of the file's bytes now, all of them.
    """
    if not enabled() or os.stat(path).st_size < WORTH:
        return reader.read(path, progress)
    with opened() as connection:
        return reader.read(path, progress, None if connection is None else _Made(connection, Path(path)))


def forget(path: Path) -> None:
    """Forgets what the reader made of a file, so that it is parsed; as far as that can be done."""
    with opened() as connection, contextlib.suppress(sqlite3.Error):
        if connection is not None:
            _forget(connection, os.fsencode(os.path.realpath(path)))


def _forget(connection: sqlite3.Connection, path: bytes) -> None:
    with writing(connection):
        for table in ("made", "noted"):
            connection.execute(f"DELETE FROM {table} WHERE path = ?", (path,))


class _Made:
    """What the reader made of a file: :class:`forkpoint.transcript.format.reader.Kept`."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        from blake3 import blake3  # only where it is needed

        self._connection = connection
        self._key = os.fsencode(os.path.realpath(path))
        self._new = blake3
        self._hash = blake3()
        self._length = 0

    def known(self, file: BinaryIO, size: int, source: reader.Source) -> reader.Prefix | reader.Whole | None:
        try:
            query = "SELECT length, hash, columns FROM made WHERE path = ? AND length <= ?"
            row = self._connection.execute(query, (self._key, size)).fetchone()
        except sqlite3.Error as error:
            _give_up(error)
            return None
        if row is None:
            return None
        length, wanted, data = row
        prefix = None
        if isinstance(length, int) and isinstance(data, bytes) and digest(self._hash, file, length) == wanted:
            if length == size:
                self._length = length
                return reader.Whole(length, functools.partial(_all, self._key, data, source, length))
            prefix = columns.unpack(data, source)
        if prefix is None or prefix.length != length:
            file.seek(0)
            self._hash = self._new()
            return None
        self._length = length
        return prefix

    def hears(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        return heard(pieces, self._hash)

    def keep(self, transcript: reader.Transcript) -> None:
        if not transcript.changed:
            transcript.notes = _Notes(self._key, self._hash.digest())
        if (transcript.size - self._length) * WORTH_AGAIN <= transcript.size:
            return
        data = columns.pack(transcript)
        if data is None:
            return
        try:
            with writing(self._connection):
                row = (self._key, transcript.size, self._hash.digest(), time.time_ns(), len(data), data)
                self._connection.execute("INSERT OR REPLACE INTO made VALUES (?, ?, ?, ?, ?, ?)", row)
                self._make_room()
        except sqlite3.Error as error:
            _give_up(error)

    def _make_room(self) -> None:
        """Forgets what was made longest ago, when there is too much."""
        total = 0
        sizes = "SELECT path, size + (SELECT TOTAL(LENGTH(data)) FROM noted WHERE noted.path = made.path) FROM made"
        for path, size in self._connection.execute(f"{sizes} ORDER BY used DESC").fetchall():
            total += size
            if total > MOST:
                for table in ("made", "noted"):
                    self._connection.execute(f"DELETE FROM {table} WHERE path = ?", (path,))


def _all(path: bytes, data: bytes, source: reader.Source, length: int) -> reader.Prefix | None:
    """What is kept of a whole file; None where it is of another length, or does not hang together: it is forgotten then."""
    found = columns.unpack(data, source)
    if found is not None and found.length == length:
        return found
    with opened() as connection:
        if connection is not None:
            _forget(connection, path)
    return None


class _Notes:
    """What is noted of a whole file: :class:`forkpoint.transcript.format.reader.Notes`."""

    def __init__(self, path: bytes, of: bytes) -> None:
        self._path, self._hash = path, of

    def recall(self, name: str) -> bytes | None:
        row = None
        with opened() as connection:
            if connection is not None:
                query = "SELECT data FROM noted WHERE path = ? AND name = ? AND hash = ?"
                row = connection.execute(query, (self._path, name, self._hash)).fetchone()
        return row[0] if row is not None and isinstance(row[0], bytes) else None

    def note(self, name: str, data: bytes) -> None:
        with opened() as connection:
            if connection is not None:
                with writing(connection):
                    row = (self._path, name, self._hash, data, self._path)  # notes go when the columns go
                    query = "INSERT OR REPLACE INTO noted SELECT ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM made WHERE path = ?)"
                    connection.execute(query, row)


def heard(pieces: Iterable[bytes], so_far: blake3) -> Iterator[bytes]:
    """The pieces, each of which is in the hash then."""
    for piece in pieces:
        so_far.update(piece)
        yield piece


def digest(so_far: blake3, file: BinaryIO, length: int) -> bytes:
    """The hash with the next bytes of a file in it; of fewer bytes, where the file ends before. O(length), bounded memory."""
    while length > 0 and (piece := file.read(min(CHUNK, length))):
        so_far.update(piece)
        length -= len(piece)
    return so_far.digest()
