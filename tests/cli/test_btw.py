"""``forkpoint btw``: a side question in a fork that goes again, whatever the client does."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from forkpoint.clients.claude import programs
from forkpoint.sessions import projects
from program import answer, call, run
from strategies_store import entry, say, session_id, uuid, write

ONE = session_id(1)
MODEL = "claude-opus-4-5-20251101"
CLIENT = """#!{python}
import json, os, sys, time
folder = {folder!r}
asked = sys.stdin.read()
session = sys.argv[sys.argv.index("--resume") + 1]
path = os.path.join(folder, session + ".jsonl")
last = [json.loads(line) for line in open(path) if '"uuid"' in line][-1]["uuid"]
json.dump({{"argv": sys.argv[1:], "cwd": os.getcwd(), "asked": asked, "file": open(path).read()}}, open({told!r}, "w"))
{before}
usage = {{"input_tokens": 7, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 1000, "output_tokens": 30}}
message = {{"id": "new", "model": {model!r}, "usage": usage, "content": [{{"type": "text", "text": "mint"}}]}}
common = {{"isSidechain": False, "sessionId": session, "timestamp": "2026-01-06T09:00:00.000Z", "version": "2.1.330"}}
with open(path, "a") as file:
    for line in (
        {{"uuid": "q", "parentUuid": last, "type": "user", "message": {{"role": "user", "content": asked}}}},
        {{"uuid": "r", "parentUuid": "q", "type": "assistant", "message": message, "requestId": "req"}},
    ):
        file.write(json.dumps(line | common) + "\\n")
{after}
print(json.dumps({{"type": "result", "result": "Mint,\\nof course.", "is_error": False}}))
"""
PRICES = {MODEL: {"input": 5, "cache_write": 6.25, "cache_read": 0.5, "output": 25}}


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in (("CLAUDE_CONFIG_DIR", "config"), ("XDG_CACHE_HOME", "cache"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(name, str(tmp_path / value))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    folder = projects.project_folder()
    folder.mkdir(parents=True)
    usage = {"input_tokens": 10, "cache_creation_input_tokens": 90, "cache_read_input_tokens": 900, "output_tokens": 200}
    lines = [
        entry(uuid(1), None, session=ONE, message=say("What grows in shade?"), cwd=str(tmp_path / "work")),
        entry(
            uuid(2),
            uuid(1),
            "assistant",
            ONE,
            message={"id": "m", "model": MODEL, "usage": usage, "content": [{"type": "text", "text": "Mint."}]},
            cwd=str(tmp_path / "work"),
        ),
    ]
    os.utime(write(folder, ONE, lines), (1, 1))
    (tmp_path / "prices.json").write_text(json.dumps(PRICES))
    return folder


@pytest.fixture
def told(tmp_path: Path) -> Path:
    return tmp_path / "told.json"


def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str = "", after: str = "") -> None:
    """Puts a client on the PATH that answers in the session's file, and on standard output."""
    program = tmp_path / "bin" / "claude"
    program.parent.mkdir(exist_ok=True)
    values = {"python": sys.executable, "folder": str(projects.project_folder()), "told": str(tmp_path / "told.json")}
    program.write_text(CLIENT.format(**values, before=before, after=after, model=MODEL))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")


def test_an_answer_and_what_it_cost(project: Path, tmp_path: Path, told: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client(tmp_path, monkeypatch)
    before = {path: path.read_bytes() for path in project.iterdir()}
    said = run("btw", "--prices", tmp_path / "prices.json", ONE, "--", "- which is\nthirsty?")
    assert said.stdout == "Mint,\nof course.\n"
    lines = said.stderr.splitlines()
    assert lines[0] == "the context has 1,200 tokens: $0.0006 where the cache has them, $0.0075 where it does not"
    assert lines[1].startswith("the session does not hold system prompt, tools, settings")
    assert lines[2] == "1,027 tokens sent, 1,000 of them from the cache, 30 answered: $0.0014"
    assert {path: path.read_bytes() for path in project.iterdir()} == before  # no trace
    found = json.loads(told.read_text())
    assert (found["asked"], found["cwd"]) == ("- which is\nthirsty?", os.getcwd())
    assert found["argv"][-1] == f"--model={MODEL}"
    assert "exit 2" in found["argv"][found["argv"].index("--settings") + 1]
    assert before[project / f"{ONE}.jsonl"].decode() in found["file"]  # each line of the session, byte for byte


def test_what_a_session_calls_its_model_is_no_option() -> None:
    assert programs.ask(ONE, "--dangerously-skip-permissions")[-1] == "--model=--dangerously-skip-permissions"
    assert programs.ask(ONE, None)[-2] == "--settings"


def test_as_json_and_kept(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client(tmp_path, monkeypatch)
    found = answer("btw", ONE, "which?", "--keep", "--prices", tmp_path / "prices.json")
    assert (found["answer"], found["context"], found["model"]) == ("Mint,\nof course.", 1200, MODEL)
    assert found["usage"] == {"input": 7, "cache_write": 20, "cache_read": 1000, "output": 30}
    assert Path(found["kept"]).stem == found["session"]
    assert "thirsty" not in Path(found["kept"]).read_text()
    assert len(list(project.glob("*.jsonl"))) == 2


def test_what_it_would_cost(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")  # nothing is asked
    found = answer("btw", ONE, "which?", "--dry-run", "--prices", tmp_path / "prices.json")
    assert (found["dollars_cached"], found["dollars_uncached"], found["answer"]) == (0.0006, 0.0075, None)
    assert call("btw", ONE, "which?").code == 2
    assert call("btw", ONE, "  ", "--dry-run").code == 0
    assert call("btw", ONE, "x", "--seconds", "0").code == 2
    assert len(list(project.iterdir())) == 1


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("time.sleep(60)", "", "no answer came in 0.5 s"),
        ("sys.exit('no key')", "", "gave no answer (exit code 1): no key"),
        ("", "sys.exit(0)", "gave no answer (exit code 0): it said nothing"),
        ("", "print('{'); sys.exit(0)", "gave no answer"),
        ("", "print(json.dumps({'result': 'Credit is low', 'is_error': True})); sys.exit(1)", "could not answer: Credit is low"),
        ("open(path, 'a').write('{torn'); sys.exit(3)", "", "exit code 3"),
    ],
)
def test_no_answer(before: str, after: str, says: str, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fork goes, and the session stands as it was."""
    client(tmp_path, monkeypatch, before, after)
    stands = {path: path.read_bytes() for path in project.iterdir()}
    refused = call("btw", ONE, "which?", "--seconds", "0.5" if "sleep" in before else "60")
    assert (refused.code, refused.stdout) == (5, "")
    assert says in refused.stderr
    assert {path: path.read_bytes() for path in project.iterdir()} == stands


def test_a_session_that_changes_meanwhile(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = project / f"{ONE}.jsonl"
    client(tmp_path, monkeypatch, f"open({str(path)!r}, 'a').write('{{}}\\n')")
    assert "somebody went on in it meanwhile" in run("btw", ONE, "which?").stderr
    client(tmp_path, monkeypatch, f"open({str(path)!r}, 'w').write('')")
    refused = call("btw", ONE, "which?")
    assert refused.code == 5
    assert "somebody changed it" in refused.stderr


def test_what_the_client_puts_beside_the_fork(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that the fork cannot have keeps it from going, and that is said."""
    made = f"d = os.path.join({str(project)!r}, session)"
    client(tmp_path, monkeypatch, f"{made}; os.makedirs(d + '/tool-results'); open(d + '/tool-results/x.txt', 'w').write('x')")
    run("btw", ONE, "which?")
    assert [path.name for path in project.iterdir()] == [f"{ONE}.jsonl"]
    client(tmp_path, monkeypatch, f"{made}; os.makedirs(d); open(d + '/notes', 'w').write('x')")
    assert "the fork of the side question stands in" in run("btw", ONE, "which?").stderr
    assert len(list(project.iterdir())) == 3
