"""Nothing of a store can be changed behind its back without being seen, and a file that is none is refused."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from worldlines.server import Server

from forkpoint.worldlines import faults
from forkpoint.worldlines.checking import STATE
from forkpoint.worldlines.events import Event
from forkpoint.worldlines.sqlite import OURS
from forkpoint.worldlines.store import Store
from strategies_events import answer, prompt, turn, use

FIXED = (
    "UPDATE event SET body = body",
    "DELETE FROM event",
    "UPDATE thread SET made = 0",
    "DELETE FROM thread",
    "DELETE FROM worldline",
    "UPDATE worldline SET base = 'x'",
    "UPDATE worldline SET id = 'x'",
    "UPDATE worldline SET own = own - 1",
    "UPDATE worldline SET head = 'x'",
    "UPDATE operation SET says = '{}'",
    "DELETE FROM operation",
    "UPDATE piece SET body = body",
    "DELETE FROM piece",
    "UPDATE snapshot SET name = 'x'",
    "DELETE FROM snapshot",
    "UPDATE material SET body = body",
    "DELETE FROM material",
    "INSERT INTO event SELECT worldline, place + 9, id || 'x', parent, at, legal, messages, content, chain, body FROM event",
)
REPLACED = (
    "INSERT OR REPLACE INTO event SELECT * FROM event WHERE id = 'a'",
    "INSERT OR REPLACE INTO event SELECT worldline, place, 'z', parent, at, legal, messages, content, chain, body FROM event"
    " WHERE id = 'e'",
    "INSERT OR REPLACE INTO thread SELECT * FROM thread",
    "INSERT OR REPLACE INTO thread (id, made) VALUES ('t', 5)",
    "INSERT OR REPLACE INTO worldline SELECT * FROM worldline WHERE id = 'try'",
    "UPDATE OR REPLACE worldline SET name = 'try' WHERE id = 'bare'",
    "INSERT OR REPLACE INTO operation SELECT * FROM operation",
    "INSERT OR REPLACE INTO piece SELECT hash, CAST('other' AS BLOB) FROM piece",
    "INSERT OR REPLACE INTO snapshot SELECT * FROM snapshot",
    "INSERT OR REPLACE INTO material SELECT * FROM material",
)


def filled(url: str) -> Store:
    """A store with something in each table."""
    store = Store.open(url, durable=False)
    thread = store.thread("t")
    line = store.branch(None, "main", thread=thread).id
    store.append(line, [*turn("a"), prompt("p"), answer("u", use("t"), message="m"), *turn("b")], None)
    store.append(line, [Event.of("j", {"type": "job", "job": "j", "status": "running"})], "b")
    store.branch("a", "try", name="try")
    store.append("try", [*turn("c"), answer("d", message="n"), answer("e", message="n")], "a")
    store.branch("a", "bare")
    store.snapshot("a", b"state")
    item = {"path": "f", "kind": "file", "mode": 0o600, "hash": store.keep_piece(b"bytes of a file")}
    store.snapshot("b", json.dumps({STATE: 1, "kind": "folder", "items": [item]}).encode(), name="folder")
    store.keep("e", b"{}", session="session")
    return store


@pytest.mark.parametrize("statement", FIXED + REPLACED)
def test_the_database_itself_keeps_what_never_changes(statement: str, place: Path) -> None:
    with filled(f"sqlite:///{place}"):
        pass
    with sqlite3.connect(place) as connection, pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute(statement)


def test_so_does_the_server(postgresql: Server) -> None:
    import psycopg

    with psycopg.connect(postgresql.url, autocommit=True) as connection:
        connection.execute("CREATE DATABASE kept")
    url = postgresql.url.replace("/postgres", "/kept")
    with filled(url), psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET search_path = forkpoint")
        for statement in (*FIXED, *(f"TRUNCATE {table} CASCADE" for table in ("thread", "event", "operation", "piece"))):
            with pytest.raises(psycopg.errors.RaiseException, match="append-only"):
                connection.execute(statement.encode())


DEFECTS: dict[str, str] = {
    "a body": "UPDATE event SET body = CAST(replace(body, 'words', 'Words') AS BLOB) WHERE id = 'a'",
    "a body of another kind": """UPDATE event SET body = CAST('{"type":"system"}' AS BLOB) WHERE id = 'b'""",
    "a body that is none": "UPDATE event SET body = CAST('x' AS BLOB) WHERE id = 'b'",
    "a digest": "UPDATE event SET content = zeroblob(32) WHERE id = 'c'",
    "a chain": "UPDATE event SET chain = zeroblob(32) WHERE id = 'c'",
    "an id": "UPDATE event SET id = 'z' WHERE id = 'c?'",
    "a parent": "UPDATE event SET parent = 'a?' WHERE id = 'c'",
    "a parent that is nowhere": "UPDATE event SET parent = 'nowhere' WHERE id = 'c?'",
    "a time": "UPDATE event SET at = 1 WHERE id = 'b'",
    "a legal point less": "UPDATE event SET legal = 0 WHERE id = 'a'",
    "a legal point more": "UPDATE event SET legal = 1 WHERE id = 'u'",
    "a stretch less": "DELETE FROM held",
    "a stretch more": "INSERT INTO held SELECT number, 0, 3 FROM worldline WHERE id = 'main'",
    "a number of messages": "UPDATE event SET messages = 9 WHERE id = 'c'",
    "an event less": "DELETE FROM event WHERE id = 'e'",
    "an event less in the middle": "DELETE FROM event WHERE id = 'p'",
    "an event more": "INSERT INTO event SELECT worldline, 9, 'z', 'e', at, 1, 9, content, chain, body FROM event WHERE id = 'e'",
    "two ids": "UPDATE event SET id = CASE id WHEN 'p' THEN 'x' ELSE 'y' END WHERE id IN ('p', 'a?')",
    "a head": "UPDATE worldline SET head = 'd' WHERE id = 'try'",
    "a count": "UPDATE worldline SET own = 3 WHERE id = 'try'",
    "a depth": "UPDATE worldline SET depth = 3 WHERE id = 'try'",
    "an origin": "UPDATE worldline SET base = 'b' WHERE id = 'try'",
    "a place of origin": "UPDATE worldline SET place = 5 WHERE id = 'try'",
    "an origin in itself": "UPDATE worldline SET source = number WHERE id = 'try'",
    "a count of messages": "UPDATE worldline SET messages = 0 WHERE id = 'try'",
    "open calls": "UPDATE worldline SET open = '[]' WHERE id = 'main'",
    "a job": "UPDATE worldline SET running = 0, completed = 1 WHERE id = 'main'",
    "the latest job": "UPDATE worldline SET job = 'failed' WHERE id = 'main'",
    "a last time": "UPDATE worldline SET last = 5 WHERE id = 'main'",
    "open calls that are no list": "UPDATE worldline SET open = 'x' WHERE id = 'main'",
    "open calls that are a number": "UPDATE worldline SET open = '5' WHERE id = 'main'",
    "a legal point that is neither": "UPDATE event SET legal = 2 WHERE id = 'a?'",
    "an id with a line end": "UPDATE event SET id = 'a' || char(10) WHERE id = 'e'",
    "marks less": "DELETE FROM mark",
    "a mark elsewhere": "UPDATE mark SET place = place + 1",
    "a job in another state": "UPDATE job SET status = 'failed'",
    "a job less": "DELETE FROM job",
    "a thread less": "DELETE FROM thread",
    "a worldline of no thread": "UPDATE worldline SET thread = 77 WHERE id = 'try'",
    "events of no worldline": "UPDATE event SET worldline = 55 WHERE worldline = 2",
    "an operation less": "DELETE FROM operation",
    "an operation that says nothing": "UPDATE operation SET says = 'x'",
    "a snapshot of no event": "UPDATE snapshot SET event = 'nowhere'",
    "a snapshot without its bytes": "DELETE FROM piece",
    "material of no event": "UPDATE material SET place = 99",
    "a worldline without events, with open calls": """UPDATE worldline SET open = '["t"]' WHERE id = 'bare'""",
    "a worldline without events, behind an open call": "UPDATE worldline SET (base, head, place, depth, chain, messages)"
    " = (SELECT 'u', 'u', place, place + 1, chain, messages FROM event WHERE id = 'u') WHERE id = 'bare'",
    "a worldline without events, with a mark": "INSERT INTO mark SELECT word, 3, 0 FROM mark LIMIT 1",
    "a worldline without events, with another head": "UPDATE worldline SET head = 'a?' WHERE id = 'bare'",
    "an operation that says another origin": "UPDATE operation SET says = replace(says, '\"from\"', '\"form\"')",
    "an operation that says another witness": 'UPDATE operation SET says = replace(says, \'"witness": "\', \'"witness": "0\')',
    "an operation that says less": "UPDATE operation SET says = '{}' WHERE kind = 'branch'",
    "bytes that a snapshot of a folder needs": "DELETE FROM piece WHERE body = CAST('bytes of a file' AS BLOB)",
    "a snapshot": "UPDATE piece SET body = CAST('other' AS BLOB)",
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in one file, whose triggers are gone."""
    place = tmp_path_factory.mktemp("whole") / "worldlines.db"
    with filled(f"sqlite:///{place}") as store:
        assert store.check() == []
    with sqlite3.connect(place) as connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        place.with_suffix(".sql").write_text("".join(f"{sql};\n" for _, sql in triggers))
        connection.execute("PRAGMA journal_mode = DELETE")
    return place


@pytest.mark.parametrize("defect", DEFECTS)
def test_the_check_finds_what_somebody_changed(defect: str, whole: Path, place: Path) -> None:
    shutil.copy(whole, place)
    with sqlite3.connect(place) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(DEFECTS[defect])
        assert connection.execute("SELECT changes()").fetchone()[0]
        connection.executescript(whole.with_suffix(".sql").read_text())
    with Store.open(f"sqlite:///{place}") as store:
        assert store.check() != []


def test_the_check_finds_triggers_that_are_gone(whole: Path, place: Path) -> None:
    shutil.copy(whole, place)
    with Store.open(f"sqlite:///{place}") as store:
        lacking = {wrong.where for wrong in store.check()}
    with sqlite3.connect(place) as connection:
        connection.executescript(whole.with_suffix(".sql").read_text())
        names = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'")}
    assert lacking == {f"trigger {name}" for name in names}
    with Store.open(f"sqlite:///{place}") as store:
        assert store.check() == []


BROKEN: dict[str, tuple[str, Callable[[Store], object]]] = {
    "open calls that are no list": (
        "UPDATE worldline SET open = 'x' WHERE id = 'main'",
        lambda store: store.append("main", [prompt("q")], "j"),
    ),
    "open calls that are a number": ("UPDATE worldline SET open = '5' WHERE id = 'main'", lambda store: store.open_calls("main")),
    "an operation": ("UPDATE operation SET says = 'x'", lambda store: store.operations("t")),
    "no thread": ("DELETE FROM thread", lambda store: store.worldline("main")),
    "fewer than no events": ("UPDATE worldline SET own = -1 WHERE id = 'main'", lambda store: store.diff("bare", "main")),
}


@pytest.mark.parametrize("defect", BROKEN)
def test_a_broken_row_is_an_error_that_says_what_tells_more(defect: str, whole: Path, place: Path) -> None:
    shutil.copy(whole, place)
    statement, asks = BROKEN[defect]
    with sqlite3.connect(place) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(statement)
    with Store.open(f"sqlite:///{place}") as store, pytest.raises(faults.NoStore, match="forkpoint store check"):
        asks(store)


def test_the_check_asks_the_server_for_its_triggers(postgresql: Server) -> None:
    import psycopg

    with psycopg.connect(postgresql.url, autocommit=True) as connection:
        connection.execute("CREATE DATABASE unkept")
    url = postgresql.url.replace("/postgres", "/unkept")
    with filled(url) as store, psycopg.connect(url, autocommit=True) as connection:
        assert store.check() == []
        connection.execute("ALTER TABLE forkpoint.event DISABLE TRIGGER event_stays")
        assert [wrong.where for wrong in store.check()] == ["trigger event_stays"]


def test_a_worldline_that_says_it_has_more_is_not_read_for_ever(whole: Path, place: Path) -> None:
    shutil.copy(whole, place)
    with sqlite3.connect(place) as connection:
        connection.execute("UPDATE worldline SET own = 9000000000000000000 WHERE id = 'try'")
    with Store.open(f"sqlite:///{place}") as store, pytest.raises(faults.NoStore, match="missing"):
        list(store.timeline("try"))


# ---- files that are no store


def _odd_tables(place: Path) -> None:
    with Store.open(f"sqlite:///{place}"):
        pass
    with sqlite3.connect(place) as connection:
        connection.execute("DROP TABLE material")
        connection.execute(
            "CREATE VIEW material AS WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c"
        )


def _foreign(place: Path) -> None:
    with sqlite3.connect(place) as connection:
        connection.execute("CREATE TABLE theirs (a)")


def _later(place: Path) -> None:
    with Store.open(f"sqlite:///{place}"):
        pass
    with sqlite3.connect(place) as connection:
        connection.execute("PRAGMA user_version = 99")


def _other(place: Path) -> None:
    with sqlite3.connect(place) as connection:
        connection.execute("PRAGMA application_id = 7")


NO_STORES: dict[str, tuple[Callable[[Path], Any], str]] = {
    "another program's": (_foreign, "another program"),
    "another program's, empty": (_other, "another program"),
    "a later one": (_later, "update forkpoint"),
    "one with other tables": (_odd_tables, "its tables"),
    "text": (lambda place: place.write_text("words " * 99), "not a database"),
    "a folder": (lambda place: place.mkdir(), "no regular file"),
    "a pipe": (os.mkfifo, "no regular file"),
    "a link to nothing": (lambda place: place.symlink_to("nowhere/at/all"), "cannot"),
}


@pytest.mark.parametrize("kind", NO_STORES)
def test_a_file_that_is_no_store_is_refused_and_stays(kind: str, place: Path) -> None:
    make, why = NO_STORES[kind]
    make(place)
    before = place.read_bytes() if place.is_file() else None
    with pytest.raises(faults.NoStore, match=why):
        Store.open(f"sqlite:///{place}")
    assert before is None or place.read_bytes() == before


@pytest.mark.parametrize("url", ["", "mysql://x", "worldlines.db", "sqlite://relative"])
def test_what_names_no_store_is_refused(url: str) -> None:
    with pytest.raises(faults.NoStore, match="names no store"):
        Store.open(url)


def test_a_store_that_is_not_there_is_made_only_where_that_is_wanted(place: Path) -> None:
    with pytest.raises(faults.NoStore, match="not there"):
        Store.open(f"sqlite:///{place}", create=False)
    assert not place.exists()
    with Store.open(f"sqlite:///{place}"):
        pass
    with Store.open(f"sqlite:///{place}", create=False), sqlite3.connect(place) as connection:
        assert connection.execute("PRAGMA application_id").fetchone()[0] == OURS


def test_an_empty_file_is_no_store_where_none_is_to_be_made(place: Path) -> None:
    place.touch()
    with pytest.raises(faults.NoStore, match="empty"):
        Store.open(f"sqlite:///{place}", create=False)
    assert place.stat().st_size == 0


def test_a_store_that_is_closed_is_not_made_anew(place: Path) -> None:
    store = filled(f"sqlite:///{place}")
    store.close()
    with pytest.raises(faults.NoStore, match="closed"):
        store.threads()
    store.close()


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(faults.NoStore, match="cannot be opened"):
        Store.open("postgresql://127.0.0.1:1/none", wait=2)


def test_who_waits_too_long_is_told(place: Path) -> None:
    with filled(f"sqlite:///{place}"), sqlite3.connect(place, isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        with Store.open(f"sqlite:///{place}", create=False, wait=0.1) as late, pytest.raises(faults.Busy):
            late.append("try", [prompt("late")], "e")
        other.execute("ROLLBACK")


def test_a_password_is_not_shown(postgresql: Server) -> None:
    url = postgresql.url.replace("forkpoint@", "forkpoint:secret@")
    with Store.open(url, durable=False) as store:
        assert "secret" not in store.url + repr(store)
    other = f"{postgresql.url}?password=secret&connect_timeout=9"
    with Store.open(other, durable=False) as store:
        assert "secret" not in store.url
        assert store.address == other


@pytest.mark.parametrize(
    "odd",
    [
        "postgresql://u:s3cret#x@127.0.0.1:1/db",
        "postgresql://u:s3cret?x@127.0.0.1:1/db",
        "postgresql://u:s3cret%ZZ@127.0.0.1:1/db",
        "postgresql://u:s3cret@127.0.0.1@127.0.0.1:1/db",
        "postgresql://u:s3cret@[127.0.0.1:1/db",
        "postgresql://u:[s3cret]@127.0.0.1:1/db",
        "postgresql://u@127.0.0.1:1/db?sslpassword=s3cret&passw%6frd=s3cret",
        "postgresql+psycopg://u:s3cret@127.0.0.1/db",
        "mysql://u:s3cret@127.0.0.1/db",
        "s3cret",
    ],
)
def test_no_password_of_an_odd_url_is_shown(odd: str) -> None:
    with pytest.raises(faults.NoStore) as found:
        Store.open(odd, wait=0.1)
    assert "s3cret" not in str(found.value)


def test_what_is_shown_of_a_url() -> None:
    from forkpoint.worldlines.opening import without_password

    shown = {
        "postgresql://u:pw@h:1/d?password=pw": "postgresql://u@h:1/d",
        "postgresql://h1:1,h2:2/d": "postgresql://h1:1,h2:2/d",
        "postgresql:///d?host=/run": "postgresql:///run/d",
        "sqlite:///a b?c.db": "sqlite:///a b?c.db",
    }
    assert {url: without_password(url) for url in shown} == shown


def test_governance_that_is_no_tuple_is_refused(place: Path) -> None:
    with filled(f"sqlite:///{place}") as store:
        with pytest.raises(faults.BadEvent, match="governance"):
            store.branch("a", governance="[bad")
        with pytest.raises(faults.BadEvent, match="governance"):
            store.merge("main", "try", "j", governance="junk")
        assert store.check() == []
