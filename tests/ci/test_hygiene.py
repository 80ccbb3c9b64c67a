"""The scan of the Dafny sources rejects what is bad, and only that."""

import pytest

from ci.lib import Failed
from ci.prove import hygiene
from ci.prove.source import declarations, tokens


def rules(text: str) -> list[str]:
    return [finding.rule for finding in hygiene.scan(text)]


def test_the_bad_sample_is_rejected_line_by_line() -> None:
    assert "bad lines rejected" in hygiene.check_bad_sample(hygiene.BAD_SAMPLE.read_text())


def test_a_bad_line_that_the_scan_misses_is_noticed() -> None:
    with pytest.raises(Failed, match="line 1: assume was not found"):
        hygiene.check_bad_sample("lemma L() { assert true; } // bad: assume\n")


def test_a_good_line_that_the_scan_rejects_is_noticed() -> None:
    with pytest.raises(Failed, match="line 2: assume was found"):
        hygiene.check_bad_sample("const r: real // bad: real\nlemma L() { assume true; }\n")


def test_a_sample_without_marks_shows_nothing() -> None:
    with pytest.raises(Failed, match="nothing is marked"):
        hygiene.check_bad_sample("lemma L() {}\n")


@pytest.mark.parametrize(
    "text",
    [
        "// assume\nlemma L() {}",
        "/* a /* nested */ assume */ lemma L() {}",
        'const s := "assume"',
        'const s := @"a "" assume"',
        "const c := '\\''\nlemma L() {}",
        "lemma assumed'(n': nat) {}",
        "function F(n: nat): nat { n / 2 + n % 10 }",
        "lemma L(a: set<nat>) requires a * a == {} ensures |a| == 0 {}",
        "lemma L(a: seq<nat>)\n  decreases |a|\n{\n}",
    ],
)
def test_what_is_good_passes(text: str) -> None:
    assert rules(text) == []


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("lemma L() { /* x */ assume /* y */ true; }", "assume"),
        ("lemma {:axiom} L() {}", "{:axiom}"),
        ("lemma {: axiom} L() {}", "{:axiom}"),
        ("@Axiom lemma L() {}", "@Axiom"),
        ("lemma L()\n  ensures 1 in {1, 2}\n\nlemma M() {}", "bodyless"),
        ("lemma L(a: set<nat>)\n  requires |{1}| == 1\n  ensures a == {}\n", "bodyless"),
        ("function F(): nat\n", "bodyless"),
        ("method M() decreases * {}", "decreases *"),
        ("const x := 1.5", "real"),
        ("const x: bv32 := 1", "bitvector"),
        ("function F(a: nat, b: nat): nat requires b > 0 { a / b }", "nonlinear"),
    ],
)
def test_what_is_bad_is_found(text: str, rule: str) -> None:
    assert rule in rules(text)


def test_declarations_carry_their_module_and_datatype() -> None:
    text = """
    module M {
      datatype T = A | B {
        function Size(): nat { if A? then 1 else 2 }
      }
      lemma {:isolate_assertions} L<X>(s: set<X>) requires s != {} ensures |s| > 0 { }
      function Sum(n: nat): nat { n } by method { return n; }
      class C { constructor () {} }
    }
    lemma Outside() {}
    """
    symbols = [(found.symbol, found.has_body) for found in declarations(tokens(text))]
    assert symbols == [("M.T.Size", True), ("M.L", True), ("M.Sum", True), ("M.C._ctor", True), ("Outside", True)]
