"""Fan-out: each task ends once, whatever happens to it or to whoever runs it (P22)."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from worldlines.writer import fan_out

from forkpoint.worldlines import fanout, faults
from forkpoint.worldlines.fanout import CALL, RESULT, Child, Task, command, spawn
from forkpoint.worldlines.store import Store
from strategies_events import answer, fresh, prompt, turn, use


def begun(store: Store) -> tuple[str, str]:
    own = fresh()
    line = store.branch(None, f"{own}main", thread=store.thread(f"{own}t")).id
    store.append(line, turn(f"{own}a"), None)
    return own, line


def tasks(*messages: str) -> list[Task]:
    return [Task(message, label=message.upper()) for message in messages]


def shout(child: Child) -> str:
    if child.message == "fail":
        raise ValueError("no")
    return child.message.upper()


def test_each_task_ends_in_a_worldline_of_its_own(store: Store) -> None:
    """P22.1"""
    own, line = begun(store)
    found = spawn(store, line, tasks("one", "fail", "three"), shout, id=f"{own}f")
    assert [each.status for each in found.results] == ["completed", "failed", "completed"]
    assert [each.text for each in found.results] == ["ONE", None, "THREE"]
    assert found.results[1].why == "ValueError: no"
    assert (found.completed_count, found.failed_count, found.timed_out_count) == (2, 1, 0)
    chain = list(store.timeline(line))
    assert [event.type for event in chain[2:]] == [CALL, RESULT]
    assert [each["status"] for each in chain[-1].says["results"]] == ["completed", "failed", "completed"]
    assert {store.worldline(each.worldline).base for each in found.results} == {f"{own}a"} == {found.from_event}
    assert store.check(f"{own}t") == []
    states = {each.id: (each.completed, each.failed) for each in store.summaries(f"{own}t")}
    assert [states[each.worldline] for each in found.results] == [(1, 0), (0, 1), (1, 0)]


def test_it_comes_from_the_last_legal_point(store: Store) -> None:
    """P3: the call that spawns is open itself."""
    own, line = begun(store)
    store.append(line, [prompt(f"{own}p"), answer(f"{own}u", use(f"{own}t"))], f"{own}a")
    found = spawn(store, line, tasks("one"), shout, id=f"{own}f")
    assert found.from_event == f"{own}a"


def test_the_same_fan_out_again_runs_nothing(store: Store) -> None:
    """P18.1"""
    own, line = begun(store)
    ran: list[str] = []

    def run(child: Child) -> str:
        ran.append(child.message)
        return child.message

    first = spawn(store, line, tasks("one", "two"), run, id=f"{own}f")
    assert spawn(store, line, tasks("one", "two"), run, id=f"{own}f") == first
    assert sorted(ran) == ["one", "two"]
    with pytest.raises(faults.Taken):
        spawn(store, line, tasks("other"), run, id=f"{own}f")


def test_a_goal_is_split_once(store: Store) -> None:
    own, line = begun(store)
    asked: list[str] = []

    def split(goal: str) -> list[Task]:
        asked.append(goal)
        return tasks(*goal.split())

    found = spawn(store, line, None, shout, goal="one two", split=split, id=f"{own}f")
    assert [each.text for each in found.results] == ["ONE", "TWO"]
    assert spawn(store, line, None, shout, goal="one two", split=split, id=f"{own}f") == found
    assert asked == ["one two"]
    with pytest.raises(faults.Taken):
        spawn(store, line, None, shout, goal="other", split=split, id=f"{own}f")
    for wrong in ({"goal": "x"}, {"split": split}, {}):
        with pytest.raises(faults.BadEvent):
            spawn(store, line, None, shout, **wrong)


def test_so_many_run_at_once(store: Store) -> None:
    own, line = begun(store)
    now, most, lock = [0], [0], threading.Lock()

    def run(child: Child) -> str:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.05)
        with lock:
            now[0] -= 1
        return "done"

    found = spawn(store, line, tasks(*"abcdefgh"), run, id=f"{own}f", at_once=3)
    assert found.completed_count == 8
    assert most[0] <= 3


def test_who_takes_too_long_has_timed_out_and_counts_no_more(store: Store) -> None:
    own, line = begun(store)
    go = threading.Event()

    def run(child: Child) -> str:
        if child.message == "slow":
            go.wait(20)
        return child.message

    found = spawn(store, line, tasks("slow", "quick"), run, id=f"{own}f", timeout_s=0.4)
    assert [each.status for each in found.results] == ["timeout", "completed"]
    go.set()
    time.sleep(0.3)
    assert spawn(store, line, tasks("slow", "quick"), run, id=f"{own}f") == found
    assert store.check(f"{own}t") == []


def test_a_command_is_given_the_message_and_is_ended_with_all_that_it_started(store: Store, tmp_path: Path) -> None:
    own, line = begun(store)
    words = ["sh", "-c", 'read word; case $word in slow) (sleep 1.5; touch "$0") & sleep 30;; no) exit 3;; esac; echo "$word!"']
    run = command([*words, str(tmp_path / "outlived")])
    found = spawn(store, line, tasks("yes", "no", "slow"), run, id=f"{own}f", timeout_s=1)
    assert [(each.status, each.text) for each in found.results] == [("completed", "yes!"), ("failed", None), ("timeout", None)]
    assert "exit code 3" in str(found.results[1].why)
    time.sleep(1.2)
    assert not (tmp_path / "outlived").exists()


def test_a_command_that_is_not_there_fails(store: Store) -> None:
    own, line = begun(store)
    (done,) = spawn(store, line, tasks("one"), command(["no-such-program"]), id=f"{own}f").results
    assert (done.status, "cannot be run" in str(done.why)) == ("failed", True)


def test_a_task_may_work_in_its_worldline_itself(store: Store) -> None:
    own, line = begun(store)

    def run(child: Child) -> str:
        head = child.store.worldline(child.worldline).head
        child.store.append(child.worldline, [answer(f"{own}by-itself")], head)
        return "words"

    (done,) = spawn(store, line, tasks("one"), run, id=f"{own}f").results
    assert done.text == "words"
    said = [event.id for event in store.timeline(done.worldline) if event.kind.value == "assistant"]
    assert said == [f"{own}a", f"{own}by-itself"]  # its answer stood there already


def test_somebody_else_at_work_on_the_parent_is_told(store: Store) -> None:
    """P7.1: the results stand with the tasks, and the same call again, behind the head that is there, appends them."""
    own, line = begun(store)

    def run(child: Child) -> str:
        store.append(line, [prompt(f"{own}other")], store.worldline(line).head)
        return "done"

    with pytest.raises(faults.StaleHead) as stale:
        spawn(store, line, tasks("one"), run, id=f"{own}f")
    assert stale.value.actual == f"{own}other"
    found = spawn(store, line, tasks("one"), run, id=f"{own}f", expected=f"{own}other")
    assert found.completed_count == 1
    assert [event.id for event in store.timeline(line)][-2:] == [f"{own}other", found.head]


@pytest.mark.parametrize("wrong", [{"timeout_s": 0}, {"max_iterations": 0}, {"at_once": 0}])
def test_what_makes_no_sense_is_refused(store: Store, wrong: dict[str, int]) -> None:
    _, line = begun(store)
    with pytest.raises(faults.BadEvent):
        spawn(store, line, tasks("one"), shout, **wrong)
    with pytest.raises(faults.BadEvent):
        spawn(store, line, [], shout)


def test_who_is_killed_starts_again_and_each_result_stands_once(url: str) -> None:
    """P18.1, P22.1: killed at any moment, until it is done."""
    own = fresh()
    with Store.open(url) as store:
        line = store.branch(None, f"{own}main", thread=store.thread(f"{own}t")).id
        store.append(line, turn(f"{own}a"), None)
    context = multiprocessing.get_context("spawn")
    for number in range(12):
        runner = context.Process(target=fan_out, args=(url, line, f"{own}f"), daemon=True)
        runner.start()
        runner.join(0.5 + 0.07 * number)
        if runner.exitcode == 0:
            break
        assert runner.pid is not None
        os.kill(runner.pid, signal.SIGKILL)
        runner.join()
    with Store.open(url) as store:
        todo = [Task(f"task {number}") for number in range(5)]
        found = spawn(store, line, todo, command([sys.executable, "-c", "print(input())"]), id=f"{own}f")
        assert found.completed_count == 5
        assert [event.type for event in store.timeline(line)][2:] == [CALL, RESULT]
        for each in found.results:
            kinds = [event.says.get("status") for event in store.timeline(each.worldline) if event.type == "job"]
            assert kinds == ["queued", "running", "completed"]
            assert each.text == each.task.message
        assert store.check(f"{own}t") == []


def test_a_preview_is_short(store: Store) -> None:
    own, line = begun(store)
    (done,) = spawn(store, line, tasks("x" * 500), lambda child: f"a\nb {child.message}", id=f"{own}f").results
    assert done.preview is not None
    assert done.preview.startswith("a b ")
    assert len(done.preview) == fanout.PREVIEW


def test_what_is_refused_leaves_no_call(store: Store) -> None:
    _, line = begun(store)
    odd: list[Any] = [{"message": "x"}, "x", Task(5), Task("x", 5), Task("x", branch_name=5)]
    for wrong in (Task("x", branch_name="a\nb"), Task("x", branch_name=""), Task(" "), *odd):
        with pytest.raises(faults.BadEvent):
            spawn(store, line, [Task("y"), wrong], shout)
    with pytest.raises(faults.BadEvent, match="a name of its own"):
        spawn(store, line, [Task("x", branch_name="b"), Task("y", branch_name="b")], shout)
    assert [event.type for event in store.timeline(line)] == ["user", "assistant"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_command_ends_with_the_program_that_started_it(number: signal.Signals, tmp_path: Path) -> None:
    url, beat = f"sqlite:///{tmp_path / 'w.db'}", tmp_path / "beat"
    with Store.open(url) as store:
        _, line = begun(store)
    script = f"while true; do date +%N > {beat}; sleep 0.05; done"
    words = [
        sys.executable,
        "-m",
        "forkpoint.cli.main",
        "store",
        "spawn",
        line,
        "--task",
        "x",
        "--store",
        url,
        "--",
        "sh",
        "-c",
        script,
    ]
    process = subprocess.Popen(words, stderr=subprocess.PIPE)
    while not beat.exists():
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(number)
    process.communicate(timeout=20)
    time.sleep(0.6)
    last = beat.read_text()
    time.sleep(0.4)
    assert beat.read_text() == last
