"""The check of a store finds every change of one cell, and whatever in the schema is not as forkpoint makes it."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from worldlines.server import Server
from worldlines.test_hostile import filled

from forkpoint.worldlines import faults
from forkpoint.worldlines.store import Store
from strategies_events import prompt, turn

TABLES = ("thread", "worldline", "event", "mark", "held", "job", "operation", "material", "piece", "snapshot", "sealed")
MEANINGLESS: dict[tuple[str, str], str] = {
    ("event", "at"): "a time between those of its neighbours is as good as another: no clock is kept",
    ("material", "number"): "only the order among those of one worldline counts",
    ("operation", "number"): "of the last operation of a thread only that it comes last",
}
"""Columns in which some changes mean nothing, and why. All others of theirs must be found."""


def full(url: str) -> None:
    """A store with something in each column, and with each kind of operation."""
    with filled(url) as store:
        store.append("try", [prompt("x?")], "e")
        store.merge("bare", "try", "a", governance="[team:main:lead@env(home)]")
        store.rename("main", "trunk", by="me")
        store.branch("a", "other", name="other", why="a reason")
        store.move("other", "bare")
        store.undo(store.operations("t")[-1].number)
        store.move("other", "main")
        store.rename("try", None)
        store.discard("other", why="no more")
        store.branch("a", "gone")
        store.undo(store.operations("t")[-1].number, by="me")
        store.discard("try")
        store.undo(store.operations("t")[-1].number)
        store.rebase("try", "a", "again")
        store.keep("e", b'{"another":1}', session="session")
        store.keep("b", b"{}", session="other")
        line = store.branch(None, "second", thread=store.thread("u")).id
        store.append(line, turn("z"), None)
        assert store.check() == []


def others(value: Any) -> list[Any]:
    """What may stand in a cell instead."""
    if value is None:
        return [1, "x"]
    if isinstance(value, int):
        return [value + 1, value - 1, value + 1000, 1 << 62, -value - 7]
    if isinstance(value, str):
        return [value + "x", value[:-1], value.swapcase() if value.swapcase() != value else "", "{}"]
    return [value + b"x", value[:-1], bytes([value[0] ^ 1]) + value[1:]] if value else [b"x"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("cells") / "worldlines.db"
    full(f"sqlite:///{place}")
    with contextlib.closing(sqlite3.connect(place)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    assert tables == set(TABLES)
    return place


def cells(place: Path, table: str) -> Iterator[tuple[int, str, tuple[Any, ...], list[str], Any]]:
    """The cells of a table: which row, which column, the row, and the keys that tell it from others."""
    with contextlib.closing(sqlite3.connect(place)) as connection:
        rows = connection.execute(f"SELECT * FROM {table}")
        names = [each[0] for each in rows.description]
        for at, row in enumerate(rows.fetchall()):
            for column, value in zip(names, row, strict=True):
                yield at, column, row, names, value


def changes(place: Path, table: str) -> Iterator[tuple[str, str, Any]]:
    """Makes each change of one cell in a copy, from which it is taken back afterwards."""
    copy = place.with_name(f"{table}.db")
    shutil.copy(place, copy)
    with contextlib.closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        kept = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    for at, column, row, names, value in cells(place, table):
        where = " AND ".join(f"{name} IS ?" for name in names)
        for other in others(value):
            shutil.copy(place, copy)
            with contextlib.closing(sqlite3.connect(copy, isolation_level=None)) as connection:
                connection.execute("PRAGMA foreign_keys = OFF")
                connection.execute("PRAGMA synchronous = OFF")
                connection.execute("BEGIN")
                for name, _ in kept:
                    connection.execute(f"DROP TRIGGER {name}")
                try:
                    connection.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (other, *row))
                except sqlite3.IntegrityError:
                    continue  # the table itself takes no such value
                assert connection.execute("SELECT changes()").fetchone() == (1,)
                for _, text in kept:
                    connection.execute(text)
                connection.execute("COMMIT")
            yield str(copy), f"{table} {at}.{column}: {value!r} -> {other!r}", column


@pytest.fixture(scope="module")
def served(postgresql: Server) -> Server:
    """The same in PostgreSQL."""
    with psycopg.connect(postgresql.url, autocommit=True) as connection:
        connection.execute("CREATE DATABASE cells")
    full(address(postgresql))
    return postgresql


def address(server: Server) -> str:
    return server.url.replace("/postgres", "/cells")


def served_changes(url: str, table: str) -> Iterator[tuple[str, str]]:
    """Makes each change of one cell, and takes it back afterwards. Columns of numbers that the server gives are left alone."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")  # no trigger and no reference keeps it from that
        connection.execute("SET search_path = forkpoint")
        cursor = connection.execute(f"SELECT ctid, * FROM {table} ORDER BY ctid".encode())
        names = [each[0] for each in cursor.description or ()][1:]
        for at, (place, *row) in enumerate(cursor.fetchall()):
            for column, value in zip(names, row, strict=True):
                for other in others(value):
                    try:
                        now = set_cell(connection, table, column, other, place)
                    except psycopg.Error:
                        continue  # the table itself takes no such value
                    yield f"{table} {at}.{column}: {value!r} -> {other!r}", column
                    place = set_cell(connection, table, column, value, now)


def set_cell(connection: psycopg.Connection[Any], table: str, column: str, value: object, place: str) -> str:
    """Writes a value into the row at a place; where it stands now."""
    statement = f"UPDATE {table} SET {column} = %s WHERE ctid = %s::tid RETURNING ctid"
    (found,) = connection.execute(statement.encode(), (value, place)).fetchall()
    return str(found[0])


def judge(table: str, missed: list[tuple[str, str]]) -> None:
    """Whether only such changes were missed as mean nothing."""
    assert [what for column, what in missed if (table, column) not in MEANINGLESS] == []
    for column, what in missed:
        if (table, column) == ("operation", "number"):
            assert " -> " in what
            assert int(what.rsplit(" -> ", 1)[1]) > 0
    if table == "event":  # what is not between its neighbours is found
        assert not [what for _, what in missed if str(1 << 62) in what or "-> -" in what]


@pytest.mark.parametrize("table", TABLES)
def test_every_change_of_one_cell_is_found(table: str, whole: Path) -> None:
    missed: list[tuple[str, str]] = []
    tried = 0
    for place, what, column in changes(whole, table):
        tried += 1
        with Store.open(f"sqlite:///{place}", create=False, durable=False) as store:
            if store.check() == []:
                missed.append((column, what))
    assert tried
    judge(table, missed)


@pytest.mark.parametrize("table", TABLES)
def test_every_change_of_one_cell_is_found_on_a_server(table: str, served: Server) -> None:
    missed: list[tuple[str, str]] = []
    tried = 0
    with Store.open(address(served), create=False, durable=False) as store:
        for what, column in served_changes(address(served), table):
            tried += 1
            if store.check() == []:
                missed.append((column, what))
        assert store.check() == []  # all is taken back
    assert tried
    judge(table, missed)


SERVED_PARTS = {
    "a view": "CREATE VIEW extra AS SELECT 1 AS one",
    "a table": "CREATE TABLE extra (a BIGINT)",
    "a table that inherits": "CREATE TABLE public.extra () INHERITS (event)",
    "a sequence": "CREATE SEQUENCE extra",
    "an index": "CREATE INDEX extra ON event (at)",
    "an index less": "DROP INDEX worldline_by_name",
    "an index of other columns": "DROP INDEX worldline_of_thread; CREATE INDEX worldline_of_thread ON worldline (number, thread)",
    "a trigger": "CREATE TRIGGER extra BEFORE INSERT ON event FOR EACH ROW EXECUTE FUNCTION append_only()",
    "a trigger less": "DROP TRIGGER event_stays ON event",
    "a trigger that is off": "ALTER TABLE event DISABLE TRIGGER event_stays",
    "references that are off": "ALTER TABLE event DISABLE TRIGGER ALL",
    "a function that does nothing": "CREATE OR REPLACE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS"
    " 'BEGIN RETURN NEW; END'",
    "a function": "CREATE FUNCTION extra() RETURNS BIGINT LANGUAGE sql AS 'SELECT 1'",
    "a rule": "CREATE RULE extra AS ON INSERT TO event DO INSTEAD NOTHING",
    "a policy": "CREATE POLICY extra ON event USING (true)",
    "policies": "ALTER TABLE event ENABLE ROW LEVEL SECURITY",
    "a column": "ALTER TABLE event ADD COLUMN extra BIGINT",
    "a column that may lack": "ALTER TABLE event ALTER COLUMN chain DROP NOT NULL",
    "a column with a default": "ALTER TABLE event ALTER COLUMN at SET DEFAULT 7",
    "a column of another kind": "ALTER TABLE operation ALTER COLUMN at TYPE NUMERIC",
    "a check less": "ALTER TABLE worldline DROP CONSTRAINT worldline_check",
    "a reference less": "ALTER TABLE event DROP CONSTRAINT event_worldline_fkey",
    "another first seal": "ALTER TABLE sealed DISABLE TRIGGER sealed_stays; INSERT INTO sealed VALUES (0);"
    "ALTER TABLE sealed ENABLE TRIGGER sealed_stays",
}


@pytest.mark.parametrize("part", SERVED_PARTS)
def test_every_part_of_the_schema_on_a_server_that_is_another_is_found(part: str, served: Server) -> None:
    with psycopg.connect(served.url, autocommit=True) as connection:
        connection.execute("CREATE DATABASE parts TEMPLATE cells")
    url = served.url.replace("/postgres", "/parts")
    try:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("SET search_path = forkpoint")
            connection.execute(SERVED_PARTS[part].encode())
        with Store.open(url, create=False) as store:
            found = [f"{wrong.where}: {wrong.why}" for wrong in store.check()]
        assert found
        words = ("extra", "worldline", "event", "append_only", "operation", "seal")
        assert all(any(word in each for word in words) for each in found), found
    finally:
        with psycopg.connect(served.url, autocommit=True) as connection:
            connection.execute("DROP DATABASE parts WITH (FORCE)")


def test_where_somebody_planted_a_trigger_on_a_server_nothing_is_written(served: Server) -> None:
    with psycopg.connect(served.url, autocommit=True) as connection:
        connection.execute("CREATE DATABASE planted TEMPLATE cells")
    url = served.url.replace("/postgres", "/planted")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET search_path = forkpoint")
        connection.execute(SERVED_PARTS["a trigger"].encode())
    with Store.open(url, create=False) as store:
        before = [event.body for event in store.timeline("main")]
        with pytest.raises(faults.NoStore, match=r"trigger extra.*store check"):
            store.append("second", [prompt("new")], "z")
        assert [event.body for event in store.timeline("main")] == before


PARTS = {
    "a view": "CREATE VIEW extra AS SELECT 1",
    "a table": "CREATE TABLE extra (a)",
    "an index": "CREATE INDEX extra ON event (id)",
    "an index less": "DROP INDEX worldline_by_name",
    "an index of other columns": "DROP INDEX operation_of_thread; CREATE INDEX operation_of_thread ON operation (number, thread)",
    "a trigger": "CREATE TRIGGER extra AFTER INSERT ON event BEGIN UPDATE worldline SET open = open; END",
    "a trigger less": "DROP TRIGGER event_stays",
    "a trigger that does nothing": "DROP TRIGGER event_stays;"
    "CREATE TRIGGER event_stays BEFORE UPDATE ON event BEGIN SELECT 1; END",
    "a column": "ALTER TABLE event ADD COLUMN extra INTEGER",
    "a column of another name": "ALTER TABLE job RENAME COLUMN status TO state",
    "a column of another kind": "PRAGMA writable_schema = ON;"
    "UPDATE sqlite_schema SET sql = replace(sql, 'depth INTEGER NOT NULL', 'depth INTEGER') WHERE name = 'worldline'",
    "a table less": "DROP TABLE held",
    "another first seal": "DROP TRIGGER sealed_is_new; INSERT INTO sealed VALUES (0)",
}


@pytest.mark.parametrize("part", PARTS)
def test_every_part_of_the_schema_that_is_another_is_found(part: str, whole: Path, place: Path) -> None:
    shutil.copy(whole, place)
    with contextlib.closing(sqlite3.connect(place)) as connection:
        connection.executescript(PARTS[part])
    try:
        with Store.open(f"sqlite:///{place}", create=False) as store:
            found = [f"{wrong.where}: {wrong.why}" for wrong in store.check()]
    except faults.NoStore as error:  # nothing can be read of such tables
        found = [str(error)]
    assert found
    words = ("extra", "worldline_by_name", "operation_of_thread", "event_stays", "held", "job", "worldline", "seal")
    assert any(word in found[0] for word in words), found


def test_where_somebody_planted_a_trigger_nothing_is_written(whole: Path, place: Path) -> None:
    """It would change what stands there; what stands there can be read."""
    shutil.copy(whole, place)
    with Store.open(f"sqlite:///{place}", create=False) as store:
        with contextlib.closing(sqlite3.connect(place)) as connection:
            connection.executescript(
                "DROP TRIGGER event_stays;"
                "CREATE TRIGGER planted AFTER INSERT ON event BEGIN UPDATE event SET body = 'x' WHERE id = 'a'; END;"
            )
        before = [event.body for event in store.timeline("main")]
        with pytest.raises(faults.NoStore, match=r"planted.*store check"):
            store.append("second", [prompt("new")], "z")
        assert [event.body for event in store.timeline("main")] == before
        assert {"trigger planted", "trigger event_stays"} <= {wrong.where for wrong in store.check()}


def test_what_an_earlier_program_wrote_has_no_seal_and_holds(whole: Path, place: Path) -> None:
    """Of two such stores the second was changed: an operation with a seal stands among those that have none."""
    shutil.copy(whole, place)
    with contextlib.closing(sqlite3.connect(place)) as connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("UPDATE operation SET says = json_remove(says, '$.proof')")
        connection.execute("DROP TABLE sealed")
        for name, text in triggers:
            if not name.startswith("sealed"):
                connection.execute(text)
        connection.execute("PRAGMA user_version = 2")
        connection.commit()
    with Store.open(f"sqlite:///{place}", create=False) as store:
        assert store.check() == []
        store.append("second", [prompt("new")], "z")
        store.branch("z", "later")
        store.rename("second", "third")
        assert store.check() == []
    with contextlib.closing(sqlite3.connect(place)) as connection:
        connection.execute("DROP TRIGGER operation_stays")
        last = "WHERE number = (SELECT max(number) FROM operation)"
        connection.execute(f"UPDATE operation SET says = json_remove(says, '$.proof') {last}")
        connection.executescript(next(text for name, text in triggers if name == "operation_stays"))
        connection.commit()
    with Store.open(f"sqlite:///{place}", create=False) as store:
        assert ["seal" in wrong.why for wrong in store.check()] == [True]
