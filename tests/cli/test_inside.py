"""``inside``, ``install-commands``, and ``@``: forkpoint from inside of a client, without one."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from forkpoint.cli import inside as cli
from forkpoint.disk import running
from forkpoint.ops import commands, program
from forkpoint.ops.commands import TABLE
from forkpoint.sessions import projects
from program import Result, answer, call, run
from strategies_store import session_id, turns, write

ONE = session_id(1)


@pytest.fixture(autouse=True)
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A session, and a client around that is in it."""
    for name, value in (("CLAUDE_CONFIG_DIR", "config"), ("XDG_CACHE_HOME", "cache"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", ONE)
    monkeypatch.setenv("FORKPOINT_ACTOR", "me")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    folder = projects.project_folder()
    folder.mkdir(parents=True)
    return write(folder, ONE, turns(ONE, 3, seed="herbs"))


def inside(monkeypatch: pytest.MonkeyPatch, name: str, words: str = "") -> Result:
    """The command as a slash command runs it."""
    stream = SimpleNamespace(isatty=lambda: False, buffer=io.BytesIO(words.encode()))
    monkeypatch.setattr(cli.sys, "stdin", stream)
    return call("inside", name)


def test_the_session_around(path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert answer("points", "@")["file"] == str(path)
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", session_id(2))
    assert "which has no file yet" in run("points", "@", code=2).stderr
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "../../etc/passwd")
    assert "none says which that is" in run("points", "@", code=2).stderr
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID")
    assert "none says which that is" in run("points", "@", code=2).stderr
    (tmp_path / "work" / "@").write_bytes(path.read_bytes())
    assert "none says which that is" in run("points", "@", code=2).stderr
    assert answer("points", "./@")["file"] == str(tmp_path / "work" / "@")


def test_the_note_of_a_process_above_goes_before_the_environment(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / f"{os.getpid()}.json").write_text(json.dumps({"sessionId": "noted", "procStart": running._started(os.getpid())}))
    code = "import sys, pathlib, forkpoint.disk.running as it; print(it.client_around(pathlib.Path(sys.argv[1])))"
    shell = f'{sys.executable} -c "$0" "$1"; true'  # one process more in between

    def said() -> str:
        return subprocess.run(["sh", "-c", shell, code, notes], capture_output=True, text=True, check=True).stdout.strip()

    assert said() == "noted"
    (notes / f"{os.getpid()}.json").write_text(json.dumps({"sessionId": "noted", "procStart": "1"}))  # of a process before
    assert said() == ONE
    (notes / f"{os.getpid()}.json").write_text(json.dumps({"sessionId": "noted"}))
    assert said() == ONE
    (notes / f"{os.getpid()}.json").write_text("[" * 100_000)
    assert said() == "None"  # somebody is in a session, and nobody knows in which


def test_a_fork_and_its_title(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = path.read_bytes()
    done = inside(monkeypatch, "fork", '2 as "another way"\n')
    assert done.code == 0
    made = re.search(r"([0-9a-f-]{36})\.jsonl", done.stdout)
    assert made
    assert answer("points", made[1])["total"] == 2
    assert "named: another way" in done.stdout
    assert path.read_bytes() == before


def test_titles(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "named: what's up" in inside(monkeypatch, "fork", "2 as what's up").stdout
    assert "named: the end" in inside(monkeypatch, "fork", "as the end").stdout
    assert "named: as good as new" in inside(monkeypatch, "branch", "as good as new").stdout
    assert "(Branch)" in inside(monkeypatch, "branch").stdout
    assert "would keep" in inside(monkeypatch, "fork", "2 as x --dry-run").stdout
    assert "more than" in inside(monkeypatch, "drop", "s1 --stub " + "w" * 70_000).stdout


def test_no_module_of_the_folder_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program.shutil, "which", lambda _: None)
    monkeypatch.setattr(program.os, "access", lambda *_: False)
    (tmp_path / "work" / "click.py").write_text("print('ran')")
    done = subprocess.run(shlex.split(program.command("--version")), capture_output=True, text=True, check=True)
    assert "version" in done.stdout
    assert "ran" not in done.stdout
    monkeypatch.setattr(program.shutil, "which", lambda _: "./forkpoint")
    assert program.command().startswith("/")


def test_words_that_no_shell_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "there is no prompt" not in inside(monkeypatch, "search", "can't herbs").stdout
    said = inside(monkeypatch, "fork", "$(touch hacked) ; touch hacked")
    assert said.code == 0
    assert not Path("hacked").exists()


def test_what_is_left_out_is_deferred(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = path.read_bytes()
    assert "deferred" in inside(monkeypatch, "drop", "2").stdout
    assert "deferred" in inside(monkeypatch, "overlays").stdout
    assert len(answer("overlays", "@")["records"]) == 1
    inside(monkeypatch, "undo")
    assert [one["counts"] for one in answer("overlays", "@")["records"]] == [False, True]
    assert path.read_bytes() == before


def test_a_refusal_is_told_and_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, words in (("drop", "99"), ("drop", "--what"), ("fork", "99"), ("diff", ""), ("fork", "status"), ("merge", "x")):
        done = inside(monkeypatch, name, words)
        assert done.code == 0, done
        assert done.stdout.startswith("forkpoint: "), done
        assert done.stderr == ""
    assert call("inside", "nothing").code == 2


def test_the_dialect(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("constellation", "create", "team", "--agent", f"coder={ONE}", "--by", "me")
    assert "Fork: refactor-task" in inside(monkeypatch, "fork", 'agents coder as "refactor-task"').stdout
    assert "refactor-task" in inside(monkeypatch, "fork", "status").stdout
    assert "Fork: refactor-task" in inside(monkeypatch, "fork", 'status "refactor-task"').stdout
    merged = inside(monkeypatch, "merge", '"refactor-task" summarize').stdout
    assert "team has all of refactor-task already" in merged
    inside(monkeypatch, "fork", 'delete "refactor-task"')
    assert "refactor-task" not in inside(monkeypatch, "fork", "status").stdout
    run("constellation", "create", "other", "--agent", "a", "--by", "me")
    assert "name the one that is meant" in inside(monkeypatch, "fork", 'agents coder as "x"').stdout


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_commands_come_and_go(tmp_path: Path) -> None:
    config = tmp_path / "config"
    before = files(config)
    assert run("install-commands", code=2).stderr.startswith("forkpoint: nobody is there to be asked")
    answer("install-commands", "--dry-run")
    assert files(config) == before
    made = answer("install-commands", "--yes")
    assert sorted(made["files"]) == sorted(f"{name}.md" for name in TABLE)
    text = (config / "commands" / "forkpoint" / "points.md").read_text()
    assert f"allowed-tools: Bash({program.command()} inside:*)" in text
    (end,) = set(re.findall(r"END-[0-9a-f-]{36}", text))
    assert text.count(end) == 2
    again = answer("install-commands", "--yes")
    assert sorted(again["files"]) == sorted(made["files"])
    gone = answer("install-commands", "--uninstall", "--yes")
    assert sorted(gone["files"]) == sorted(made["files"])
    assert files(config) == before
    assert not (config / "commands").exists()
    run("install-commands", "--uninstall", "--yes", code=2)


def test_what_is_not_ours_stays(tmp_path: Path) -> None:
    folder = tmp_path / "config" / "commands" / "forkpoint"
    folder.mkdir(parents=True)
    (folder / "points.md").write_text("mine")
    assert (
        "something else stands there; nothing was written; move it, or remove it"
        in run("install-commands", "--yes", code=2).stderr
    )
    assert files(folder) == {"points.md": b"mine"}
    (folder / "points.md").rename(folder / "mine.md")
    run("install-commands", "--yes")
    (folder / "fork.md").write_text("changed")
    assert answer("install-commands", "--uninstall", "--yes")["left"] == ["fork.md"]
    assert files(folder) == {"fork.md": b"changed", "mine.md": b"mine"}


def test_a_forged_note_removes_nothing(tmp_path: Path) -> None:
    run("install-commands", "--yes")
    (note,) = (tmp_path / "state" / "forkpoint" / "commands").iterdir()
    kept = json.loads(note.read_bytes())
    victim = tmp_path / "config" / "precious.md"
    victim.write_text("precious")
    kept["hashes"]["../../precious.md"] = commands.commands._hash(b"precious")
    note.write_text(json.dumps(kept))
    run("install-commands", "--uninstall", "--yes", code=2)
    assert victim.exists()


def test_for_a_project_alone(tmp_path: Path) -> None:
    run("install-commands", "--project", "--yes")
    assert (tmp_path / "work" / ".claude" / "commands" / "forkpoint" / "fork.md").exists()
    assert not (tmp_path / "config" / "commands").exists()
    run("install-commands", "--project", "--uninstall", "--yes")
    assert not (tmp_path / "work" / ".claude").exists()


def test_every_command_of_the_table_is_one_of_inside() -> None:
    assert set(TABLE) == {*cli.INSIDE, "merge"}
