"""A store in PostgreSQL: many writers, each locking the worldline that it appends to."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final, NamedTuple

import psycopg
from psycopg.conninfo import conninfo_to_dict

from forkpoint.worldlines.database import (
    ADDED,
    LATEST,
    Connections,
    Exists,
    Part,
    Rows,
    Session,
    differences,
    migration,
    planted,
    triggers,
)
from forkpoint.worldlines.faults import BadEvent, Busy, NoStore, Wrong

SCHEMA: Final = "forkpoint"
"""The schema in which the tables stand."""
BESIDE: Final = "forkpoint_compared"
"""The schema in which the tables are made once more, to be compared."""
VERSIONS: Final = "CREATE TABLE version (number BIGINT PRIMARY KEY)"
PARTS: Final = {
    "table": "SELECT relname, concat_ws(' ', relkind, relpersistence, relrowsecurity, relforcerowsecurity, reloptions)"
    " FROM pg_class WHERE relnamespace = {0} AND relkind NOT IN ('i', 'S')",
    "view": "SELECT viewname, definition FROM pg_views WHERE schemaname::regnamespace = {0}",
    "sequence": "SELECT sequencename, concat_ws(' ', data_type, start_value, min_value, max_value, increment_by, cycle)"
    " FROM pg_sequences WHERE schemaname::regnamespace = {0}",
    "column": "SELECT c.relname || '.' || a.attname, concat_ws(' ', format_type(a.atttypid, a.atttypmod), a.attnotnull,"
    " a.attidentity, a.attgenerated, a.attcollation, pg_get_expr(d.adbin, d.adrelid)) FROM pg_attribute a"
    " JOIN pg_class c ON c.oid = a.attrelid LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum"
    " WHERE c.relnamespace = {0} AND c.relkind NOT IN ('i', 'S') AND a.attnum > 0 AND NOT a.attisdropped",
    "constraint": "SELECT c.relname || '.' || o.conname, concat_ws(' ', pg_get_constraintdef(o.oid), o.convalidated)"
    " FROM pg_constraint o JOIN pg_class c ON c.oid = o.conrelid WHERE o.connamespace = {0}",
    "index": "SELECT c.relname, concat_ws(' ', pg_get_indexdef(c.oid), i.indisvalid) FROM pg_class c"
    " JOIN pg_index i ON i.indexrelid = c.oid WHERE c.relnamespace = {0}",
    "trigger": "SELECT t.tgname, concat_ws(' ', pg_get_triggerdef(t.oid), t.tgenabled IN ('O', 'A')) FROM pg_trigger t"
    " JOIN pg_class c ON c.oid = t.tgrelid WHERE c.relnamespace = {0} AND NOT t.tgisinternal",
    "check of references": "SELECT c.relname, string_agg(concat_ws(' ', t.tgfoid::regproc, t.tgtype, t.tgenabled), ',' ORDER BY"
    " t.tgfoid::regproc::text, t.tgtype, t.tgenabled) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid"
    " WHERE c.relnamespace = {0} AND t.tgisinternal GROUP BY c.relname",
    "function": "SELECT proname, string_agg(pg_get_functiondef(oid), ' ' ORDER BY pronargs) FROM pg_proc"
    " WHERE pronamespace = {0} AND prokind <> 'a' GROUP BY proname",
    "rule": "SELECT c.relname || '.' || r.rulename, concat_ws(' ', pg_get_ruledef(r.oid), r.ev_enabled) FROM pg_rewrite r"
    " JOIN pg_class c ON c.oid = r.ev_class WHERE c.relnamespace = {0}",
    "policy": "SELECT c.relname || '.' || p.polname, concat_ws(' ', p.polcmd, p.polpermissive,"
    " pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid))"
    " FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid WHERE c.relnamespace = {0}",
    "child": "SELECT c.relname, h.inhparent::regclass FROM pg_inherits h JOIN pg_class c ON c.oid = h.inhrelid"
    " JOIN pg_class p ON p.oid = h.inhparent WHERE p.relnamespace = {0}",
}
"""The kinds of parts of a schema, each with the question for the name of each part, and for what it is. ``{0}`` is the schema."""

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
        self._wanted: dict[Part, str] | None = None
        self._asked = False
        """Whether the triggers are known to be those of this program."""
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
                connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}".encode())
                connection.execute(VERSIONS.encode())
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
            found = self._new()
            found.execute("SELECT set_config('synchronous_commit', %s, false)", ("on" if self._durable else "off",))
            self._connections.keep(found)
        return found

    def _new(self) -> psycopg.Connection[Any]:
        made = psycopg.connect(self.url, autocommit=True, connect_timeout=max(2, int(self._wait)))
        made.execute("SELECT set_config('search_path', %s, false)", (SCHEMA,))
        made.execute("SELECT set_config('lock_timeout', %s, false)", (f"{max(1, int(self._wait * 1000))}ms",))
        return made

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

    @contextmanager
    def write(self) -> Iterator[Session]:
        with self._session("READ WRITE", "cannot be written") as session:
            if not self._asked:
                self._refuse_triggers(session)
            yield session

    def _refuse_triggers(self, session: Session) -> None:
        """Refuses to write where somebody's trigger would do something then. Asked once: the server does not say when its schema
        changed."""
        asked = PARTS["trigger"].format(f"'{SCHEMA}'::regnamespace")
        for name in sorted({name for name, _ in session.execute(asked)} - triggers("postgresql")):
            raise planted("the store", Wrong(f"trigger {name}", ADDED))
        self._asked = True

    def read(self) -> AbstractContextManager[Session]:
        return self._session("ISOLATION LEVEL REPEATABLE READ, READ ONLY", "cannot be read")

    def differs(self, session: Session) -> list[Wrong]:
        return list(differences(_parts(session, SCHEMA), self._made()))

    def _made(self) -> dict[Part, str]:
        """The parts that all migrations make on this server: they are made beside the store, and nothing of it stays."""
        if self._wanted is None:
            with _told("cannot be compared"), self._new() as connection, connection.transaction(force_rollback=True):
                connection.execute(f"CREATE SCHEMA {BESIDE}".encode())
                connection.execute("SELECT set_config('search_path', %s, true)", (BESIDE,))
                connection.execute(VERSIONS.encode())
                for number in range(1, LATEST + 1):
                    connection.execute(migration("postgresql", number).encode())
                self._wanted = _parts(_Transaction(connection), BESIDE)
        return self._wanted

    def close(self) -> None:
        self._connections.close()


def _parts(session: Session, schema: str) -> dict[Part, str]:
    """What stands in a schema, and how each part was made."""
    found: dict[Part, str] = {}
    for kind, question in PARTS.items():
        for name, made in session.execute(question.format(f"'{schema}'::regnamespace")):
            found[kind, name] = str(made).replace(f"{schema}.", "")
    return found


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
