"""Proofs under many seeds: what is read of Dafny's rows."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from ci.audit import stability
from ci.audit.stability import Spread
from ci.lib import Failed, Ran
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


def test_a_run_that_was_stopped_goes_on_with_its_seed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[str] = []

    def dafny(*arguments: object, timeout: int) -> Ran:
        seed = next(str(one).removeprefix("--random-seed=") for one in arguments if str(one).startswith("--random-seed="))
        asked.append(seed)
        if asked == ["0", "1", "2"]:
            return Ran(1, "out of memory", 0)
        names = ["M.A"] if asked == ["0", "1", "2", "2"] else ["M.A", "M.B"]
        with stability.ROWS.open("w", newline="") as file:
            writer = csv.DictWriter(file, row("", "", 0, 0))
            writer.writeheader()
            writer.writerows(row(name, "Passed", 5 + int(seed), 100 + int(seed)) for name in names)
        return Ran(0, "", 0)

    monkeypatch.setattr(stability, "dafny", dafny)
    monkeypatch.setattr(stability, "relative", str)
    monkeypatch.setattr(stability, "ROWS", tmp_path / "rows.csv")
    monkeypatch.setattr(stability, "PASSES", tmp_path / "passes")
    monkeypatch.setattr(resources, "kept", lambda: {"M.A": 1, "M.B": 1})
    with pytest.raises(Failed, match="no rows\nout of memory"):
        stability.measured([])
    with pytest.raises(Failed, match=r"1 symbols were not tried under seed 2\nM\.B: 0 of 1 seeds"):
        stability.measured([])
    rows = stability.measured([])
    assert asked == ["0", "1", "2", "2", *map(str, range(2, stability.SEEDS))]
    assert stability.unmeasured(rows, ["M.A", "M.B"]) == []
    assert stability.spread(rows) == {"M.A": Spread(5, 14), "M.B": Spread(5, 14)}
    assert stability.measured([]) == rows
    assert len(asked) == stability.SEEDS + 2
    monkeypatch.setattr(stability, "sources", list)
    stability.measured([])
    assert len(asked) == 2 * stability.SEEDS + 2, "of another model nothing is kept"
    asked[2:] = []
    assert len(stability.measured(["M"])) == 2 * stability.SEEDS
    assert asked[2:] == [str(seed) for seed in range(stability.SEEDS)], "some symbols are asked under the same seeds"
    stability.forget(["M"])
    assert not [*stability.PASSES.glob("*-M-*")]
    assert len([*stability.PASSES.glob("*-all-*")]) == 2 * stability.SEEDS, "a run of all that was stopped keeps what it had"
    stability.forget([])
    assert not [*stability.PASSES.iterdir()]


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
