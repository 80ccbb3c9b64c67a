"""``forkpoint resume``, ``clear`` and ``--resume``: the session that is meant, its folder, and the client in it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from forkpoint.cli import resume as cli
from forkpoint.ops import starting
from forkpoint.sessions import projects
from forkpoint.transcript.format import reader
from program import answer, call, run
from strategies_store import session_id, turns, uuid, write

NEW, OLD, ELSEWHERE = session_id(1), session_id(2), session_id(3)
CLIENT = """#!/bin/sh
printf '%s\\n' "$PWD" "$@"
"""


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with two sessions, another one with a third, and a client on the PATH that says how it was started."""
    for name, value in (("CLAUDE_CONFIG_DIR", "config"), ("XDG_CACHE_HOME", "cache"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(name, str(tmp_path / value))
    client = tmp_path / "bin" / "claude"
    client.parent.mkdir()
    client.write_text(CLIENT)
    client.chmod(0o755)
    monkeypatch.setenv("PATH", f"{client.parent}:/usr/bin:/bin")
    every = (("work", NEW, "herbs", 10), ("work", OLD, "stones", 20), ("other one", ELSEWHERE, "clay", 5))
    for place, session, seed, age in every:
        folder = tmp_path / place
        folder.mkdir(exist_ok=True)
        home = projects.project_folder(folder)
        home.mkdir(parents=True, exist_ok=True)
        path = write(home, session, [line | {"cwd": str(folder)} for line in turns(session, 3, seed=seed)])
        os.utime(path, (1_000_000 - age, 1_000_000 - age))
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


def real(*arguments: object, at: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The program in a process of its own, which becomes the client."""
    command = [sys.executable, "-m", "forkpoint.cli.main", *map(str, arguments)]
    return subprocess.run(command, cwd=at, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("what", "session"),
    [
        ([], NEW),
        (["-"], OLD),
        (["1"], NEW),
        (["2"], OLD),
        ([OLD], OLD),
        ([OLD[:8]], OLD),
        (["Question 0 of stones"], OLD),
        (["question 1 stones"], OLD),  # no title: words that were said
        (["clay"], ELSEWHERE),
    ],
)
def test_the_session_that_is_meant(what: list[str], session: str, work: Path) -> None:
    folder = work.parent / "other one" if session == ELSEWHERE else work
    started = real("resume", *what)
    assert (started.returncode, started.stdout.splitlines()) == (0, [str(folder), "--resume", session]), started.stderr
    said = answer("resume", *what)
    assert (said["session"], said["folder"], said["command"]) == (session, str(folder), ["claude", "--resume", session])
    shown = run("resume", *what, "--print").stdout
    assert subprocess.run(["bash", "-c", shown], capture_output=True, text=True, check=True).stdout == started.stdout


def test_words_name_the_newest_session(work: Path) -> None:
    """The newest that was said counts; what was taken is told."""
    found = run("resume", "question 2", "--print")
    assert "was said in" in found.stderr
    assert call("resume", "sassafras", "--print").code == 2


def test_a_point_is_forked_first(work: Path) -> None:
    started = real("resume", NEW, "--at", "2")
    folder, _, made = started.stdout.splitlines()
    assert (folder, made != NEW) == (str(work), True)
    log = reader.read(projects.project_folder(work) / f"{made}.jsonl").log
    assert str(log[len(log) - 1].uuid) == uuid("herbs", 1, "answer")
    refused = real("resume", NEW, "--at", "9")
    assert refused.returncode == 2
    assert "there is no prompt 9" in refused.stderr


@pytest.mark.parametrize("wrong", ["0", "3", "no such thing at all"])
def test_no_such_session(wrong: str) -> None:
    refused = call("resume", wrong, "--print")
    assert (refused.code, refused.stdout) == (2, "")


def test_what_no_client_finds(work: Path, tmp_path: Path) -> None:
    loose = write(tmp_path, session_id(8), turns(session_id(8), 1))
    refused = call("resume", loose, "--print")
    assert refused.code == 3
    assert "no client finds the session from here" in refused.stderr
    (work / "x").mkdir()
    os.rename(work.parent / "other one", work.parent / "moved")
    refused = call("resume", ELSEWHERE, "--print")
    assert refused.code == 3
    assert "other one, is gone" in refused.stderr


def test_without_a_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    before = sorted(Path.cwd().rglob("*"))
    on = [["fork", NEW], ["branch", NEW], ["drop", NEW, "2"], ["compact", NEW, "--upto", "2"]]
    for arguments in (["resume"], ["clear"], *([*each, "--resume"] for each in on)):
        refused = call(*arguments)
        assert refused.code == 2, arguments
        assert "claude is not on the PATH" in refused.stderr
    assert sorted(Path.cwd().rglob("*")) == before  # nothing was forked, and nothing appended
    assert run("resume", "--print").stdout.endswith(f"claude --resume {NEW}\n")


def test_clear(work: Path) -> None:
    before = {path: path.read_bytes() for path in work.parent.rglob("*.jsonl")}
    folder, option, session = real("clear").stdout.splitlines()
    assert (folder, option) == (str(work), "--session-id")
    assert session not in (NEW, OLD)
    assert real("clear", ELSEWHERE).stdout.splitlines()[0] == str(work.parent / "other one")
    assert "every old one stays" in run("clear", "--print").stderr
    assert before == {path: path.read_bytes() for path in work.parent.rglob("*.jsonl")}


@pytest.mark.parametrize("command", [["fork", NEW, "--at", "2"], ["branch", NEW, "by the sea", "--at", "2"]])
def test_a_fork_that_is_resumed_at_once(command: list[str], work: Path) -> None:
    started = real(*command, "--resume")
    *said, folder, option, made = started.stdout.splitlines()
    assert (said, folder, option) == ([made], str(work), "--resume")
    assert (projects.project_folder(work) / f"{made}.jsonl").is_file()
    assert call(*command, "--resume", "--dry-run").code == 2
    assert call(*command, "--resume", "--json").code == 2


def test_a_fork_that_no_client_finds_stands_all_the_same() -> None:
    assert call("fork", NEW, "--resume", "--out", "x.jsonl").code == 3
    assert Path("x.jsonl").is_file()


@pytest.mark.parametrize("command", [["drop", NEW, "2", "--force"], ["compact", NEW, "--upto", "2", "--force"]])
def test_what_is_left_is_resumed_at_once(command: list[str], work: Path) -> None:
    started = real(*command, "--resume")
    folder, option, made = started.stdout.splitlines()[-3:]
    assert (folder, option, made != NEW) == (str(work), "--resume", True)
    words = (projects.project_folder(work) / f"{made}.jsonl").read_text()
    assert json.dumps("Question 1 of herbs") not in words
    assert json.dumps("Question 2 of herbs") in words


def test_a_person_chooses(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """By number, where the application is not installed."""
    monkeypatch.setitem(sys.modules, "forkpoint.tui.app", None)
    monkeypatch.setattr(cli.click, "prompt", lambda *_, **__: 2)
    started = cli._chosen()
    assert started is not None
    assert started.session == OLD
    assert capsys.readouterr().out.splitlines() == ["  1  Question 0 of herbs", "  2  Question 0 of stones"]


def test_a_program_that_cannot_run(tmp_path: Path) -> None:
    (tmp_path / "bin" / "claude").write_bytes(b"\x00 no program")
    refused = real("resume")
    assert refused.returncode == 2
    assert "cannot start" in refused.stderr


def test_a_client_at_work_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starting.running, "at_work", lambda path: "a client, process 7, runs in this session")
    assert "a client, process 7" in run("resume", "--print").stderr


def test_a_fork_for_another_folder(work: Path) -> None:
    """Its entries name the old folder, and it is resumed in the new one."""
    other = work.parent / "elsewhere"
    other.mkdir()
    folder, _, made = real("fork", NEW, "--at", "2", "--cwd", other, "--resume").stdout.splitlines()[-3:]
    assert folder == str(other)
    assert answer("fork", NEW, "--cwd", other)["folder"] == str(other)
    refused = call("resume", made, "--print")  # nothing says which folder that was
    assert refused.code == 3
    assert "resume it in its folder" in refused.stderr
    os.chdir(other)
    assert answer("resume", made)["folder"] == str(other)


def test_a_session_that_moved_on(work: Path) -> None:
    """The folder that its last entry names counts, too."""
    path = projects.project_folder(work) / f"{OLD}.jsonl"
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    write(path.parent, OLD, [line | {"cwd": "/somewhere/else" if at < 3 else str(work)} for at, line in enumerate(lines)])
    os.chdir("/")
    assert answer("resume", OLD)["folder"] == str(work)


@pytest.mark.parametrize(
    "what", ["0000", "deadbeef-1111-4111-8111-000000000009", "/tmp/x/deadbeef.jsonl", "gone.jsonl", "same title"]
)
def test_what_names_a_session_is_no_word_that_was_said(what: str, work: Path) -> None:
    """An id, a path, or a title of several sessions is never searched for."""
    folder = projects.project_folder(work)
    talks = turns(session_id(7), 1, seed="talk")
    talks[0]["message"] = {"role": "user", "content": f"I looked at {what} and gone.jsonl, the same title"}
    write(folder, session_id(7), [line | {"cwd": str(work)} for line in talks])
    for number in (5, 6):
        title = {"type": "custom-title", "customTitle": "same title", "sessionId": session_id(number)}
        write(folder, session_id(number), [*turns(session_id(number), 1, seed=number), title])
    before = sorted(folder.iterdir())
    for more in ([], ["--at", "1"]):
        refused = call("resume", what, "--print", *more)
        assert (refused.code, refused.stdout) == (2, "")
    assert sorted(folder.iterdir()) == before


def test_a_folder_named_like_a_number(work: Path) -> None:
    (work / "2").mkdir()
    assert answer("resume", "2")["session"] == OLD
    (work / "1").symlink_to("nowhere")
    assert answer("resume", "1")["session"] == NEW


def test_nothing_is_made_where_nobody_can_go_on(work: Path, tmp_path: Path) -> None:
    loose = write(tmp_path, session_id(8), turns(session_id(8), 2))
    os.utime(loose, (1, 1))
    stands = loose.read_bytes()
    compact = ["compact", loose, "--upto", "1", "--resume"]
    for command in (["resume", loose, "--at", "1", "--print"], ["drop", loose, "2", "--resume"], compact):
        assert call(*command).code == 3
    assert loose.read_bytes() == stands
    assert not list(work.glob("*.jsonl"))


def test_the_newest_is_one_that_a_client_finds(work: Path) -> None:
    run("fork", NEW, "--out", f"{session_id(9)}.jsonl", "--session-id", session_id(9))
    assert answer("resume")["session"] == NEW
    assert answer("resume", "-")["session"] == OLD


def test_a_command_in_a_folder_of_any_name(tmp_path: Path) -> None:
    odd = tmp_path / "a\n'b $(x)"
    odd.mkdir()
    home = projects.project_folder(odd)
    home.mkdir(parents=True)
    write(home, session_id(6), [line | {"cwd": str(odd)} for line in turns(session_id(6), 1)])
    shown = run("resume", session_id(6), "--print").stdout
    told = subprocess.run(["bash", "-c", shown], capture_output=True, text=True, check=True).stdout
    assert told == f"{odd}\n--resume\n{session_id(6)}\n"


def test_the_nearest_point(work: Path) -> None:
    path = projects.project_folder(work) / f"{NEW}.jsonl"
    call_ = {"type": "tool_use", "id": "t", "name": "Bash", "input": {}}
    last = turns(NEW, 1, seed="open", after=uuid("herbs", 2, "answer"), start=0)
    last[1]["message"] = {"id": "m", "content": [call_]}
    with path.open("a") as file:
        file.writelines(json.dumps(line | {"cwd": str(work)}) + "\n" for line in last)
    for command in (["branch", NEW], ["resume", NEW, "--at", "HEAD", "--print"]):
        refused = call(*command)
        assert refused.code == 3
        assert "--nearest" in refused.stderr
        run(*command, "--nearest")
