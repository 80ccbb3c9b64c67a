"""A SQLite store is made whole or not at all, for its owner alone; what a kill or a full disk left is undone, or said."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from forkpoint.worldlines import faults, sqlite
from forkpoint.worldlines.attached import restore, snapshot_database
from forkpoint.worldlines.store import Store
from strategies_events import turn

SPILL = (
    "PRAGMA cache_size = 1",
    "BEGIN IMMEDIATE",
    "CREATE TABLE new (x)",
    "INSERT INTO new WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 3000) SELECT zeroblob(99) FROM c",
)
"""Writes more than stands in memory, so that much of it is in the file before the end of the transaction."""


def child(does: Callable[[], object]) -> int:
    """Does something in a process of its own; how that ended."""
    pid = os.fork()
    if pid == 0:
        with contextlib.suppress(BaseException):
            does()
        os._exit(7)
    return os.waitpid(pid, 0)[1]


def killed(place: Path) -> None:
    """Writes to a file, and is killed in the middle."""

    def writes() -> None:
        connection = sqlite3.connect(place, isolation_level=None)
        for statement in SPILL:
            connection.execute(statement)
        os.kill(os.getpid(), signal.SIGKILL)

    assert os.WIFSIGNALED(child(writes))
    assert place.with_name(f"{place.name}-journal").stat().st_size
    assert place.stat().st_size > 100_000


def fresh(place: Path) -> str:
    """A store with a turn; the name of it."""
    with Store.open(f"sqlite:///{place}") as store:
        store.append(store.branch(None, "main", thread=store.thread("t")).id, turn("a"), None)
    return f"sqlite:///{place}"


def holds(url: str) -> None:
    with Store.open(url, create=False) as store:
        assert [event.id for event in store.timeline("main")] == ["a?", "a"]
        assert store.check() == []


def test_what_was_cut_off_in_its_making_is_no_store_yet_and_can_be_made(place: Path) -> None:
    killed(place)
    for _ in range(2):
        with pytest.raises(faults.NoStore, match=r"no store.*store import"):
            Store.open(f"sqlite:///{place}", create=False)
    fresh(place)
    holds(f"sqlite:///{place}")
    assert {path.name for path in place.parent.iterdir()} == {place.name}


def test_a_store_to_which_a_write_was_cut_off_is_as_it_was(place: Path) -> None:
    url = fresh(place)
    with contextlib.closing(sqlite3.connect(place)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    killed(place)
    holds(url)


def test_a_file_of_another_program_to_which_a_write_was_cut_off_is_refused_and_stays(place: Path) -> None:
    with contextlib.closing(sqlite3.connect(place)) as connection:
        connection.execute("CREATE TABLE theirs (a)")
    killed(place)
    before = {path.name: path.read_bytes() for path in place.parent.iterdir()}
    for create in (False, True):
        with pytest.raises(faults.NoStore, match="another program"):
            Store.open(f"sqlite:///{place}", create=create)
    assert {path.name: path.read_bytes() for path in place.parent.iterdir()} == before


def test_a_database_of_tables_that_are_none_is_no_store_where_none_is_to_be_made(place: Path) -> None:
    with contextlib.closing(sqlite3.connect(place)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    before = place.read_bytes()
    assert before
    with pytest.raises(faults.NoStore, match="no store"):
        Store.open(f"sqlite:///{place}", create=False)
    assert place.read_bytes() == before
    fresh(place)
    holds(f"sqlite:///{place}")


@pytest.mark.parametrize("room", [*range(0, 20_000, 1_500), *range(20_000, 200_000, 9_000)])
def test_a_full_disk_leaves_no_half_of_a_store(room: int, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(place.parent / "state"))

    def makes() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
        fresh(place)
        os._exit(0)

    ended = os.waitstatus_to_exitcode(child(makes))
    if ended:
        assert not [path for path in place.parent.iterdir() if path.name.startswith(place.name)] or place.stat().st_size > 50_000
        with contextlib.suppress(faults.NoStore), Store.open(f"sqlite:///{place}", create=False) as store:
            assert store.check() == []
    with Store.open(f"sqlite:///{place}") as store:
        assert store.check() == []


def test_a_snapshot_of_a_database_to_which_a_write_was_cut_off(place: Path) -> None:
    """It is kept as its readers see it, and not changed."""
    url, theirs = fresh(place), place.with_name("theirs.db")
    with contextlib.closing(sqlite3.connect(theirs)) as connection:
        connection.execute("CREATE TABLE old (a)")
    killed(theirs)
    before = {path.name: path.read_bytes() for path in place.parent.iterdir() if path.name.startswith("theirs")}
    with Store.open(url) as store:
        snapshot_database(store, "a", theirs)
        restore(store, "a", place.with_name("out.db"), name="database")
    assert {path.name: path.read_bytes() for path in place.parent.iterdir() if path.name.startswith("theirs")} == before
    with contextlib.closing(sqlite3.connect(place.with_name("out.db"))) as connection:
        assert connection.execute("SELECT name FROM sqlite_schema").fetchall() == [("old",)]


# ---- rights


@pytest.fixture
def usual_mask() -> object:
    """The mask of most systems, whatever the one of this run is."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def rights(folder: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.lstat().st_mode) for path in folder.iterdir()}


@pytest.mark.usefixtures("usual_mask")
def test_a_store_is_for_its_owner_alone(place: Path) -> None:
    with Store.open(f"sqlite:///{place}") as store:
        store.append(store.branch(None, "main", thread=store.thread("t")).id, turn("a"), None)
        assert rights(place.parent) == {f"{place.name}{more}": 0o600 for more in ("", "-wal", "-shm")}
    assert rights(place.parent) == {place.name: 0o600}


@pytest.mark.usefixtures("usual_mask")
def test_so_is_one_that_is_made_in_an_empty_file(place: Path) -> None:
    place.touch()
    fresh(place)
    assert rights(place.parent) == {place.name: 0o600}


def test_two_that_make_it_at_once_make_one(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = sqlite.Sqlite._make

    def second(self: sqlite.Sqlite) -> None:
        monkeypatch.setattr(sqlite.Sqlite, "_make", made)
        fresh(place)
        made(self)

    monkeypatch.setattr(sqlite.Sqlite, "_make", second)
    with Store.open(f"sqlite:///{place}") as store:
        assert store.threads() == ["t"]
    holds(f"sqlite:///{place}")
    assert {path.name for path in place.parent.iterdir()} == {place.name}
