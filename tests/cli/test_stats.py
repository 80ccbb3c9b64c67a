"""``forkpoint stats`` as a user meets it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from forkpoint.cli.main import run as program
from forkpoint.store.projects import folder_name
from forkpoint.transcript import reader
from forkpoint.transcript.marker import Marker
from forkpoint.transcript.reader import Transcript
from strategies_points import data, speak, user

GARDEN = Path(__file__).parents[1] / "samples" / "garden.jsonl"


class Ran(NamedTuple):
    out: str
    err: str
    code: int


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder of projects: two sessions of this folder, one of them a fork of ours, and one of another folder."""
    here, there = tmp_path / "here", tmp_path / "there"
    projects = tmp_path / "config" / "projects"
    for number, (folder, marked) in enumerate([(here, False), (here, True), (there, False)]):
        folder.mkdir(exist_ok=True)
        place = projects / folder_name(str(folder))
        place.mkdir(parents=True, exist_ok=True)
        lines = data(user("p", None), speak("a", "p"))
        marker = Marker("s", "o", "p", "2026-01-01T00:00:00Z").line() + b"\n" if marked else b""
        (place / f"{number:08d}-0000-4000-8000-000000000000.jsonl").write_bytes(marker + lines)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.chdir(here)
    return projects


def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: object) -> Ran:
    monkeypatch.setattr(sys, "argv", ["forkpoint", "stats", *map(str, arguments)])
    with pytest.raises(SystemExit) as stopped:
        program()
    assert isinstance(stopped.value.code, int)
    return Ran(*capsys.readouterr(), stopped.value.code)


def answer(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: object) -> dict[str, Any]:
    result = run(capsys, monkeypatch, *arguments, "--json")
    assert result.code == 0
    shape = json.loads(result.out)
    assert isinstance(shape, dict)
    return shape


@pytest.mark.parametrize("columns", [80, 200, 30])
def test_one_session(columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    text = run(capsys, monkeypatch, GARDEN).out
    assert all(len(line) <= columns for line in text.splitlines())
    if columns == 30:
        return
    flat = " ".join(text.split())
    assert "sessions 1 session, 4 prompts entries assistant 8, user 7 sidecars" in flat
    assert "tree 15 nodes, 1 root, 3 leaves, 2 branch points, 1 fork, 2 tips, depth 11" in flat
    assert "tools 3 calls, 3 results, 0 open, 0 orphans, 1 message with parallel calls versions 2.1.2 15" in flat


def test_json_of_one_session(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    shape = answer(capsys, monkeypatch, GARDEN)
    assert (shape["where"], shape["forks_left_out"], shape["unreadable"]) == (str(GARDEN), 0, [])
    assert (shape["nodes"], shape["entries"], shape["depth"]) == (15, {"assistant": 8, "user": 7}, 11)


def test_projects_and_our_own_forks(store: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    cases = {
        (): (1, 1),
        ("--with-forks",): (2, 0),
        ("--all",): (2, 1),
        ("--all", "--with-forks"): (3, 0),
        ("--project", store.parents[1] / "there"): (1, 0),
        ("--project", store / folder_name(str(store.parents[1] / "here"))): (1, 1),
    }
    for arguments, expected in cases.items():
        shape = answer(capsys, monkeypatch, *arguments)
        assert (shape["sessions"], shape["forks_left_out"]) == expected, arguments
        assert shape["nodes"] == 2 * shape["sessions"]
    assert "1 fork made by forkpoint is left out" in run(capsys, monkeypatch).err


def test_a_fork_that_is_named_is_counted(
    store: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shape = answer(capsys, monkeypatch, next(store.rglob("00000001*")))
    assert (shape["sessions"], shape["sidecars"]) == (1, {"forkpoint": 1})


def test_the_files_of_sub_agents_are_counted(
    store: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = next(store.rglob("00000000*.jsonl"))
    (first.with_suffix("") / "subagents").mkdir(parents=True)
    for name in ("agent-1.jsonl", "agent-2.jsonl"):
        (first.with_suffix("") / "subagents" / name).write_bytes(data(user("s", None, isSidechain=True)))
    (first.parent / "agent-3.jsonl").write_bytes(data(user("s", None, isSidechain=True, sessionId=first.stem)))
    (first.parent / "agent-4.jsonl").write_bytes(data(user("s", None, isSidechain=True, sessionId="another")))
    for arguments in ((), ("--all",), (first,)):
        assert answer(capsys, monkeypatch, *arguments)["agent_files"] == 3, arguments
    assert "sub-agents  0 entries in the sessions, 3 files of their own" in run(capsys, monkeypatch).out


def test_what_cannot_be_read_is_named(store: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    gone = next(store.rglob("00000000*.jsonl"))
    read = reader.read

    def refuse(path: Path) -> Transcript:
        if path == gone:
            raise OSError(5, "Input/output error", str(path))
        return read(path)

    monkeypatch.setattr(reader, "read", refuse)
    shape = answer(capsys, monkeypatch, "--all")
    assert (shape["sessions"], shape["unreadable"]) == (1, [f"{gone}: Input/output error"])
    assert f"cannot read {gone}: Input/output error" in run(capsys, monkeypatch, "--all").err


def test_wrong_use(store: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    del store
    for arguments in ([GARDEN, "--all"], ["--all", "--project", "."], [GARDEN, "--project", "."], ["--project", "nowhere"]):
        result = run(capsys, monkeypatch, *arguments)
        assert result.code == 2
        assert "exclude each other" in result.err or "is no folder" in result.err
