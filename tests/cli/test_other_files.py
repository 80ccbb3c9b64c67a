"""Files besides transcripts: a pipe or a device is refused wherever a file is named, and a file that shrinks ends nothing."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from forkpoint.core.evidence import Sort
from forkpoint.evidence import artifacts
from forkpoint.evidence.artifacts import Brought, make
from forkpoint.evidence.states import Field, State, write_state
from forkpoint.sessions import projects
from program import answer
from strategies_fork import FORK, SESSION, entry, sidecar, text
from strategies_overlays import save, turns

PROGRAM = [sys.executable, "-m", "forkpoint.cli.main"]
PATIENCE = 10
ROOM = 1 << 30
GOVERNED = ("--governance", "[owner:worker:lead@env(lab:work)]")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def limited(*arguments: object) -> subprocess.CompletedProcess[str]:
    """The program in a process of its own, which may neither wait for ever nor eat all memory."""
    return subprocess.run(
        [*PROGRAM, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        timeout=PATIENCE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM)),
    )


@pytest.fixture(params=["pipe", "device"])
def no_file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param == "device":
        link = tmp_path / "device"
        link.symlink_to("/dev/zero")
        return link
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


@pytest.fixture
def files(tmp_path: Path) -> None:
    """What the commands need besides."""
    save(tmp_path / f"{SESSION}.jsonl", turns())
    save(tmp_path / f"{FORK}.jsonl", [*turns()[:7], entry("b", "a2"), entry("c", "b", "assistant", text())])
    artifacts.write(Path("ours.json"), Brought("ours", (make(Sort.TEST_RESULT, "a", {}, {"passed": True}),)))
    write_state(Path("team.json"), State(frozenset({"coder"}), {Field("coder", "core", "plan", "goal"): b'"ship"'}, {}, {}))
    answer("memory-fork", "team.json", "--name", "one", "--memory", "full", "--out", "one.json")


A, B = f"{SESSION}.jsonl", f"{FORK}.jsonl"


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    "command",
    [
        ("judge", "{}"),
        ("judge", "ours.json", "{}"),
        ("judge", "ours.json", "--ledger", "{}", *GOVERNED, "--id", "1", "--join", "v", "--reviewer", "w"),
        ("fork", A, "--at", "a1", "--out", "f.jsonl", "--ledger", "{}", *GOVERNED),
        ("ledger", "{}"),
        ("memory-fork", "{}", "--name", "f", "--out", "f.json"),
        ("memory-merge", "{}", "one.json", "--out", "n.json"),
        ("memory-merge", "team.json", "{}", "--out", "n.json"),
        ("memory-merge", "team.json", "one.json", "--answers", "{}", "--conflicts", "ask", "--out", "n.json"),
        ("memory-merge", "team.json", "one.json", "--content", "summary", "--summary-file", "{}", "--out", "n.json"),
        ("compact", A, "--upto", "2", "--summary-file", "{}", "--force"),
        ("merge", A, B, "--mode", "summary", "--summary-file", "{}", "--force"),
        ("merge", A, B, "--insights-file", "{}", "--force"),
        ("merge", A, B, "--mode", "memories", "--memory", "{}", "--force"),
    ],
    ids=lambda command: " ".join(command),
)
def test_what_is_no_regular_file_is_refused_at_once(command: tuple[str, ...], no_file: Path) -> None:
    before = Path(A).read_bytes()
    done = limited(*(part.format(no_file) if part == "{}" else part for part in command))
    assert done.returncode == 2, done
    assert no_file.name in done.stderr
    assert "regular file" in done.stderr
    assert Path(A).read_bytes() == before
    assert not any(Path(name).exists() for name in ("f.json", "n.json"))


@pytest.mark.usefixtures("files")
def test_standard_input_may_be_a_pipe() -> None:
    done = subprocess.run(
        [*PROGRAM, "compact", A, "--upto", "2", "--summary-file", "-", "--dry-run", "--json"],
        input="what was done",
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    assert "what was done" in done.stdout


def test_an_index_that_is_a_pipe_is_no_index(tmp_path: Path) -> None:
    folder = projects.project_folder(tmp_path)
    folder.mkdir(parents=True)
    save(folder / A, turns())
    subprocess.run([*PROGRAM, "sessions", "--json"], capture_output=True, check=True, timeout=PATIENCE)
    kept = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    for path in kept:
        path.unlink()
        os.mkfifo(path)
    done = limited("sessions", "--json")
    assert done.returncode == 0, done
    assert [each["id"] for each in json.loads(done.stdout)["sessions"]] == [SESSION]


SHRINKS = """
import mmap, os, sys
mapped = mmap.mmap
def shrinking(handle, *arguments, **options):
    found = mapped(handle, *arguments, **options)
    os.truncate(f"/proc/self/fd/{handle}", 0)
    return found
mmap.mmap = shrinking
from forkpoint.cli.main import run
sys.argv[0] = "forkpoint"
run()
"""


def test_a_neighbour_that_shrinks_while_its_title_is_looked_for(tmp_path: Path) -> None:
    """A client rewrites a session now and then; whoever has mapped the old one is ended by the system at the next byte."""
    folder = projects.project_folder(tmp_path)
    folder.mkdir(parents=True)
    save(folder / A, turns())
    save(folder / B, [*turns(), *(sidecar("custom-title", customTitle=f"title {number}") for number in range(5000))])
    done = subprocess.run(
        [sys.executable, "-c", SHRINKS, "fork", str(folder / A), "--at", "a1"],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done
    assert (folder / f"{done.stdout.strip()}.jsonl").exists()
