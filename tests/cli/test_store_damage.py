"""Whatever stands in a cell of a store, and whichever row is lost: each command answers, or says what is wrong."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from worldlines.test_cells import TABLES, full

from forkpoint.worldlines import attached
from forkpoint.worldlines.store import Store
from program import call

WILD: dict[type, list[Any]] = {
    int: [1 << 62, -(1 << 62), 31_556_889_864_403_199 * 10**6 // 10**6, -1, 253_402_300_800 * 10**6],
    str: ["", "x", "[]", '{"from": 7, "name": [], "witness": {}, "proof": 3}', "{}"],
    bytes: [b"", b"x", b"{}", b'{"forkpoint-state":1,"kind":"database","items":[{}]}'],
    type(None): [None],
}
COMMANDS = (
    ("list",),
    ("timeline", "main"),
    ("timeline", "main", "--as-of", "b"),
    ("timeline", "again", "--as-of-time", "2100-01-01"),
    ("log",),
    ("log", "--ledger", "ledger.jsonl"),
    ("diff", "main", "again"),
    ("check",),
    ("restore", "b", "--out", "out"),
    ("restore", "d", "--out", "out", "--reduce", "true"),
    ("export", "second", "--out", "out"),
    ("bundle", "main", "again", "--out", "out"),
)
DOCUMENTED = {0, 1, 2, 3, 4, 5}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CLAUDE_CONFIG_DIR", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    monkeypatch.setenv("FORKPOINT_STORE", "sqlite:///worldlines.db")
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store without its triggers, in a journal that leaves nothing beside it."""
    folder = tmp_path_factory.mktemp("damage")
    place, state = folder / "worldlines.db", folder / "state"
    full(f"sqlite:///{place}")
    state.mkdir()
    (state / "a").write_text("a")
    (state / "l").symlink_to("a")
    with Store.open(f"sqlite:///{place}") as store:
        attached.snapshot_folder(store, "a", state)
    with contextlib.closing(sqlite3.connect(place)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.commit()
    return place


def damages(place: Path, table: str) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Statements that change one cell of a table, or remove one row, each with its values."""
    with contextlib.closing(sqlite3.connect(place)) as connection:
        rows = connection.execute(f"SELECT * FROM {table}")
        names = [each[0] for each in rows.description]
        every = rows.fetchall()
    where = " AND ".join(f"{name} IS ?" for name in names)
    seen: set[tuple[str, type]] = set()
    for row in every:
        yield f"DELETE FROM {table} WHERE {where}", row
        for name, value in zip(names, row, strict=True):
            if (name, type(value)) not in seen:
                seen.add((name, type(value)))
                for other in [*WILD[type(value)], None, *([1] if value is None else [])]:
                    yield f"UPDATE {table} SET {name} = ? WHERE {where}", (other, *row)


def tried(statement: str, values: tuple[Any, ...], whole: Path) -> bool:
    """Makes a damage in the store of the folder; whether the tables take it."""
    shutil.copy(whole, "worldlines.db")
    with contextlib.closing(sqlite3.connect("worldlines.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        try:
            connection.execute(statement, values)
        except sqlite3.IntegrityError:
            return False
    return True


@pytest.mark.parametrize("table", TABLES)
def test_no_damage_ends_a_command_with_an_error_of_its_own(table: str, whole: Path) -> None:
    odd = []
    for statement, values in damages(whole, table):
        for command in COMMANDS if tried(statement, values, whole) else ():
            found = call("store", *command)
            if found.code not in DOCUMENTED or "Traceback" in found.stderr:
                odd.append((statement.split(" WHERE")[0], values, command, found.code, found.stderr[-300:]))
            for left in ("out", "ledger.jsonl"):
                if os.path.isdir(left):
                    shutil.rmtree(left)
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(left)

    assert odd == []


@pytest.mark.parametrize("at", [10**9 * 31_556_952 * 10**6, 1 << 62, -(1 << 62), 253_402_300_800 * 10**6])
def test_a_time_that_no_calendar_has_is_shown_as_the_number_that_it_is(at: int, whole: Path) -> None:
    at = min(at, (1 << 63) - 1)
    assert tried("UPDATE operation SET at = ?", (at,), whole)
    found = call("store", "log")
    assert (found.code, f"(no time: {at})" in found.stdout) == (0, True), found
    found = call("store", "log", "--ledger", "ledger.jsonl")
    assert (found.code, "is not in the ledger" in found.stderr) == (0, True), found
    assert not os.path.exists("ledger.jsonl")


@pytest.mark.parametrize("at", [1 << 62, -(1 << 62), 253_402_300_800 * 10**6])
def test_an_event_whose_time_no_client_can_write_is_no_line_of_a_session(at: int, whole: Path) -> None:
    assert tried("UPDATE event SET at = ? WHERE id = 'z?'", (at,), whole)
    found = call("store", "export", "second", "--out", "out")
    assert (found.code, "'z?' has no time" in found.stderr, "store check" in found.stderr) == (2, True, True), found
    assert not os.path.exists("out")


@pytest.mark.parametrize("time", ["nan", "inf", "1e300", "-1e300", "words", "", "1e18"])
def test_a_wild_time_that_is_asked_for_is_refused(time: str, whole: Path) -> None:
    shutil.copy(whole, "worldlines.db")
    assert call("store", "timeline", "main", "--as-of-time", time).code in (0, 2)


def test_an_operation_that_says_less_is_not_in_the_ledger(whole: Path) -> None:
    assert tried("UPDATE operation SET says = ? WHERE kind = 'merge'", ('{"governance":"[team:main:lead@env(home)]"}',), whole)
    found = call("store", "log", "--ledger", "ledger.jsonl")
    assert (found.code, "is not in the ledger" in found.stderr) == (0, True), found
