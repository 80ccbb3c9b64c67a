"""Sets of axioms are asked by themselves, and one that contradicts itself is found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ci.audit import cores
from ci.lib import Failed
from ci.prove import footprint
from ci.prove.footprint import Used

MINE = footprint.background(["Mine"])
OBLIGATION = b"""(declare-sort |T@U| 0)
(declare-fun bool_2_U (Bool) T@U)
(declare-fun U_2_bool (T@U) Bool)
(declare-fun int_2_U (Int) T@U)
(declare-fun U_2_int (T@U) Int)
(declare-fun Mine.at (Int) Int)
(assert (and (and (forall ((x T@U) ) (!  (= (bool_2_U (U_2_bool x)) x)
 :pattern ( (U_2_bool x))
)) (forall ((arg0@@0 Int) ) (! (= (U_2_int (int_2_U arg0@@0)) arg0@@0)
 :pattern ( (int_2_U arg0@@0))
))) (forall ((x@@0 T@U) ) (!  (= (int_2_U (U_2_int x@@0)) x@@0)
 :pattern ( (U_2_int x@@0))
))))
(assert (= (Mine.at 1) 7))
(assert (not (= (Mine.at 1) 7)))
(check-sat)
"""
INJECTIVE = "(forall ((arg0 Int) ) (! (= (U_2_int (int_2_U arg0)) arg0) :pattern ( (int_2_U arg0)) ))"
ONE = Used(frozenset({"int"}), frozenset({INJECTIVE}))


def test_a_set_is_asked_without_goal_and_without_the_model() -> None:
    asked = cores.text(OBLIGATION, ONE, MINE, canary=False)
    assert "(= (Mine.at 1) 7)" not in asked
    assert asked.count("(assert (forall") == 1
    assert "U_2_bool x" not in asked


def test_a_set_stands_and_its_canary_is_refuted(tmp_path: Path) -> None:
    place = tmp_path / "one.smt2"
    place.write_text(cores.text(OBLIGATION, ONE, MINE, canary=False))
    assert cores.by_z3(place) != "unsat"
    place.write_text(cores.text(OBLIGATION, ONE, MINE, canary=True))
    assert cores.by_z3(place) == "unsat"


def test_an_obligation_without_the_contradictory_axioms_is_told() -> None:
    with pytest.raises(Failed, match="lacks the axioms"):
        cores.text(OBLIGATION.replace(b"bool_2_U (U_2", b"bool_2_U (V_2"), ONE, MINE, canary=True)


def test_what_is_kept_covers_the_footprint() -> None:
    """Each line is a set that no solver refuted."""
    rows = footprint.kept_cores()
    assert len(rows) > 1000
    assert all(len(row) == 6 and "unsat" not in row[3:5] and row[5] in ("cvc5", "z3", "none") for row in rows)


def test_a_set_that_is_refuted_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "make_environment", lambda *_: None)
    monkeypatch.setattr(footprint, "made", lambda: {"A": ONE})
    monkeypatch.setattr(cores, "asked", lambda _: {footprint.core(ONE): cores.Verdict("unknown", "unsat", "z3")})
    monkeypatch.setattr(cores, "KEPT", tmp_path / "cores.txt")
    with pytest.raises(Failed, match=r"a solver refutes(.|\n)* A$"):
        cores.main()
    assert not (tmp_path / "cores.txt").exists()


def test_what_was_asked_is_not_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "ANSWERS", tmp_path / "cores.json")
    key = footprint.core(ONE)
    cores.ANSWERS.write_text(json.dumps({key: ["sat", "unknown", "z3"]}))
    symbol = next(one.symbol for one in cores.record.Manifest.read().obligations)
    assert cores.asked({symbol: ONE}) == {key: ("sat", "unknown", "z3")}
