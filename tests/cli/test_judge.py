"""``forkpoint judge`` as a user meets it: verdicts, reasons, gates, and what is recorded."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import time
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from forkpoint.core.evidence import Joined, Sort
from forkpoint.evidence import artifacts, ledger
from forkpoint.evidence.artifacts import Brought, Item, make
from program import answer, run

WHO = "[owner:worker:lead@env(lab:work)]"
EVENT = ("--governance", WHO, "--id", "m1", "--join", "v5", "--reviewer", "lead")
OWN = "one environment; one id, one artifact; what it rests on is there"


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORKPOINT_GOVERNANCE", raising=False)


def outcome(name: str, *needs: str, passed: bool = True, **where: str) -> Item:
    return make(Sort.TEST_RESULT, name, where, {"passed": passed}, needs)


def branch(name: str, *items: Item, notes: tuple[str, ...] = ()) -> str:
    artifacts.write(Path(f"{name}.json"), Brought(name, items, notes))
    return f"{name}.json"


def gate(code: str) -> str:
    return shlex.join([sys.executable, "-c", code])


def test_what_stands_together_survives() -> None:
    files = branch("ours", outcome("a"), notes=("seen\nthere",)), branch("theirs", outcome("b", "a"))
    assert run("judge", *files).stdout == "survives: 2 artifacts\nnote of ours: seen there\n"
    shape = answer("judge", *files)
    assert (shape["verdict"], shape["refusal"], shape["pruned"], shape["event"]) == ("survives", None, [], None)
    assert [one["id"] for one in shape["artifacts"]] == ["a", "b"]
    assert shape["notes"] == [{"branch": "ours", "note": "seen\nthere"}]


def test_a_branch_that_does_not_hold_is_pruned_and_its_notes_are_carried() -> None:
    files = branch("ours", outcome("a")), branch("theirs", outcome("b", passed=False), notes=("why",))
    lines = run("judge", *files).stdout.splitlines()
    assert lines == ["survives: 1 artifact", "pruned: theirs: b: the test did not pass", "note of theirs: why"]


@pytest.mark.parametrize(
    ("ours", "theirs", "reason"),
    [
        (outcome("a", axioms="1"), outcome("b", axioms="2"), "one environment: a was made with axioms 1, b with 2"),
        (outcome("a"), outcome("b", "c"), "what it rests on is there: b rests on c, which nobody brings"),
    ],
)
def test_each_holds_and_the_whole_does_not(ours: Item, theirs: Item, reason: str) -> None:
    files = branch("ours", ours), branch("theirs", theirs)
    assert run("judge", *files, code=1).stdout == f"refuted: 2 artifacts: {reason}\n"
    assert answer("judge", *files, code=1)["verdict"] == "refuted"


def test_neither_order_nor_repetition_decides() -> None:
    files = [
        branch("x", outcome("a"), notes=("n",)),
        branch("y", outcome("b", "a")),
        branch("z", outcome("c", passed=False)),
    ]
    answers = [answer("judge", *order) for order in permutations(files)]
    answers.append(answer("judge", *files, files[0]))
    assert all(one == answers[0] for one in answers)


def test_commands_are_asked_of_the_whole() -> None:
    files = branch("ours", outcome("a")), branch("theirs", outcome("b"))
    two = gate("import json, sys; sys.exit(len(json.load(sys.stdin)['artifacts']) != 2)")
    run("judge", *files, "--gate", two)
    run("judge", files[0], "--gate", two, code=1)
    said = run("judge", *files, "--gate", two, "--gate", gate("print('too few'); raise SystemExit(1)"), code=1).stdout
    assert said.endswith("it refused: too few\n")
    late = run("judge", *files, "--gate", gate("import time; time.sleep(60)"), "--seconds", "0.2", code=1).stdout
    assert "it took longer than 0.2 seconds" in late
    assert "cannot be run" in run("judge", *files, "--gate", "no-such-command-here", code=1).stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--gate", "'"), "No closing quotation"),
        (("--gate", ""), "it needs at least one word"),
        (("--gate", "true", "--seconds", "0"), "seconds above 0"),
        (("--gate", "true", "--seconds", "nan"), "seconds above 0"),
        (("--ledger", "l"), "--ledger needs --id and --join and --reviewer"),
        (("--ledger", "l", "--id", "", "--join", "v", "--reviewer", "w"), "--ledger needs --id"),
        (("--id", "m1"), "--id goes with --ledger"),
        (("--ledger", "l", *EVENT[2:]), "--ledger needs --governance (or FORKPOINT_GOVERNANCE): [actor:role:"),
        (("--ledger", "l", *EVENT[2:], "--governance", "me"), "'me' is no governance tuple; write it as [actor:"),
    ],
)
def test_wrong_use(options: tuple[str, ...], said: str) -> None:
    file = branch("ours", outcome("a"))
    assert said in run("judge", file, *options, code=2).stderr
    assert said in answer("judge", file, *options, code=2)["error"]
    assert not Path("l").exists()


def test_no_branches() -> None:
    run("judge", code=2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it is no JSON"),
        ("[]", "expected `object`, got `array`"),
        ("{}", "missing required field `branch`; add it"),
        ('{"branch": 1}', "bad.json, branch: expected `str`"),
        ('{"branch": "b", "artifacts": [{}]}', "bad.json, artifacts[0]"),
        ('{"branch": "b", "more": 1}', "unknown field `more`; take it out"),
        ("[" * 100_000, "bad.json"),
        (
            '{"branch": "b", "artifacts": [{"kind": "proof", "id": "p", "environment": {}, '
            '"content": {"statement": "s", "checked": true}, "hash": "sha256:0"}]}',
            "artifacts[0].hash: it is not the hash of the content; the content has sha256:",
        ),
    ],
)
def test_a_file_that_is_no_branch(text: str, said: str) -> None:
    Path("bad.json").write_text(text)
    result = run("judge", branch("ours", outcome("a")), "bad.json", code=2)
    assert said in result.stderr
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert "cannot read absent.json: No such file" in run("judge", "absent.json", code=2).stderr
    assert f"cannot read {tmp_path}: Is a directory" in run("judge", tmp_path, code=2).stderr
    Path("bytes.json").write_bytes(b'{"branch": "\xff"}')
    assert "bytes.json" in run("judge", "bytes.json", code=2).stderr


def test_what_a_branch_says_does_not_steer_the_terminal() -> None:
    file = branch("ours", outcome("a\x1b[31m", passed=False), notes=("\x1b[2J\u202e",))
    assert not {"\x1b", "\u202e"} & set(run("judge", file).stdout)


# ---- the ledger


def recorded(*arguments: Any, code: int = 0) -> dict[str, Any]:
    event = answer("judge", *arguments, "--ledger", "l.jsonl", *EVENT, code=code)["event"]
    assert isinstance(event, dict)
    return event


@pytest.mark.parametrize("passes", [True, False])
def test_the_verdict_is_recorded_once(passes: bool) -> None:
    files = branch("ours", outcome("a")), branch("theirs", outcome("b", *([] if passes else ["c"])))
    first = recorded(*files, code=0 if passes else 1)
    assert first["recorded"] is True
    (event,) = ledger.read(Path("l.jsonl"))
    assert isinstance(event, Joined)
    assert (event.id, event.inputs, event.version) == ("m1", {"ours", "theirs"}, "v5")
    assert (event.gate, event.survives, event.reviewer) == (OWN, passes, "lead")
    assert ledger.governed(event.who) == WHO == first["tuple"]
    before = Path("l.jsonl").read_bytes()
    again = recorded(*files, code=0 if passes else 1)
    assert (again["recorded"], again["id"], again["verdict"]) == (False, "m1", "survives" if passes else "refuted")
    assert Path("l.jsonl").read_bytes() == before
    text = run("judge", *files, "--ledger", "l.jsonl", *EVENT, code=0 if passes else 1)
    assert "on record already in l.jsonl: the merge m1" in text.stderr


def test_the_commands_are_on_record() -> None:
    command = gate("")
    assert recorded(branch("ours", outcome("a")), "--gate", command)["gate"] == f"{OWN}; {' '.join(shlex.split(command))}"


def test_who_acts_may_stand_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORKPOINT_GOVERNANCE", WHO)
    run("judge", branch("ours", outcome("a")), "--ledger", "l.jsonl", *EVENT[2:])
    assert len(ledger.read(Path("l.jsonl"))) == 1


@pytest.mark.parametrize(("damage", "said"), [(b"torn", "the last line is torn"), (b"{}\n", "l.jsonl, line 1")])
def test_an_event_that_cannot_be_recorded_is_said_with_the_verdict(damage: bytes, said: str) -> None:
    file = branch("ours", outcome("a"), notes=("carried",))
    path = Path("l.jsonl")
    path.write_bytes(damage)
    result = run("judge", file, "--ledger", "l.jsonl", *EVENT, code=5)
    assert result.stdout == "survives: 1 artifact\nnote of ours: carried\n"
    assert "everything is done, but the event was not recorded: " in result.stderr
    assert said in result.stderr
    line = next(line for line in result.stderr.splitlines() if line.startswith("the event: "))
    assert json.loads(line.removeprefix("the event: "))["id"] == "m1"
    shape = answer("judge", file, "--ledger", "l.jsonl", *EVENT, code=5)
    assert shape["verdict"] == "survives"
    assert shape["event"]["recorded"] is False
    assert said in shape["error"]
    assert path.read_bytes() == damage


def test_a_ledger_that_is_none_is_refused_before_anything_is_done() -> None:
    Path("l.jsonl").mkdir()
    assert "Is a directory" in run("judge", branch("ours", outcome("a")), "--ledger", "l.jsonl", *EVENT, code=2).stderr


def test_an_id_of_another_event_is_refused() -> None:
    recorded(branch("ours", outcome("a")))
    before = Path("l.jsonl").read_bytes()
    shape = answer("judge", branch("theirs", outcome("b")), "--ledger", "l.jsonl", *EVENT, code=5)
    assert "the id 'm1' stands for another event" in shape["error"]
    assert Path("l.jsonl").read_bytes() == before


def test_an_id_that_is_no_unicode_is_refused() -> None:
    file = branch("ours", outcome("a"))
    options = ("--ledger", "l.jsonl", "--governance", WHO, "--id", "\udcff", "--join", "v", "--reviewer", "w")
    assert "half of a surrogate pair" in answer("judge", file, *options, code=5)["error"]
    assert not Path("l.jsonl").exists()


# ---- what a command leaves behind, and what it is told of the world


def shell(text: str) -> str:
    return shlex.join(["sh", "-c", text])


AWAY = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(1.5)
        open("outlived", "w").close()
    os._exit(0)
"""


def judged(*gates: str) -> subprocess.CompletedProcess[str]:
    """The program in a process of its own, asked with gates that may take half a second."""
    asked = [part for each in gates for part in ("--gate", each)]
    command = [sys.executable, "-m", "forkpoint.cli.main", "judge", branch("ours", outcome("a")), *asked, "--seconds", "0.5"]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)


@pytest.mark.parametrize(
    ("left", "code"),
    [
        (shell("setsid sh -c 'sleep 1.5; touch outlived' & sleep 30"), 1),
        (shell("sh -c 'sleep 1.5; touch outlived' >/dev/null 2>&1 & exit 0"), 0),
        (shell("setsid sh -c 'sleep 1.5; touch outlived' >/dev/null 2>&1 & exit 0"), 0),
        (shell("sh -c 'sleep 1.5; touch outlived' & exit 1"), 1),
        (gate(AWAY), 0),
        (gate(AWAY + "\nraise SystemExit(1)"), 1),
    ],
    ids=["late", "background", "background apart", "background of a refusal", "daemon", "daemon of a refusal"],
)
def test_nothing_that_a_command_started_outlives_its_limit(left: str, code: int) -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("the system cannot hold on to what a command started")
    done = judged(left)
    assert done.returncode == code, done
    time.sleep(2)
    assert not Path("outlived").exists()


def test_a_command_gets_a_small_environment_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not that of whoever judges, in which keys and tokens stand."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret-of-the-judge")
    monkeypatch.setenv("FORKPOINT_GOVERNANCE", WHO)
    monkeypatch.setenv("LD_PRELOAD_X", "x")
    done = judged(gate("open('told', 'wb').write(open('/proc/self/environ', 'rb').read())"))
    assert done.returncode == 0, done
    told = Path("told").read_bytes()
    assert b"secret-of-the-judge" not in told
    names = {each.split(b"=")[0].decode() for each in told.split(b"\0") if each}
    assert "PATH" in names
    assert not {"FORKPOINT_GOVERNANCE", "LD_PRELOAD_X"} & names
    page = (Path(__file__).parents[2] / "spec" / "evidence.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in page for name in names), names
