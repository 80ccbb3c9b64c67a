"""A folder or a database comes back as it was at the event, and what its source does later does not show."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from forkpoint.worldlines import attached, faults
from forkpoint.worldlines.events import Event
from forkpoint.worldlines.store import Store
from strategies_events import fresh, prompt, turn


@pytest.fixture
def place(store: Store) -> str:
    """An event with a turn before it; its worldline is the same without the last letter, and ``main``."""
    own = fresh()
    line = store.branch(None, f"{own}main", thread=store.thread(f"{own}t")).id
    store.append(line, [*turn(f"{own}a"), *turn(f"{own}b")], None)
    return f"{own}a"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "work"
    (made / "deep" / "er").mkdir(parents=True)
    (made / "empty").mkdir()
    (made / "a.txt").write_text("one")
    (made / "same.txt").write_text("one")
    (made / "deep" / "er" / "b").write_bytes(bytes(range(256)))
    (made / "run").write_text("#!/bin/sh\n")
    (made / "run").chmod(0o755)
    (made / "link").symlink_to("deep/er/b")
    (made / "out").symlink_to("/etc/hostname")
    (made / "deep").chmod(0o555)
    return made


def shape(folder: Path) -> dict[str, tuple[int, object]]:
    found: dict[str, tuple[int, object]] = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        held = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        found[path.relative_to(folder).as_posix()] = (0 if path.is_symlink() else status.st_mode, held)
    return found


def test_a_folder_comes_back_as_it_was(store: Store, place: str, folder: Path, tmp_path: Path) -> None:
    """P15, P9: also after everything changed."""
    before = shape(folder)
    attached.snapshot_folder(store, place, folder)
    (folder / "a.txt").write_text("two")
    (folder / "new").write_text("new")
    attached.restore(store, place, tmp_path / "again")
    assert shape(tmp_path / "again") == before
    branch = attached.branch_with(store, place, tmp_path / "branch")
    assert (branch.base, shape(tmp_path / "branch")) == (place, before)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again", "branch", "work"]


def test_equal_bytes_are_kept_once(store: Store, place: str, folder: Path) -> None:
    attached.snapshot_folder(store, place, folder)
    other = place.removesuffix("a") + "b"
    with store._database.read() as session:
        (before,) = session.execute("SELECT count(*) FROM piece").fetchone()
    (folder / "a.txt").write_text(f"two {place}")
    attached.snapshot_folder(store, other, folder)
    with store._database.read() as session:
        (after,) = session.execute("SELECT count(*) FROM piece").fetchone()
    assert after - before == 2  # the file that changed, and the list


def test_a_database_is_kept_as_a_reader_sees_it(store: Store, place: str, tmp_path: Path) -> None:
    file = tmp_path / "state.db"
    with sqlite3.connect(file) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE kept (word)")
        connection.execute("INSERT INTO kept VALUES ('before')")
    writing = sqlite3.connect(file, isolation_level=None)
    writing.execute("BEGIN")
    writing.execute("INSERT INTO kept VALUES ('not committed')")
    attached.snapshot_database(store, place, file)
    writing.execute("COMMIT")
    attached.restore(store, place, tmp_path / "again.db", name=attached.DATABASE)
    with sqlite3.connect(tmp_path / "again.db") as connection:
        assert connection.execute("SELECT word FROM kept").fetchall() == [("before",)]


def test_without_a_snapshot_a_reducer_says_what_it_is(store: Store, place: str, folder: Path, tmp_path: Path) -> None:
    later = place.removesuffix("a") + "b"
    attached.snapshot_folder(store, place, folder)
    with pytest.raises(faults.NoState):
        attached.branch_with(store, later, tmp_path / "again", f"{place}-none")
    with pytest.raises(faults.Unknown):
        store.worldline(f"{place}-none")  # no state, no worldline

    def reduce(state: bytes, event: Event) -> bytes:
        says = json.loads(state)
        piece = store.keep_piece(event.id.encode())
        says["items"].append({"path": event.id.replace("?", "q"), "kind": "file", "mode": 0o644, "hash": piece})
        return json.dumps(says).encode()

    attached.restore(store, later, tmp_path / "again", reduce=reduce)
    assert (tmp_path / "again" / later).read_text() == later


def test_an_illegal_point_leaves_nothing(store: Store, place: str, folder: Path, tmp_path: Path) -> None:
    question = place + "?"
    attached.snapshot_folder(store, question, folder)
    with pytest.raises(faults.IllegalPoint):
        attached.branch_with(store, question, tmp_path / "again")
    assert not (tmp_path / "again").exists()


def test_nothing_that_stands_there_is_touched(store: Store, place: str, folder: Path, tmp_path: Path) -> None:
    attached.snapshot_folder(store, place, folder)
    (tmp_path / "again").mkdir()
    with pytest.raises(faults.BadState, match="stands there already"):
        attached.restore(store, place, tmp_path / "again")
    with pytest.raises(faults.BadState):
        attached.restore(store, place, tmp_path / "none" / "again")


FILE: dict[str, Any] = {"path": "a", "kind": "file", "mode": 0o644, "hash": "00" * 32}
FORGED: dict[str, object] = {
    "no list": [],
    "no object": {"forkpoint-state": 1, "kind": "folder", "items": [3]},
    "another kind": {"forkpoint-state": 1, "kind": "other", "items": []},
    "a way out": {"forkpoint-state": 1, "kind": "folder", "items": [{**FILE, "path": "../a"}]},
    "a whole way": {"forkpoint-state": 1, "kind": "folder", "items": [{**FILE, "path": "/a"}]},
    "through a link": {
        "forkpoint-state": 1,
        "kind": "folder",
        "items": [{"path": "l", "kind": "link", "mode": 0o777, "to": "/tmp"}, {**FILE, "path": "l/a"}],
    },
    "twice": {"forkpoint-state": 1, "kind": "folder", "items": [FILE, FILE]},
    "a database that is a link": {
        "forkpoint-state": 1,
        "kind": "database",
        "items": [{"path": "app.db", "kind": "link", "mode": 0o777, "to": "/etc/hostname"}],
    },
    "a database that is a folder": {
        "forkpoint-state": 1,
        "kind": "database",
        "items": [{"path": "app.db", "kind": "folder", "mode": 0o700}],
    },
    "rights of another": {"forkpoint-state": 1, "kind": "folder", "items": [{**FILE, "mode": 0o4755}]},
    "bytes that are not there": {"forkpoint-state": 1, "kind": "folder", "items": [FILE]},
    "a hash that is none": {"forkpoint-state": 1, "kind": "folder", "items": [{**FILE, "hash": "x"}]},
}


@pytest.mark.parametrize("kind", FORGED)
def test_a_forged_list_makes_nothing(kind: str, tmp_path: Path) -> None:
    """In a store of its own, since the check of a whole store finds those whose bytes are not there."""
    with Store.open(f"sqlite:///{tmp_path / 'w.db'}") as store:
        line = store.branch(None, "main", thread=store.thread("t")).id
        store.append(line, [prompt("p")], None)
        store.snapshot("p", json.dumps(FORGED[kind]).encode(), name=attached.FOLDER)
        there = sorted(tmp_path.iterdir())
        with pytest.raises(faults.BadState):
            attached.restore(store, "p", tmp_path / "again")
        assert sorted(tmp_path.iterdir()) == there


def test_a_database_that_is_a_link_is_named_and_never_written_to(store: Store, place: str, tmp_path: Path) -> None:
    """Neither by a reducer nor by what looks at what that left."""
    theirs = tmp_path / "theirs"
    theirs.write_text("mine")
    items = [{"path": "app.db", "kind": "link", "mode": 0o777, "to": str(theirs)}]
    made = {"forkpoint-state": 1, "kind": "database", "items": items}
    later, name = place.removesuffix("a") + "b", "hostile database"
    store.snapshot(place, json.dumps(made).encode(), name=name)

    def replay(where: Path, events: Sequence[Event]) -> None:
        where.write_text("written")

    for event, how in ((place, None), (later, replay)):
        with pytest.raises(faults.BadState, match=r"app\.db.* is a link"):
            attached.restore(store, event, tmp_path / "out", name=name, replay=how)
    assert theirs.read_text() == "mine"
    assert {path.name for path in tmp_path.iterdir()} == {"theirs"}


@pytest.mark.parametrize(
    ("links", "odd"),
    [
        ({"l": "/etc/hostname"}, "l"),
        ({"l": "../../x"}, "l"),
        ({"below/l": "../../x"}, "below/l"),
        ({"k": "below/deep", "l": "k/../../.."}, "l"),
        ({"l": "l"}, None),
        ({"l": "below/deep", "k": "l/../a", "below/l": "../a"}, None),
    ],
)
def test_a_reducer_works_on_no_state_whose_links_lead_out_of_it(
    links: dict[str, str], odd: str | None, store: Store, place: str, tmp_path: Path
) -> None:
    items: list[dict[str, Any]] = [{**FILE, "path": "a", "hash": store.keep_piece(b"a")}]
    items += [{"path": path, "kind": "folder", "mode": 0o700} for path in ("below", "below/deep")]
    items += [{"path": path, "kind": "link", "mode": 0o777, "to": to} for path, to in links.items()]
    made = {"forkpoint-state": 1, "kind": "folder", "items": items}
    later, name = place.removesuffix("a") + "b", f"links {sorted(links.items())}"[:100]
    store.snapshot(place, json.dumps(made).encode(), name=name)
    seen: list[Path] = []
    if odd is None:
        attached.restore(store, later, tmp_path / "out", name=name, replay=lambda where, _: seen.append(where))
    else:
        with pytest.raises(faults.BadState, match=f"{odd}.* is a link out of the state"):
            attached.restore(store, later, tmp_path / "out", name=name, replay=lambda where, _: seen.append(where))
    assert (len(seen), (tmp_path / "out").exists()) == ((1, True) if odd is None else (0, False))
    attached.restore(store, place, tmp_path / "as it was", name=name)  # where nobody works on it, links are kept as links
    assert {path: os.readlink(tmp_path / "as it was" / path) for path in links} == links


def test_what_is_no_file_is_refused(store: Store, place: str, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    os.mkfifo(tmp_path / "work" / "pipe")
    with pytest.raises(faults.BadState, match="pipe"):
        attached.snapshot_folder(store, place, tmp_path / "work")
    with pytest.raises(faults.BadState):
        attached.snapshot_folder(store, place, tmp_path / "none")
    with pytest.raises(faults.BadState):
        attached.snapshot_database(store, place, tmp_path / "none")
