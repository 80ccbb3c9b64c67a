"""Makes anew what a change of the model or of the core makes stale, in the right order, and nothing else that takes long.

`python3 -m ci.prove.regenerate` (`make regenerate`) says of each step whether it was needed and how long it took; with `--list`
it only says what is stale, and which steps always run. Needs Dafny where the model has changed.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ci.audit import model_mutants, mutate, recheck, stability
from ci.lib import ROOT, VENV, Failed
from ci.prove import crosshair, footprint, generated, record, resources
from ci.prove.identity import digest

PYTHON = (sys.executable, "-m")
PORT = (str(VENV / "bin" / "python"), "-m")


FEW = 8
"""So many symbols are tried under the seeds each by itself: it takes two minutes, and a chapter more than ten times as long."""


@dataclass(frozen=True)
class Step:
    """A command for each thing that is stale; `stale` gives the arguments of each, and is asked when its turn comes."""

    name: str
    command: Sequence[str]
    stale: Callable[[], list[list[str]]]


def stale_generated() -> list[list[str]]:
    return [] if f'MODEL = "{generated.model_hash()}"' in generated.committed().get("__init__.py", "") else [[]]


def stale_record() -> list[list[str]]:
    try:
        return [[]] if record.stale(record.Manifest.read()) else []
    except Failed:
        return [[]]


def stale_axioms() -> list[list[str]]:
    try:
        footprint.check_bound()
    except Failed:
        return [[]]
    return []


def stale_seeds() -> list[list[str]]:
    """The symbols that were not tried, each by itself; where they are many, or are only gone, their chapters. A filter is a part
    of a symbol's name, so that of a chapter's definitions takes its proofs and examples too; one that ends in a point is another
    kind, which no symbol of a module meets."""
    untried = stability.stale()
    there = [symbol for symbol in untried if symbol in resources.kept()]
    if 0 < len(there) <= FEW:
        return [[symbol] for symbol in there]
    return [[chapter] for chapter in sorted({re.match(r"(.*?)(Proofs|Examples)?\.", symbol)[1] for symbol in untried})]


def stale_model_mutants() -> list[list[str]]:
    chapters = sorted({definition.split(".")[0] for definition in model_mutants.stale()})
    return [chapters] if chapters else []


def stale_mutants() -> list[list[str]]:
    modules = mutate.stale()
    return [modules] if modules else []


def stale_solvers() -> list[list[str]]:
    asked = recheck.KEPT.read_text() if recheck.KEPT.exists() else ""
    return [] if digest(record.Manifest.read().obligations) in asked else [[]]


def stale_symbolic() -> list[list[str]]:
    return [] if crosshair.kept() else [["--bound", "3"], ["--hunt"]]


STEPS = (
    Step("generated code", (*PYTHON, "ci.prove.generated"), stale_generated),
    Step("record", (*PYTHON, "ci.prove.record"), stale_record),
    Step("axioms of the proofs", (*PYTHON, "ci.audit.cores"), stale_axioms),
    Step("seeds", (*PYTHON, "ci.audit.stability"), stale_seeds),
    Step("mutants of the model", (*PYTHON, "ci.audit.model_mutants"), stale_model_mutants),
    Step("mutants of the core", (*PYTHON, "ci.audit.mutate"), stale_mutants),
    Step("solvers", (*PYTHON, "ci.audit.recheck"), stale_solvers),
    Step("symbolic execution", (*PORT, "ci.prove.crosshair"), stale_symbolic),
)
ALWAYS = (
    Step("vectors", ("env", "PYTHONPATH=tests", *PORT, "differential.vectors"), lambda: [[]]),
    Step("documentation", (*PORT, "ci.check.docs"), lambda: [[]]),
    Step("table", (*PYTHON, "ci.check.table"), lambda: [[]]),
    Step("theorems", (*PYTHON, "ci.check.theorems"), lambda: [[]]),
)
"""What takes seconds, and gives the same bytes where nothing has changed."""


def perform(step: Step) -> bool:
    """Runs a step for all that is stale; whether every run was good."""
    todo = step.stale()
    if not todo:
        print(f"{step.name}: as it should be", flush=True)
        return True
    for arguments in todo:
        started = time.monotonic()
        code = subprocess.run([*step.command, *arguments], cwd=ROOT, check=False).returncode
        what = " ".join([step.name, *arguments])
        print(
            f"{what}: {'made anew' if code == 0 else f'FAILED, exit code {code}'}, {time.monotonic() - started:.0f} s", flush=True
        )
        if code:
            return False
    return True


def main(arguments: Sequence[str]) -> int:
    if set(arguments) - {"--list"}:
        print(__doc__)
        return 2
    if "--list" in arguments:
        for step in STEPS:
            todo = step.stale()
            print(
                f"{step.name}: {'stale' if todo else 'as it should be'}{': ' if todo != [[]] and todo else ''}"
                + "; ".join(" ".join(one) for one in todo)
            )
        print(f"always run: {', '.join(step.name for step in ALWAYS)}")
        return 0
    for step in (*STEPS, *ALWAYS):
        if not perform(step):
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
