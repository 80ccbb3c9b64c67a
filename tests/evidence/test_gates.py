"""Branches merged by what they bring, and commands as gates: passing, refusing, failing, late, and what they leave behind."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
import time
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from forkpoint.core.evidence import Sort
from forkpoint.evidence.artifacts import Brought, Item, make
from forkpoint.evidence.gates import Command, Refusal, ask, merge


def made(name: str, *needs: str, passed: bool = True, **where: str) -> Item:
    return make(Sort.TEST_RESULT, name, where, {"passed": passed}, needs)


def python(code: str, seconds: float = 30) -> Command:
    return Command((sys.executable, "-c", code), seconds)


A, B, BAD = made("a"), made("b", "a"), made("bad", passed=False)
PASSES, REFUSES = python(""), python("print('too few'); raise SystemExit(1)")


def ids(items: tuple[Item, ...]) -> list[object]:
    return [item.artifact.id for item in items]


# ---- merging


def test_branches_that_stand_together() -> None:
    report = merge([Brought("x", (A,), ("seen",)), Brought("y", (B,), ("why",))], [PASSES])
    assert report.survives
    assert ids(report.evidence) == ["a", "b"]
    assert report.notes == (("x", "seen"), ("y", "why"))
    assert report.pruned == ()
    assert report.as_json()["verdict"] == "survives"


def test_a_refuted_branch_is_pruned_with_its_reason() -> None:
    report = merge([Brought("x", (A,)), Brought("y", (made("c"), BAD), ("prose",))], [PASSES])
    assert report.survives
    assert ids(report.evidence) == ["a"]
    assert [one.branch for one in report.pruned] == ["y"]
    assert report.pruned[0].reasons == ((BAD, "the test did not pass"),)
    assert report.notes == (("y", "prose"),)
    assert report.as_json()["pruned"] == [{"branch": "y", "reasons": [{"id": "bad", "why": "the test did not pass"}]}]


@pytest.mark.parametrize(
    ("items", "refusal"),
    [
        (
            (made("a", axioms="1"), made("b", axioms="2")),
            Refusal("one environment", "a was made with axioms 1, b with 2"),
        ),
        ((made("a", axioms="1"), made("b")), Refusal("one environment", "a was made with axioms 1, b with unnamed")),
        (
            (made("a"), make(Sort.TEST_RESULT, "a", {}, {"passed": True, "n": 1})),
            Refusal("one id, one artifact", "a stands for more than one artifact"),
        ),
        ((B,), Refusal("what it rests on is there", "b rests on a, which nobody brings")),
    ],
)
def test_the_own_gates(items: tuple[Item, ...], refusal: Refusal) -> None:
    """Each item is a branch that may hold by itself; the whole does not, and no command is asked."""
    report = merge([Brought(f"branch {number}", (item,)) for number, item in enumerate(items)], [python("raise SystemExit(9)")])
    assert not report.survives
    assert report.refusal is not None
    assert report.refusal.gate == refusal.gate
    assert set(report.refusal.why.replace(",", "").split()) == set(refusal.why.replace(",", "").split())
    assert ids(report.evidence) == sorted(ids(items))
    assert report.pruned == ()


def test_commands_are_asked_in_turn_until_one_refuses(tmp_path: Path) -> None:
    mark = tmp_path / "asked"
    report = merge([Brought("x", (A,))], [PASSES, REFUSES, python(f"open({str(mark)!r}, 'w')")])
    assert report.refusal == Refusal(REFUSES.name, "it refused: too few")
    assert report.as_json()["refusal"] == {"gate": REFUSES.name, "why": "it refused: too few"}
    assert not mark.exists()


def test_the_report_depends_on_the_branches_alone() -> None:
    some = [Brought("x", (A,)), Brought("y", (B, A), ("n",)), Brought("z", (BAD,)), Brought("w", (BAD,))]
    assert len({json.dumps(merge(order).as_json()) for order in permutations([*some, some[0]])}) == 1


def test_nothing_brought_survives_if_the_commands_say_so() -> None:
    assert merge([]).survives
    assert not merge([], [REFUSES]).survives


# ---- commands


def test_a_command_gets_the_artifacts(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    code = f"import sys; open({str(seen)!r}, 'w').write(sys.stdin.read())"
    merge([Brought("x", (B,)), Brought("y", (A,))], [python(code)])
    found: dict[str, Any] = json.loads(seen.read_text())
    assert found == {"artifacts": [A.as_json(), B.as_json()]}


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (PASSES, None),
        (REFUSES, "it refused: too few"),
        (python("import sys; sys.exit('lost')"), "it refused: lost"),
        (python("raise SystemExit(2)"), "it failed with exit code 2"),
        (python("import os; os.kill(os.getpid(), 15)"), "it was ended by signal 15"),
        (python("import os, time; os.close(1); os.close(2); time.sleep(60)", 0.3), "it took longer than 0.3 seconds"),
        (python("import time; print('at it', flush=True); time.sleep(60)", 1), "it took longer than 1 seconds: at it"),
        (Command(("/nowhere/at all",)), "it cannot be run: .*"),
        (Command(("a\0b",)), "it cannot be run: .*"),
    ],
)
def test_what_a_command_says(command: Command, why: str | None) -> None:
    said = ask(command, [A])
    if why is None:
        assert said is None
    else:
        assert said is not None
        assert re.fullmatch(why, said, re.DOTALL)


def test_a_command_that_never_stops_printing() -> None:
    began = time.monotonic()
    said = ask(python("while True: print('x' * 4000)", 1), [A])
    assert time.monotonic() - began < 20
    assert said is not None
    assert said.startswith("it took longer than 1 seconds: x")
    assert len(said) < 2100


def test_a_command_that_reads_nothing_and_gets_much() -> None:
    many = [made(f"a{number}") for number in range(2000)]
    assert ask(PASSES, many) is None


def test_a_late_command_is_killed_with_all_that_it_started(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    late = Command(("/bin/sh", "-c", f"sleep 600 & echo $! > {shlex.quote(str(pid))}; wait"), 1)
    assert ask(late, [A]) == "it took longer than 1 seconds"
    child = int(pid.read_text())
    for _ in range(100):
        if not alive(child):
            return
        time.sleep(0.1)
    raise AssertionError("what the command started still runs")


def alive(process: int) -> bool:
    """Whether a process runs; one that waits to be collected does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_what_a_command_leaves_behind_does_not_hold_it_up() -> None:
    began = time.monotonic()
    assert ask(Command(("/bin/sh", "-c", "sleep 20 & exit 0"), 15), [A]) is None
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(("words", "seconds"), [((), 1), (("true",), 0), (("true",), -1), (("true",), float("nan"))])
def test_commands_that_are_none(words: tuple[str, ...], seconds: float) -> None:
    with pytest.raises(ValueError, match="a gate"):
        Command(words, seconds)


def test_it_runs_in_its_own_group() -> None:
    code = f"import os; raise SystemExit(0 if os.getpgid(0) != {os.getpgid(0)} else 1)"
    assert ask(python(code), [A]) is None
