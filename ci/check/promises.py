"""The table at the head of `spec/TRUST.md`: what is promised, by what, and on which assumptions.

`python3 -m ci.check.promises` writes it from the rows below. Each row names its evidence: properties of the chapters, functions
of the certificate, tests, what is measured with real clients. A name that is not there fails the check, and so does an
assumption on which nothing rests, or that no check would notice.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ci.check.properties import SPEC, Property, read
from ci.lib import ROOT, Failed

PAGE = SPEC / "TRUST.md"
BLOCK = re.compile(r"(?<=<!-- promises -->\n).*?(?=<!-- end of promises -->)", re.DOTALL)
CLAUDE = ROOT / "python" / "src" / "forkpoint" / "clients" / "claude"
MAKE = re.compile(r"^([a-z-]+):", re.MULTILINE)


@dataclass(frozen=True)
class Assumption:
    """One sentence, and the command or the test that would notice if it were false."""

    says: str
    noticed: str


@dataclass(frozen=True)
class Promise:
    """One sentence, and what stands behind it: numbers of properties, functions of the certificate as `module.function`, tests
    and pages of measurements by their paths, and numbers of assumptions."""

    says: str
    theorems: Sequence[str] = ()
    certificate: Sequence[str] = ()
    tests: Sequence[str] = ()
    measured: Sequence[str] = ()
    rests_on: Sequence[int] = ()


ASSUMPTIONS = (
    Assumption("Dafny, Boogie and the solvers prove nothing that is false.", "make recheck"),
    Assumption("The port in Python does what the model's definitions say.", "make differential"),
    Assumption("The reader takes from a line what a client means by it.", "tests/transcript/test_reader.py"),
    Assumption("A result answers a call by its id, and the parts of a message share theirs.", "make test-client"),
    Assumption("A client of a version goes on at the entry that its rule names (HEAD).", "make test-client"),
    Assumption("A client sends the rendered context, and what hangs below it.", "make test-client"),
    Assumption("The tables of a client's own words, titles and kinds of lines are whole.", "make test-client"),
    Assumption("What was read from a file stays, or its size, time or inode changes.", "tests/disk/test_files.py"),
    Assumption("`link` fails where a name exists, and what `fsync` confirmed stays.", "make faults"),
    Assumption("A commit of SQLite or PostgreSQL is whole or not there.", "make load"),
)

PROMISES = (
    Promise(
        "A fork holds the conversation at its point, each line byte for byte, and nothing else.",
        ("P4.36", "P4.37", "P4.38", "P4.39", "P5.9", "P25.1", "P25.4", "P27.13"),
        ("certificate.check", "certificate.misread"),
        ("tests/sessions/test_certificate.py",),
        rests_on=(1, 2, 3),
    ),
    Promise(
        "The point is the one that the words of the request name; the title and the id follow from it.",
        (),
        ("certificate.asked.misplaced", "certificate.asked.misnamed", "certificate.goes_on.elsewhere"),
        ("tests/sessions/test_asked.py", "tests/sessions/test_goes_on.py"),
        rests_on=(3, 5, 7),
    ),
    Promise(
        "One can go on there: calls and results are paired, and nothing that belongs to it comes later.",
        ("P3.1", "P3.3", "P3.11", "P4.45"),
        ("certificate.asked.no_point",),
        ("tests/sessions/test_asked.py",),
        ("spec/client.md",),
        (1, 2, 3, 4),
    ),
    Promise(
        "`--nearest` takes the nearest point above.",
        ("P3.8",),
        ("certificate.asked.misplaced", "certificate.nearest.nearer"),
        ("tests/core/test_turns.py", "tests/sessions/test_asked.py"),
        rests_on=(1, 2, 3),
    ),
    Promise(
        "At the end of a fork a client sends what it sent there.",
        ("P4.39", "P4.48", "P27.8", "P27.13", "P27.17"),
        ("certificate.decide",),
        ("tests/sessions/test_certificate.py",),
        ("spec/client.md",),
        (1, 2, 3, 4, 5, 6, 7),
    ),
    Promise(
        "The files that a kept line names go along.",
        (),
        ("certificate.beside.missing",),
        ("tests/sessions/test_companions.py",),
        ("spec/sharing.md",),
        (3, 7),
    ),
    Promise(
        "Nothing of a log is changed or lost. `discard` and `gc --remove` alone delete, and only what stands elsewhere.",
        ("P5.1", "P5.4", "P5.6", "P5.18", "P5.19"),
        ("certificate.removal.not_held", "certificate.removal.not_beside", "certificate.removal.archived"),
        ("tests/cli/test_verify_fork.py", "tests/cli/test_archive.py", "tests/cli/test_own_writes.py"),
        rests_on=(1, 2, 8, 9),
    ),
    Promise(
        "An export holds what is shown.",
        ("P5.13", "P5.14"),
        ("certificate.misread",),
        ("tests/sessions/test_certificate.py",),
        rests_on=(1, 2, 3),
    ),
    Promise(
        "With a record a client sends what it sent, but for what the request names; undo restores it.",
        ("P5.20", "P12.2", "P13.1", "P20.5", "P20.6", "P26.1", "P26.12", "P26.15"),
        ("certificate.records.check",),
        ("tests/sessions/test_asked_appends.py",),
        rests_on=(1, 2, 3, 6),
    ),
    Promise(
        "`rewind` and `checkout` make the entry the head that was named.",
        (),
        ("certificate.goes_to", "certificate.goes_on.elsewhere"),
        ("tests/sessions/test_asked_appends.py", "tests/sessions/test_goes_on.py"),
        ("spec/in-place.md",),
        (3, 5, 7),
    ),
    Promise(
        "A merge brings each entry once, and loses none.",
        ("P5.22", "R2.4", "R2.5", "R2.10", "R2.14", "P23.3"),
        ("certificate.brought",),
        ("tests/sessions/test_certificate.py",),
        rests_on=(1, 2, 3),
    ),
    Promise(
        "An append touches no old byte, and is whole, or nothing, or torn behind the old end.",
        ("P24.1", "P24.2", "P24.3", "P24.5", "P24.7"),
        ("certificate.appended",),
        ("tests/disk/test_append.py",),
        rests_on=(1, 2, 8, 9),
    ),
    Promise(
        "A backfill keeps each old byte, and adds what lacked.",
        ("P6b.10", "P6b.12", "P6b.17"),
        ("certificate.filled",),
        ("tests/sessions/test_certificate.py",),
        rests_on=(1, 2, 7),
    ),
    Promise(
        "A repaired file holds the lines that its report says.",
        (),
        ("certificate.mended",),
        ("tests/sessions/test_certificate.py",),
        rests_on=(3, 7),
    ),
    Promise(
        "A worldline in a store holds what was appended, once; a branch leaves all others as they are.",
        ("P7.1", "P7.2", "P9.1", "P17.1", "P18.1", "P15.1", "P15.3"),
        (),
        ("tests/worldlines/test_store.py", "tests/worldlines/test_cells.py"),
        ("spec/scale.md",),
        (1, 2, 10),
    ),
    Promise(
        "A kill or a full disk leaves the old or the new, and what is named is whole.",
        ("P24.3", "P5.19"),
        (),
        ("tests/faults/test_faults.py",),
        rests_on=(8, 9),
    ),
)  # fmt: skip


def table(properties: Sequence[Property]) -> str:
    """The two tables."""
    chapters = {one.number: one for one in properties}
    lines = [
        "| promise | theorem | certificate, at run time | generated code | tested | measured | rests on |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in PROMISES:
        theorems = ", ".join(f"[{number}]({chapters[number].chapter.name}#{anchor(chapters[number])})" for number in one.theorems)
        compared = "yes" if any(chapters[number].port for number in one.theorems) else ""
        cells = [
            one.says,
            theorems,
            ", ".join(f"[`{name.rpartition('.')[2]}`](../{_file(name).relative_to(ROOT)})" for name in one.certificate),
            compared,
            ", ".join(f"[{Path(path).stem}](../{path})" for path in one.tests),
            ", ".join(f"[{Path(path).stem}]({Path(path).name})" for path in one.measured),
            ", ".join(f"A{number}" for number in sorted(one.rests_on)),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "| | assumption | what would notice |", "|---|---|---|"]
    for number, assumption in enumerate(ASSUMPTIONS, 1):
        what = assumption.noticed
        noticed = f"`{what}`" if what.startswith("make ") else f"[{Path(what).stem}](../{what})"
        lines.append(f"| A{number} | {assumption.says} | {noticed} |")
    return "\n".join(lines) + "\n"


def anchor(one: Property) -> str:
    """What a page calls the heading of a property."""
    return f"{one.number} {one.name}".lower().replace(".", "").replace(" ", "-")


def _file(name: str) -> Path:
    """The file in which a function of the certificate stands."""
    module = name.rpartition(".")[0].replace(".", "/")
    single = CLAUDE / f"{module}.py"
    return single if single.exists() else CLAUDE / module / "__init__.py"


def holes(properties: Sequence[Property]) -> Iterator[str]:
    """What a row names that is not there, and assumptions on which nothing rests."""
    numbers = {one.number for one in properties}
    targets = set(MAKE.findall((ROOT / "Makefile").read_text()))
    for one in PROMISES:
        yield from (f"{one.says}: there is no property {number}" for number in one.theorems if number not in numbers)
        yield from (f"{one.says}: there is no {path}" for path in (*one.tests, *one.measured) if not (ROOT / path).exists())
        yield from (f"{one.says}: there is no function {name}" for name in one.certificate if not _is_there(name))
        yield from (
            f"{one.says}: there is no assumption A{number}" for number in one.rests_on if not 0 < number <= len(ASSUMPTIONS)
        )
        if not (one.theorems or one.certificate or one.measured):
            yield f"{one.says}: by nothing but tests"
        if one.theorems and not {1, 2} <= {*one.rests_on} and one.certificate:
            yield f"{one.says}: a theorem rests on the prover and on the port (A1, A2)"
    resting = {number for one in PROMISES for number in one.rests_on}
    for number, assumption in enumerate(ASSUMPTIONS, 1):
        target = assumption.noticed.removeprefix("make ")
        if target not in targets and not (ROOT / target).exists():
            yield f"A{number}: there is no {assumption.noticed}"
        if number not in resting:
            yield f"A{number}: nothing rests on it"


def _is_there(name: str) -> bool:
    path, function = _file(name), name.rpartition(".")[2]
    if not path.exists():
        return False
    return any(isinstance(node, ast.FunctionDef) and node.name == function for node in ast.parse(path.read_text()).body)


def check() -> str:
    """The table on the page is what the rows say, and what they name is there."""
    properties = read()
    problems = list(holes(properties))
    found = BLOCK.search(PAGE.read_text())
    if not problems and (found is None or found[0] != table(properties)):
        problems.append(f"spec/{PAGE.name} has another table of promises: python3 -m ci.check.promises")
    if problems:
        raise Failed("\n".join(problems))
    return f"{len(PROMISES)} promises on {len(ASSUMPTIONS)} assumptions"


def write() -> None:
    """Writes the table into the page."""
    made = table(read())
    PAGE.write_text(BLOCK.sub(lambda _: made, PAGE.read_text()))


def main() -> int:
    problems = list(holes(read()))
    if problems:
        raise Failed("\n".join(problems))
    write()
    print(check())
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(f"promises: {failure}")
