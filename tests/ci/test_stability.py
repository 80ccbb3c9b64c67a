"""Proofs under many seeds: what is read of Dafny's rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from ci.audit import stability
from ci.audit.stability import Spread
from ci.prove import resources


def row(name: str, outcome: str, count: int, seed: int) -> dict[str, str]:
    return {
        "TestResult.DisplayName": name,
        "TestResult.Outcome": outcome,
        "TestResult.ResourceCount": str(count),
        "RandomSeed": str(seed),
    }


def test_the_costs_of_a_symbol_are_added_up_for_each_seed() -> None:
    rows = [
        row("M.A (correctness)", "Passed", 10, 0),
        row("M.A (well-formedness)", "Passed", 1, 0),
        row("M.A (correctness)", "Passed", 30, 7),
        row("M.A (well-formedness)", "Passed", 2, 7),
    ]
    assert stability.spread(rows) == {"M.A": Spread(11, 32)}


def test_a_proof_that_fails_under_one_seed_is_named() -> None:
    rows = [row("M.A (correctness)", "Passed", 10, 0), row("M.A (correctness)", "OutOfResource", 10_000_000, 7)]
    rows += [row("M.B (correctness)", "Passed", 10, 0), row("M.B (correctness)", "Failed", 2_000_000, 7)]
    assert stability.spread(rows) == {"M.A": Spread(10, 10_000_000, failing=1), "M.B": Spread(10, 2_000_000, failing=1)}


def test_a_run_that_ends_early_is_noticed() -> None:
    rows = [row("M.A", "Passed", 1, seed) for seed in range(stability.SEEDS)] + [row("M.B", "Passed", 1, 0)]
    assert stability.unmeasured(rows, ["M.A"]) == ["M.B: 1 of 10 seeds"]
    assert stability.unmeasured(rows[:-1], ["M.A", "M.C"]) == ["M.C: 0 of 10 seeds"]
    assert stability.unmeasured(rows[:-1], ["M.A"]) == []


def test_what_is_written_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(stability, "KEPT", tmp_path / "stability.txt")
    costs = {"M.A": Spread(1, 2, of="0a"), "M.B": Spread(3, 4, 5, "1b")}
    stability.KEPT.write_text(stability.HEAD + "".join(f"{symbol} {cost}\n" for symbol, cost in costs.items()))
    assert stability.kept() == costs


def test_what_is_kept_is_of_the_proofs_that_there_are() -> None:
    assert stability.kept().keys() == resources.kept().keys()


def test_what_was_other_text_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert stability.stale() == []
    first, second, *others = (line for line in stability.KEPT.read_text().splitlines() if not line.startswith("#"))
    symbol, of, *costs = first.split()
    monkeypatch.setattr(stability, "KEPT", tmp_path / "stability.txt")
    stability.KEPT.write_text("\n".join([" ".join([symbol, of[::-1], *costs]), *others, f"A.Gone {of} 1 1"]))
    assert stability.stale() == sorted([symbol, second.split()[0], "A.Gone"])
