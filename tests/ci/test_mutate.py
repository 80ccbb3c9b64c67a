"""Mutants of the core: what is a survivor, what the list of them must say, and that a run tells found from not found."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from ci.audit import mutate
from ci.audit.mutate import Mutant, explained, judge, too_few
from ci.lib import Failed

KILLED = [Mutant("forks.fork", f"`return {n}` -> `return None`", "killed") for n in range(39)]
ALIVE = Mutant("turns.nearest", "`n > 0` -> `n >= 0` 2", "survived")
LATE = Mutant("turns.nearest", "`n += 1` -> `n = 1`", "timed out")


@pytest.mark.parametrize(
    ("fates", "complaint"),
    [
        (("killed", "timed out", "survived"), "tests that fail without a mutant are taken to find them all"),
        (("killed", "killed", "survived"), "do not fare as they must"),
        (("killed", "timed out", "killed"), "do not fare as they must"),
        (("survived", "timed out", "survived"), "do not fare as they must"),
        ((), "cannot be run against mutants"),
    ],
)
def test_a_harness_that_cannot_tell_is_refused(
    fates: tuple[str, ...], complaint: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rows = [[function, "`a` -> `b`", fate] for function, fate in zip(("held", "ends", "loose"), fates, strict=bool(fates))]
    worker = tmp_path / "worker.py"
    worker.write_text("".join(f"print({json.dumps(json.dumps(row))})\n" for row in rows) or "raise SystemExit(1)")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to(sys.executable)
    for name, value in (("MUTMUT", tmp_path), ("WORKER", worker), ("BUILD", tmp_path)):
        monkeypatch.setattr(mutate, name, value)
    with pytest.raises(Failed, match=complaint):
        mutate.check_canary()


def test_a_survivor_must_be_listed_and_what_is_listed_must_survive() -> None:
    assert judge([*KILLED, ALIVE, LATE], {ALIVE.name: "why"}) == []
    assert judge([*KILLED, ALIVE], {}) == [f"survived, not in ci/audit/survivors.txt: {ALIVE.name}"]
    assert judge(KILLED, {ALIVE.name: "why"}) == [f"in ci/audit/survivors.txt, but found or gone: {ALIVE.name}"]
    odd = Mutant("turns.nearest", "`a` -> `b`", "ended with -11")
    assert judge([*KILLED, odd], {}) == [f"ended with -11, not in ci/audit/survivors.txt: {odd.name}"]


def test_too_few_found_is_a_failure_though_all_are_listed() -> None:
    assert too_few([*KILLED[:18], ALIVE]) == ["18 of 19 are found, less than 95 %"]
    assert too_few([*KILLED[:19], ALIVE]) == []


def test_the_list_is_read_and_a_bad_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "survivors.txt"
    path.write_text(f"# why\n{ALIVE.name}: no n is 0\n")
    assert explained(path) == {ALIVE.name: "no n is 0"}
    for bad in (f"{ALIVE.name}:\n", ALIVE.name, f"{ALIVE.name}: a\n{ALIVE.name}: b\n"):
        path.write_text(bad)
        with pytest.raises(Failed, match=r"survivors.txt:\d: cannot read"):
            explained(path)


def test_every_survivor_of_the_core_has_a_reason_and_a_module() -> None:
    assert {mutate.module_of(name) for name in explained()} <= {*mutate.modules_of_core()}


def test_what_is_kept_of_other_modules_stays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(mutate, "KEPT", tmp_path / "mutants.txt")
    mutate.keep({"turns": [ALIVE, LATE], "forks": KILLED})
    mutate.keep({"turns": [LATE]})
    was = {module: mutate.code_of(module) for module in ("forks", "turns")}
    rows = f"forks {was['forks']}\nforks.fork 39/39\nturns {was['turns']}\nturns.nearest 1/1\n"
    assert mutate.KEPT.read_text() == mutate.HEAD + rows
    assert "balance" in mutate.stale()
    assert not {"forks", "turns"} & set(mutate.stale())
    assert mutate.table({"turns": [ALIVE, LATE]}).splitlines()[-1].split() == ["all", "2", "0", "1", "1", "50.0", "%"]


def test_the_code_of_a_module_is_told_from_other_code(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(mutate, "CORE", tmp_path)
    module = tmp_path / "one.py"
    module.write_text('"""A."""\n\ndef f(n: int) -> int:\n    """B."""\n    return n\n')
    before = mutate.code_of("one")
    module.write_text('"""C."""\n\n\ndef f(n: int) -> int:\n    """D."""\n    # why\n    return n\n')
    assert mutate.code_of("one") == before
    module.write_text("def f(n: int) -> int:\n    return n + 1\n")
    assert mutate.code_of("one") != before
