"""The check of a store finds every change of one cell, and whatever in the schema is not as forkpoint makes it."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
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
    assert [what for column, what in missed if (table, column) not in MEANINGLESS] == []
    by_column = {column for column, _ in missed}
    assert by_column <= {column for of, column in MEANINGLESS if of == table}
    for column, what in missed:
        if (table, column) == ("operation", "number"):
            assert " -> " in what
            assert int(what.rsplit(" -> ", 1)[1]) > 0
    if table == "event":  # what is not between its neighbours is found
        assert not [what for _, what in missed if str(1 << 62) in what or "-> -" in what]


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
