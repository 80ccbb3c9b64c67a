"""What was done when something failed: it is said, and the same command can be repeated without doing it twice."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from forkpoint.transcript.format import reader
from forkpoint.transcript.write import inplace
from program import answer, call, run
from strategies_fork import FORK, SESSION, entry, sidecar, text
from strategies_overlays import aged, go_on, save, turns


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def session() -> Path:
    return save(Path(f"{SESSION}.jsonl"), turns())


OPERATION = "00e1a7ed-0000-4000-8000-000000000001"
COMMANDS = {
    "drop": ["drop", "s4"],
    "compact": ["compact", "--upto", "1"],
    "rewind": ["rewind", "--at", "HEAD~1"],
    "checkout": ["checkout", "--at", "a4", "--client", "2.1.161"],
}


def unflushed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk takes what is appended to a file, and does not confirm it."""
    flush = os.fsync

    def fail(handle: int) -> None:
        if os.path.samestat(os.fstat(handle), path.stat()):
            raise OSError(errno.EIO, "Input/output error")
        flush(handle)

    monkeypatch.setattr(os, "fsync", fail)


@pytest.mark.parametrize("command", ["drop", "compact", "rewind"])
def test_what_the_disk_did_not_confirm_is_not_done_twice(command: str, session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name, *options = COMMANDS[command]
    before = session.read_bytes()
    with monkeypatch.context() as patch:
        unflushed(session, patch)
        said = answer(name, session, *options, code=5)
    assert said["stands"] is True
    assert f"--operation {said['operation']}" in said["error"]
    after = session.read_bytes()
    assert after.startswith(before)
    assert len(after) > len(before)
    again = answer(name, session, *options, "--operation", said["operation"], "--force")
    assert (again["operation"], again["appended"]) == (said["operation"], [])
    assert session.read_bytes() == after
    assert "nothing was appended" in run(name, session, *options, "--operation", said["operation"], "--force").stderr


@pytest.mark.parametrize("command", ["drop", "rewind"])
def test_a_full_disk_appends_nothing_and_says_so(command: str, session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name, *options = COMMANDS[command]
    before = session.read_bytes()
    write = os.write

    def full(handle: int, data: bytes) -> int:
        if not os.path.samestat(os.fstat(handle), session.stat()):
            return write(handle, data)
        if len(data) < 20:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(handle, data[: len(data) - 10])

    monkeypatch.setattr(os, "write", full)
    done = call(name, session, *options)
    assert done.code == 2
    assert "nothing was appended" in done.stderr
    assert session.read_bytes() == before


def test_what_lacks_of_an_operation_is_appended(session: Path) -> None:
    """The record stands, and the line behind it, which names it as the head, does not."""
    made = answer("drop", session, "s4")
    whole = session.read_bytes()
    session.write_bytes(whole[: whole.rindex(b"\n", 0, -1) + 1])
    again = answer("drop", aged(session), "s4", "--operation", made["operation"])
    assert len(again["appended"]) == 1
    assert reader.read(session).log.position(made["record"]["uuid"])
    assert session.read_bytes() == whole
    assert "operation" in run("drop", session, "s4", "--operation", "mine", code=2).stderr


def test_an_id_that_stands_for_another_command_is_refused(session: Path) -> None:
    """It is not told that its own operation stands: nothing of what was asked for was done."""
    dropped = answer("drop", session, "s4")["operation"]
    moved = answer("rewind", aged(session), "--at", "HEAD~1")["operation"]
    before = session.read_bytes()
    for operation, kind in (dropped, "drop"), (moved, "a move of the head"):
        for name, *options in (["compact", "--upto", "1"], ["undo"]):
            said = run(name, session, *options, "--operation", operation, "--force", code=2).stderr
            assert f"stands for {kind}, not for {name}" in said, said
    assert session.read_bytes() == before


def test_an_operation_of_which_nothing_stands_is_done_under_its_id(session: Path) -> None:
    made = answer("drop", session, "s4", "--operation", FORK)
    assert made["operation"] == made["record"]["uuid"] == FORK


def test_a_client_that_writes_in_the_same_moment_is_told_of(session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the comparison and the write there is a moment; what the client wrote then is named, with the way back to it."""
    theirs = [entry("p9", "a4", content="ninth"), entry("a9", "p9", "assistant", text())]
    theirs.append(sidecar("last-prompt", lastPrompt="ninth", leafUuid="a9"))
    write = os.write

    def racing(handle: int, data: bytes) -> int:
        monkeypatch.setattr(os, "write", write)
        go_on(session, *theirs)
        return write(handle, data)

    monkeypatch.setattr(os, "write", lambda handle, data: (racing if is_session(handle) else write)(handle, data))

    def is_session(handle: int) -> bool:
        return os.path.samestat(os.fstat(handle), session.stat())

    said = answer("drop", session, "s4", "--if-head", "a4", code=5)
    assert said["stands"] is True
    assert "a9" in said["error"]
    assert "forkpoint checkout" in said["error"]
    lines = session.read_bytes().splitlines()
    assert all(line in lines for line in theirs)


def test_a_client_that_writes_while_the_file_is_hashed_is_noticed_before_anything_is_written(
    session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from forkpoint.disk import append

    digest = append._digest

    def racing(handle: int, size: int) -> bytes:
        go_on(session, entry("p9", "a4", content="ninth"))
        monkeypatch.setattr(append, "_digest", digest)
        return digest(handle, size)

    monkeypatch.setattr(append, "_digest", racing)
    done = call("drop", session, "s4", "--if-head", "a4")
    assert done.code == 4
    assert "nothing was appended" in done.stderr
    assert b"overlay" not in session.read_bytes()


def test_a_head_that_is_not_what_was_asked_for_is_no_nothing(session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inplace, "reached", lambda *_: False)
    assert call("drop", session, "s4").code == 5
    assert b"overlay" in session.read_bytes()


# ---- a folder that somebody handed over


def test_a_folder_that_looks_like_unfinished_work_is_named_and_left(session: Path) -> None:
    """Its journal may guess devices and inodes of anything; nothing that it names is touched."""
    victim = Path("victim")
    victim.mkdir()
    (victim / "file").write_text("theirs")
    status = victim.stat()
    stage = Path(f".forkpoint-{3:024x}")
    stage.mkdir()
    (stage / "file").write_text("bait")
    named = {"path": str(victim.resolve()), "named": str(victim.resolve()), "device": status.st_dev, "inode": status.st_ino}
    (stage / "journal").write_text(json.dumps({"target": str(Path("none").resolve())}) + "\n" + json.dumps(named) + "\n")
    done = run("fork", session, "--at", "2", "--out", "fork.jsonl")
    assert stage.name in done.stderr
    assert "rm -r" in done.stderr
    assert (victim / "file").read_text() == "theirs"
    assert sorted(path.name for path in stage.iterdir()) == ["file", "journal"]


# ---- memories

TEAM = {"agents": {"coder": {"core": {"plan": {"goal": "old"}}}}}


def forked_memory() -> None:
    Path("team.json").write_text(json.dumps(TEAM))
    run("memory-fork", "team.json", "--name", "one", "--memory", "full", "--out", "one.json")
    held = json.loads(Path("one.json").read_text())
    held["now"]["agents"]["coder"]["core"]["plan"]["goal"] = "new"
    Path("one.json").write_text(json.dumps(held))
    Path("forks").mkdir()


def test_a_memory_merge_that_is_interrupted_loses_no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """What says that a fork was merged is written when the merged memory stands."""
    forked_memory()
    command = ["memory-merge", "team.json", "one.json", "--out", "merged.json", "--forks-out", "forks"]
    link = os.link

    def refuse(source: object, target: object) -> None:
        if "forks/" in str(target):
            raise OSError(errno.ENOSPC, "No space left on device")
        link(str(source), str(target))

    with monkeypatch.context() as patch:
        patch.setattr(os, "link", refuse)
        said = run(*command, code=5).stderr
    assert "merged.json is written" in said
    assert json.loads(Path("merged.json").read_text())["agents"]["coder"]["core"]["plan"]["goal"] == "new"
    assert list(Path("forks").iterdir()) == []
    run(*command)
    base = json.loads(Path("forks/one.json").read_text())["base"]
    assert base["agents"]["coder"]["core"]["plan"]["goal"] == "new"
    assert "exists" in run(*command, code=2).stderr


def test_a_fork_that_stands_there_with_other_bytes_ends_a_merge_before_anything_is_written() -> None:
    forked_memory()
    Path("forks/one.json").write_text("mine")
    command = ["memory-merge", "team.json", "one.json", "--out", "merged.json", "--forks-out", "forks"]
    assert "exists" in run(*command, code=2).stderr
    assert not Path("merged.json").exists()


def test_a_summary_that_has_no_place_is_no_merge() -> None:
    forked_memory()
    Path("summary.txt").write_text("what was said")
    command = ["memory-merge", "team.json", "one.json", "--content", "summary", "--summary-file", "summary.txt"]
    assert "summary" in run(*command, "--out", "merged.json", code=2).stderr
    assert not Path("merged.json").exists()


@pytest.mark.parametrize("command", [["drop", "s4"], ["undo"], ["compact", "--upto", "2"], ["rewind", "--at", "a1"]])
def test_cut_at_every_byte_an_operation_is_completed_once(session: Path, command: list[str]) -> None:
    """P24.3, P24.7: whatever part of the write reached the disk, what stood stands, and the same command with the operation's id
    leaves each of its lines there once, in order."""
    if command == ["undo"]:
        aged(session)
        assert call("drop", session, "s4").code == 0
    before = aged(session).read_bytes()
    name, *rest = command
    made = json.loads(call(name, session, *rest, "--operation", OPERATION, "--json").stdout)
    after = session.read_bytes()
    added = after[len(before) :]
    lines = [row.encode() for row in made["appended"]]
    assert added == b"".join(line + b"\n" for line in lines)
    for cut in range(len(added) + 1):
        session.write_bytes(before + added[:cut])
        read = reader.read(session)
        landed = sum(added[:cut].count(line) for line in lines)
        assert len(read.nodes) + len(read.sidecars) == len(before.splitlines()) + landed, cut
        if cut % 31 and added[cut - 1 : cut + 1].strip(b"\n}") and cut not in (1, len(added) - 1):
            continue  # the command itself is asked at the seams, and at some bytes between
        done = call(name, aged(session), *rest, "--operation", OPERATION)
        assert done.code == 0, (cut, done.stderr)
        now = session.read_bytes()
        assert now.startswith(before + added[:cut])
        rows = [row for row in now[len(before) :].split(b"\n") if _whole(row)]
        assert [_operation(row) for row in rows] == [OPERATION] * len(lines), cut


def _whole(row: bytes) -> bool:
    try:
        return isinstance(json.loads(row), dict)
    except ValueError:
        return False


def _operation(row: bytes) -> str:
    value = json.loads(row)
    return str(value.get("uuid") or value["forkpoint"]["operation"])


def test_the_uuid_of_an_entry_is_no_operation(session: Path) -> None:
    """What a client wrote is not taken for the beginning of an operation."""
    before = session.read_bytes().replace(b'"uuid":"p2"', b'"uuid":"%b"' % OPERATION.encode())
    session.write_bytes(before.replace(b'"parentUuid":"p2"', b'"parentUuid":"%b"' % OPERATION.encode()))
    before = aged(session).read_bytes()
    done = call("drop", session, "s4", "--operation", OPERATION)
    assert done.code == 2
    assert f"{OPERATION} is an entry that no operation appended" in done.stderr
    assert session.read_bytes() == before
