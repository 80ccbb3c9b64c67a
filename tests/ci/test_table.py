"""The table of all properties, and what proofs cost."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from ci.audit import model_mutants, mutate, recheck, stability
from ci.check import laws, table
from ci.lib import Failed
from ci.prove import crosshair, resources
from ci.prove.dafny import Row


def test_the_table_is_what_the_chapters_say() -> None:
    assert " properties; " in table.check()


def test_another_table_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    other = tmp_path / "properties.md"
    monkeypatch.setattr(table, "PAGE", other)
    monkeypatch.setattr(table, "ROOT", tmp_path)
    with pytest.raises(Failed, match=r"properties\.md"):
        table.check()


def test_a_contract_without_a_law_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert table.unclaimed() == []
    others = tuple(law for law in laws.read() if "forks.fork" not in law.of)
    monkeypatch.setattr(laws, "read", lambda: others)
    assert "no law stands behind the contract forks.fork" in table.unclaimed()


def test_what_the_symbolic_functions_use_is_found() -> None:
    used = table.symbolic()
    assert "forking 3 confirmed" in used["forks.fork"]
    assert "surveying 3 confirmed" in used["balance.survey"]
    assert "deciding 3 confirmed" in used["entries.unique_uuids"]
    assert "storing 2 confirmed" in used["stores.apply"]
    assert "changing confirmed" in used["memories.changes"]
    assert all("probe" not in name for names in used.values() for name in names)


def test_what_crosshair_said_of_other_code_counts_for_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert crosshair.kept().keys() == set(crosshair.functions())
    kept = tmp_path / "symbolic.txt"
    monkeypatch.setattr(crosshair, "KEPT", kept)
    assert crosshair.kept() == {}
    crosshair.keep({"forking": "confirmed", "probe": "not confirmed"})
    assert crosshair.kept() == {"forking": "confirmed", "probe": "not confirmed"}
    assert "storing 2 not asked" in table.symbolic()["stores.apply"]
    crosshair.keep({"chaining": "confirmed"})
    assert crosshair.kept().keys() == {"forking", "chaining", "probe"}
    monkeypatch.setattr(mutate, "code_of", lambda module: "other" if module == "forks" else code_of(module))
    assert crosshair.kept().keys() == {"chaining", "probe"}  # what does not run the module that changed


code_of = mutate.code_of


def test_each_commit_asks_a_tenth_anew() -> None:
    names = crosshair.functions()
    chosen = [crosshair.anew(names, f"commit {number}") for number in range(100)]
    assert {len(some) for some in chosen} == {-(-len(names) // crosshair.SHARE)}
    assert {name for some in chosen for name in some} == set(names)
    assert crosshair.anew(names, "commit 1") == crosshair.anew(names[::-1], "commit 1")


def test_a_record_of_what_is_not_so_is_found(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(crosshair, "anew", lambda names, _: [name for name in names if name in ("probe", "deciding", "slow")])
    said = {"probe": "x.py:1: error: false when calling", "deciding": crosshair.CONFIRMED, "slow": "Not confirmed."}
    monkeypatch.setattr(crosshair, "search", lambda name, *_: (name, said[name], 1.0))
    assert crosshair.refuted_anew(said) == ["probe"]
    assert "slow         stays" in capsys.readouterr().out


def test_what_a_symbolic_function_runs_is_found() -> None:
    """What its code is bound to: no other module."""
    assert crosshair.touched("chaining") == ["laws.witnesses", "witnesses"]
    assert {"forks", "contexts", "laws.forks"} <= set(crosshair.touched("forking"))
    with pytest.raises(Failed, match="nothing of the harness"):
        crosshair.touched("nothing")


def test_what_solvers_and_mutants_miss_is_counted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    kept = tmp_path / "solvers.txt"
    said = ["# What", "# Which: 0", "M.A (correctness): cvc5", "M.A (well-formedness): cvc5, z3 5.4.0", "M.B (correctness): cvc5"]
    kept.write_text("".join(f"{line}\n" for line in said))
    monkeypatch.setattr(recheck, "KEPT", kept)
    monkeypatch.setattr(table, "PENDING", tmp_path / "pending.txt")
    assert table.solvers() == {"M.A": 1, "M.B": 2}
    table.PENDING.write_text("model M: the reason\nrecord solvers: the reason\n")
    monkeypatch.setattr(resources, "kept", lambda: {"M.C": 1, "N.A": 1})
    assert table.solvers() == {"M.A": 1, "M.B": 2, "M.C": 1}
    killed = tmp_path / "mutants.txt"
    killed.write_text("# What\nentries.Log.at 3/4\nentries.Log.of 1/1\nforks.fork 5/5\n")
    monkeypatch.setattr(table, "MUTANTS", killed)
    assert table.mutants()["entries.Log"] == (4, 5)
    assert table.mutants()["forks.fork"] == (5, 5)


def test_a_dearer_proof_is_shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def row(symbol: str, aspect: str, count: int) -> Row:
        return Row(symbol, aspect, 0, "Passed", 1.0, count)

    found = [row("M.A", "correctness", 900_000), row("M.A", "well-formedness", 200_000), row("M.B", "correctness", 5)]
    assert resources.costs(found) == {"M.A": 1_100_000, "M.B": 5}
    assert resources.dearer({"M.A": 1_100_000}, {"M.A": 100_000}) == ["M.A: 1100000, recorded 100000"]
    assert resources.dearer({"M.A": 1_100_000}, {"M.A": 200_000}) == []
    assert resources.dearer({"M.A": 11, "M.B": 9, "M.C": 1}, {"M.A": 1, "M.B": 1}) == ["M.A: 11, recorded 1"]
    monkeypatch.setattr(resources, "rows", lambda *_: found)
    monkeypatch.setattr(resources, "KEPT", tmp_path / "resources.txt")
    with pytest.raises(Failed, match="make regenerate"):
        resources.check()
    resources.write()
    assert "2 symbols" in resources.check()
    (tmp_path / "resources.txt").write_text("M.A 100000\nM.B 5\n")
    with pytest.raises(Failed, match=r"M\.A: 1100000"):
        resources.check()


def test_a_hole_is_named() -> None:
    one = next(stated for stated in table.read() if stated.number == "P4.11")
    assert table.holes(one, table.Known()) == []
    empty = table.Known(costs={}, mutants={}, symbolic={}, answers=Counter())
    said = "\n".join(table.holes(one, empty))
    missed = table.Known(symbolic={"contexts.context": ["gathering 3 not confirmed"]})
    assert "gathering 3 not confirmed: make crosshair-all" in "\n".join(table.holes(one, missed))
    assert "ContextsFast.FastContext has no recorded cost" in said
    assert "contexts.context has no mutants" in said
    assert "no symbolic function" in said
    assert "no answer of the generated code" in said


def test_mutants_that_are_still_to_be_made_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(table, "PENDING", tmp_path / "pending.txt")
    table.PENDING.write_text("# what is owed\nmodel Witnesses: the reason\n")
    assert "pending.txt: the mutants of Witnesses are made; take its line out" in table.unasked()
    assert "- Not made yet: the mutants of `Witnesses` of the model; the reason.\n" in table.page([], table.Known())
    table.PENDING.write_text("record solvers: the reason\n")
    assert "- Not made yet: what three solvers say of these very obligations; the reason.\n" in table.page([], table.Known())


def test_a_proof_that_fails_under_a_seed_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first, second, *others = stability.KEPT.read_text().splitlines()[-9:]
    monkeypatch.setattr(stability, "KEPT", tmp_path / "stability.txt")
    stability.KEPT.write_text("\n".join([f"{first} 2", f"{second} 1", *others]))
    assert f"2 symbols fail under some of 10 seeds, {first.split()[0]}: another proof" in table.unasked()


def test_what_was_asked_about_another_model_or_port_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert table.unasked() == []
    monkeypatch.setattr(table, "PENDING", tmp_path / "pending.txt")
    monkeypatch.setattr(recheck, "KEPT", tmp_path / "solvers.txt")
    monkeypatch.setattr(mutate, "KEPT", tmp_path / "mutants.txt")
    monkeypatch.setattr(stability, "KEPT", tmp_path / "stability.txt")
    monkeypatch.setattr(model_mutants, "KEPT", tmp_path / "model.txt")
    monkeypatch.setattr(crosshair, "KEPT", tmp_path / "symbolic.txt")
    (tmp_path / "mutants.txt").write_text("balance 0123456789abcdef\n")
    said = "\n".join(table.unasked())
    assert "make recheck" in said
    assert "ci.audit.stability" in said
    assert "another ancestries, " in said
    assert f"{len(model_mutants.stale())} definitions had no mutants, Ancestries.Ancestry" in said
    assert "make crosshair-all" in said
