"""``forkpoint stats`` as a user meets it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from forkpoint.cli.main import run as program
from forkpoint.clients.claude.places import folder_name
from forkpoint.transcript.format import reader
from forkpoint.transcript.format.marker import Marker
from forkpoint.transcript.format.reader import Transcript
from needs import transcripts
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
        own = "" if folder == here else "there-"  # the fork repeats its source
        lines = data(user(f"{own}p", None), speak(f"{own}a", f"{own}p"))
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
        forks = shape["sessions"] + shape["forks_left_out"] - (2 if "--all" in arguments else 1)
        added = forks if "--with-forks" in arguments else 0
        assert (shape["nodes"], shape["copies"]) == (2 * (shape["sessions"] - added), 2 * forks)
        assert shape["in_forks"]["nodes"] == 0
    said = run(capsys, monkeypatch)
    assert "1 fork stands apart" in said.err
    assert "2 entries are copies of another one, and counted once" in said.err
    assert "in forks    1 fork, 0 prompts" in said.out


def test_what_a_fork_added_stands_apart(store: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """By uuid, by what the line says it is a copy of, and by the API's ids."""
    folder = next(store.rglob("00000000*")).parent
    for path in folder.iterdir():
        path.unlink()
    first = [user("p", None), speak("a", "p", message="m", requestId="r"), user("q", "a"), speak("b", "q", message="n")]
    copy = [user("p", None), speak("a", "p", message="m", requestId="r"), user("new", "a"), speak("c", "new", message="o")]
    renamed = [
        user("x", None, forkedFrom={"sessionId": SESSIONS[0], "messageUuid": "p"}),
        speak("y", "x", message="m", requestId="r"),
        user("z", "y"),
    ]
    same_id = [user("u", None), speak("v", "u", message="m", requestId="other")]
    for name, lines in zip(SESSIONS, (first, copy, renamed, same_id), strict=True):
        marker = Marker(name, SESSIONS[0], "p", "2026-01-01T00:00:00Z").line() + b"\n" if lines is copy else b""
        (folder / f"{name}.jsonl").write_bytes(marker + data(*lines))
    shape = answer(capsys, monkeypatch)
    assert (shape["sessions"], shape["forks_left_out"], shape["copies"]) == (2, 2, 4)
    assert (shape["prompts"], shape["nodes"]) == (3, 6)
    assert (shape["in_forks"]["prompts"], shape["in_forks"]["nodes"]) == (2, 3)
    both = answer(capsys, monkeypatch, "--with-forks")
    assert (both["prompts"], both["nodes"], both["in_forks"]["nodes"]) == (5, 9, 0)


SESSIONS = [f"{number:08d}-0000-4000-8000-000000000001" for number in range(4)]


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

    def refuse(path: Path, *more: Any) -> Transcript:
        if path == gone:
            raise OSError(5, "Input/output error", str(path))
        return read(path, *more)

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


def counted(path: Path) -> Path:
    """A session with figures of the API in one of its turns."""
    usage = {"input_tokens": 9, "cache_read_input_tokens": 900, "cache_creation_input_tokens": 91, "output_tokens": 20}
    first, second = speak("a", "p"), speak("b", "a")
    first["message"] |= {"model": "m", "usage": usage}
    second["message"] |= {"model": "m", "usage": {**usage, "input_tokens": 59}}
    path.write_bytes(data(user("p", None, "Plant | mint."), first, second, user("q", "b")))
    return path


@pytest.mark.parametrize("columns", [80, 200, 30])
def test_tokens(columns: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    text = run(capsys, monkeypatch, counted(tmp_path / "s.jsonl"), "--tokens").out
    assert all(len(line) <= columns for line in text.splitlines())
    if columns == 30:
        return
    flat = " ".join(text.split())
    assert "HEAD line 4, 4 entries" in flat
    assert "measured 2 requests sent 2050 tokens, 1800 read from the cache, 182 written to it, 40 came back" in flat
    assert "last line 3 sent 1050 tokens" in flat
    assert "2.66 bytes a token, the rate of real transcripts" in flat
    assert "# tokens entries requests sent back dearest turns 1 ~" in flat
    assert " 3 2 2050 40 Plant | mint. " in flat
    assert " 50 1000 20 an answer" in flat


def test_tokens_of_a_session_without_figures(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    flat = " ".join(run(capsys, monkeypatch, GARDEN, "--tokens").out.split())
    assert "measured nothing: no entry has figures of the API" in flat
    assert "calls 2 166 ~62 " in flat
    assert "Search 2 166 ~62 " in flat


def test_json_of_tokens(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    path = counted(tmp_path / "s.jsonl")
    shape = answer(capsys, monkeypatch, path, "--tokens")
    assert (shape["file"], shape["head"], shape["entries"]) == (str(path), {"uuid": "q", "line": 4}, 4)
    assert (shape["bytes"], shape["rate_from"], shape["stretches"], shape["media"]) == (path.stat().st_size, "transcripts", 0, 0)
    whole = sum(kind["tokens_estimate"] for kind in shape["kinds"] if kind["name"] is None)
    assert abs(whole - shape["tokens_estimate"]) <= len(shape["kinds"])
    assert {kind["kind"]: kind["count"] for kind in shape["kinds"]} == {"answers": 2, "prompts": 2}
    last = shape["measured"].pop("last")
    assert shape["measured"] == {"requests": 2, "sent": 2050, "cache_read": 1800, "cache_written": 182, "output": 40}
    assert (last["uuid"], last["sent"]) == ("b", 1050)
    assert 0 < last["tokens_estimate"] < shape["tokens_estimate"]
    assert [(turn["number"], turn["sent"], turn["output"]) for turn in shape["turns"]] == [(1, 2050, 40), (2, 0, 0)]
    assert {message["uuid"]: message["grown"] for message in shape["messages"]} == {"p": None, "a": 50, "b": None, "q": None}
    assert answer(capsys, monkeypatch, GARDEN, "--tokens")["measured"] is None


def test_tokens_without_a_head(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "agent.jsonl"
    path.write_bytes(data(user("p", None, isSidechain=True)))
    assert "none: the file has no entry of a main line" in " ".join(run(capsys, monkeypatch, path, "--tokens").out.split())
    shape = answer(capsys, monkeypatch, path, "--tokens")
    assert (shape["head"], shape["entries"], shape["kinds"], shape["measured"]) == (None, 0, [], None)


def test_tokens_are_of_one_session(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments in ([], ["--all"], ["--project", "."]):
        result = run(capsys, monkeypatch, "--tokens", *arguments)
        assert (result.code, "name it" in result.err) == (2, True)


def test_tokens_of_every_real_file(corpus: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for path in transcripts(corpus)[::11]:
        assert run(capsys, monkeypatch, path, "--tokens").code == 0
        answer(capsys, monkeypatch, path, "--tokens")


def test_copies_of_what_is_gone_and_odd_parents(
    store: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two copies of an original that is not there count once; a name with a slash is a name."""
    folder = next(store.rglob("00000000*")).parent
    for path in folder.iterdir():
        path.unlink()
    for name, own in zip(SESSIONS, "xy", strict=False):
        origin = {"sessionId": "gone"}
        lines = [
            user(f"{own}p", None, forkedFrom={**origin, "messageUuid": "p"}),
            speak(f"{own}a", f"{own}p", forkedFrom={**origin, "messageUuid": "a"}),
        ]
        (folder / f"{name}.jsonl").write_bytes(data(*lines))
    marker = Marker(SESSIONS[2], "../../../etc/passwd", "p", "2026-01-01T00:00:00Z").line() + b"\n"
    (folder / f"{SESSIONS[2]}.jsonl").write_bytes(marker + data(user("z", None)))
    shape = answer(capsys, monkeypatch, "--with-forks")
    assert (shape["prompts"], shape["nodes"], shape["copies"]) == (2, 3, 2)
