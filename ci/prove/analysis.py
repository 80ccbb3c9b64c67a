"""What Dafny's own tools say of the proofs beyond that they pass: that nothing is assumed, that no proof follows from a
contradiction, that every precondition is needed, and that the sources are formatted."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from ci.lib import BUILD, CONFIG, ROOT, WORKERS, Failed, entries, sources
from ci.prove.dafny import dafny, verify
from ci.prove.source import declarations, tokens

CONTRADICTIONS = ROOT / "ci" / "prove" / "contradictions.txt"
NEEDLESS = ROOT / "ci" / "prove" / "needless.txt"
ENTRY = re.compile(r"(\S+) (\d+): (\S.*)")
WARNING = re.compile(r"^(?P<file>[^\s(]+)\((?P<line>\d+),\d+\): Warning: (?P<text>.*)$", re.MULTILINE)
HINT = "unnecessary (or partly unnecessary) assert statement"
NEEDLESS_REQUIRES = "unnecessary requires clause"
AGAIN = 3
"""So many proofs at most may be asked again, each by itself, where the solver ends without an answer."""


def check_audit() -> str:
    ran = dafny("audit", CONFIG)
    if ran.code or "completed with 0 findings" not in ran.output:
        raise Failed(f"the audit has findings\n{ran.tail()}")
    return "0 findings"


def check_format() -> str:
    ran = dafny("format", "--check", CONFIG)
    if ran.code:
        raise Failed(f"not as `dafny format` writes it\n{ran.tail()}")
    return "as `dafny format` writes it"


def check_analysis() -> str:
    """Runs all proofs again and reads what Dafny warns of: any clause that is proved from a contradiction, and any precondition
    that no proof needs, unless it is listed. An `assert` that the solver's reasons do not name is only counted: most are there
    to make the solver look at a term, which is not a reason."""
    # Without `--allow-warnings` Dafny ends at the first kind of warning, the mere hints; every warning is judged below.
    ran, found = verify(BUILD / "analysis", "--analyze-proofs", "--allow-warnings", cores=WORKERS)
    unproved = sorted({row.name.split(" (")[0] for row in found if row.outcome != "Passed"})
    if not found or len(unproved) > AGAIN or (ran.code and not unproved):
        raise Failed("\n".join(["not everything is proved under analysis", *unproved, ran.tail(20)]))
    output = ran.output
    for symbol in unproved:  # what the solver did before changes how it goes about the next proof: each may stand by itself
        again, own = verify(BUILD / "again", "--analyze-proofs", "--allow-warnings", f"--filter-symbol={symbol}", cores=WORKERS)
        if again.code or not own or any(row.outcome != "Passed" for row in own):
            raise Failed("\n".join(["not everything is proved under analysis", symbol, again.tail(20)]))
        output += again.output
    problems, needless, hints = judge_warnings(output)
    problems += unlisted(needless, justified(NEEDLESS))
    if problems:
        raise Failed("\n".join(["the analysis of the proofs complains", *problems]))
    return (
        f"{len(found)} proofs, none from a contradiction; {needless.total()} needless preconditions, each justified; "
        f"{hints} asserts that are only hints"
    )


def judge_warnings(output: str) -> tuple[list[str], Counter[str], int]:
    """The warnings that nothing excuses, the needless preconditions of each symbol, and the number of mere hints."""
    problems, hints = [], 0
    needless: Counter[str] = Counter()
    for warning in WARNING.finditer(output):
        path = ROOT / warning["file"]
        if warning["text"] == HINT:
            hints += 1
        elif warning["text"] == NEEDLESS_REQUIRES:
            needless[symbol_at(path, int(warning["line"]))] += 1
        else:
            problems.append(warning[0])
    return problems, needless, hints


def symbol_at(path: Path, line: int) -> str:
    stream = tokens(path.read_text())
    for declaration in declarations(stream):
        if declaration.line <= line <= stream[declaration.end - 1].line:
            return declaration.symbol
    return f"{path.name}:{line}"


def contradictions(files: list[Path]) -> Counter[str]:
    """How often each symbol claims to be in the middle of a proof by contradiction."""
    found: Counter[str] = Counter()
    for path in files:
        stream = tokens(path.read_text())
        marks = [index for index, token in enumerate(stream) if token.text == "contradiction" and stream[index - 1].text == "{:"]
        owners = list(declarations(stream))
        for mark in marks:
            found[next((owner.symbol for owner in owners if owner.first <= mark < owner.end), path.name)] += 1
    return found


def justified(path: Path) -> Counter[str]:
    """The entries of a list of exceptions: `Module.Lemma COUNT: why`."""
    return Counter({symbol: int(count) for symbol, count in entries(path, ENTRY).items()})


def differences(found: Counter[str], listed: Counter[str], what: str, path: Path) -> list[str]:
    """A list of exceptions must be exactly what is there: nothing unlisted, nothing left over."""
    return [
        f"{symbol}: {found[symbol]} {what}, {listed[symbol]} listed in ci/{path.name}"
        for symbol in sorted(found | listed)
        if found[symbol] != listed[symbol]
    ]


def unlisted(needless: Counter[str], listed: Counter[str]) -> list[str]:
    """What a list of needless preconditions does not excuse, and what it excuses although nothing of that name has one.

    A listed one need not be reported: the solver names one set of reasons where there are several, not always the same."""
    declared = {declaration.symbol for path in sources() for declaration in declarations(tokens(path.read_text()))}
    return [
        f"{symbol}: {needless[symbol]} preconditions that no proof needs, {listed[symbol]} listed in ci/{NEEDLESS.name}"
        for symbol in sorted(needless)
        if needless[symbol] > listed[symbol]
    ] + [
        f"{symbol}: listed in ci/{NEEDLESS.name}, but nothing has that name"
        for symbol in sorted(listed)
        if symbol not in declared
    ]


def check_contradictions() -> str:
    """The attribute silences the analysis, so each use of it is listed, counted and justified."""
    found = contradictions(sources())
    if wrong := differences(found, justified(CONTRADICTIONS), "{:contradiction}", CONTRADICTIONS):
        raise Failed("\n".join(["{:contradiction} without a justification", *wrong]))
    return f"{found.total()} {{:contradiction}}, each justified"
