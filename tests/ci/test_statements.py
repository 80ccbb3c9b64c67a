"""Mutants of statements: what is ensured is weakened, and what is required is strengthened."""

from __future__ import annotations

from ci.audit import statements
from ci.audit.slices import piece

LEMMA = """\
  lemma Both(log: Log, u: Id)
    requires WellFormed(log)
    requires u in Uuids(log)
    ensures u in Kept(log)
    ensures var made := Made(log);
            && WellFormed(made)
            && (forall e | e in made ::
                  && e in log
                  && e.uuid != u)
            && |made| <= |log|
  {
    Helper(log);
  }"""


def changed() -> dict[str, str]:
    one = piece("Chapter", 0, LEMMA)
    return {made.change: made.text for made in (*statements.weaker(one), *statements.stronger(one))}


def test_each_conjunct_and_each_clause_is_left_out_once() -> None:
    found = changed()
    assert [change for change in found if "ensures" in change] == [
        "without ensures 1",
        "ensures 2 without its conjunct 1",
        "ensures 2 without its conjunct 2",
        "ensures 2 without its conjunct 3",
    ]
    assert "Kept(log)" not in found["without ensures 1"]
    assert "WellFormed(made)" not in found["ensures 2 without its conjunct 1"]
    assert "e in log" not in found["ensures 2 without its conjunct 2"]
    assert "|made| <= |log|" in found["ensures 2 without its conjunct 2"]
    assert "|made| <= |log|" not in found["ensures 2 without its conjunct 3"]


def test_rare_cases_are_forbidden_and_nothing_else_changes() -> None:
    found = changed()
    assert "requires !(|log| == 0)\n    requires WellFormed(log)" in found["forbids `|log| == 0`"]
    assert "requires !(|log| == 1)" in found["forbids `|log| == 1`"]
    assert all("Helper" not in text for text in found.values())


def test_callers_are_those_that_name_a_lemma_with_examples_last() -> None:
    one = next(made.piece for made in statements.mutants("07") if made.piece.name == "ForkHoldsExactlyTheContext")
    found = statements.callers(one)
    assert found
    assert one not in found
    assert [statements.is_example(other) for other in found] == sorted(statements.is_example(other) for other in found)
