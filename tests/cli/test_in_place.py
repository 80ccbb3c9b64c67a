"""checkout and rewind: one appended step, refused when somebody else is at the session, and undone by the printed command."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from forkpoint.api import Session
from forkpoint.cli import common
from forkpoint.cli import rewind as rewinding
from forkpoint.ops import session as sessions
from forkpoint.transcript.format import reader
from forkpoint.transcript.query import head
from forkpoint.transcript.query.outline import Outline
from forkpoint.transcript.write import inplace
from program import answer, run

GARDEN = Path(__file__).parents[1] / "samples" / "garden.jsonl"
FIRST_TIP, SECOND_TIP = "08d12e6b-76c8-4d1d-9ef5-c4e4b8132aa4", "454021de-755d-4549-862f-45a571eebb0c"
FORK = "8ff34785-799e-4cc5-9082-c363445c09d4"


def aged(path: Path, seconds: float = 600) -> Path:
    then = time.time() - seconds
    os.utime(path, (then, then))
    return path


OLD, NEW = "2.1.2", "2.1.161"
"""A client that knows no ``last-prompt``, and one that does."""


@pytest.fixture(params=[OLD, NEW])
def session(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "session.jsonl"
    path.write_bytes(GARDEN.read_bytes().replace(OLD.encode(), request.param.encode()))
    return aged(path)


def where(path: Path) -> str:
    """The uuid at which a client goes on, or of what it hangs below when that is a notice of ours."""
    transcript = reader.read(path)
    found = head.head(transcript)
    assert found.position is not None
    entry = transcript.log[found.position]
    return str(entry.parent if entry.kind.value == "system" else entry.uuid)


def test_checkout_makes_the_end_of_another_branch_the_head(session: Path) -> None:
    before = session.read_bytes()
    assert where(session) == SECOND_TIP
    result = answer("checkout", session, "--at", FIRST_TIP[:8])
    assert session.read_bytes() == before + "".join(line + "\n" for line in result["appended"]).encode()
    assert where(session) == FIRST_TIP
    assert result["former"] == {"uuid": SECOND_TIP, "line": 17}
    last = json.loads(result["appended"][-1])
    assert (last["type"], last["lastPrompt"], "explicit" in last) == ("last-prompt", "Write the plan into plan.md.", False)
    assert len(result["appended"]) == (2 if OLD.encode() in before else 1)
    if len(result["appended"]) == 2:
        notice = json.loads(result["appended"][0])
        assert (notice["type"], notice["parentUuid"], notice["version"]) == ("system", FIRST_TIP, OLD)
        assert notice["cwd"] == "/srv/garden"
        assert notice["uuid"] == last["leafUuid"] == result["head"]["uuid"]
        stamps = [json.loads(line).get("timestamp", "") for line in before.splitlines()]
        assert notice["timestamp"] > max(stamps)
    else:
        assert last["leafUuid"] == result["head"]["uuid"] == FIRST_TIP


def test_rewind_makes_an_earlier_point_the_head(session: Path) -> None:
    before = session.read_bytes()
    assert answer("rewind", session, "--at", "HEAD~1")["former"]["uuid"] == SECOND_TIP
    assert where(session) == FORK
    last = json.loads(session.read_bytes().splitlines()[-1])
    assert last.get("explicit") is (None if OLD.encode() in before else True)
    assert session.read_bytes().startswith(before)


def test_before_a_prompt_and_the_turn_before_the_last_are_the_same_here(session: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(session.read_bytes())
    run("rewind", session)
    run("rewind", aged(copy), "--before", "4")
    assert where(session) == where(copy) == FORK


@pytest.mark.parametrize("arguments", [["checkout", "--at", FIRST_TIP], ["rewind", "--at", "HEAD~1"], ["rewind", "--at", "1"]])
def test_the_printed_command_undoes_it_at_once(session: Path, arguments: list[str]) -> None:
    command, *rest = arguments
    result = run(command, session, *rest)
    assert where(session) != SECOND_TIP
    undo = shlex.split(result.stdout)
    assert undo[:3:2] == ["forkpoint", str(session)]
    again = run(*undo[1:])
    assert where(session) == SECOND_TIP
    run(*undo[1:], code=4)  # it undoes what it was printed for, and nothing else
    run(*shlex.split(again.stdout)[1:])
    assert where(session) != SECOND_TIP


def test_what_is_the_head_already_is_left_alone(session: Path) -> None:
    before = session.read_bytes()
    result = answer("checkout", session, "--at", SECOND_TIP)
    assert (result["appended"], result["undo"]) == ([], None)
    assert "already" in run("checkout", session, "--at", SECOND_TIP).stderr
    assert session.read_bytes() == before


def test_a_dry_run_appends_nothing(session: Path) -> None:
    before = session.read_bytes()
    result = answer("rewind", session, "--dry-run")
    assert (result["head"]["uuid"], bool(result["appended"])) == (FORK, True)
    assert "would be" in run("checkout", session, "--at", FIRST_TIP, "--dry-run").stderr
    assert session.read_bytes() == before


def test_a_session_in_use_is_refused(session: Path) -> None:
    before = aged(session, 5).read_bytes()
    for command in (["checkout", session, "--at", FIRST_TIP], ["rewind", session]):
        assert "seconds ago" in run(*command, code=4).stderr
        assert "error" in answer(*command, code=4)
    assert session.read_bytes() == before
    run("checkout", session, "--at", FIRST_TIP, "--force")
    assert where(session) == FIRST_TIP


def test_only_if_the_head_is_what_the_user_saw(session: Path) -> None:
    before = session.read_bytes()
    for seen in (FIRST_TIP, ""):
        assert "the head is" in run("checkout", session, "--at", FIRST_TIP, "--if-head", seen, "--force", code=4).stderr
    assert session.read_bytes() == before
    run("checkout", session, "--at", FIRST_TIP, "--if-head", SECOND_TIP[:6])
    assert where(session) == FIRST_TIP


def test_a_session_that_changes_under_the_hands(session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refused; a forced command looks again, and gives up when it never gets a quiet moment."""
    changes = iter([True, False])

    def racing(*arguments: Any) -> Session:
        found = read(*arguments)
        if next(changes):
            with session.open("ab") as file:
                file.write(b'{"type":"mode","mode":"normal"}\n')
            aged(session)
        return found

    read = sessions.read
    monkeypatch.setattr(sessions, "read", racing)
    assert "since it was read" in run("checkout", session, "--at", FIRST_TIP, code=4).stderr
    changes = iter([True, False, True, True, True, False])
    run("checkout", session, "--at", FIRST_TIP, "--force")
    assert where(session) == FIRST_TIP
    size = session.stat().st_size
    run("checkout", session, "--at", SECOND_TIP, "--force", code=4)
    assert session.stat().st_size - size == 3 * 32


def test_what_cannot_be_the_head_is_refused(session: Path, tmp_path: Path) -> None:
    first, inside = "9e3779b9", "daa66d2c"
    assert "not the end of a branch" in run("checkout", session, "--at", FORK, code=3).stderr
    assert [place["line"] for place in answer("checkout", session, "--at", FORK, code=3)["refused"]["nearest"]] == [15, 17]
    assert "nothing stands before" in run("rewind", session, "--before", first, code=3).stderr
    use = str(json.loads(session.read_bytes().splitlines()[5])["uuid"])
    assert "nearest resumable points" in run("rewind", session, "--at", use, code=3).stderr
    assert answer("rewind", session, "--at", use, code=3)["refused"]["nearest"]
    run("rewind", session, "--at", "nowhere", code=2)
    run("checkout", session, "--at", "99", code=2)
    run("rewind", session, "--at", inside, "--before", "2", code=2)
    (tmp_path / "empty.jsonl").write_bytes(b"")
    run("rewind", tmp_path / "empty.jsonl", code=2)


def test_a_torn_tail_stays_and_spoils_nothing(session: Path) -> None:
    """P24.4: the seam is mended, and no old byte is touched."""
    session.write_bytes(session.read_bytes()[:-20])
    before = aged(session).read_bytes()
    run("rewind", session, "--at", "1", "--dry-run")
    assert session.read_bytes() == before
    run("rewind", session, "--at", "1")
    after = session.read_bytes()
    assert after.startswith(before + b"\n{")
    again = reader.read(session)
    assert [damage.line for damage in again.damage] == [before.count(b"\n") + 1]
    assert again.sidecars[-1].type == "last-prompt"


def entry(uuid: str, parent: str | None, kind: str = "user", **more: object) -> dict[str, object]:
    return {"type": kind, "uuid": uuid, "parentUuid": parent, "version": NEW, "message": {"content": uuid}, **more}


@pytest.mark.parametrize("version", [NEW, "2.1.78"])
def test_what_no_client_takes_for_the_head_is_refused_by_name(tmp_path: Path, version: str) -> None:
    metadata = {"preservedMessages": {"anchorUuid": "late", "uuids": ["kept"]}}
    boundary = {"subtype": "compact_boundary", "compactMetadata": metadata, "logicalParentUuid": "kept", "message": None}
    lines = [
        entry("early", None),
        entry("kept", "early"),
        entry("agent", "kept", isSidechain=True),
        entry("boundary", None, "system", **boundary),
        entry("twice", "boundary"),
        entry("twice", "boundary"),
        entry("late", "boundary"),
    ]
    path = tmp_path / "odd.jsonl"
    path.write_bytes(b"".join(json.dumps({**line, "version": version}).encode() + b"\n" for line in lines))
    transcript = reader.read(path)
    outline = Outline(transcript)
    for uuid, reason in (("early", "compaction"), ("kept", "compaction"), ("agent", "sub-agent"), ("twice", "several lines")):
        with pytest.raises(inplace.CannotBeHead, match=reason):
            inplace.batch(transcript, outline, transcript.log.position(uuid), "s")
    assert inplace.batch(transcript, outline, transcript.log.position("late"), "s").lines
    result = run("rewind", aged(path), "--at", "early", code=3)
    assert "cannot be the head: since the last compaction" in result.stderr


def test_across_a_compaction_that_preserves_nothing(tmp_path: Path) -> None:
    boundary: dict[str, object] = {
        "subtype": "compact_boundary",
        "compactMetadata": {},
        "logicalParentUuid": "early",
        "message": None,
    }
    lines = [entry("early", None), entry("boundary", None, "system", **boundary), entry("late", "boundary")]
    path = tmp_path / "compacted.jsonl"
    path.write_bytes(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    result = answer("rewind", aged(path), "--at", "early")
    assert json.loads(result["appended"][0])["explicit"] is True
    assert where(path) == "early"


def test_the_notice_is_the_newest_entry_whatever_the_clock_says(tmp_path: Path) -> None:
    path = tmp_path / "future.jsonl"
    path.write_bytes(GARDEN.read_bytes().replace(b'"2026-03-01T', b'"2126-03-01T'))
    notice = json.loads(answer("checkout", aged(path), "--at", FIRST_TIP)["appended"][0])
    assert notice["timestamp"].startswith("2126-03-01T")
    assert where(path) == FIRST_TIP


def test_the_nearest_point_above_on_request(session: Path) -> None:
    use = str(json.loads(session.read_bytes().splitlines()[5])["uuid"])
    assert "is taken" in run("rewind", session, "--at", use, "--nearest").stderr
    assert session.read_bytes() != GARDEN.read_bytes()


def test_a_last_line_without_a_newline_is_not_glued_to(session: Path) -> None:
    session.write_bytes(session.read_bytes()[:-1])
    run("checkout", aged(session), "--at", FIRST_TIP)
    assert not reader.read(session).damage
    assert where(session) == FIRST_TIP


def test_lines_that_did_not_make_it_the_head_are_said(session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("forkpoint.transcript.write.inplace.append", lambda *_, **__: None)
        assert "does not read as it must; " in run("checkout", session, "--at", FIRST_TIP, code=5).stderr
    monkeypatch.setattr("forkpoint.transcript.write.inplace.write", lambda *_, **__: None)
    assert "not what was asked for" in run("checkout", session, "--at", FIRST_TIP, code=5).stderr


def test_of_two_processes_one_wins(session: Path) -> None:
    """Both read the same head; whoever writes second finds the session changed."""
    code = (
        "import sys; from forkpoint.cli import main; from forkpoint.ops import session; read = session.read\n"
        "def slow(*arguments):\n"
        "    found = read(*arguments); print('read', file=sys.stderr, flush=True); sys.stdin.readline(); return found\n"
        "session.read = slow; main.run()"
    )
    tips = [FIRST_TIP, FORK]
    commands = [["checkout", session, "--at", FIRST_TIP], ["rewind", session, "--at", FORK]]
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", code, *map(str, command), "--json"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for command in commands
    ]
    for racer in racers:
        assert racer.stderr is not None
        assert racer.stderr.readline() == b"read\n"
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write(b"\n")
        racer.stdin.flush()
    for racer in racers:
        racer.communicate()
    codes = [racer.returncode for racer in racers]
    assert sorted(codes) == [0, 4]
    assert where(session) == tips[codes.index(0)]
    assert not reader.read(session).damage


def test_on_a_terminal_a_prompt_is_chosen(session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The list, what stays and what is left behind, and a question, before anything is appended."""
    monkeypatch.setattr(rewinding, "terminal", lambda: True)
    monkeypatch.setattr(common.sys, "stdin", SimpleNamespace(isatty=lambda: True))
    chosen: list[str] = []

    def choose(text: str, **_: object) -> str:
        chosen.append(text)
        return "1"

    monkeypatch.setattr(rewinding.click, "prompt", choose)
    before = session.read_bytes()
    monkeypatch.setattr(common.click, "confirm", lambda *_, **__: False)
    said = run("rewind", session).stderr
    assert "left behind: 2" in said
    assert "1 prompt stays" in said
    assert session.read_bytes() == before
    monkeypatch.setattr(common.click, "confirm", lambda *_, **__: True)
    run("rewind", session)
    assert where(session) == "3c6ef372-fe94-482b-a739-80c0b9db9068"
    assert chosen == ["keep up to the end of prompt"] * 2


def test_what_stays_and_what_is_left_is_in_the_answer(session: Path) -> None:
    found = answer("checkout", session, "--at", FIRST_TIP[:8], "--dry-run")
    assert found["stay"] == 2
    assert [one["number"] for one in found["left_behind"]] == [4]
    assert [one["number"] for one in found["taken_up"]] == [3]
