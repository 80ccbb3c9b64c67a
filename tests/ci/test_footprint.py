"""What the proofs use of the background, and what is told apart there."""

from __future__ import annotations

from pathlib import Path

import pytest

from ci.lib import Failed
from ci.prove import footprint, record

BOTH = """(set-option :smt.mbqi false)
(declare-sort |T@U| 0)
(declare-fun bool_2_U (Bool) T@U)
(declare-fun U_2_bool (T@U) Bool)
(declare-fun int_2_U (Int) T@U)
(declare-fun U_2_int (T@U) Int)
(declare-fun Mine.at (Int) Int)
(assert (and (and (= (U_2_int (int_2_U 3)) 3) (forall ((x T@U) ) (!  (= (bool_2_U (U_2_bool x)) x)
 :pattern ( (U_2_bool x))
))) (forall ((x@@0 T@U) ) (!  (= (int_2_U (U_2_int x@@0)) x@@0)
 :pattern ( (U_2_int x@@0))
))))
(assert (= (Mine.at 1) 7))
; what is to be proved
(assert (not %s))
(check-sat)
"""
MINE = footprint.background(["Mine"])


def asked(goal: str, place: Path) -> footprint.Used | None:
    return footprint.ask((BOTH % goal).encode(), MINE, place / "asked")


def test_what_a_proof_uses(tmp_path: Path) -> None:
    assert asked("(= (U_2_int (int_2_U 3)) 3)", tmp_path) == (frozenset(), frozenset({"(= (U_2_int (int_2_U 3)) 3)"}))
    assert asked("(= (Mine.at 1) 7)", tmp_path) == (frozenset(), frozenset())  # a part of the model is no background
    used = asked("(forall ((u T@U)) (! (= (int_2_U (U_2_int u)) u) :pattern ((U_2_int u))))", tmp_path)
    assert used is not None
    assert used.kept == {"int"}
    assert used.axioms == {"(forall ((x T@U) ) (! (= (int_2_U (U_2_int x)) x) :pattern ( (U_2_int x)) ))"}


def test_what_needs_the_axiom_of_bools_is_not_proved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(footprint, "SECONDS", 2)
    assert asked("(forall ((u T@U)) (! (= (bool_2_U (U_2_bool u)) u) :pattern ((U_2_bool u))))", tmp_path) is None
    assert list(tmp_path.iterdir()) == []


def test_expressions_and_conjuncts() -> None:
    text = '(a |b)(| "c)")\r\n; (no\n(and (and x (y z)) (w))'
    assert list(footprint.forms(text)) == ['(a |b)(| "c)")', "(and (and x (y z)) (w))"]
    assert list(footprint.conjuncts("(and (and x (y z)) (w))")) == ["x", "(y z)", "(w)"]


def test_an_axiom_is_the_same_in_every_obligation() -> None:
    assert footprint.plain("(= (f  x@@12)\n (Ctor boolType) 5)") == "(= (f x) (Ctor boolType) N)"
    assert footprint.plain("(MapType0Select a)") == footprint.plain("(MapType12Select a)")
    assert footprint.plain("(distinct a b)") == "(distinct ...)"


def test_every_obligation_has_the_axioms_that_are_left_out_once() -> None:
    """So none of them stands there in another form, which would not be left out."""
    for data in list(record.contents_of_all().values())[::60]:
        text = data.decode()
        for kind, axiom in footprint.SURJECTIVE.items():
            assert len(axiom.findall(text)) == text.count(f"({kind}_2_U (U_2_{kind} x") == (f"({kind}_2_U (U_2_{kind}" in text)


def test_what_is_kept_is_of_these_obligations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert footprint.check_bound()
    assert "no sentence" not in footprint.KEPT.read_text("utf-8")
    assert footprint.summary() in footprint.TRUST.read_text("utf-8")
    other = tmp_path / "footprint.txt"
    other.write_text(footprint.KEPT.read_text("utf-8").replace(footprint.digest(), "0" * 64))
    monkeypatch.setattr(footprint, "KEPT", other)
    with pytest.raises(Failed, match="other obligations"):
        footprint.check_bound()
    other.write_text(footprint.told({"A": footprint.Used(frozenset(), frozenset({"(= x x)"}))}))
    with pytest.raises(Failed, match=r"no sentence: write one into ci/prove/axioms\.txt"):
        footprint.check_bound()


def test_another_footprint_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"A": footprint.Used(frozenset(), frozenset({"(= x x)"})), "B": footprint.Used(frozenset({"int"}), None)}
    monkeypatch.setattr(footprint, "made", lambda: found)
    kept, cores = tmp_path / "footprint.txt", tmp_path / "cores.txt"
    monkeypatch.setattr(footprint, "KEPT", kept)
    monkeypatch.setattr(footprint, "KEPT_CORES", cores)
    with pytest.raises(Failed, match="other axioms"):
        footprint.check()
    kept.write_text(footprint.told(found))
    cores.write_text("# none\n")
    with pytest.raises(Failed, match=r"not asked by themselves(.|\n)*\nA$"):
        footprint.check()
    cores.write_text(f"{footprint.core(found['A'])} 1 1 sat unknown z3\n")
    assert "2 obligations" in footprint.check()
    assert "no sentence: (= x x)" in kept.read_text()


def test_what_was_asked_is_not_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless it was asked in another way."""
    obligation = record.Manifest.read().obligations[0]
    monkeypatch.setattr(footprint, "BUILD", tmp_path)
    monkeypatch.setattr(footprint, "ANSWERS", tmp_path / "footprint.json")
    monkeypatch.setattr(record.Manifest, "read", lambda: record.Manifest("", "", {}, {}, [obligation]))
    asked: list[str] = []

    def ask(_data: bytes, _own: object, place: Path) -> footprint.Used:
        asked.append(place.name)
        return footprint.Used(frozenset(), frozenset({"(= x x)"}))

    monkeypatch.setattr(footprint, "ask", ask)
    first = footprint.made()
    assert footprint.made() == first == {obligation.symbol: (frozenset(), {"(= x x)"})}
    assert asked == [obligation.sha256]
    monkeypatch.setattr(footprint, "TRIES", (frozenset(),))
    footprint.made()
    assert len(asked) == 2
