"""Slices of the model: what is read of it, which proofs are asked, and what a copy holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from ci.audit import slices as s

MODEL = """\
module Sums {
  datatype Weight = Light | Heavy(tons: nat)

  type Load = seq<nat>

  /** All of it. */
  function Sum(load: Load): nat {
    if |load| == 0 then 0 else load[0] + Sum(load[1..])
  } by method {
    return 0;
  }

  predicate Fits(load: Load, most: Weight) {
    most.Heavy? && Sum(load) <= most.tons
  }

  /** It is known. */
  lemma NothingFits(most: Weight)
    requires most.Heavy?
    ensures Fits([], most)
  {
    assert Sum([]) == 0;
  }
}
"""
PROOFS = """\
module SumsProofs {
  import opened Sums

  /** What fits, fits. */
  lemma LessFits(load: Load, most: Weight)
    requires Fits(load, most) && |load| > 0
    ensures Fits(load[1..], most)
  {
    NothingFits(most);
  }

  lemma Unrelated()
    ensures 1 + 1 == 2
  {
  }
}
"""


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, s.Module]:
    (tmp_path / "01-Sums.dfy").write_text(MODEL)
    (tmp_path / "01-Sums.Proofs.dfy").write_text(PROOFS)
    monkeypatch.setattr(s, "sources", lambda: sorted(tmp_path.glob("*.dfy")))
    return s.modules()


@pytest.fixture(autouse=True)
def forget() -> None:
    """What is kept of a model is of this one."""
    for one in (s.modules, s.modules_of, s.seen_from, s.named_in, s.spoken, s.candidates, s.whole):
        one.cache_clear()


def found(model: dict[str, s.Module], symbol: str) -> s.Piece:
    module, name = symbol.split(".")
    return next(one for one in model[module].pieces if one.name == name)


def test_a_declaration_is_read(model: dict[str, s.Module]) -> None:
    """Where it stands, what it says before its proof, what it names; what a method computes is no part of it."""
    assert [one.name for one in model["Sums"].pieces] == ["Weight", "Load", "Sum", "Fits", "NothingFits"]
    assert found(model, "Sums.Weight").provides == {"Weight", "Light", "Light?", "Heavy", "Heavy?"}
    known = found(model, "Sums.NothingFits")
    assert MODEL[known.at :].startswith(known.text)
    assert known.head.rstrip().endswith("ensures Fits([], most)")
    assert found(model, "Sums.Sum").text.endswith("Sum(load[1..])\n  }")


def test_what_names_a_definition_is_asked_first(model: dict[str, s.Module]) -> None:
    """And what does not speak of it, at no distance, is not asked."""
    asked = [one.symbol for one in s.candidates("Sums.Sum")]
    assert asked == ["Sums.Fits", "Sums.Sum", "Sums.NothingFits", "SumsProofs.LessFits"]
    assert "SumsProofs.Unrelated" not in {one.symbol for one in s.candidates("Sums.Fits")}


def test_a_copy_holds_what_its_proof_speaks_of(model: dict[str, s.Module]) -> None:
    """Other lemmas without their proofs, the changed text in place of the old one, a name of its own."""
    less, fits = found(model, "SumsProofs.LessFits"), found(model, "Sums.Fits")
    made = s.files({3: s.Copy("Sums", less, ((fits, fits.text.replace("<=", "<")),))})
    around, asked = "\n".join(made.around), "\n".join(made.asked)
    assert around.startswith("module Sums_3 {")
    assert "Sum(load) < most.tons" in around
    assert "lemma {:verify false} NothingFits" in around
    assert "assert Sum" not in around
    assert "module SumsProofs_3 {\n  import opened Sums = Sums_3\n" in asked
    assert "Unrelated" not in asked
    assert [made.asked[line - 1].strip() for line in sorted(made.targets)] == [line.strip() for line in less.text.splitlines()]
    assert {made.of["Slices.dfy", line] for line in made.targets} == {3}


def test_what_no_change_reaches_is_there_once(model: dict[str, s.Module]) -> None:
    """Copies share it; the lemma that is asked stands in each."""
    less = found(model, "SumsProofs.LessFits")
    made = s.files({n: s.Copy("SumsProofs", less) for n in range(2)})
    assert "\n".join(made.around).count("module Sums {") == 1
    assert "\n".join(made.asked).count("lemma LessFits") == 2
    assert sorted(set(made.targets.values())) == [0, 1]


def test_every_declaration_of_the_model_is_read() -> None:
    """Each stands once, at its place in its file."""
    for module in s.modules().values():
        text = module.file.read_text()
        assert module.whole is not None or module.pieces
        for one in module.pieces:
            assert text[one.at :].startswith(one.text)
