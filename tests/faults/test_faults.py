"""A sample of the faults at the system calls of commands that write; and what the rules find in writers with a defect."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from faults import judge
from faults.defective import FOUND
from faults.judge import Rules
from faults.tracer import Run
from faults.trees import Tree, bag
from needs import lacking

TESTS = Path(__file__).parents[1]
SAMPLE, SEED = 140, 14


@cache
def faults(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the fault injector in a process of its own."""
    path = os.pathsep.join(filter(None, [str(TESTS), os.environ.get("PYTHONPATH", "")]))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("FORKPOINT_")}
    command = [sys.executable, "-m", "faults", "--jobs", "1", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env={**environment, "PYTHONPATH": path}, timeout=600
    )


@pytest.fixture
def _traced() -> None:
    """Where nothing can be traced there is nothing to see; a machine that is set up for this project must be able to."""
    tried = faults("--can-trace")
    if tried.returncode:
        lacking("strace", tried.stderr.strip())


@pytest.mark.usefixtures("_traced")
def test_a_sample_of_all_faults_leaves_old_or_new_and_loses_nothing() -> None:
    done = faults("--sample", str(SAMPLE), "--seed", str(SEED))
    assert done.returncode == 0, done.stdout + done.stderr
    assert f" {SAMPLE} faults, 0 violations" in done.stdout


@pytest.mark.usefixtures("_traced")
def test_a_run_is_the_same_each_time() -> None:
    one, other = (
        re.sub(r"\d+ seconds", "", faults("memory-fork", "--sample", "20", "--seed", seed).stdout) for seed in ("3", "03")
    )
    assert one == other
    assert "20 faults" in one


@pytest.mark.usefixtures("_traced")
@pytest.mark.parametrize("name", FOUND)
def test_a_defect_is_found_and_where_there_is_none_none_is(name: str) -> None:
    done = faults(*(f"defective-{each}" for each in FOUND))
    found = f"\n{done.stdout}".split(f"\ndefective-{name} ", 1)[1].split("\ndefective-", 1)[0]
    assert "DOES NOT RUN" not in found
    if FOUND[name]:
        assert re.search(rf"^ +{FOUND[name]}, \d+ times", found, re.MULTILINE), found
        assert re.search(r"python -m faults \S+ --call \d+ --fault \S+", found)
    else:
        assert "; 0 violations" in found, found
    assert done.returncode == 1


@pytest.mark.usefixtures("_traced")
def test_a_short_write_and_a_kill_are_real() -> None:
    """Of two lines of seven bytes, the first is written by half, or the second is not written at all."""
    short, killed = (
        faults("defective-in_place", "--call", str(call), "--fault", fault).stdout
        for call, fault in ((3, "short"), (4, "killed-before"))
    )
    assert "there: work/out.jsonl (10 bytes)" in short
    assert "exit 0" in short
    assert "there: work/out.jsonl (7 bytes)" in killed
    assert "exit None" in killed


@pytest.mark.parametrize(
    ("said", "done"),
    [
        ("cannot append to x: Input/output error", False),
        ("cannot write x: No space left on device; nothing was left there", False),
        ("x: it changed while it was read; nothing was appended; --force goes on nevertheless", False),
        ("the appended line does not stand in the file as it was written", False),
        ("cannot flush x, but the record stands on line 17", True),
        ("cannot say more: the fork is complete: x.jsonl", True),
        ("kept 9 of 15 entries, no files in x\ncannot write to standard output: No space left on device", True),
    ],
)
def test_what_a_message_says(said: str, done: bool) -> None:
    assert judge.says_done(Run(2, "", said)) is done


def test_fresh_ids_and_times_make_no_difference_and_a_second_copy_does() -> None:
    ids = [f"0000000{number}-0000-4000-8000-000000000000" for number in range(3)]
    known = {ids[0].encode()}
    one, other = (
        {f"{name}.jsonl": f'"{name}", "{ids[0]}", 2026-01-0{day}T00:00:00Z'.encode()} for day, name in enumerate(ids[1:], 1)
    )
    assert bag(one, known) == bag(other, known)
    assert bag(one, known) != bag({**one, **other}, known)
    assert bag(one, known) != bag({ids[0]: b""}, known)


def test_states() -> None:
    old, new = Tree({"a": b"1"}, ()), Tree({"a": b"1", "b": b"2"}, ())
    rules = Rules(old, new, (), commit=("b",))
    assert [judge.state(rules, tree) for tree in (old, new, Tree({"a": b"1", "b": b""}, ()))] == ["old", "new", "between"]
    killed = Run(None, "", "")
    assert judge.after_fault(rules, killed, old) == judge.after_fault(rules, killed, new) == []
    kinds = Counter(each.kind for each in judge.after_fault(rules, killed, Tree({"a": b"", "b": b""}, ())))
    assert kinds.keys() == {"old-bytes", "torn", "half"}
    hidden = Tree({"a": b"1", ".forkpoint-0/file": b"", "state/x": b"", "cache/y": b""}, (".forkpoint-0",))
    assert judge.state(rules, hidden) == "old"
    assert {each.kind for each in judge.leftovers(rules, hidden)} == {"leftover", "state-grows"}
