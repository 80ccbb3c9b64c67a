"""A store in one SQLite file: many readers, one writer at a time."""

from __future__ import annotations

import contextlib
import functools
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

from forkpoint.worldlines.database import LATEST, Connections, Exists, Session, migration, triggers
from forkpoint.worldlines.faults import BadEvent, Busy, NoStore

OURS: Final = 0x666F726B
"""What the file says of itself in its header: it belongs to this program."""
LONGEST_WAIT: Final = 86_400.0
_BUSY: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_KEYS: Final = (sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY)


class Sqlite:
    """A SQLite file in WAL mode. ``durable``: a commit is on the disk when it returns; otherwise a crash of the machine, not of
    the program, may lose the last ones."""

    lock = ""

    def __init__(self, url: str, *, create: bool, wait: float, durable: bool) -> None:
        self.url = url
        self._path = Path(url.removeprefix("sqlite:///"))
        self._wait, self._durable = min(wait, LONGEST_WAIT), durable
        self._connections = Connections[sqlite3.Connection]()
        self._prepare(create)

    def _prepare(self, create: bool) -> None:
        """Makes the tables, or brings them up to date; refuses a file that is no store, and writes nothing into one."""
        path = self._path
        with _told(path, "cannot be opened"):
            if path.exists() or path.is_symlink():
                if not stat.S_ISREG(path.stat().st_mode):
                    raise NoStore(f"{path} is no regular file", "name another")
                if not path.stat().st_size and not create:
                    raise NoStore(f"{path} is empty, and no store", "name another file")
                if path.stat().st_size:
                    with contextlib.closing(sqlite3.connect(f"{self._uri}?mode=ro", timeout=self._wait, uri=True)) as reading:
                        if self._version(reading) == LATEST:
                            return
            elif not create:
                raise NoStore(f"{path} is not there", f"`forkpoint store import --store {self.url} SESSION` makes a store")
            connection = self._connect()
            connection.execute("BEGIN IMMEDIATE")
            try:
                for number in range(self._version(connection) + 1, LATEST + 1):  # another one may have made it by now
                    for statement in _statements(migration("sqlite", number)):
                        connection.execute(statement)
                    connection.execute(f"PRAGMA user_version = {number}")
                connection.execute(f"PRAGMA application_id = {OURS}")
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def _version(self, connection: sqlite3.Connection) -> int:
        """The last migration that a store has seen; refuses what is none, or is of a later program."""
        (ours,), (version,) = (connection.execute(f"PRAGMA {what}").fetchone() for what in ("application_id", "user_version"))
        tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
        if ours != OURS and (ours or tables):
            raise NoStore(f"{self._path} is a database of another program", "name another file")
        if version == LATEST and _tables(connection) != _wanted():
            raise NoStore(f"{self._path}: its tables are not those of a store", "name another file")
        if version > LATEST:
            made = f"was made by a later forkpoint (schema {version}, this one knows {LATEST})"
            raise NoStore(f"{self._path} {made}", "update forkpoint")
        return int(version)

    @property
    def _uri(self) -> str:
        return f"file:{quote(str(self._path.absolute()))}"

    def _connect(self) -> sqlite3.Connection:
        """The connection of this thread."""
        found = self._connections.mine()
        if found is None:
            found = sqlite3.connect(self._uri, timeout=self._wait, isolation_level=None, check_same_thread=False, uri=True)
            found.execute("PRAGMA journal_mode = WAL")
            found.execute(f"PRAGMA synchronous = {'FULL' if self._durable else 'NORMAL'}")
            found.execute("PRAGMA foreign_keys = ON")
            found.execute("PRAGMA trusted_schema = OFF")
            self._connections.keep(found)
        return found

    @contextmanager
    def _session(self, begin: str) -> Iterator[Session]:
        with _told(self._path, "cannot be read" if begin == "BEGIN" else "cannot be written"):
            connection = self._connect()
            connection.execute(begin)
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def write(self) -> AbstractContextManager[Session]:
        return self._session("BEGIN IMMEDIATE")

    def read(self) -> AbstractContextManager[Session]:
        return self._session("BEGIN")

    def lacks(self, session: Session) -> list[str]:
        there = {name for (name,) in session.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'")}
        return sorted(triggers("sqlite") - there)

    def close(self) -> None:
        self._connections.close()


def _tables(connection: sqlite3.Connection) -> set[tuple[str, str]]:
    """What tables and views there are, each as it was made."""
    made = "SELECT name, sql FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'"
    return {(name, sql) for name, sql in connection.execute(made)}


@functools.cache
def _wanted() -> set[tuple[str, str]]:
    """The tables that all migrations make."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        for number in range(1, LATEST + 1):
            connection.executescript(migration("sqlite", number))
        return _tables(connection)


def _statements(text: str) -> Iterator[str]:
    """The statements of a script, each whole."""
    statement = ""
    for line in text.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _cure(error: sqlite3.Error) -> str:
    """What helps against an error of the database."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_FULL:
        return "; free some room, and try again: what was there before stands"
    if code == sqlite3.SQLITE_CORRUPT:
        return "; sqlite3's `.recover` saves what can be read of it, and `forkpoint store unbundle` reads a bundle of before"
    if code == sqlite3.SQLITE_NOTADB:
        return "; name another file"
    if code == sqlite3.SQLITE_ERROR:
        return "; its tables are not as a store has them: name another file"
    return ""


@contextmanager
def _told(path: Path, what: str) -> Iterator[None]:
    """Says what is wrong with the file in words, and not as the driver does."""
    try:
        yield
    except sqlite3.IntegrityError as error:
        if error.sqlite_errorcode in _KEYS or str(error).endswith("is there already"):
            raise Exists(str(error)) from error
        raise NoStore(f"{path} {what}: {error}", "`forkpoint store check` tells what is wrong with it") from error
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in _BUSY:
            raise Busy(f"{path}: another process writes to it", "try again") from error
        raise NoStore(f"{path} {what}: {error}{_cure(error)}") from error
    except OSError as error:
        raise NoStore(f"{path} {what}: {error.strerror or error}") from error
    except (UnicodeError, OverflowError) as error:
        raise BadEvent(f"a value cannot be written: {error}") from error
