"""Completion in a real bash: sessions by id and by title, their points, and files beside them."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from forkpoint.sessions import projects
from needs import lacking
from program import run
from strategies_store import session_id, turns, write

ONE, TWO = session_id(0x1111), session_id(0x2222)


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with two sessions, files with odd names, and the program on the PATH."""
    if shutil.which("bash") is None:
        lacking("bash", "there is no bash to complete in")
    for name, value in (("CLAUDE_CONFIG_DIR", "config"), ("XDG_CACHE_HOME", "cache"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(name, str(tmp_path / value))
    program = tmp_path / "bin" / "forkpoint"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\nfrom forkpoint.cli.main import run\nrun()\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    place = tmp_path / "work"
    (place / "folder").mkdir(parents=True)
    for name in ("fork one.jsonl", "$(touch hit).jsonl", "*.jsonl"):
        (place / name).touch()
    monkeypatch.chdir(place)
    folder = projects.project_folder()
    folder.mkdir(parents=True)
    for session, seed in ((ONE, "herbs"), (TWO, "stones")):
        title = {"type": "custom-title", "customTitle": f"Plan of {seed}", "sessionId": session}
        write(folder, session, [*turns(session, 3, seed=seed), title])
    run("sessions")  # the catalog knows the titles
    return place


def offered(*words: str) -> list[str]:
    """What bash offers for the last word of a command line, as the printed lines say."""
    script = run("completion", "bash").stdout
    line = " ".join(f"'{word}'" for word in words)
    ask = f'COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _forkpoint_completion forkpoint; printf "%s\\n" "${{COMPREPLY[@]}}"'
    done = subprocess.run(
        ["bash", "--norc", "-c", f"compopt() {{ :; }}\n{script}\n{ask}"], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_bash_is_offered_sessions_and_files(work: Path) -> None:
    found = offered("forkpoint", "tree", "")
    assert {*found[:2]} == {ONE, TWO}
    assert {*found[2:]} == {"*.jsonl", "$(touch hit).jsonl", "folder", "fork one.jsonl"}
    assert offered("forkpoint", "tree", ONE[:6]) == [ONE]
    assert offered("forkpoint", "tree", "plan") == ["Plan of herbs", "Plan of stones"]
    assert set(offered("forkpoint", "tree", "fo")) == {"folder", "fork one.jsonl"}
    assert not (work / "hit").exists()


def test_bash_is_offered_commands_and_points() -> None:
    assert offered("forkpoint", "verify") == ["verify-fork"]
    assert offered("forkpoint", "fork", ONE, "--at", "") == ["HEAD", "1", "2", "3"]
    assert offered("forkpoint", "store", "import", ONE, "--at", "") == ["HEAD", "1", "2", "3"]
    assert "--tokens" in offered("forkpoint", "tree", "--t")


def test_a_key_completes_in_bash(work: Path, tmp_path: Path) -> None:
    """An interactive bash: the key writes the session's id, or its title as one word."""
    script = tmp_path / "lines"
    script.write_text(run("completion", "bash").stdout)
    shell, far = pty.openpty()
    process = subprocess.Popen(
        ["bash", "--norc", "--noprofile", "-i"], stdin=far, stdout=far, stderr=far, start_new_session=True,
        env={**os.environ, "PS1": "", "TERM": "dumb", "INPUTRC": "/dev/null", "HISTFILE": "/dev/null"},
    )  # fmt: skip
    os.close(far)
    said = b""
    try:
        lines = [
            f"source {script}; stty -echo; bind 'set enable-bracketed-paste off'",
            "forkpoint points " + ONE[:6] + "\t --json > id.json",
            "forkpoint points Plan\\ of\\ st\t --json > title.json",
            "echo all'-'done",
        ]
        for text in lines:
            os.write(shell, text.encode() + b"\n")
            time.sleep(0.2)
        until = time.monotonic() + 120
        while b"all-done" not in said and time.monotonic() < until:
            if select.select([shell], [], [], 1)[0]:
                said += os.read(shell, 1 << 16)
    finally:
        process.kill()
        process.wait()
        os.close(shell)
    assert f"{ONE}.jsonl" in (work / "id.json").read_text(), said
    assert f"{TWO}.jsonl" in (work / "title.json").read_text(), said
