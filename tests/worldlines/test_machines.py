"""Fan-out over many machines: whoever runs a task, and however often, the log has one ending of it (P18, P22)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from worldlines.server import Server

from forkpoint.answers.refusals import Refusal
from forkpoint.answers.worldlines import StoreSpawned
from forkpoint.ops import storing
from forkpoint.worldlines.fanout import RESULT
from forkpoint.worldlines.store import Store
from strategies_events import fresh, turn

pytest.importorskip("dbos", reason="the lowest versions are tried without it")

SLOW = "import os, sys, time; time.sleep(0.4); print(input() + ' ' + os.environ.get('WHO', '-'))"
FAILS = "import sys; word = input(); print(word.upper()); sys.exit(word == 'fail')"
TASKS = [f"task {number}" for number in range(6)]


def begun(url: str) -> tuple[str, str]:
    own = fresh()
    with Store.open(url) as store:
        line = store.branch(None, f"{own}main", thread=store.thread(f"{own}t")).id
        store.append(line, turn(f"{own}a"), None)
    return own, line


def once(url: str, own: str, line: str, found: StoreSpawned, words: list[str]) -> None:
    """Each task has one ending, in its place, and the parent's chain one event of results."""
    assert {each.status for each in found.results} == {"completed"}
    assert [(each.text or "").rsplit(" ", 1)[0] for each in found.results] == words
    with Store.open(url) as store:
        assert store.check(f"{own}t") == []
        assert [event.type for event in store.timeline(line)].count(RESULT) == 1
        for each in found.results:
            states = [event.says["status"] for event in store.timeline(each.worldline) if event.type == "job"]
            assert states == ["queued", "running", "completed"]


def started(url: str, *words: str, who: str = "-") -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "forkpoint.cli.main", "store", *words],
        env={**os.environ, "FORKPOINT_STORE": url, "WHO": who},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@contextmanager
def worker(url: str, name: str) -> Iterator[subprocess.Popen[str]]:
    process = started(url, "work", "--name", name, "--at-once", "1", "--", sys.executable, "-c", SLOW, who=name)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.stderr is not None
        said = process.stderr.read()
        assert process.wait(20) in (0, -signal.SIGKILL, -signal.SIGTERM), said  # the last, before it began
        assert "Traceback" not in said


def test_one_process_on_sqlite(place: Path) -> None:
    """P22.1: the same results as without it; the same fan-out again runs nothing; a task takes too long."""
    url = f"sqlite:///{place}"
    own, line = begun(url)
    words = (sys.executable, "-c", FAILS)
    found = storing.spawn(line, ["one", "fail", "three"], words, url, id=f"{own}f", machines=True)
    assert [(each.status, each.text) for each in found.results] == [
        ("completed", "ONE"),
        ("failed", None),
        ("completed", "THREE"),
    ]
    assert (found.completed_count, found.failed_count, found.timed_out_count) == (2, 1, 0)
    assert storing.spawn(line, ["one", "fail", "three"], ("false",), url, id=f"{own}f", machines=True) == found
    late = storing.spawn(line, ["one"], (sys.executable, "-c", "import time; time.sleep(9)"), url, timeout_s=1.5, machines=True)
    assert [each.status for each in late.results] == ["timeout"]


def test_it_needs_something_that_runs_tasks(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"sqlite:///{place}"
    _, line = begun(url)
    with pytest.raises(Refusal, match="one process alone"):
        storing.spawn(line, ["one"], (), url, machines=True)
    with pytest.raises(Refusal, match="give a command"):
        storing.spawn(line, ["one"], (), url)
    with pytest.raises(Refusal, match="workers need PostgreSQL"):
        storing.work(("true",), url, until=lambda: None)
    monkeypatch.setitem(sys.modules, "forkpoint.worldlines.machines", None)
    monkeypatch.delattr("forkpoint.worldlines.machines", raising=False)
    with pytest.raises(Refusal, match=r"pip install 'forkpoint\[fanout\]'"):
        storing.spawn(line, ["one"], ("true",), url, machines=True)


def test_two_at_once(place: Path, postgresql: Server) -> None:
    """A process runs the tasks of its own fan-out, and no others; on a server only workers run tasks."""
    url = f"sqlite:///{place}"
    _, line = begun(url)
    first = started(url, "spawn", line, "--dbos", "--task", "one", "--json", "--", sys.executable, "-c", SLOW + "; time.sleep(4)")
    with Store.open(url) as store:
        while not any(each.running for each in store.summaries(store.worldline(line).thread)):
            assert first.poll() is None
            time.sleep(0.02)
    with pytest.raises(Refusal, match="another process runs tasks"):
        storing.spawn(line, ["two"], ("cat",), url, machines=True)
    out, err = first.communicate(timeout=60)
    assert json.loads(out)["completed_count"] == 1, err
    _, line = begun(postgresql.url)
    with pytest.raises(Refusal, match="workers run the tasks"):
        storing.spawn(line, ["two"], ("cat",), postgresql.url, machines=True)


def test_a_worker_that_is_asked_to_end_records_what_it_runs(postgresql: Server) -> None:
    url = postgresql.url
    own, line = begun(url)
    spawned = started(url, "spawn", line, "--dbos", "--id", f"{own}f", "--task", "one", "--json")
    with worker(url, "asked") as process, Store.open(url) as store:
        while not any(each.running for each in store.summaries(f"{own}t")):
            assert spawned.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        assert process.wait(90) == 0
        assert [each.completed for each in store.summaries(f"{own}t")][1:] == [1]
    out, err = spawned.communicate(timeout=60)
    assert json.loads(out)["completed_count"] == 1, err


def test_killed_and_started_again_on_sqlite(place: Path) -> None:
    """P18.1"""
    url = f"sqlite:///{place}"
    own, line = begun(url)
    words = ["spawn", line, "--dbos", "--id", f"{own}f", "--at-once", "2", *(f"--task={task}" for task in TASKS), "--json"]
    words += ["--", sys.executable, "-c", SLOW]
    process = started(url, *words)
    deadline = time.monotonic() + 20
    with Store.open(url) as store:
        while sum(each.completed for each in store.summaries(f"{own}t")) < 2 and time.monotonic() < deadline:
            time.sleep(0.02)
    process.kill()
    process.wait()
    out, err = started(url, *words).communicate(timeout=100)
    answer = json.loads(out)
    assert answer["completed_count"] == len(TASKS), err
    once(url, own, line, storing.spawn(line, TASKS, ("false",), url, id=f"{own}f"), TASKS)


def test_workers_in_processes_of_their_own(postgresql: Server) -> None:
    """P18.1, P22.1: two workers share the tasks; one is killed, and another one under its name goes on with what it had begun."""
    url = postgresql.url
    own, line = begun(url)
    spawned = started(url, "spawn", line, "--dbos", "--id", f"{own}f", *(f"--task={task}" for task in TASKS), "--json")
    with worker(url, "first"), worker(url, "second") as second, Store.open(url) as store:
        deadline = time.monotonic() + 20
        while sum(each.running for each in store.summaries(f"{own}t")) < 2 and time.monotonic() < deadline:
            time.sleep(0.02)
        second.kill()
        second.wait()
        with worker(url, "second"):
            out, err = spawned.communicate(timeout=100)
    assert json.loads(out)["completed_count"] == len(TASKS), err
    found = storing.spawn(line, TASKS, ("false",), url, id=f"{own}f")
    assert {(each.text or "").rsplit(" ", 1)[1] for each in found.results} <= {"first", "second"}
    once(url, own, line, found, TASKS)
