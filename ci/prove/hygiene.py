"""Rejects what would let a Dafny proof be less than a proof, or depend on a solver's weak spots.

`dafny audit` finds most of this too, where there is a Dafny; the scan also runs where there is none, and knows the project's
own rules: attributes are few and named here, inductions are written out, one resource limit holds for all, and no arithmetic
that z3 4.12.1 is known to get wrong (nonlinear, reals, bitvectors). A product of two terms cannot be told from an intersection
of two sets here: the check of the obligations looks for it (`ci/prove/record.py`).

Every run also shows the scan `dafny/canaries/hygiene/Bad.dfy.txt`, which breaks every rule, and demands that it sees so.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ci.lib import CANARIES, Failed, relative, sources
from ci.prove.source import Token, declarations, tokens

BAD_SAMPLE = CANARIES / "hygiene" / "Bad.dfy.txt"  # not .dfy: no formatter or editor should touch it

ATTRIBUTES = {"contradiction", "isolate_assertions", "tailrecursion", "trigger"}
AT_ATTRIBUTES = {"IsolateAssertions", "TailRecursion"}
AFTER_LABEL = {"old", "unchanged", "fresh", "allocated"}
WORDS = {
    "assume": "takes a claim for granted",
    "expect": "checks at run time what should be proved",
    "real": "reals",
    "real_pow": "reals",
}


@dataclass(frozen=True)
class Finding:
    line: int
    rule: str
    why: str


def scan(text: str) -> list[Finding]:
    """Everything in a source that breaks a rule."""
    stream = tokens(text)
    return sorted({*word_findings(stream), *bodyless(stream)}, key=lambda finding: (finding.line, finding.rule))


def word_findings(stream: list[Token]) -> Iterator[Finding]:
    nothing = Token("sign", "", 0, 0)
    for index, token in enumerate(stream):
        before = stream[index - 1] if index else nothing
        after = stream[index + 1] if index + 1 < len(stream) else nothing
        if token.kind == "word":
            if token.text in WORDS:
                yield Finding(token.line, token.text, WORDS[token.text])
            if re.fullmatch(r"bv\d+", token.text):
                yield Finding(token.line, "bitvector", "bitvectors")
            if token.text == "decreases" and after.text == "*":
                yield Finding(token.line, "decreases *", "gives up termination")
        elif token.kind == "number" and "." in token.text:
            yield Finding(token.line, "real", "reals")
        elif token.text == "{:" and after.text not in ATTRIBUTES:
            yield Finding(token.line, f"{{:{after.text}}}", "not an attribute that the project allows")
        elif token.text == "@" and after.text not in AT_ATTRIBUTES and before.text not in AFTER_LABEL:
            yield Finding(token.line, f"@{after.text}", "not an attribute that the project allows")
        elif token.text in ("/", "%") and after.kind != "number":
            yield Finding(token.line, "nonlinear", "divides by a term that is not a number")


def bodyless(stream: list[Token]) -> Iterator[Finding]:
    for declaration in declarations(stream):
        if not declaration.has_body:
            yield Finding(
                declaration.line, "bodyless", f"{declaration.kind} {declaration.symbol} has no body, so nothing is proved of it"
            )


def check_sources(files: list[Path]) -> str:
    found = [f"{relative(file)}:{bad.line}: {bad.rule}: {bad.why}" for file in files for bad in scan(file.read_text())]
    if found:
        raise Failed(f"{len(found)} findings\n" + "\n".join(found))
    return f"{len(files)} files"


def check_bad_sample(text: str) -> str:
    """The scan must find, in a bad sample, exactly the lines that say they are bad, for the reason they name."""
    marks = [
        (number, line.split("// bad: ")[1].strip()) for number, line in enumerate(text.splitlines(), 1) if "// bad: " in line
    ]
    found = [(finding.line, finding.rule) for finding in scan(text)]
    wrong = [f"line {number}: {rule} was not found" for number, rule in marks if (number, rule) not in found]
    wrong += [
        f"line {number}: {rule} was found, though nothing is wrong" for number, rule in found if (number, rule) not in marks
    ]
    if wrong or not marks:
        raise Failed("the scan itself is broken: on the bad sample\n" + "\n".join(wrong or ["nothing is marked bad"]))
    return f"{len(marks)} bad lines rejected"


def check() -> str:
    sample = check_bad_sample(BAD_SAMPLE.read_text())
    return f"{check_sources(sources())}; in the bad sample {sample}"


if __name__ == "__main__":
    try:
        print(check())
    except Failed as failure:
        sys.exit(f"hygiene: {failure}")
