"""Answers that are kept save work and nothing else: each is what the file as it is now says."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from conftest import CORPUS

import forkpoint
from forkpoint.answers.trees import Tree
from forkpoint.ops import cached, views
from forkpoint.sessions import catalog
from forkpoint.transcript.format import reader
from needs import transcripts
from program import call
from strategies_fork import SESSION
from strategies_overlays import aged, save, timed

SAMPLES = Path(__file__).parents[1] / "samples"
LOOKS = (("tree",), ("tree", "--all", "--agents"), ("tree", "--mermaid"), ("points",), ("points", "--all"), ("check",))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1800000000")  # answers are compared: no age may grow between two of them
    monkeypatch.setattr(catalog, "WORTH", 0)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return aged(save(tmp_path / f"{SESSION}.jsonl", timed("2.1.161")))


def looked(file: Path, *more: str) -> list[tuple[int, str, str]]:
    """What each command says of a file, in words and as JSON."""
    found = [call(*look, file, *more) for look in LOOKS]
    found += [call(look, file, "--json", *more) for look in ("tree", "points", "check")]
    return [tuple(each) for each in found]


def unparsed(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError("it was parsed")

    monkeypatch.setattr(reader, "_take", never)


@contextlib.contextmanager
def rows() -> Iterator[sqlite3.Connection]:
    with contextlib.closing(sqlite3.connect(catalog.place(), isolation_level=None)) as connection:
        yield connection


@pytest.mark.parametrize("name", ["garden.jsonl", "interrupted.jsonl", "succ-add.jsonl", "succ-add-other.jsonl"])
def test_the_second_answer_is_the_first_and_parses_nothing(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = Path(shutil.copy(SAMPLES / name, tmp_path))
    bare = looked(file, "--no-catalog")
    assert looked(file) == bare
    unparsed(monkeypatch)
    assert looked(file) == bare


@pytest.mark.skipif(not CORPUS.is_dir(), reason="needs the real transcripts beside the repository")
def test_of_real_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    files = transcripts(CORPUS)[::12]
    bare = [looked(file, "--no-catalog") for file in files]
    assert [looked(file) for file in files] == bare
    unparsed(monkeypatch)
    with rows() as connection:
        made = {os.fsdecode(path) for (path,) in connection.execute("SELECT path FROM made")}
    whole = [number for number, file in enumerate(files) if os.path.realpath(file) in made]
    assert len(whole) > len(files) // 2
    assert [looked(files[number]) for number in whole] == [bare[number] for number in whole]


def test_a_byte_that_changed_is_seen_where_size_and_times_stay(session: Path) -> None:
    looked(session)
    before, status = session.read_bytes(), session.stat()
    at = before.index(b'"parentUuid":"') + len(b'"parentUuid":"')
    changed = before[:at] + (b"0" if before[at : at + 1] != b"0" else b"1") + before[at + 1 :]
    session.write_bytes(changed)
    os.utime(session, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert session.stat().st_size == status.st_size
    assert looked(session) == looked(session, "--no-catalog")
    assert call("check", session).code == 1
    session.write_bytes(before)
    assert call("check", session).code == 0


def test_what_was_forged_is_no_answer(session: Path) -> None:
    bare = looked(session, "--no-catalog")
    looked(session)
    with rows() as connection:
        noted = connection.execute("SELECT name, data FROM noted WHERE name <> 'tokens-1'").fetchall()  # an estimate is believed
        assert {"tree", "short", "damage", "points-False", "points-True", "check", "elsewhere"} <= {name for name, _ in noted}
        for name, data in noted:
            mark = data[:16]
            for bad in (
                b"",
                b"x",
                mark,
                mark + b"\xc1",
                mark + msgspec.msgpack.encode([1]),
                mark + data[16:-1],
                bytes(16) + data[16:],
            ):
                connection.execute("UPDATE noted SET data = ? WHERE name = ?", (bad, name))
                assert looked(session) == bare, (name, bad)


def test_another_program_asks_anew(session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked(session)
    with rows() as connection:
        ((data,),) = connection.execute("SELECT data FROM noted WHERE name = 'tree'").fetchall()
        found = msgspec.msgpack.decode(data[16:], type=Tree)
        found.why = "forged"
        connection.execute("UPDATE noted SET data = ? WHERE name = 'tree'", (data[:16] + msgspec.msgpack.encode(found),))
    assert "forged" in call("tree", session, "--json").stdout  # so it was taken from there
    monkeypatch.setattr(cached, "_program", lambda: b"another")
    assert "forged" not in call("tree", session, "--json").stdout


def test_a_program_is_told_by_its_modules(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    for name in ("__init__.py", "below/one.py"):
        (tmp_path / name).write_text("")
    monkeypatch.setattr(cached.forkpoint, "__file__", str(tmp_path / "__init__.py"))
    found = [cached._program.__wrapped__()]
    (tmp_path / "below" / "one.py").write_text("pass")
    found.append(cached._program.__wrapped__())
    (tmp_path / "two.py").write_text("")
    (tmp_path / ".#lock.py").symlink_to("nowhere")  # as an editor leaves one
    (tmp_path / "loop").symlink_to(tmp_path)
    found.append(cached._program.__wrapped__())
    assert len(set(found)) == 3


def test_a_sub_agents_file_that_changed_is_seen(session: Path, tmp_path: Path) -> None:
    agents = tmp_path / SESSION / "subagents"
    agents.mkdir(parents=True)
    lines = timed("2.1.161")
    told = [json.dumps({**json.loads(line), "isSidechain": True, "agentId": "a1"}).encode() for line in lines[:2]]
    agent = save(agents / "agent-a1.jsonl", told)

    def entries() -> list[Any]:
        tree = json.loads(call("tree", session, "--json").stdout)
        assert tree == json.loads(call("tree", session, "--json", "--no-catalog").stdout)
        return [each["entries"] for each in tree["agents"]]

    first = entries()
    assert first == entries()
    agent.write_bytes(agent.read_bytes().splitlines(keepends=True)[0])
    assert entries() != first
    agent.unlink()
    assert entries() == []


def test_a_client_that_is_named_decides_as_it_does(session: Path) -> None:
    looked(session)
    for version in ("2.1.9", "2.1.100", "2.1.330"):
        words = ("points", session, "--json", "--client", version)
        assert call(*words) == call(*words, "--no-catalog")


def test_nothing_that_is_written_rests_on_an_answer(session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever writes asks for none, but for the words of a warning."""
    looked(session)
    made = cached.answer

    def warned(found: Any, name: str, *more: Any) -> Any:
        assert name == "elsewhere"
        return made(found, name, *more)

    monkeypatch.setattr(cached, "answer", warned)
    for words in (
        ("fork", "--at", "2"),
        ("drop", "s2"),
        ("undo",),
        ("compact",),
        ("rewind", "2"),
        ("backfill",),
        ("export",),
        ("trim",),
    ):
        done = call(words[0], session, *words[1:])
        assert (done.code, "Traceback" in done.stderr) in ((0, False), (2, False), (3, False)), done
    assert call("check", session).code == 70


def test_a_cache_that_cannot_be_written_costs_nothing_but_time(session: Path, tmp_path: Path) -> None:
    bare = looked(session, "--no-catalog")
    (tmp_path / "cache").write_text("in the way")
    assert looked(session) == bare


def test_nothing_is_kept_of_a_file_that_was_written_meanwhile(session: Path) -> None:
    """An answer is made of lines that are read when they are asked for; the hash is that of the file as it was opened."""
    looked(session)  # so that its columns are known
    with rows() as connection:
        connection.execute("DELETE FROM noted")
    before, status = session.read_bytes(), session.stat()
    opened = forkpoint.open(session)
    session.write_bytes(before.replace(b"first", b"thirf"))
    opened.tree()
    session.write_bytes(before)
    os.utime(session, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert looked(session) == looked(session, "--no-catalog")


def test_notes_stand_beside_columns_alone(session: Path) -> None:
    """Of a file with a torn end no columns are kept, and no answer would ever be taken out again."""
    session.write_bytes(session.read_bytes() + b'{"uuid"')
    looked(session)
    with rows() as connection:
        assert connection.execute("SELECT count(*) FROM noted").fetchone() == (0,)


def test_a_sub_agents_file_that_goes_meanwhile_is_none(session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "agent_files", lambda path: [session.with_name("gone.jsonl")])
    assert call("tree", session).code == 0
