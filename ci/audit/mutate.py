"""Mutants of the core: small defects, one at a time, that the tests of the core must find.

`make mutate` puts every defect that mutmut knows into every function of `forkpoint.core` and runs, against each, the tests of
the function's own chapter, with few examples for each property. At least 95 % must be found, and each one that is not stands in
`ci/audit/survivors.txt` with the reason why nothing can tell it from the original. `python3 -m ci.audit.mutate turns forks`
does it for some modules only, and asks for no share. What is computed at import (the regular expressions of the scanner, the
defaults of fields) has no mutants.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from pathlib import Path

from ci.lib import BUILD, ROOT, WORKERS, Failed, entries, locked, relative, run
from ci.setup import PROJECT, locked_packages, make_environment

MUTMUT = ROOT / ".tools" / "mutmut"
PACKAGE = "mutmut==3.8.1"
WORKER = ROOT / "ci" / "audit" / "mutate_worker.py"
CORE = ROOT / "python" / "src" / "forkpoint" / "core"
LAWS = CORE.parent / "laws"
OF_LAWS, DEFINITIONS = "laws.", "definitions."
"""Begins the name of a module of definitions."""
SURVIVORS = ROOT / "ci" / "audit" / "survivors.txt"
KEPT = ROOT / "ci" / "audit" / "mutants.txt"
LEAST = 95
EXAMPLES = "15"
"""How many examples each property gets for each mutant."""
VECTORS = "tests/differential/test_vectors.py::test_the_port_answers_as_the_model_did"
BUT = ("-k", "not test_history_keeps_everything")  # it takes as long as all others together
HEAD = """\
# Mutants of each function of the core: found by the tests / made, and what each module was when they were made. `make mutate`
# writes it.
"""
ENTRY = re.compile(r"(\S+ `.*` -> `.*`(?: \d+)?): (\S.*)")
FATES = ("killed", "timed out", "survived")
CANARY = {
    "canary.py": """
def held(n: int) -> int:
    return n + 1


def loose(n: int) -> int:
    return n + 1


def ends(n: int) -> int:
    while n > 0:
        n -= 1
    return n
""",
    "test_canary.py": """
import canary


def test_canary() -> None:
    canary.loose(1)
    assert canary.held(1) == 2
    assert canary.ends(1) == 0
""",
    "test_broken.py": """
import canary


def test_broken() -> None:
    assert canary.held(1) == 3
""",
}


@dataclass(frozen=True)
class Mutant:
    """A mutant, named by what stays the same when other code changes: its function and the lines that differ."""

    function: str
    change: str
    fate: str

    @property
    def name(self) -> str:
        return f"{self.function} {self.change}"

    @property
    def found(self) -> bool:
        return self.fate in ("killed", "timed out")


def packages() -> list[str]:
    """The tool, and what the core and its tests import, as the lock has it."""
    project = tomllib.loads(PROJECT.read_text())["project"]
    return [PACKAGE, *locked_packages(*project["dependencies"], "hypothesis", "pytest")]


def mutate(source: Path, name: str, tests: Sequence[str | Path]) -> list[Mutant]:
    """Runs tests against every mutant of a module, which has this name when it is imported."""
    command = [MUTMUT / "bin" / "python", WORKER, source, name, "-c", PROJECT, *tests]
    ran = run(command, 4 * 3600, {"EXAMPLES": EXAMPLES, "PYTHONPATH": f"{ROOT}:{source.parents[name.count('.')]}"})
    if ran.code:
        raise Failed(f"the tests of {source.stem} cannot be run against mutants\n{ran.tail()}")
    rows = [json.loads(line) for line in ran.output.splitlines()]
    return [Mutant(f"{source.stem}.{function}", change, fate) for function, change, fate in rows]


def check_canary() -> None:
    """In a sample a defect that its test can see is found, also an endless loop; one that no test sees is complained of; and
    tests that fail without a defect find nothing."""
    folder = BUILD / "mutants"
    folder.mkdir(exist_ok=True)
    for name, text in CANARY.items():
        (folder / name).write_text(text)
    found = mutate(folder / "canary.py", "canary", [folder / "test_canary.py"])
    fates = {mutant.function: {each.fate for each in found if each.function == mutant.function} for mutant in found}
    if fates["canary.held"] != {"killed"} or "timed out" not in fates["canary.ends"] or fates["canary.loose"] != {"survived"}:
        raise Failed(f"the mutants of a sample do not fare as they must: {fates}")
    if not judge(found, ()):
        raise Failed("a mutant that no test can find is not complained of")
    try:
        mutate(folder / "canary.py", "canary", [folder / "test_broken.py"])
    except Failed:
        return
    raise Failed("tests that fail without a mutant are taken to find them all")


def place(module: str) -> Path:
    """Where a module of the core stands, or of the definitions that the laws are said in: `definitions.order`."""
    if module.startswith(OF_LAWS):
        return LAWS / f"{module.removeprefix(OF_LAWS)}.py"
    return (LAWS / module.replace(".", "/") if module.startswith(DEFINITIONS) else CORE / module).with_suffix(".py")


def tests_of(module: str) -> list[str]:
    """The tests of the core that a module is tried with: its chapter's; and for definitions, those of the definitions first."""
    chapter = module.removeprefix(DEFINITIONS)
    return [f"tests/core/test_{name}.py" for name in ([module] if chapter == module else ["definitions", chapter])]


def mutate_core(module: str) -> list[Mutant]:
    """The mutants of a module, tested by its chapter's tests and by the model's answers."""
    path = place(module)
    name = ".".join(path.relative_to(CORE.parents[1]).with_suffix("").parts)
    found = mutate(path, name, [*tests_of(module), VECTORS, *BUT])
    return [replace(each, function=f"{module}.{each.function.split('.', 1)[1]}") for each in found]


def explained(path: Path = SURVIVORS) -> dict[str, str]:
    """The survivors on the list, each with the reason why nothing can tell it from the original."""
    return entries(path, ENTRY)


def judge(found: Sequence[Mutant], listed: Collection[str]) -> list[str]:
    """What is wrong: a survivor that is not listed, a listed one that is none."""
    alive = {mutant.name: mutant.fate for mutant in found if not mutant.found}
    problems = [f"{fate}, not in {relative(SURVIVORS)}: {name}" for name, fate in alive.items() if name not in listed]
    problems += [f"in {relative(SURVIVORS)}, but found or gone: {name}" for name in listed if name not in alive]
    return problems


def too_few(found: Sequence[Mutant]) -> list[str]:
    """What is wrong with the share that is found, whatever the reasons of the others."""
    count = sum(mutant.found for mutant in found)
    return [f"{count} of {len(found)} are found, less than {LEAST} %"] if 100 * count < LEAST * len(found) else []


def table(found: Mapping[str, Sequence[Mutant]]) -> str:
    """A line for each module, and the total."""
    rows = [f"  {'':<12}{'mutants':>9}" + "".join(f"{fate:>11}" for fate in FATES)]
    for module, own in [*found.items(), ("all", list(chain.from_iterable(found.values())))]:
        count = Counter(mutant.fate for mutant in own)
        share = 100 * sum(mutant.found for mutant in own) / len(own)
        rows.append(f"  {module:<12}{len(own):>9}" + "".join(f"{count[fate]:>11}" for fate in FATES) + f"{share:>9.1f} %")
    return "\n".join(rows)


def code_of(module: str) -> str:
    """Says what the code of a module is, whatever its comments, docstrings and layout."""
    return _code(place(module).read_text())


@lru_cache(maxsize=1024)
def _code(source: str) -> str:
    """The same for a text."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            del node.body[0]
    return hashlib.sha256(ast.unparse(tree).encode()).hexdigest()[:16]


def modules_of_core() -> list[str]:
    """Those of the core, and those of the definitions."""
    own = [path.stem for path in CORE.glob("[a-z]*.py")]
    return sorted([*own, *(f"{DEFINITIONS}{path.stem}" for path in (LAWS / "definitions").glob("[a-z]*.py"))])


def modules_of_laws() -> list[str]:
    """Those that hold the laws, which have no mutants."""
    return sorted(f"{OF_LAWS}{path.stem}" for path in LAWS.glob("[a-z]*.py"))


def stale() -> list[str]:
    """The modules of the core whose mutants were made of other code."""
    held = dict(row.split() for row in KEPT.read_text().splitlines() if row and not row.startswith("#"))
    return [module for module in modules_of_core() if held.get(module) != code_of(module)]


def module_of(row: str) -> str:
    """The module that a line tells of."""
    parts = row.split(" ")[0].split(".")
    return ".".join(parts[:2] if f"{parts[0]}." == DEFINITIONS else parts[:1])


def keep(found: Mapping[str, Sequence[Mutant]]) -> None:
    """Writes down how many mutants of each function are found; the lines of other modules stay."""
    old = KEPT.read_text().splitlines() if KEPT.exists() else []
    rows = {row for row in old if not row.startswith("#") and module_of(row) not in found}
    made = Counter(mutant.function for mutant in chain.from_iterable(found.values()))
    killed = Counter(mutant.function for mutant in chain.from_iterable(found.values()) if mutant.found)
    rows |= {f"{function} {killed[function]}/{count}" for function, count in made.items()}
    rows |= {f"{module} {code_of(module)}" for module in found}
    KEPT.write_text(HEAD + "".join(f"{row}\n" for row in sorted(rows)))


def main(arguments: Sequence[str]) -> int:
    started = time.monotonic()
    sizes = {module: place(module).stat().st_size for module in modules_of_core()}
    if unknown := sorted(set(arguments) - sizes.keys()):
        raise Failed(f"the core has no module {', '.join(unknown)}")
    modules = sorted(set(arguments) or sizes, key=lambda module: -sizes[module])  # the longest first, so that none is left alone
    with locked(BUILD):
        make_environment(MUTMUT, packages(), b"")
        check_canary()
        with ThreadPoolExecutor(WORKERS) as pool:
            running = {module: pool.submit(mutate_core, module) for module in modules}
            found = {module: running[module].result() for module in sorted(modules)}
    print(table(found))
    keep(found)
    listed = {name: why for name, why in explained().items() if module_of(name) in found}
    every = list(chain.from_iterable(found.values()))
    if problems := judge(every, listed) + ([] if arguments else too_few(every)):
        raise Failed("\n".join(["the tests do not find what they must", *problems]))
    print(f"{len(listed)} survivors, each explained; {relative(KEPT)}; {time.monotonic() - started:.0f} s")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failed as failure:
        sys.exit(f"mutate: {failure}")
