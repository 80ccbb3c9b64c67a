"""The example from end to end: a chat of four entries and a leaf under contract; read, forked, judged as evidence, merged."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from program import answer, call, run
from strategies_overlays import aged

SAMPLES = Path(__file__).parents[1] / "samples"
LEAF = "succ_add.py"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in (("CLAUDE_CONFIG_DIR", "config"), ("XDG_CACHE_HOME", "cache"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.chdir(tmp_path)
    for name in ("succ-add.jsonl", "succ-add-other.jsonl", LEAF):
        shutil.copy(SAMPLES / name, tmp_path / name)
    return tmp_path


def branch(name: str, kind: str, what: str, content: dict[str, Any], *needs: str) -> str:
    artifact = {"kind": kind, "id": what, "environment": {"leaf": LEAF}, "needs": [*needs], "content": content}
    Path(f"{name}.json").write_text(json.dumps({"branch": name, "artifacts": [artifact]}))
    return f"{name}.json"


def passed(counterexample: object = None) -> list[str]:
    property_ = {"statement": "succ refuses what is no natural number", "cases": 3, "counterexample": counterexample}
    return [
        branch("grouping", "test-result", "both-groupings", {"passed": True}),
        branch("contract", "property", "succ-is-total", property_, "both-groupings"),
    ]


def test_the_chat_is_four_entries_in_turn_and_keeps_every_property() -> None:
    found = json.loads(run("check", "succ-add.jsonl", "--json").stdout)
    assert found["entries"] == 4
    kinds = [json.loads(line)["type"] for line in Path("succ-add.jsonl").read_text().splitlines()][:4]
    assert kinds == ["user", "assistant", "user", "assistant"]
    assert answer("tree", "succ-add.jsonl")["head"]["line"] == 4


def test_a_fork_holds_it() -> None:
    made = answer("fork", "succ-add.jsonl", "--at", "1", "--out", "fork.jsonl")
    assert (made["kept"], made["of"]) == (4, 4)
    run("verify-fork", "fork.jsonl", "succ-add.jsonl")


def test_the_leaf_keeps_its_contract_and_breaks_when_it_is_changed() -> None:
    assert subprocess.run([sys.executable, LEAF], capture_output=True, text=True, check=True).stdout == "contracts: ok\n"
    text = Path(LEAF).read_text()
    for old, new in (("number + 1", "number + 2"), ("number >= 0", "number >= -1"), ("left - 1", "left")):
        Path(LEAF).write_text(text.replace(old, new))
        assert subprocess.run([sys.executable, LEAF], capture_output=True, check=False).returncode, new


def test_what_the_branches_bring_home_stands_together() -> None:
    gate = ("--gate", f"{sys.executable} {LEAF}")
    assert run("judge", *passed(), *gate).stdout.startswith("survives: 2 artifacts")
    pruned = call("judge", *passed("-1"), *gate)
    assert "pruned" in pruned.stdout + pruned.stderr
    Path(LEAF).write_text("raise SystemExit('broken')")
    assert call("judge", *passed(), *gate).code == 1
    branch("grouping", "test-result", "both-groupings", {"passed": False})
    assert call("judge", "grouping.json", "contract.json").code == 1  # what the second rests on is gone


def test_the_branches_merge_and_nothing_is_lost() -> None:
    before = Path("succ-add.jsonl").read_bytes()
    made = answer("merge", aged(Path("succ-add.jsonl")), "succ-add-other.jsonl")
    assert Path("succ-add.jsonl").read_bytes().startswith(before)
    assert "AssertionError" in made["text"]
    assert json.loads(run("check", "succ-add.jsonl", "--json").stdout)["entries"] == 9
    again = call("merge", aged(Path("succ-add.jsonl")), "succ-add-other.jsonl")
    assert "already" in again.stdout + again.stderr or again.code == 0
