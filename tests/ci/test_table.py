"""The table of all properties, and what proofs cost."""

from __future__ import annotations

from pathlib import Path

import pytest

from ci import resources, table
from ci.dafny import Row
from ci.lib import Failed


def test_the_table_is_what_the_chapters_say() -> None:
    assert table.check().endswith(" rows")


def test_another_table_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    other = tmp_path / "properties.md"
    monkeypatch.setattr(table, "PAGE", other)
    monkeypatch.setattr(table, "ROOT", tmp_path)
    with pytest.raises(Failed, match=r"properties\.md"):
        table.check()


def test_a_contract_of_no_property_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    properties = table.read()
    assert table.unclaimed(properties) == []
    for one in properties:
        one.contract = [link for link in one.contract if link.symbol != "fork"]
    assert table.unclaimed(properties) == ["the contract fork belongs to no property"]
    monkeypatch.setattr(table, "UNCLAIMED", {**table.UNCLAIMED, "gone": "x"})
    assert "gone needs no excuse" in table.unclaimed(properties)


def test_what_the_symbolic_functions_use_is_found() -> None:
    used = table.symbolic()
    assert "forking" in used["forks.fork"]
    assert "surveying" in used["balance.survey"]
    assert "deciding" in used["entries.unique_uuids"]
    assert all("probe" not in names for names in used.values())


def test_a_dearer_proof_is_shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def row(symbol: str, aspect: str, count: int) -> Row:
        return Row(symbol, aspect, 0, "Passed", 1.0, count)

    found = [row("M.A", "correctness", 900_000), row("M.A", "well-formedness", 200_000), row("M.B", "correctness", 5)]
    assert resources.costs(found) == {"M.A": 1_100_000, "M.B": 5}
    assert resources.dearer({"M.A": 1_100_000}, {"M.A": 100_000}) == ["M.A: 1100000, recorded 100000"]
    assert resources.dearer({"M.A": 1_100_000}, {"M.A": 200_000}) == []
    assert resources.dearer({"M.A": 900_000}, {"M.A": 1}) == []
    monkeypatch.setattr(resources, "rows", lambda: found)
    monkeypatch.setattr(resources, "KEPT", tmp_path / "resources.txt")
    with pytest.raises(Failed, match="make record"):
        resources.check()
    resources.write()
    assert "2 symbols" in resources.check()
    (tmp_path / "resources.txt").write_text("M.A 100000\nM.B 5\n")
    with pytest.raises(Failed, match=r"M\.A: 1100000"):
        resources.check()
