"""What the commands share."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from forkpoint.answers.refusals import EXIT, Code
from forkpoint.cli import common, console, main
from forkpoint.transcript.format import reader

ROOT = Path(__file__).parents[2]
GARDEN = ROOT / "tests" / "samples" / "garden.jsonl"


def test_the_exit_codes_of_the_help_are_those_of_the_specification() -> None:
    page = (ROOT / "spec" / "transcripts.md").read_text(encoding="utf-8")
    table = re.search(r"## Exit codes\n\n.*?\n\n", page, re.DOTALL)
    assert table is not None
    rows = re.findall(r"^\| (\d+) \| (.+) \|$", table[0], re.MULTILINE)
    assert len(rows) == 7
    for code, meaning in rows:
        assert f"  {code}  {meaning}\n" in console.EXIT_CODES


def test_a_session_that_changes_while_it_is_read_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(GARDEN.read_bytes() + b'{"torn": ')

    def growing(self: object, done: int, whole: int) -> None:
        with path.open("ab") as file:
            file.write(b" ")

    monkeypatch.setattr(common.Progress, "__call__", growing)
    assert len(common.load(str(path)).log) == 15
    assert "changed while it was read: line 18 is not whole yet and is left out" in capsys.readouterr().err


def test_an_error_of_our_own_is_said_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(path: object, progress: object = None) -> None:
        raise KeyError("x")

    monkeypatch.setattr(reader, "read", broken)
    monkeypatch.setattr("sys.argv", ["forkpoint", "check", str(GARDEN)])
    monkeypatch.delenv("FORKPOINT_DEBUG", raising=False)
    with pytest.raises(SystemExit) as ended:
        main.run()
    said = capsys.readouterr().err
    assert ended.value.code == EXIT[Code.BROKEN]
    assert "an error in forkpoint itself (KeyError: 'x', test_common.py:" in said
    assert "Traceback" not in said
    monkeypatch.setenv("FORKPOINT_DEBUG", "1")
    with pytest.raises(KeyError):
        main.run()
