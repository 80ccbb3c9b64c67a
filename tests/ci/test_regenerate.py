"""What a change makes stale is made anew, in order, and nothing else."""

from __future__ import annotations

import sys

import pytest

from ci.audit import stability
from ci.prove import footprint, regenerate, resources
from ci.prove.regenerate import Step


def step(name: str, stale: list[list[str]], code: str = "") -> Step:
    return Step(name, (sys.executable, "-c", code), lambda: stale)


def test_only_what_is_stale_runs_and_a_failure_ends_it(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    steps = (
        step("one", []),
        step("two", [["a"], ["b"]], "import sys; print(sys.argv[1])"),
        step("three", [[]], "raise SystemExit(3)"),
    )
    monkeypatch.setattr(regenerate, "STEPS", steps)
    monkeypatch.setattr(regenerate, "ALWAYS", (step("any", [[]], "print('last')"),))
    assert regenerate.main(["--list"]) == 0
    assert capfd.readouterr().out.splitlines() == [
        "one: as it should be",
        "two: stale: a; b",
        "three: stale",
        "always run: any",
    ]
    assert regenerate.main([]) == 1
    said = capfd.readouterr().out
    assert [line.split(",")[0] for line in said.splitlines()] == [
        *("one: as it should be", "a", "two a: made anew", "b", "two b: made anew", "three: FAILED"),
    ]
    monkeypatch.setattr(regenerate, "STEPS", steps[:2])
    assert regenerate.main([]) == 0
    assert "any: made anew" in capfd.readouterr().out


def test_every_step_says_what_is_stale() -> None:
    for one in regenerate.STEPS:
        assert all(isinstance(arguments, list) for arguments in one.stale())


@pytest.mark.parametrize(
    ("untried", "asked"),
    [
        ([], []),
        (["AProofs.One", "BExamples.Two", "B.Gone"], [["AProofs.One"], ["BExamples.Two"]]),
        (["BExamples.Gone"], [["B"]]),
        ([f"AProofs.{at}" for at in range(regenerate.FEW + 1)], [["A"]]),
    ],
)
def test_few_symbols_are_tried_by_themselves(monkeypatch: pytest.MonkeyPatch, untried: list[str], asked: list[list[str]]) -> None:
    monkeypatch.setattr(stability, "stale", lambda: untried)
    monkeypatch.setattr(resources, "kept", lambda: {symbol: 1 for symbol in untried if "Gone" not in symbol})
    assert regenerate.stale_seeds() == asked


def test_axioms_are_stale_where_they_are_of_other_obligations(monkeypatch: pytest.MonkeyPatch) -> None:
    assert regenerate.stale_axioms() == []
    monkeypatch.setattr(footprint, "digest", lambda: "of others")
    assert regenerate.stale_axioms() == [[]]
