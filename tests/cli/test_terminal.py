"""What a terminal gets and a pipe does not: colour, a pager, progress; and completion for shells."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from forkpoint.cli import common
from forkpoint.view import points, tree
from forkpoint.view.paint import paint
from program import run

SAMPLE = Path(__file__).parents[1] / "samples" / "garden.jsonl"


def on_terminal(*arguments: str, code: int = 0, **env: str) -> str:
    """What a command writes to a terminal."""
    main, side = pty.openpty()
    command = [sys.executable, "-m", "forkpoint.cli.main", *arguments]
    setting = {"PATH": os.environ["PATH"], "TERM": "xterm", "PAGER": "cat", **env}
    with subprocess.Popen(command, stdin=side, stdout=side, stderr=side, env=setting) as child:
        os.close(side)
        pieces = []
        while True:
            try:
                piece = os.read(main, 4096)
            except OSError:  # how a terminal says that nobody writes any more
                break
            if not piece:
                break
            pieces.append(piece)
    os.close(main)
    assert child.returncode == code
    return b"".join(pieces).decode().replace("\r\n", "\n")


def test_a_terminal_gets_colour_and_no_color_takes_it_away() -> None:
    plain = on_terminal("tree", str(SAMPLE), NO_COLOR="1")
    coloured = on_terminal("tree", str(SAMPLE))
    assert "\x1b" not in plain
    assert "\x1b[1m●" in coloured
    assert "\x1b[1;32m◉" in coloured
    assert "\x1b" not in on_terminal("tree", str(SAMPLE), TERM="dumb")
    piped = subprocess.run(
        [sys.executable, "-m", "forkpoint.cli.main", "tree", str(SAMPLE)], capture_output=True, text=True, check=True
    ).stdout
    assert piped == plain


def test_the_pager_gets_the_answer(tmp_path: Path) -> None:
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\ntr '[:lower:]' '[:upper:]'\n")
    pager.chmod(0o755)
    assert "HERB GARDEN" in on_terminal("tree", str(SAMPLE), PAGER=str(pager), NO_COLOR="1")


def test_paint_colours_the_signs_in_front_and_nothing_of_the_text() -> None:
    rail, left = "\x1b[2m│\x1b[0m", "\x1b[2m◌\x1b[0m"
    assert paint("12  3d    ~4k │ ◌ ✓ a ● text ✓ │") == f"12  3d    ~4k {rail} {left} \x1b[32m✓\x1b[0m a ● text ✓ │"
    assert paint("plain ● text") == "plain ● text"
    assert paint(" 1  now ├─● ✗ ● ✓") == " 1  now \x1b[2m├─\x1b[0m\x1b[1m●\x1b[0m \x1b[31m✗\x1b[0m ● ✓"
    assert paint("        □ 0a1b2c3d, line 4") == "        \x1b[36m□\x1b[0m 0a1b2c3d, line 4"
    assert [paint(line).count("\x1b[0m") for line in tree.LEGEND] == [5, 4]


def test_paint_colours_the_marks_of_the_prompts_and_nothing_of_their_words() -> None:
    for stamp in ("", "2026-03-01 10:00        2  ", " " * 18 + "     12  "):
        front = f" 2   325d  {stamp}"
        assert paint(f"{front}✓ ✗     ~12  3c6ef372  ✓ ○ ! ✗ words") == (
            f"{front}\x1b[32m✓\x1b[0m \x1b[31m✗\x1b[0m     ~12  3c6ef372  ✓ ○ ! ✗ words"
        )
        assert paint(f"{front}  !     ~12  3c6ef372  words") == f"{front}  \x1b[33m!\x1b[0m     ~12  3c6ef372  words"
    assert paint(points.LEGEND).count("\x1b[0m") == 4


def test_the_marks_of_points_are_coloured_on_a_terminal() -> None:
    for columns in ("80", "160"):
        assert "\x1b[32m✓\x1b[0m \x1b[32m✓\x1b[0m" in on_terminal("points", str(SAMPLE), COLUMNS=columns)


def test_check_wraps_and_pages_on_a_terminal(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(json.dumps({"uuid": "u" * 36, "parentUuid": "v" * 36, "type": "user", "message": {"content": "go"}}) + "\n")
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\ntr '[:lower:]' '[:upper:]'\n")
    pager.chmod(0o755)
    for columns, setting in ((60, {"COLUMNS": "60"}), (80, {})):  # a terminal that does not know its width has 80
        said = on_terminal("check", str(path), code=1, PAGER=str(pager), **setting).splitlines()
        assert said[0].startswith(str(path).upper() + ":1:")
        assert any(line.startswith("    ") for line in said)
        assert max(map(len, said)) <= max(columns, len(f"{path}:1:"))


def test_a_pager_that_is_left_early_does_not_change_the_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines that are judged after the last one that was looked at count."""
    run("check", SAMPLE)
    monkeypatch.setattr("forkpoint.cli.check.show", lambda lines: None)
    run("check", SAMPLE, "--as", "2.1.330", code=1)


def test_progress_is_said_on_a_terminal_after_a_second_and_taken_away(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [100.0]
    monkeypatch.setattr(common.time, "monotonic", lambda: now[0])
    for terminal in (True, False):
        monkeypatch.setattr(sys.stderr, "isatty", lambda terminal=terminal: terminal)
        progress = common.Progress("reading x")
        progress(1, 10)
        assert capsys.readouterr().err == ""
        now[0] += 1.1
        progress(5, 10)
        progress(6, 10)  # too soon to say again
        now[0] += 0.2
        progress(10, 10)
        said = capsys.readouterr().err
        if terminal:
            assert "reading x: 50 %" in said
            assert "60 %" not in said
        else:
            assert said == ""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_what_a_shell_reads(shell: str) -> None:
    said = subprocess.run(
        [sys.executable, "-m", "forkpoint.cli.main", "completion", shell], capture_output=True, text=True, check=True
    ).stdout
    assert "_FORKPOINT_COMPLETE" in said
