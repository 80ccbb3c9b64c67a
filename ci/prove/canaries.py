"""Shows the verifier, the audit and the analysis what they must reject, by the very command that the real proofs go through."""

from __future__ import annotations

import re
from pathlib import Path

from ci.lib import BUILD, CANARIES, Failed, relative
from ci.prove.dafny import Row, dafny, read_rows, verify
from ci.prove.source import Declaration, declarations, tokens

FOLDER = BUILD / "canaries"


def lemmas(folder: Path) -> list[Declaration]:
    return [
        found
        for path in sorted(folder.glob("*.dfy"))
        for found in declarations(tokens(path.read_text()))
        if found.kind == "lemma"
    ]


def rows() -> list[Row]:
    return read_rows(FOLDER / "results.csv")


def check() -> str:
    """Every false lemma must be rejected, each by a row of its own."""
    ran, found = verify(FOLDER, "--filter-symbol=Canary", config=CANARIES / "dfyconfig.toml")
    outcome = {row.symbol: row.outcome for row in found if row.aspect == "correctness"}
    false = lemmas(CANARIES)
    wrong = [f"{lemma.symbol}: {outcome.get(lemma.symbol, 'no row')}" for lemma in false if outcome.get(lemma.symbol) != "Failed"]
    if wrong or not false or ran.code == 0:
        raise Failed("\n".join(["false lemmas that were not rejected", *wrong, ran.tail(10)]))
    return f"{len(false)} false lemmas rejected; {check_audit()}"


def check_audit() -> str:
    """A proof that assumes verifies; the audit must not pass it."""
    folder = CANARIES / "audit"
    for path in sorted(folder.glob("*.dfy")):
        ran = dafny("audit", path)
        unnoticed = [
            name.symbol for name in declarations(tokens(path.read_text())) if f" {name.symbol.split('.')[-1]}: " not in ran.output
        ]
        if unnoticed or not re.search(r"completed with [1-9]\d* finding", ran.output):
            raise Failed(f"the audit does not notice {', '.join(unnoticed) or relative(path)}\n{ran.tail(10)}")
    return "the audit finds what assumes"


def check_analysis() -> str:
    """A proof from contradictory hypotheses verifies; the analysis must not pass it."""
    folder = CANARIES / "analysis"
    ran, found = verify(
        BUILD / "canaries-analysis", "--filter-symbol=Canary", "--analyze-proofs", config=folder / "dfyconfig.toml"
    )
    expected = lemmas(folder)
    warnings = ran.output.count("Warning: ensures clause proved using contradictory assumptions")
    if ran.code == 0 or warnings != len(expected) or any(row.outcome != "Passed" for row in found):
        raise Failed(f"the analysis warns of {warnings} of {len(expected)} vacuous proofs\n{ran.tail(10)}")
    return f"{warnings} vacuous proof noticed"
