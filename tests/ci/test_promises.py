"""The table of promises names only what is there, and the page has it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ci.check import promises
from ci.check.promises import ASSUMPTIONS, PROMISES, Assumption
from ci.check.properties import read
from ci.lib import Failed

FIRST = PROMISES[0]
HOLES = {
    "there is no property P99.9": replace(FIRST, theorems=("P99.9",)),
    "there is no function certificate.nothing": replace(FIRST, certificate=("certificate.nothing",)),
    "there is no function certificate.nowhere.check": replace(FIRST, certificate=("certificate.nowhere.check",)),
    "there is no tests/nowhere.py": replace(FIRST, tests=("tests/nowhere.py",)),
    "there is no spec/nowhere.md": replace(FIRST, measured=("spec/nowhere.md",)),
    "there is no assumption A99": replace(FIRST, rests_on=(1, 2, 99)),
    "by nothing but tests": replace(FIRST, theorems=(), certificate=()),
    "a theorem rests on the prover and on the port": replace(FIRST, rests_on=(3,)),
}


@pytest.mark.parametrize("hole", HOLES)
def test_what_a_row_names_must_be_there(hole: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(promises, "PROMISES", (*PROMISES[1:], HOLES[hole]))
    assert any(problem.endswith(hole) or hole in problem for problem in promises.holes(read()))


@pytest.mark.parametrize("noticed", ["make nothing", "tests/nowhere.py", "make clean"])
def test_an_assumption_has_a_check_and_something_rests_on_it(noticed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(promises, "ASSUMPTIONS", (*ASSUMPTIONS, Assumption("It rains.", noticed)))
    assert list(promises.holes(read()))


def test_the_page_has_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(promises.holes(read())) == []
    assert promises.check() == f"{len(PROMISES)} promises on {len(ASSUMPTIONS)} assumptions"
    page = tmp_path / "TRUST.md"
    page.write_text(promises.PAGE.read_text().replace("A fork holds", "A fork may hold"))
    monkeypatch.setattr(promises, "PAGE", page)
    with pytest.raises(Failed, match="another table of promises"):
        promises.check()
    promises.write()
    assert "A fork holds" in page.read_text()
    promises.check()
