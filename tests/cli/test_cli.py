"""The command line, as a user meets it: answers, exit codes, files written whole or not at all."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import pytest
from wcwidth import wcswidth

from forkpoint.cli.main import run as program
from forkpoint.transcript import reader

SAMPLES = Path(__file__).parents[1] / "samples"
GARDEN = SAMPLES / "garden.jsonl"
INTERRUPTED = SAMPLES / "interrupted.jsonl"


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


class Result(NamedTuple):
    """What a run of the program printed, and its exit code."""

    stdout: str
    stderr: str
    code: int


def call(*arguments: object) -> Result:
    """Runs the program in this process."""
    buffers = io.BytesIO(), io.BytesIO()
    out, err = (io.TextIOWrapper(buffer, "utf-8", write_through=True) for buffer in buffers)
    with (
        mock.patch.object(sys, "argv", ["forkpoint", *map(str, arguments)]),
        mock.patch.object(sys, "stdout", out),
        mock.patch.object(sys, "stderr", err),
        mock.patch.object(signal, "signal"),  # the handlers are for a process of its own
        pytest.raises(SystemExit) as stopped,
    ):
        program()
    code = stopped.value.code
    assert isinstance(code, int)
    return Result(*(buffer.getvalue().decode("utf-8", "surrogateescape") for buffer in buffers), code)


def run(*arguments: object, code: int = 0) -> Result:
    result = call(*arguments)
    assert result.code == code, result
    return result


def answer(*arguments: object, code: int = 0) -> dict[str, Any]:
    parsed = json.loads(run(*arguments, "--json", code=code).stdout)
    assert isinstance(parsed, dict)
    return parsed


def point(file: Path, which: int = -1) -> str:
    legal = answer("tree", file)["legal"]
    assert isinstance(legal, list)
    return str(legal[which]["uuid"])


def broken(tmp_path: Path) -> Path:
    path = tmp_path / "broken.jsonl"
    lines = GARDEN.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:6], b"junk\n", *lines[7:]]))
    return path


def test_check_passes_a_healthy_file() -> None:
    assert "15 entries, healthy" in run("check", GARDEN).stdout
    assert answer("check", GARDEN) == {
        "file": str(GARDEN),
        "healthy": True,
        "entries": 15,
        "sidecars": 2,
        "violations": [],
        "damaged": [],
        "notes": [],
    }


def test_check_reports_each_violation(tmp_path: Path) -> None:
    path = broken(tmp_path)
    found = answer("check", path, code=1)
    assert found["damaged"] == [{"line": 7, "reason": "is not valid JSON at byte 1"}]
    violations = found["violations"]
    assert isinstance(violations, list)
    assert {violation["property"] for violation in violations} == {"P2", "P3"}
    assert all(set(violation) == {"line", "uuid", "property", "message"} for violation in violations)
    text = run("check", path, code=1).stdout
    assert f"{path}:7: damaged line" in text
    assert "P2 no-dangling-parents" in text


@pytest.mark.parametrize("command", [["check"], ["tree"], ["fork", "--at", "x"], ["backfill", "--to", "2.1.161"]])
def test_unreadable_input_is_one_line_and_exit_2(command: list[str], tmp_path: Path) -> None:
    for name in (tmp_path / "absent", tmp_path):
        result = run(*command, name, code=2)
        assert result.stdout == ""
        assert "Traceback" not in result.stderr
        assert len(result.stderr.splitlines()) == 1
        assert "error" in answer(*command, name, code=2)


def test_tree_names_prompts_forks_tips_and_legal_points() -> None:
    shape = answer("tree", GARDEN)
    assert [prompt["line"] for prompt in shape["prompts"]] == [2, 4, 12, 16]
    assert [fork["line"] for fork in shape["forks"]] == [11]
    assert [tip["line"] for tip in shape["tips"]] == [15, 17]
    assert [legal["line"] for legal in shape["legal"]] == [3, 11, 15, 17]


@pytest.mark.parametrize("width", [5, 20, 40, 80, 200])
def test_tree_fits_the_terminal(width: int, monkeypatch: pytest.MonkeyPatch, corpus: Path) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    name = "winksaville__vc-x1.claude/8cf087c9-e2ab-4768-9d7f-951d441bffc5.jsonl"
    lines = run("tree", corpus / name).stdout.splitlines()
    wide = '{"uuid":"漢字漢字漢","type":"user","message":{"content":"❤️😀\\u001b[31m' + "漢" * 300 + '"}}'
    Path("wide.jsonl").write_text(wide, encoding="utf-8")
    lines += run("tree", "wide.jsonl").stdout.splitlines()
    assert max(map(wcswidth, lines)) <= width
    assert all(line.isprintable() for line in lines)


def test_tree_goes_on_over_damage(tmp_path: Path) -> None:
    result = run("tree", broken(tmp_path))
    assert "damaged places" in result.stderr
    assert "Plan a small herb garden" in result.stdout


@pytest.mark.parametrize("command", [["fork", GARDEN, "--at", "3c6ef372"], ["backfill", GARDEN, "--to", "2.1.330"]])
def test_nothing_is_ever_overwritten(command: list[object], tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("mine")
    (tmp_path / "link").symlink_to("nowhere")
    for name in ("taken", "link", "."):
        result = run(*command, "--out", name, code=2)
        assert "cannot write" in result.stderr
    assert taken.read_text() == "mine"
    assert not (tmp_path / "nowhere").exists()
    assert "cannot write" in run(*command, "--out", "no/such/folder", code=2).stderr
    assert sorted(os.listdir()) == ["link", "taken"]


PROGRAM = [sys.executable, "-m", "forkpoint.cli.main"]


def test_a_full_or_closed_standard_output_is_exit_2() -> None:
    for arguments in (["tree", GARDEN], ["check", GARDEN, "--json"], ["fork", GARDEN, "--at", "3c6ef372", "--out", "x.jsonl"]):
        for redirect in (">/dev/full", ">&-"):
            Path("x.jsonl").unlink(missing_ok=True)
            command = ["bash", "-c", f'"$@" {redirect}', "-", *PROGRAM, *arguments]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 2, (arguments, redirect, done)
            assert "cannot write to standard output" in done.stderr
            assert "Traceback" not in done.stderr


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = ["bash", "-o", "pipefail", "-c", '"$@" | true', "-", *PROGRAM, "tree", GARDEN]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_wrong_use_is_json_too() -> None:
    for arguments in (["fork", GARDEN], ["check"], ["check", GARDEN, "--nonsense"], ["nonsense"]):
        assert "error" in answer(*arguments, code=2)
        assert "--help" in run(*arguments, code=2).stderr


def test_what_a_file_holds_does_not_steer_the_terminal() -> None:
    forged = "x\nf.jsonl: 9 entries, healthy\x1b]0;title\x07"
    Path("f.jsonl").write_text(json.dumps({"uuid": forged, "parentUuid": "no", "type": "user"}))
    lines = run("check", "f.jsonl", code=1).stdout.splitlines()
    assert len(lines) == 2
    assert all(line.isprintable() for line in lines)


def test_a_name_for_the_new_file_is_needed() -> None:
    for name in ("", "folder/"):
        assert "--out needs" in run("fork", GARDEN, "--at", "3c6ef372", "--out", name, code=2).stderr
    run("fork", GARDEN, "--at", "3c6ef372", "--out", "漢" * 80)


def test_tips_are_where_conversations_end() -> None:
    """Neither a result nor a progress entry beside the path is a tip; what follows the last answer is."""

    def entry(uuid: str, parent: str | None, kind: str, message: object = None) -> str:
        return json.dumps({"uuid": uuid, "parentUuid": parent, "type": kind, "message": message})

    use = {"id": "m", "content": [{"type": "tool_use", "id": "t"}]}
    result = {"content": [{"type": "tool_result", "tool_use_id": "t"}]}
    rows = [
        entry("p", None, "user", {"content": "go"}),
        entry("u", "p", "assistant", use),
        entry("beside", "u", "progress"),
        entry("r", "u", "user", result),
        entry("a", "r", "assistant", {"id": "n", "content": []}),
        entry("end", "a", "system"),
    ]
    Path("t.jsonl").write_text("\n".join(rows))
    tips = answer("tree", "t.jsonl")["tips"]
    assert [tip["uuid"] for tip in tips] == ["end"]


def test_help_has_an_example_and_the_exit_codes() -> None:
    for command in ([], ["check"], ["tree"], ["fork"], ["backfill"]):
        text = run(*command, "--help").stdout
        assert re.search(r"3\s+an illegal or damaged fork point", text)
        assert not command or f"forkpoint {command[0]} session.jsonl" in text


def test_every_real_transcript_is_read_and_drawn(corpus: Path) -> None:
    """No traceback on any file; every healthy one with a legal point can be forked at its last one, and the fork is
    healthy."""
    forked = 0
    for path in sorted(corpus.rglob("*.jsonl")):
        healthy = call("check", path, "--json").code == 0
        shape = answer("tree", path)
        if shape["legal"] and healthy:
            made = answer("fork", path, "--at", shape["legal"][-1]["uuid"])
            run("check", made["path"])
            assert len(reader.read(str(made["path"])).nodes) == made["kept"]
            forked += 1
    assert forked > 200
