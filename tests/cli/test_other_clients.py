"""Sessions of other clients are refused by name, by every command that reads a session."""

from __future__ import annotations

import shutil
from pathlib import Path

import click
import pytest

from ci.client.schemas import OTHER_CLIENTS
from forkpoint.cli.main import main
from needs import transcripts
from program import answer, call, run
from strategies_store import session_id, turns, write

OTHERS = Path(__file__).parents[1] / "samples" / "others"
NAMES = {"pi": "pi", "codex": "Codex"}
WORDS = {
    "bundle": ["--out", "b"], "checkout": ["--at", "1"], "compact": ["--upto", "1"], "drop": ["s1"], "trim": ["s1"],
    "rename": ["x"], "btw": ["why?", "--dry-run"], "backfill": ["--to", "2.1.330"], "diff": ["mine.jsonl"],
    "merge": ["mine.jsonl"], "resume": ["--print"], "clear": ["--print"],
    "browse": None, "ledger": None, "unbundle": None, "verdict": None, "judge": None, "memory": None, "memory-fork": None,
}  # fmt: skip
"""What else a command needs; None of one whose first argument is no session, or that needs a terminal."""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("CLAUDE_CONFIG_DIR", "config"), ("XDG_CACHE_HOME", "cache"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(name, str(tmp_path / value))
    program = tmp_path / "bin" / "claude"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "mine", turns(session_id(1), 2))


def commands() -> list[str]:
    """The commands whose first argument is a session."""
    context = click.Context(main)
    found = {name: main.get_command(context, name) for name in main.list_commands(context)}
    takes: list[str] = []
    for name, command in found.items():
        arguments = [each for each in (command.params if command is not None else ()) if isinstance(each, click.Argument)]
        takes += [name] if arguments and arguments[0].name in ("file", "a", "what", "session") else []
    return [name for name in takes if WORDS.get(name, []) is not None]


@pytest.mark.parametrize("other", NAMES)
def test_every_command_refuses_it_by_name(other: str) -> None:
    path = Path(shutil.copy(OTHERS / f"{other}.jsonl", "."))
    before = path.read_bytes()
    asked = commands()
    assert len(asked) > 20, asked
    for command in asked:
        done = call(command, path, *(WORDS.get(command) or []))
        assert done.code == 2, (command, done)
        assert f"this is a session of {NAMES[other]}" in done.stderr, (command, done)
        assert len(done.stderr.strip().splitlines()) == 1, (command, done)
    for command in (["bundle", path, "--out", "b"], ["archive", "keep", path], ["store", "import", "--store", "s.db", path]):
        done = call(*command)
        assert (done.code, f"this is a session of {NAMES[other]}" in done.stderr) == (2, True), (command, done)
    assert path.read_bytes() == before
    failure = answer("check", path, code=2)
    assert failure["code"] == "wrong-use"


def test_a_second_session_is_refused_too() -> None:
    path = shutil.copy(OTHERS / "pi.jsonl", ".")
    for command in ("diff", "merge"):
        assert "this is a session of pi" in run(command, "mine.jsonl", path, code=2).stderr


@pytest.mark.parametrize(
    "lines",
    [
        ['{"torn', '{"type":"message","id":"a","parentId":null,"message":{"role":"user"}}'],
        ["", '{"type":"session","id":"x","timestamp":"t"}'],
        ['{"type":"session_meta","payload":{"base_instructions":"' + 100_000 * "x" + '"}}'],
        ['{"id":"x","timestamp":"t","instructions":null}', '{"record_type":"state"}'],
    ],
)
def test_it_is_told_by_few_lines(lines: list[str]) -> None:
    Path("odd.jsonl").write_text("\n".join(lines) + "\n")
    assert "this is a session of" in run("check", "odd.jsonl", code=2).stderr


def test_a_session_of_claude_code_is_read_whatever_stands_before_it() -> None:
    mine = Path("mine.jsonl").read_text()
    lines = [
        '{"type":"message"}',
        '{"type":"session"}',
        '{"type":"custom","id":"x"}',
        '{"type":"mode","sessionId":"s"}',
    ]
    Path("odd.jsonl").write_text("\n".join(lines) + "\n" + mine)
    assert answer("check", "odd.jsonl")["entries"] == 4
    Path("empty.jsonl").write_text("")
    run("check", "empty.jsonl")


def test_real_files(corpus: Path) -> None:
    """Each real session of another client is told, and none of Claude Code's is taken for one."""
    told = 0
    for folder in OTHER_CLIENTS:
        for path in sorted((corpus / folder).rglob("*.jsonl"))[::3]:
            done = call("check", path)
            wanted = NAMES[folder.removesuffix("-made")]
            assert f"this is a session of {wanted}" in done.stderr, path
            told += 1
    assert told > 15
    for path in transcripts(corpus)[::9]:
        assert "this is a session of" not in call("points", path).stderr
