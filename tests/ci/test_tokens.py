"""The rate behind every estimate of tokens is that of the real transcripts, and the documentation shows how it was measured."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ci.lib import ROOT
from ci.measure import tokens


def test_the_rate_and_the_tables_are_those_of_the_real_transcripts(
    corpus: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["tokens", str(corpus)])
    assert tokens.main() == 0
    shown = (ROOT / "spec" / "tokens.md").read_text(encoding="utf-8")
    assert f"<!-- measured by ci.measure.tokens -->\n\n{capsys.readouterr().out}\n<!-- end -->" in shown


def test_another_rate_fails(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["tokens", str(corpus)])
    monkeypatch.setattr(tokens.tokens, "BYTES_PER_TOKEN", 4)
    assert tokens.main() == 1


def test_few_figures_tell_nothing() -> None:
    assert tokens.usable([(5, 0), (0, 5), (5, -5), (5, 5)]) == [(5, 5)]
    assert tokens.errors([[(4, 2)] * 3], lambda _: 2) == []
    assert tokens.errors([[(4, 2)] * 40], lambda _: 4) == [-0.5]
