"""A store in one SQLite file: many readers, one writer at a time."""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

from forkpoint.disk import files
from forkpoint.worldlines.database import (
    LACKING,
    LATEST,
    Connections,
    Exists,
    Part,
    Session,
    differences,
    migration,
    planted,
)
from forkpoint.worldlines.faults import BadEvent, Busy, NoStore, Wrong

OURS: Final = 0x666F726B
"""What the file says of itself in its header: it belongs to this program."""
RIGHTS: Final = 0o600
"""A store has whole conversations in it: only its owner reads it, and what SQLite makes beside it."""
BESIDE: Final = ("-journal", "-wal", "-shm")
"""What the files are called that SQLite makes beside one, behind its name."""
HEADER: Final = 72
"""So many bytes of a file end with what it says of whose it is."""
PAGES: Final = 20
"""So many bytes of a journal end with how many pages there were before the write that it undoes."""
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
        self._known: int | None = None
        """The version of the schema whose triggers are known to be those of this program."""
        self._prepare(create)

    def _prepare(self, create: bool) -> None:
        """Makes the tables, or brings them up to date; refuses a file that is no store, and writes nothing into one."""
        path = self._path
        with _told(path, "cannot be opened"):
            if not os.path.lexists(path):
                if not create:
                    raise NoStore(f"{path} is not there", self._cure)
                self._make()
            if not stat.S_ISREG(path.stat().st_mode):
                raise NoStore(f"{path} is no regular file", "name another")
            version = self._standing()
            if version == LATEST:
                return
            if not version and not create:
                raise NoStore(f"{path} is empty, and no store yet", self._cure)
            if not version:
                path.chmod(RIGHTS)
            _migrate(self._connect(), self._version)  # another one may have made it by now

    @property
    def _cure(self) -> str:
        return f"`forkpoint store import --store {self.url} SESSION` makes a store"

    def _make(self) -> None:
        """Makes a store where nothing is, whole or not at all; another one may make it at the same time. Raises
        :class:`OSError` and :class:`sqlite3.Error`."""
        with contextlib.suppress(FileExistsError), files.stage(self._path) as made:
            made.plan([files.FILE, *(f"{files.FILE}{more}" for more in BESIDE)])
            new = made.folder / files.FILE
            os.close(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, RIGHTS))
            with contextlib.closing(sqlite3.connect(_uri(new), isolation_level=None, uri=True)) as connection:
                connection.execute("PRAGMA synchronous = OFF")  # it is flushed below, once
                connection.execute("PRAGMA journal_mode = MEMORY")
                _migrate(connection, lambda _: 0)
                if connection.execute("PRAGMA journal_mode = WAL").fetchone() != ("wal",):
                    raise OSError(errno.EIO, "its journal cannot be kept there", os.fspath(self._path))
            files.flush(new)
            with contextlib.closing(sqlite3.connect(f"{_uri(new)}?immutable=1", uri=True)) as reading:
                if self._version(reading) != LATEST or reading.execute("PRAGMA quick_check").fetchone() != ("ok",):
                    raise OSError(errno.EIO, "it is not as it was written", os.fspath(self._path))
            made.commit()

    def _standing(self) -> int:
        """The last migration that the file has seen, which is only read for it; 0 of an empty one. Undoes a write that was cut
        off."""
        if not self._path.stat().st_size:
            return 0
        try:
            with contextlib.closing(sqlite3.connect(f"{self._uri}?mode=ro", timeout=self._wait, uri=True)) as reading:
                return self._version(reading)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_READONLY_ROLLBACK:
                raise
        self._roll_back()
        return self._standing()

    def _roll_back(self) -> None:
        """Undoes a write that a kill or a full disk cut off, as whoever opens the file next has to; refuses a file of another
        program, which is left to that."""
        journal = self._path.with_name(f"{self._path.name}-journal")
        with self._path.open("rb") as file, journal.open("rb") as beside:
            ours, pages = file.read(HEADER)[HEADER - 4 :], beside.read(PAGES)[PAGES - 4 :]
        if int.from_bytes(ours) != OURS and int.from_bytes(pages):  # of no pages: nothing was there before that write
            raise NoStore(f"{self._path} is a database of another program, which was cut off", "name another file")
        try:
            with contextlib.closing(sqlite3.connect(f"{self._uri}?mode=rw", timeout=self._wait, uri=True)) as connection:
                connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF in _BUSY:
                raise
            says = f"{self._path}: a write to it was cut off, and cannot be undone: {error}"
            raise NoStore(says, "open it once where you may write to it and its folder") from error

    def _version(self, connection: sqlite3.Connection) -> int:
        """The last migration that a store has seen, 0 where there is no table yet; refuses what is none, or is of a later
        program."""
        (ours,), (version,) = (connection.execute(f"PRAGMA {what}").fetchone() for what in ("application_id", "user_version"))
        tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
        if ours != OURS and (ours or tables):
            raise NoStore(f"{self._path} is a database of another program", "name another file")
        if version > LATEST:
            made = f"was made by a later forkpoint (schema {version}, this one knows {LATEST})"
            raise NoStore(f"{self._path} {made}", "update forkpoint")
        if version < 0 or bool(version) != bool(tables):
            raise NoStore(f"{self._path}: its tables are not those of a store", "name another file")
        wrong = differences(_parts(connection), _wanted()) if version == LATEST else ()
        odd = next(filter(_counts, wrong), None)
        if odd is not None:
            raise NoStore(f"{self._path}: its tables are not those of a store: {odd.where}: {odd.why}", "name another file")
        return int(version)

    @property
    def _uri(self) -> str:
        return _uri(self._path)

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
                if begin != "BEGIN":
                    self._refuse_triggers(connection)
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def _refuse_triggers(self, connection: sqlite3.Connection) -> None:
        """Refuses to write where somebody's trigger would do something then. Cheap while the schema stays as it is."""
        (version,) = connection.execute("PRAGMA schema_version").fetchone()
        if version != self._known:
            for wrong in differences(_parts(connection), _wanted()):
                if wrong.where.startswith("trigger ") and wrong.why != LACKING:
                    raise planted(str(self._path), wrong)
            self._known = version

    def write(self) -> AbstractContextManager[Session]:
        return self._session("BEGIN IMMEDIATE")

    def read(self) -> AbstractContextManager[Session]:
        return self._session("BEGIN")

    def differs(self, session: Session) -> list[Wrong]:
        return list(differences(_parts(session), _wanted()))

    def close(self) -> None:
        self._connections.close()


def _uri(path: Path) -> str:
    return f"file:{quote(str(path.absolute()))}"


def _migrate(connection: sqlite3.Connection, version: Callable[[sqlite3.Connection], int]) -> None:
    """Brings the tables of a database up to date, in one transaction, in which ``version`` says what there is."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        for number in range(version(connection) + 1, LATEST + 1):
            for statement in _statements(migration("sqlite", number)):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number}")
        connection.execute(f"PRAGMA application_id = {OURS}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _parts(connection: Session | sqlite3.Connection) -> dict[Part, tuple[str, str | None]]:
    """What tables, indexes, triggers and views there are: of each the table that it is of, and how it was made."""
    rows = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema")
    return {(kind, name): (of, sql) for kind, name, of, sql in rows}


@functools.cache
def _wanted() -> dict[Part, tuple[str, str | None]]:
    """What all migrations make."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        for number in range(1, LATEST + 1):
            connection.executescript(migration("sqlite", number))
        return _parts(connection)


def _counts(wrong: Wrong) -> bool:
    """Whether nothing can be read where something is wrong: a table is another one, or a view stands in its place."""
    return wrong.where.startswith(("table ", "view ")) and not wrong.where.startswith("table sqlite_")


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
        return "; free some room, and try again"
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
