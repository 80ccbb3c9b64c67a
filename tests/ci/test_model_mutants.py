"""Mutants of the model: which there are, how they are named, and what is made of what becomes of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ci.audit import model_mutants as m
from ci.check import table
from ci.prove.source import written

MODEL = """\
module Names {
  function NumberOf(id: int): int { id + 1 }
}

module Chains {
  import opened Names

  const First: int := 3

  /** Not `x == y` here. */
  predicate Next(a: seq<int>, i: nat)
    requires i < |a|
  {
    && (forall j | 0 <= j < i :: a[j] != 0)
    && (if a[i] in {1} then !Odd(i) else true)
  }

  function Walk(a: seq<int>): seq<int>
    decreases |a|
  {
    assert |a| == 0 || |a| > 0;
    if |a| == 0 then [] else Walk(a[..|a| - 1]) + [First]
  }

  lemma Nothing()
    ensures 1 == 1
  {
  }
}
"""


@pytest.fixture
def chains(tmp_path: Path) -> Path:
    file = tmp_path / "07-Chains.dfy"
    file.write_text(MODEL)
    return file


def test_every_small_change_is_made_and_nothing_else(chains: Path) -> None:
    names = [mutant.name for mutant in m.mutants(chains)]
    assert len(set(names)) == len(names)
    assert {name.split(":")[0] for name in names} == {"Chains.First", "Chains.Next", "Chains.Walk"}
    assert "Chains.First: `const First: int := 3` becomes `const First: int := 4`" in names
    assert "Chains.Next: without `&& (forall j | 0 <= j < i :: a[j] != 0)`" in names
    assert "Chains.Walk: its body becomes ` [] `" in names
    changed = [name.split("` becomes `")[1] for name in names if name.startswith("Chains.Next: `&& (if")]
    assert changed == [
        "&& (if !(a[i] in {1}) then !Odd(i) else true)`",
        "&& (if a[i] !in {1} then !Odd(i) else true)`",
        "&& (if a[i] in {2} then !Odd(i) else true)`",
        "&& (if a[i] in {1} then Odd(i) else true)`",
        "&& (if a[i] in {1} then !Odd(i) else false)`",
    ]
    assert not any("assert" in name or "|a| < |a|" in name for name in names)


def test_a_mutant_is_the_file_with_one_change(chains: Path) -> None:
    for mutant in m.mutants(chains):
        written = mutant.written()
        assert written != MODEL
        assert written == MODEL[: mutant.start] + mutant.text + MODEL[mutant.end :]


def test_equality_is_stated_under_the_same_preconditions(chains: Path) -> None:
    mutant = next(one for one in m.mutants(chains) if one.text == "exists")
    stated = m.equality(mutant)
    assert stated is not None
    assert (stated.module, stated.name, stated.kind) == ("Chains", "Same", "lemma")
    text = stated.text
    assert "ghost predicate Changed(a: seq<int>, i: nat)" in text
    assert text.count("requires i < |a|") == 2
    assert "ensures Next(a, i) == Changed(a, i)" in text
    assert "(exists j | 0 <= j < i :: a[j] != 0)" in text
    walk = m.equality(next(one for one in m.mutants(chains) if one.symbol == "Chains.Walk"))
    assert walk is not None
    assert "decreases" not in walk.text
    assert "Changed(a: seq<int>): seq<int>" in walk.text
    assert m.equality(next(one for one in m.mutants(chains) if one.symbol == "Chains.First")) is None


def test_equality_is_stated_for_every_type(tmp_path: Path) -> None:
    file = tmp_path / "07-Saying.dfy"
    file.write_text("module Saying {\n  function SaidBy<T>(said: map<int, T>, id: int): bool {\n    id in said\n  }\n}\n")
    stated = m.equality(m.mutants(file)[0])
    assert stated is not None
    assert "ghost function Changed<T>(said: map<int, T>, id: int): bool" in stated.text
    assert "lemma Same<T>(said: map<int, T>, id: int)\n    ensures SaidBy(said, id) == Changed(said, id)" in stated.text


def test_what_breaks_no_proof_must_be_listed(chains: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    kept, listed = tmp_path / "mutants.txt", tmp_path / "equivalent.txt"
    monkeypatch.setattr(m, "KEPT", kept)
    monkeypatch.setattr(m, "EQUIVALENT", listed)
    kept.write_text("Chains.Old 1/2\nOrder.Ready 3/3\n")
    found = [mutant for mutant in m.mutants(chains) if mutant.symbol == "Chains.Walk"]
    verdicts = dict.fromkeys(found, "theorem") | {found[0]: "survived", found[1]: "equal", found[2]: "unresolved"}
    verdicts[found[-1]] = "example"
    assert m.report(verdicts, [chains]) == [f"breaks no proof: {found[0].name}"]
    of = written([chains])["Chains.Walk"]
    kinds = f"theorem={len(found) - 4} example=1"
    assert kept.read_text() == f"Chains.Walk {of} {len(found) - 3}/{len(found) - 2} {kinds}\nOrder.Ready 3/3\n"
    listed.write_text(f"# why\n{found[0].name} -- Order.NoSuchLemma\n{found[3].name} -- OrderProofs.CanonicalIsStable\n")
    assert m.report(verdicts, [chains]) == [
        f"listed as equivalent, but a proof breaks: {found[3].name}",
        f"no lemma Order.NoSuchLemma: {found[0].name}",
    ]


def test_what_is_written_is_told_apart_whatever_its_comments(chains: Path) -> None:
    before = written([chains])
    assert {"Names.NumberOf", "Chains.First", "Chains.Next", "Chains.Walk"} <= before.keys()
    chains.write_text(chains.read_text().replace("/** Not `x == y` here. */", "// another comment"))
    assert written([chains]) == before
    chains.write_text(chains.read_text().replace("First: int := 3", "First: int := 4"))
    after = written([chains])
    assert [symbol for symbol in before if after[symbol] != before[symbol]] == ["Chains.First"]


def test_counts_of_another_definition_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    owed = m.stale()
    assert {("model", symbol.split(".")[0]) for symbol in owed} <= table.owed().keys()
    kept = tmp_path / "mutants.txt"
    good = [line for line in m.KEPT.read_text().splitlines() if line.split()[0] not in owed]
    (symbol, of, count, *kinds), gone, untold, *rest = (line.split() for line in good)
    told = [[symbol, of[::-1], count, *kinds], untold[:3], *rest, ["Zebras.Gone", of, "1/1", "theorem=1"]]
    kept.write_text("".join(f"{' '.join(line)}\n" for line in told))
    monkeypatch.setattr(m, "KEPT", kept)
    assert m.stale() == sorted([symbol, gone[0], untold[0], *owed, "Zebras.Gone"])


LAST = """\
module Ends {
  datatype Pair = Pair(a: nat, b: Option<nat>)

  function Update(p: Pair): Pair {
    p.(a := 1)
  }

  function Two(a: nat, b: nat): Pair {
    Pair(a, Some(b))
  }

  function Case(p: Pair): nat {
    match p.b
    case Some(n) => n
    case None => p.a
  }

  function Plain(a: nat): nat {
    a
  }

  function Given(p: Pair): Pair {
    Two(Case(p), Ends.Case(p))
  }
}
"""


CARELESS = """\
module Careful {
  datatype Deed = Grow(entry: Entry) | Rest(n: nat)

  predicate Small(log: Log, n: nat) {
    |log| < n
  }

  predicate Able(log: Log, n: nat, deed: Deed) {
    match deed
    case Grow(entry) => entry.parent.Some? && n > 0
    case Rest(_) => true
  }

  function Kept(log: Log): set<Id> {
    {log[0].uuid}
  }
}
"""


def test_definitions_are_written_carelessly(tmp_path: Path) -> None:
    """A rare case is forbidden or answered without a look, a neighbour's condition asked, a guard left out."""
    file = tmp_path / "01-Careful.dfy"
    file.write_text(CARELESS)
    found = {mutant.name: mutant.written() for mutant in m.mutants(file) if mutant.note}
    assert {
        "Careful.Small: forbids `|log| == 0`",
        "Careful.Small: holds where `n == 0`",
        "Careful.Able: asks `Small(log, n)`, too",
        "Careful.Able: has no condition for Grow",
        "Careful.Able: forbids `entry.parent.None?` for Grow",
        "Careful.Kept: is {} where `|log| == 1`",
    } <= found.keys()
    assert not any("Rest" in name for name in found)
    assert "(|log| < n) && !(|log| == 0) }" in found["Careful.Small: forbids `|log| == 0`"]
    assert "case Grow(entry) => true\n    case Rest" in found["Careful.Able: has no condition for Grow"]


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("dafny/04-A.Proofs.dfy(3,1): Error: a postcondition could not be proved", "theorem"),
        ("dafny/04-A.Examples.dfy(3,1): Error: assertion might not hold", "example"),
        ("dafny/04-A.Fast.dfy(3,1): Error: a loop invariant", "fast"),
        ("dafny/04-A.dfy(3,1): Error: function precondition could not be proved", "definition"),
        ("dafny/04-A.Proofs.dfy(3,1): Error: Verification out of resource (A.B)", "resources"),
    ],
)
def test_what_breaks_is_told_apart(said: str, kind: str) -> None:
    assert m.broken(said) == kind


def test_where_no_sign_is_to_change_something_else_is(tmp_path: Path) -> None:
    file = tmp_path / "01-Ends.dfy"
    file.write_text(LAST)
    symbols = ["Ends.Update", "Ends.Two", "Ends.Case", "Ends.Plain", "Ends.Given"]
    found = {symbol: [mutant.text.strip() for mutant in m.mutants(file, [symbol])] for symbol in symbols}
    assert "" in found["Ends.Update"]
    assert {"a", "Some(b), a", "None", "b", "(a, Pair(a, Some(b)).1)"} <= set(found["Ends.Two"])
    assert any(("p.a" in text and text.endswith("n\n")) or "case None =>" in text for text in found["Ends.Case"])
    assert found["Ends.Plain"] == ["0"]
    given = [mutant.name for mutant in m.mutants(file, ["Ends.Given"])]
    for nothing in ("None", "[]"):
        assert f"Ends.Given: `Two(Case(p), Ends.Case(p))` becomes `Two({nothing}, Ends.Case(p))`" in given
        assert f"Ends.Given: `Two(Case(p), Ends.Case(p))` becomes `Two(Case(p), {nothing})`" in given
    assert found["Ends.Two"].count("None") == 1
    assert m.without_any({}, [file]) == symbols
    kept = next(mutant for mutant in m.mutants(file, symbols) if mutant.symbol == "Ends.Two")
    assert m.without_any({kept: "theorem"}, [file]) == ["Ends.Update", "Ends.Case", "Ends.Plain", "Ends.Given"]
