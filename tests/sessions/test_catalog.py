"""The catalog saves work and nothing else: whatever happens to it, the answer is that of the files."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from unittest import mock

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from forkpoint.sessions import catalog, listing
from forkpoint.sessions.summaries import Summary, summarize_all
from forkpoint.transcript.format import reader
from forkpoint.transcript.query import estimates
from strategies_store import session_id, turns, write

pytestmark = pytest.mark.usefixtures("home")
LINES = [
    b'{"uuid":"a","parentUuid":null,"type":"user","message":{"content":"hello"}}',
    b'{"uuid":"b","parentUuid":"a","type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"Read"}]}}',
    b'{"uuid":"c","parentUuid":"b","type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t"}]},"version":"2.1.5"}',
    b'{"uuid":"d","parentUuid":"gone","type":"user","sourceToolAssistantUUID":"b","isMeta":true,"version":"x"}',
    b'{"uuid":"e","parentUuid":5,"type":"user","message":{"content":[]}}',
    b'{"uuid":"f","parentUuid":null,"logicalParentUuid":"a","type":"system","isSidechain":true}',
    b'{"uuid":"g","parentUuid":"a","type":"assistant","message":{"id":"n","stop_reason":"tool_use",'
    b'"content":[{"type":"text","text":"x"},{"type":"tool_use","id":"u"},{"type":"thinking"}]}}',
    b'{"type":"custom-title","customTitle":"x"}',
    b'{"uuid":7}',
    b'{"uuid":"h","type":"user","message":{"content":[{"type":"tool_use"}]}}',
    b"[1]",
    b"",
    b"  ",
    b"\x00",
    b'{"uuid":"\xc3\xa9","type":"user","message":{"content":"\xe2\x80\xa8"}}',
    b'{"uuid":"\\ud800","parentUuid":null,"type":"user"}',
    b'\xef\xbb\xbf{"uuid":"z","type":"user"}',
]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that were read."""
    names: list[str] = []

    def noted(files: Iterable[tuple[str, int]]) -> Iterator[tuple[str, Summary]]:
        files = list(files)
        names.extend(os.path.basename(path) for path, _ in files)
        return summarize_all(files)

    monkeypatch.setattr(listing, "summarize_all", noted)
    return names


def fill(project: Path, count: int = 3) -> list[Path]:
    return [write(project, session_id(at), turns(session_id(at), at + 1, seed=at)) for at in range(count)]


def titles(project: Path) -> set[str]:
    return {session.title for session in listing.sessions([project])}


def load(folder: Path) -> dict[str, Summary]:
    """What the catalog has of a folder."""
    with catalog.opened() as connection:
        assert connection is not None
        return {name: summary for name, (_, summary) in catalog.load(connection, folder).items()}


def test_what_has_not_changed_is_not_read(project: Path, read: list[str]) -> None:
    paths = fill(project)
    before = listing.sessions([project])
    assert len(read) == 3
    assert listing.sessions([project]) == before
    assert len(read) == 3
    with paths[1].open("ab") as file:
        file.write(b'{"type":"custom-title","customTitle":"Renamed"}\n')
    assert "Renamed" in titles(project)
    assert read[3:] == [paths[1].name]
    os.utime(paths[2], ns=(5, 5))
    listing.sessions([project])
    assert read[4:] == [paths[2].name]
    paths[0].unlink()
    assert len(listing.sessions([project])) == 2
    assert len(load(project)) == 2  # what is gone is forgotten
    paths[1].unlink()
    paths[2].unlink()
    assert listing.sessions([project]) == []
    assert load(project) == {}


def test_same_size_and_other_time(project: Path, read: list[str]) -> None:
    path = fill(project, 1)[0]
    listing.sessions([project])
    text = path.read_bytes()
    path.write_bytes(text.replace(b"Question", b"Quandary"))
    os.utime(path, ns=(1, 1))
    assert titles(project) == {"Quandary 0 of 0"}


def test_same_time_and_other_size(project: Path) -> None:
    path = fill(project, 1)[0]
    os.utime(path, ns=(1, 1))
    listing.sessions([project])
    path.write_bytes(path.read_bytes() + b'{"type":"ai-title","aiTitle":"Grown"}\n')
    os.utime(path, ns=(1, 1))
    assert titles(project) == {"Grown"}


def test_a_catalog_of_another_release(project: Path, monkeypatch: pytest.MonkeyPatch, read: list[str]) -> None:
    fill(project)
    expected = titles(project)
    monkeypatch.setattr(catalog, "FORMAT", catalog.FORMAT + 1)
    assert titles(project) == expected
    assert len(read) == 6
    assert titles(project) == expected
    assert len(read) == 6


def test_another_programs_tables(project: Path) -> None:
    fill(project)
    catalog.cache_dir().mkdir(parents=True)
    with sqlite3.connect(catalog.place()) as other:
        other.execute("CREATE TABLE session(x)")
    other.close()
    assert len(titles(project)) == 3
    assert len(load(project)) == 3


@pytest.mark.parametrize("damage", [b"", b"\x00", b"\xc1" * 5000, b"SQLite format 3\x00", b"{}"])
def test_a_damaged_catalog(project: Path, damage: bytes) -> None:
    fill(project)
    expected = titles(project)
    place = catalog.place()
    whole = place.read_bytes()
    for bad in (
        damage,
        whole[: len(whole) // 2],
        whole[:4096] + damage + whole[4096 + len(damage) :],
        b"\xff" * 100 + whole[100:],
    ):
        place.write_bytes(bad)
        assert titles(project) == expected
        assert titles(project) == expected
        assert sorted(load(project)) == sorted(path.name for path in project.iterdir())  # mended


@pytest.mark.parametrize(
    "forge",
    [
        "DROP TABLE session; CREATE VIEW session AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) "
        "SELECT x AS folder, x AS name, x AS stamp, x AS summary FROM n",
        "CREATE TRIGGER more AFTER INSERT ON session BEGIN DELETE FROM session; END",
        "CREATE TABLE other(x)",
        "ALTER TABLE session ADD COLUMN more TEXT",
    ],
)
def test_what_would_run_is_no_catalog(project: Path, forge: str) -> None:
    """A view that never ends, a trigger, another table: such a file is made anew."""
    fill(project)
    expected = titles(project)
    with contextlib.closing(sqlite3.connect(catalog.place())) as connection:
        connection.executescript(forge)
    assert titles(project) == expected
    assert len(load(project)) == 3
    with contextlib.closing(sqlite3.connect(catalog.place())) as connection:
        found = connection.execute(
            "SELECT name FROM sqlite_master WHERE type IN ('view', 'trigger') OR name = 'other'"
        ).fetchall()
    assert found == []


def test_rows_that_are_odd(project: Path) -> None:
    """What is read back is data: a row that is no summary is none."""
    paths = fill(project)
    expected = titles(project)
    with sqlite3.connect(catalog.place()) as connection:
        connection.execute("UPDATE session SET summary = ? WHERE name = ?", (b"\xc1", paths[0].name.encode()))
        connection.execute("UPDATE session SET summary = ? WHERE name = ?", (b"", paths[1].name.encode()))
        connection.execute("UPDATE session SET stamp = NULL WHERE name = ?", (paths[2].name.encode(),))
    connection.close()
    assert titles(project) == expected


def test_off(project: Path, monkeypatch: pytest.MonkeyPatch, read: list[str]) -> None:
    fill(project)
    monkeypatch.setenv("FORKPOINT_CATALOG", "off")
    listing.sessions([project])
    listing.sessions([project])
    assert len(read) == 6
    assert not catalog.cache_dir().exists()


def test_a_catalog_that_cannot_be_written(project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fill(project)
    expected = titles(project)
    catalog.drop()
    blocked = tmp_path / "blocked"
    blocked.write_bytes(b"a file")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    assert titles(project) == expected
    linked = tmp_path / "linked" / "forkpoint"
    linked.mkdir(parents=True)
    (linked / "catalog.sqlite").symlink_to(blocked)
    monkeypatch.setenv("XDG_CACHE_HOME", str(linked.parent))
    assert titles(project) == expected
    assert blocked.read_bytes() == b"a file"


def test_a_catalog_that_another_process_holds(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = fill(project)
    expected = titles(project)
    monkeypatch.setattr(catalog, "PATIENCE", 0.01)
    with contextlib.closing(sqlite3.connect(catalog.place(), isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert titles(project) == expected
        assert parsed(paths[0]) == whole(paths[0])
        other.execute("ROLLBACK")
    assert len(load(project)) == 3


def test_only_the_user_reads_it(project: Path) -> None:
    fill(project, 1)
    listing.sessions([project])
    assert stat.S_IMODE(catalog.place().stat().st_mode) == 0o600
    assert stat.S_IMODE(catalog.cache_dir().stat().st_mode) == 0o700
    assert [path.name for path in catalog.cache_dir().iterdir()] == ["catalog.sqlite"]


def test_where_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert catalog.cache_dir() == tmp_path / "cache" / "forkpoint"
    monkeypatch.setenv("HOME", str(tmp_path))
    for value in ("", "relative/cache"):
        monkeypatch.setenv("XDG_CACHE_HOME", value)
        assert catalog.cache_dir() == tmp_path / ".cache" / "forkpoint"


def test_a_second_connection_keeps_the_locks_of_the_first(project: Path) -> None:
    """SQLite's locks of a process end when the process closes any handle of its own on the file: none is opened beside it."""
    fill(project)
    titles(project)
    code = (
        "import sqlite3, sys\n"
        "other = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)\n"
        "try: other.execute('BEGIN IMMEDIATE'); print('got it')\n"
        "except sqlite3.OperationalError: print('locked')\n"
    )
    with catalog.opened() as first:
        assert first is not None
        with catalog.writing(first):
            first.execute("DELETE FROM session")
            with catalog.opened():
                pass
            said = subprocess.run(
                [sys.executable, "-c", code, catalog.place()], capture_output=True, text=True, check=True
            ).stdout
    assert said == "locked\n"


@pytest.mark.parametrize("kind", ["fifo", "folder", "readonly"])
def test_what_is_no_file_to_write(project: Path, kind: str) -> None:
    fill(project)
    catalog.cache_dir().mkdir(parents=True)
    if kind == "fifo":
        os.mkfifo(catalog.place())
    elif kind == "folder":
        catalog.place().mkdir()
    else:
        catalog.place().write_bytes(b"")
        catalog.place().chmod(0o400)
    assert len(titles(project)) == 3


def test_dropped(project: Path) -> None:
    fill(project)
    expected = titles(project)
    assert catalog.drop()
    assert not catalog.drop()
    assert titles(project) == expected


# ---- what the reader made of a file


def whole(path: Path) -> object:
    """What the reader makes of a file, in all parts that can be told apart."""
    return told(reader.read(path))


def parsed(path: Path) -> object:
    """The same by the catalog."""
    return told(catalog.read(path))


def told(transcript: reader.Transcript) -> object:
    table = transcript.table
    parts = {name: value for name, value in vars(table).items() if name != "_source"}
    return (
        list(transcript.log),
        parts,
        transcript.damage,
        transcript.sidecars,
        transcript.violations,
        transcript.damaged,
        transcript.copies,
        transcript.size,
        transcript.complete,
        transcript.lost_parents,
        [transcript.span(at) for at in range(len(transcript.log))],
    )


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Files of any size are kept; how many bytes of each reading were parsed."""
    monkeypatch.setattr(catalog, "WORTH", 0)
    sizes: list[int] = []
    take = reader._take

    def noted(found: reader.Transcript, read: Iterable[bytes], prefix: reader.Prefix | None = None) -> None:
        pieces = list(read)
        sizes.append(sum(map(len, pieces)))
        take(found, pieces, prefix)

    monkeypatch.setattr(reader, "_take", noted)
    return sizes


def test_an_unchanged_file_is_not_parsed_twice(project: Path, small: list[int]) -> None:
    path = fill(project, 3)[2]
    assert parsed(path) == whole(path)
    assert parsed(path) == whole(path)
    size = path.stat().st_size
    assert small == [size, size, 0, size]


def test_only_the_tail_of_a_file_that_grew_is_parsed(project: Path, small: list[int]) -> None:
    path = write(project, session_id(1), turns(session_id(1), 20))
    parsed(path)
    more = b'{"type":"custom-title","customTitle":"Renamed"}\n{"uuid":"x","parentUuid":null,"type":"user"}\n{"torn'
    with path.open("ab") as file:
        file.write(more)
    assert parsed(path) == whole(path)
    assert small[1] == len(more)


def test_a_byte_that_changed_anywhere(project: Path, small: list[int]) -> None:
    """Size and times are kept; the answer is that of the bytes all the same."""
    path = fill(project, 1)[0]
    data, status = path.read_bytes(), path.stat()
    parsed(path)
    for at in range(0, len(data), 7):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        assert parsed(path) == whole(path)
        path.write_bytes(data)
    assert small


def test_a_file_that_shrank_or_was_moved_over(project: Path, small: list[int]) -> None:
    one, two = fill(project, 2)
    parsed(one)
    parsed(two)
    os.replace(two, one)
    assert parsed(one) == whole(one)
    one.write_bytes(one.read_bytes()[:-300])
    assert parsed(one) == whole(one)
    one.write_bytes(b"")
    assert parsed(one) == whole(one)
    assert small


def test_forged_columns(project: Path, small: list[int]) -> None:
    """Bytes that do not hang together are not taken, whatever hash stands beside them."""
    path = fill(project, 1)[0]
    expected = parsed(path)
    with contextlib.closing(sqlite3.connect(catalog.place(), isolation_level=None)) as connection:
        data = connection.execute("SELECT columns FROM made").fetchone()[0]
        forged = msgspec.msgpack.decode(data)
        for place, value in enumerate(forged):
            for other in (None, [], b"", {}, 7, -1, [-5], b"\xff" * 8, "x", {1 << 40: "x"}, [[9, 9, 9, "x"]]):
                if other == value:
                    continue
                bad = msgspec.msgpack.encode([*forged[:place], other, *forged[place + 1 :]])
                connection.execute("UPDATE made SET columns = ?", (bad,))
                again = catalog.read(path)
                assert [entry.uuid for entry in again.log] or place  # no traceback, and a log
        connection.execute("UPDATE made SET columns = ?", (data[:-3],))
        assert parsed(path) == expected
        connection.execute("UPDATE made SET length = -7")
        assert parsed(path) == expected


def test_estimates_are_kept_of_the_very_bytes(project: Path, small: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    path = fill(project, 3)[2]
    expected = estimates.estimates(reader.read(path))
    asked: list[int] = []
    made = estimates._estimates
    monkeypatch.setattr(estimates, "_estimates", lambda transcript: (asked.append(1), made(transcript))[1])
    for _ in range(3):
        assert estimates.estimates(catalog.read(path)) == expected
    assert len(asked) == 1
    data = path.read_bytes()
    path.write_bytes(data.replace(b"Question 0", b"Question 0, which is longer now"))
    assert estimates.estimates(catalog.read(path)) != expected
    path.write_bytes(data)
    with contextlib.closing(sqlite3.connect(catalog.place(), isolation_level=None)) as connection:
        for bad in (b"", b"\x00" * 8, b"\x00" * 9, None):
            connection.execute("UPDATE noted SET data = ?", (bad,))
            assert estimates.estimates(catalog.read(path)) == expected
    assert small


def test_room_is_made(project: Path, small: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    paths = fill(project, 3)
    for path in paths[:2]:
        parsed(path)
    with contextlib.closing(sqlite3.connect(catalog.place())) as connection:
        size = connection.execute("SELECT sum(size) FROM made").fetchone()[0]
    monkeypatch.setattr(catalog, "MOST", size)
    parsed(paths[2])
    with contextlib.closing(sqlite3.connect(catalog.place())) as connection:
        left = {Path(os.fsdecode(path)).name for (path,) in connection.execute("SELECT path FROM made")}
    assert paths[2].name in left
    assert paths[0].name not in left
    assert small


def test_killed_while_it_writes(project: Path, tmp_path: Path) -> None:
    """Processes that read the same sessions at once, and are killed at any time, leave a catalog that gives the right answer."""
    for number in range(40):
        write(project, session_id(number), turns(session_id(number), 30, seed=number))
    code = (
        "from pathlib import Path; from forkpoint.sessions import catalog, listing, words; catalog.WORTH = 0\n"
        f"place = Path({str(project)!r})\n"
        "while True:\n"
        "    listing.sessions([place])\n"
        "    for path in place.iterdir(): catalog.read(path)\n"
        "    with catalog.somewhere() as connection: words.refresh(connection, [place])\n"
        "    catalog.drop()\n"
    )
    for wait in (0.4, 0.6, 0.8, 1.0):
        running = [subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL) for _ in range(2)]
        time.sleep(wait)
        for one in running:
            one.kill()
            one.wait()
        assert len(titles(project)) == 40
    monkey = sorted(project.iterdir())[3]
    assert parsed(monkey) == whole(monkey)


@given(data=st.lists(st.sampled_from(LINES), max_size=12), cut=st.integers(0, 12), end=st.sampled_from([b"\n", b""]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_columns_of_any_lines(tmp_path: Path, data: list[bytes], cut: int, end: bytes) -> None:
    """What was kept of some lines, and the lines behind them, are what all of them are."""
    path = tmp_path / "any.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in data[:cut]))
    with mock.patch.object(catalog, "WORTH", 0):
        assert parsed(path) == whole(path)
        path.write_bytes(b"\n".join(data) + (end if data else b""))
        assert parsed(path) == whole(path)


def test_newest_first(project: Path) -> None:
    paths = fill(project)
    for path, when in zip(paths, (2, 3, 1), strict=True):
        os.utime(path, ns=(when, when))
    assert [session.path for session in listing.sessions([project])] == [paths[1], paths[0], paths[2]]


def test_a_title_in_another_file(project: Path) -> None:
    """Old clients wrote the summary of one session into the file of another."""
    lines = turns(session_id(1), 2)
    write(project, session_id(1), lines)
    write(project, session_id(2), [{"type": "summary", "summary": "Herbs", "leafUuid": lines[-1]["uuid"]}])
    found = {session.id: session for session in listing.sessions([project])}
    assert (found[session_id(1)].title, found[session_id(1)].title_from) == ("Herbs", "summary")
    assert found[session_id(2)].empty
    assert not found[session_id(1)].empty


def test_a_file_that_goes_away(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = fill(project)

    def later(files: Iterable[tuple[str, int]]) -> Iterator[tuple[str, Summary]]:
        paths[1].unlink()
        return summarize_all(files)

    monkeypatch.setattr(listing, "summarize_all", later)
    assert len(listing.sessions([project])) == 2


def test_folders(home: Path, project: Path) -> None:
    assert listing.folders_here() == [project, home]
    assert listing.folders_of(home) == [project, home]
    assert listing.folders_of(project) == [project]
    assert listing.sessions([home / "gone"]) == []
    write(home, session_id(5), turns(session_id(5), 1))
    told: list[tuple[int, int]] = []
    assert [
        session.path.parent for session in listing.sessions(listing.folders_here(), progress=lambda *at: told.append(at))
    ] == [home]
    assert told == [(1, 1)]
