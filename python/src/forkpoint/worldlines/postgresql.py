"""A store in PostgreSQL: many writers, each locking the worldline that it appends to."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final, NamedTuple

import psycopg
from psycopg.conninfo import conninfo_to_dict

from forkpoint.worldlines.database import LATEST, Connections, Exists, Rows, Session, migration, triggers
from forkpoint.worldlines.faults import BadEvent, Busy, NoStore, Wrong

SCHEMA: Final = "forkpoint"
"""The schema in which the tables stand."""

LONGEST_WAIT: Final = 86_400.0


class Known(NamedTuple):
    """Where a URL says that a server is, and who asks."""

    hosts: Sequence[tuple[str, str]]
    """Each with its port, or an empty text."""
    name: str
    user: str


def known(url: str) -> Known:
    """What a URL says, as the driver reads it. What cannot be read is not said again: it may have a password in it."""
    try:
        parts = {key: str(value) for key, value in conninfo_to_dict(url).items() if value is not None}
    except psycopg.Error:
        parts = {"host": "@"}
    hosts, ports = parts.get("host", "").split(","), parts.get("port", "").split(",")
    if any("@" in host for host in hosts):
        raise NoStore(
            "the URL of the store cannot be read: it is postgresql://USER:PASSWORD@HOST:PORT/NAME. A character of the "
            "password that is no letter and no digit stands there as % with its number (@ as %40)"
        )
    ports = ports if len(ports) == len(hosts) else [ports[0]] * len(hosts)
    return Known(tuple(zip(hosts, ports, strict=True)), parts.get("dbname", ""), parts.get("user", ""))


@functools.cache
def _theirs(statement: str) -> str:
    """A statement with the marks of this driver."""
    return statement.replace("?", "%s")


class _Transaction:
    """A transaction that is under way."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def execute(self, statement: str, values: Sequence[object] = ()) -> Rows:
        cursor: Rows = self._connection.execute(_theirs(statement).encode(), values)
        return cursor

    def executemany(self, statement: str, values: Sequence[Sequence[object]]) -> object:
        with self._connection.cursor() as cursor:
            cursor.executemany(_theirs(statement).encode(), values)
        return None


class Postgresql:
    """A PostgreSQL database. ``durable``: as of SQLite, by ``synchronous_commit``."""

    lock = " FOR UPDATE"

    def __init__(self, url: str, *, create: bool, wait: float, durable: bool) -> None:
        known(url)
        self.url = url
        self._wait, self._durable = min(wait, LONGEST_WAIT), durable
        self._connections = Connections[psycopg.Connection[Any]]()
        self._prepare(create)

    def _prepare(self, create: bool) -> None:
        with _told("cannot be opened"), self._connect().transaction():
            connection = self._connect()
            connection.execute("SELECT pg_advisory_xact_lock(hashtext('forkpoint'))")  # one makes the tables, others wait
            there = connection.execute("SELECT to_regclass('forkpoint.version')").fetchone()
            assert there is not None
            if there[0] is None:
                if not create:
                    raise NoStore("the database holds no store", "`forkpoint store import` makes one")
                connection.execute("CREATE SCHEMA IF NOT EXISTS forkpoint")
                connection.execute("CREATE TABLE forkpoint.version (number BIGINT PRIMARY KEY)")
            found = connection.execute("SELECT coalesce(max(number), 0) FROM forkpoint.version").fetchone()
            assert found is not None
            if found[0] > LATEST:
                raise NoStore(
                    f"the store was made by a later forkpoint (schema {found[0]}, this one knows {LATEST})", "update forkpoint"
                )
            for number in range(found[0] + 1, LATEST + 1):
                connection.execute(migration("postgresql", number).encode())
                connection.execute("INSERT INTO forkpoint.version VALUES (%s)", (number,))

    def _connect(self) -> psycopg.Connection[Any]:
        found = self._connections.mine()
        if found is None or found.closed:
            found = psycopg.connect(self.url, autocommit=True, connect_timeout=max(2, int(self._wait)))
            found.execute("SELECT set_config('search_path', 'forkpoint', false)")
            found.execute("SELECT set_config('lock_timeout', %s, false)", (f"{max(1, int(self._wait * 1000))}ms",))
            found.execute("SELECT set_config('synchronous_commit', %s, false)", ("on" if self._durable else "off",))
            self._connections.keep(found)
        return found

    @contextmanager
    def _session(self, level: str, what: str) -> Iterator[Session]:
        with _told(what):
            connection = self._connect()
            before = connection.info.transaction_status
            try:
                with connection.transaction():
                    connection.execute(f"SET TRANSACTION {level}".encode())
                    yield _Transaction(connection)
            finally:
                if connection.info.transaction_status is not before:
                    connection.close()  # cut off in the middle of something, it would fail for ever

    def write(self) -> AbstractContextManager[Session]:
        return self._session("READ WRITE", "cannot be written")

    def read(self) -> AbstractContextManager[Session]:
        return self._session("ISOLATION LEVEL REPEATABLE READ, READ ONLY", "cannot be read")

    def differs(self, session: Session) -> list[Wrong]:
        asked = (
            "SELECT t.tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid"
            " WHERE c.relnamespace = 'forkpoint'::regnamespace AND NOT t.tgisinternal AND t.tgenabled IN ('O', 'A')"
        )
        lacks = triggers("postgresql") - {name for (name,) in session.execute(asked)}
        return [Wrong(f"trigger {name}", "it keeps rows from changing, and is not there") for name in sorted(lacks)]

    def close(self) -> None:
        self._connections.close()


@contextmanager
def _told(what: str) -> Iterator[None]:
    try:
        yield
    except psycopg.errors.UniqueViolation as error:
        raise Exists(str(error)) from error
    except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected, psycopg.errors.QueryCanceled) as error:
        raise Busy("another process writes to the store", "try again") from error
    except (UnicodeError, OverflowError, psycopg.DataError) as error:
        raise BadEvent(f"a value cannot be written: {' '.join(str(error).split())}") from error
    except psycopg.Error as error:
        raise NoStore(f"the store {what}: {' '.join(str(error).split())}") from error
