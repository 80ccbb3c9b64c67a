"""Three solvers for each obligation: what is written down, and what each may say."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ci.audit import recheck

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
