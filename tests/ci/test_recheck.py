"""Three solvers for each obligation: what is written down, and what each may say."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ci.audit import recheck
from ci.prove import footprint, record

FAKE = """
import sys
for line in sys.stdin:
    if "deadly" in line:
        sys.exit(1)
    print("unsat" if "easy" in line else "unknown", flush=True)
"""


def test_what_a_solver_missed_is_named() -> None:
    proved = {"a": {"M.P", "M.Q"}, "b": {"M.P"}, "c": {"M.P"}}
    assert recheck.missed(proved, ["M.P", "M.Q"]) == {"M.Q": ["b", "c"]}


def test_a_worker_that_dies_is_started_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    worker = tmp_path / "worker.py"
    worker.write_text(FAKE)
    folder = tmp_path / "cvc5" / "bin"
    folder.mkdir(parents=True)
    (folder / "python").symlink_to(sys.executable)
    monkeypatch.setattr(recheck, "CVC5", folder.parent)
    monkeypatch.setattr(recheck, "WORKER", worker)
    monkeypatch.setattr(recheck, "ANSWERS", tmp_path / "cvc5.json")
    files = [tmp_path / name for name in ("easy1", "deadly", "easy2", "hard")]
    for file in files:
        file.write_text(file.name)
    assert recheck.ask_cvc5(files, 1, ()) == dict(zip(files, ("unsat", "died", "unsat", "unknown"), strict=True))
    assert recheck.by_cvc5(files)[files[0]] == "unsat"
    worker.write_text("import sys\nfor line in sys.stdin:\n    print('sat', flush=True)\n")
    files[3].write_text("other bytes")
    again = recheck.by_cvc5(files)
    assert [again[file] for file in files] == ["unsat", "died", "unsat", "sat"]


def test_a_current_z3_is_asked_again_without_the_units_of_the_other(tmp_path: Path) -> None:
    solver = tmp_path / "solver"
    solver.write_text('#!/bin/sh\ngrep -q rlimit "$2" && echo unknown && exit\ngrep -q easy "$2" && echo unsat || echo timeout\n')
    solver.chmod(0o755)
    left = {}
    for name in ("easy", "hard"):
        (tmp_path / name).write_text(f"(set-option :timeout 0)\n(set-option :rlimit 10000000)\n; {name}\n(check-sat)\n")
        left[f"M.{name}"] = tmp_path / name
    assert record.answer(left["M.easy"], solver) == "unknown"
    assert recheck.by_newer(left, solver, tmp_path / "again") == {"M.easy"}


def test_what_contradicts_is_left_out_but_where_a_proof_uses_it(tmp_path: Path) -> None:
    """Of ints too, where the footprint does not name the proof."""
    known = next(line for line in footprint.KEPT.read_text("utf-8").splitlines() if line.startswith("every value"))
    symbol = known.split(": ", 1)[1]
    file = tmp_path / "one.smt2"
    every = (
        f"(forall ((x T@U) ) (!  (= ({kind}_2_U (U_2_{kind} x)) x)\n :pattern ( (U_2_{kind} x))\n))" for kind in ("bool", "int")
    )
    file.write_text(" ".join(every))
    found = recheck.plain({symbol: file, "another": file}, tmp_path / "plain")
    assert found[symbol] == found["another"] == tmp_path / "plain" / "one.smt2"
    assert recheck.plain({symbol: file}, tmp_path / "plain")[symbol].read_text().count("forall") == 1
    assert recheck.plain({"another": file}, tmp_path / "plain")["another"].read_text() == "true true"
