"""``forkpoint points`` as a user meets it."""

from __future__ import annotations

import json
import re
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from wcwidth import wcswidth

from forkpoint.cli.main import run as program
from forkpoint.view import points as view
from strategies_points import answer, boundary, call, data, last_prompt, speak, user

GARDEN = Path(__file__).parents[1] / "samples" / "garden.jsonl"


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TZ", "UTC")


def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: object) -> str:
    monkeypatch.setattr(sys, "argv", ["forkpoint", *map(str, arguments)])
    with pytest.raises(SystemExit) as stopped:
        program()
    assert stopped.value.code == 0
    return capsys.readouterr().out


def session(tmp_path: Path) -> Path:
    path = tmp_path / "s.jsonl"
    path.write_bytes(
        data(
            user("prompt-1-uuid", None, "first words"),
            speak("answer-1-uuid", "prompt-1-uuid"),
            user("prompt-2-uuid", "answer-1-uuid", "左に曲がって " * 40),
            speak("answer-2-uuid", "prompt-2-uuid"),
            boundary("compact-uuid", "answer-2-uuid"),
            user("summary-uuid", "compact-uuid", isCompactSummary=True),
            user("prompt-3-uuid", "summary-uuid", "on we go\x1b[31m"),
            call("call-3-uuid", "prompt-3-uuid", "t"),
            user("prompt-4-uuid", "answer-1-uuid", "another way"),
            last_prompt("call-3-uuid"),
        )
    )
    return path


@pytest.mark.parametrize("columns", [80, 200, 40, 10])
def test_lines_fit(columns: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    text = run(capsys, monkeypatch, "points", session(tmp_path), "--all")
    assert all(wcswidth(line) <= columns for line in text.splitlines())
    assert "\x1b" not in text


def test_the_table_says_it_at_a_glance(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = run(capsys, monkeypatch, "points", session(tmp_path)).splitlines()
    assert re.fullmatch(r"#    age  b e   tokens  end       prompt", lines[0])
    assert re.fullmatch(r"1 +\d+d    ✓ +~\d+  answer-1  first words", lines[1])
    assert re.fullmatch(r"2 +\d+d  ✓ ✓ +~\d+  answer-2  左に曲がって .*…", lines[2])
    assert lines[3] == "── compaction ──"
    assert re.fullmatch(r"3 +\d+d  ○ ✗ +~\d+  call-3-u  on we go\[31m", lines[4])
    assert lines[5:] == [
        "3 prompts; 1 on other branches (--all)",
        "HEAD call-3-u: the last-prompt on line 10 names it",
        view.LEGEND,
    ]
    every = run(capsys, monkeypatch, "points", session(tmp_path), "--all").splitlines()
    assert re.fullmatch(r"4 +\d+d  ✓ ○ +~\d+  prompt-4  │ another way", every[5])


def test_a_wide_terminal_shows_time_and_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    lines = run(capsys, monkeypatch, "points", GARDEN).splitlines()
    assert re.search(r"2026-03-01 \d\d:00 +2 +✓", lines[1])


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    path = session(tmp_path)
    shape: dict[str, Any] = json.loads(run(capsys, monkeypatch, "points", path, "--json"))
    assert {key: shape[key] for key in ("file", "head", "why", "total")} == {
        "file": str(path),
        "head": {"uuid": "call-3-uuid", "line": 8},
        "why": "the last-prompt on line 10 names it",
        "total": 4,
    }
    assert [point["number"] for point in shape["points"]] == [1, 2, 3]
    point = shape["points"][2]
    assert point.pop("tokens_estimate") > 0
    assert point == {
        "number": 3,
        "uuid": "prompt-3-uuid",
        "line": 7,
        "timestamp": "2026-01-01T00:00:00.000Z",
        "text": "on we go\x1b[31m",
        "on_path": True,
        "compacted": True,
        "left_out": False,
        "before": {"uuid": "summary-uuid", "line": 6, "resumable": True, "legal": False, "inherited": False},
        "end": {"uuid": "call-3-uuid", "line": 8, "resumable": False, "legal": False, "inherited": False},
    }
    assert shape["points"][0]["before"] is None
    every = json.loads(run(capsys, monkeypatch, "points", path, "--all", "--json"))["points"]
    assert [(each["number"], each["on_path"]) for each in every] == [(1, True), (2, True), (3, True), (4, False)]


def test_a_session_without_entries(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_bytes(b"")
    assert "no HEAD: the file has no entry" in run(capsys, monkeypatch, "points", empty)
    assert json.loads(run(capsys, monkeypatch, "points", empty, "--json"))["head"] is None


def test_the_file_of_a_sub_agent_is_called_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "agent-1.jsonl"
    path.write_bytes(data(user("p1", None, isSidechain=True), speak("a1", "p1", isSidechain=True)))
    assert run(capsys, monkeypatch, "points", path) == "a sub-agent's file; last entry a1, line 2\n"
    path.write_bytes(data(user("p1", None), speak("a1", "p1", isSidechain=True)))
    assert "sub-agent" not in run(capsys, monkeypatch, "points", path)


def test_marks(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(data(user("p1", None), answer("r", "p1", "t"), speak("a1", "r"), user("p2", "a1"), speak("a2", "p2")))
    lines = run(capsys, monkeypatch, "points", path).splitlines()
    assert "    ✗ " in lines[1]
    assert "  ✗ ! " in lines[2]


def test_ages_and_amounts() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    spans = {"now": 59, "1min": 60, "59min": 3599, "1h": 3600, "1d": 86400, "364d": 364 * 86400, "1y": 365 * 86400}
    assert {view.age(now - timedelta(seconds=past), now): past for past in spans.values()} == spans
    assert view.age(None, now) == "?"
    assert view.age(now + timedelta(days=1), now) == "now"
    assert [view.amount(count) for count in (0, 999, 1000, 123456, 1500000)] == ["~0", "~999", "~1k", "~123k", "~1.5M"]
