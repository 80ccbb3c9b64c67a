"""The proofs of the model, with a floor on their number so that none goes missing unnoticed; and those of its examples, the
witnesses and counterexamples, in a run of their own, since they take as long as a half of the rest.

The proofs are made in two runs, of the first chapters and of the others. One Dafny does most of its work on one core, and numbers
its obligations otherwise on two; so each core gets a Dafny of its own, and every machine the same numbers."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ci.lib import BUILD, CONFIG, MODEL, ROOT, WORKERS, Failed, sources
from ci.prove.dafny import Row, read_rows, verify
from ci.prove.source import declarations, tokens

FIRST, SECOND = BUILD / "verify-first", BUILD / "verify-second"
PARTS = (FIRST, SECOND)
CUT = "10"
"""With this chapter the second part begins; each takes about as long as the other."""
EXAMPLES = BUILD / "examples"
FLOOR = ROOT / "ci" / "prove" / "floor.txt"
DEAREST_EXAMPLE = 6_000_000
"""Resource units that an example may take; they are the same on every machine. The limit of any proof is 10,000,000."""


def rows(*folders: Path) -> list[Row]:
    """The result rows of some runs, in the order of their names; without any those of both parts."""
    found = [row for folder in folders or PARTS for row in read_rows(folder / "results.csv")]
    return sorted(found, key=lambda row: (row.symbol, row.aspect, row.batch))


def of_example(symbol: str) -> bool:
    """Whether a symbol stands in a module of examples."""
    return symbol.split(".")[0].endswith("Examples")


def files(folder: Path) -> list[Path]:
    """The sources that a run is about: those of a part without its examples, or these alone."""
    examples = [path for path in sources() if path.stem.endswith(".Examples")]
    if folder == EXAMPLES:
        return examples
    return [path for path in sources() if path not in examples and (path.name < CUT) == (folder == FIRST)]


def project(folder: Path) -> Path:
    """The project file of a run: the options of the model's own, and its files. A file that is only included is not proved
    again."""
    model = Path("..", "..", "..", MODEL.relative_to(ROOT))
    chosen = "includes = [" + ", ".join(f'"{model / path.name}"' for path in files(folder)) + "]"
    path = BUILD / "projects" / folder.name / "dfyconfig.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(re.sub(r"^includes = .*$", lambda _: chosen, CONFIG.read_text(), flags=re.MULTILINE))
    return path


def floor() -> int:
    return int(FLOOR.read_text()) if FLOOR.exists() else 0


def raise_floor(count: int) -> int:
    """The floor follows the record up; down, only by hand."""
    raised = max(count, floor())
    FLOOR.write_text(f"{raised}\n")
    return raised


def silent_lemmas(found: list[Row], looked_at: list[Path]) -> list[str]:
    """Lemmas in some files that no row of the results says anything of: they claim nothing, or were not looked at."""
    checked = {row.symbol for row in found if row.aspect == "correctness"}
    return [
        f"{path.name}:{declaration.line}: {declaration.symbol} has no result row"
        for path in looked_at
        for declaration in declarations(tokens(path.read_text()))
        if declaration.kind == "lemma" and declaration.symbol not in checked
    ]


def prove(folder: Path) -> list[Row]:
    """Has a part of the model, or its examples, proved; the rows of the results. Raises Failed where one thing is not proved."""
    ran, found = verify(folder, config=project(folder))
    failed = [f"{row.name}: {row.outcome}" for row in found if row.outcome != "Passed"]
    if failed or ran.code:
        raise Failed("\n".join(["not everything is proved", *failed, ran.tail(40)]))
    counted = re.search(r"finished with (\d+) verified, 0 errors", ran.output)
    if not counted or int(counted[1]) != len(found):
        raise Failed(f"Dafny reports {counted[1] if counted else 'no'} proofs, its results have {len(found)}")
    if silent := silent_lemmas(found, files(folder)):
        raise Failed("\n".join(["lemmas that nothing was proved of", *silent]))
    return found


def check_part(folder: Path) -> str:
    """Proves a part of the model."""
    own = files(folder)
    return f"{len(prove(folder))} verified, 0 errors: chapters {own[0].name[:2]} to {own[-1].name[:2]}"


def check_floor() -> str:
    """What both parts came to, together, when both have run."""
    found = rows()
    if len(found) < floor():
        raise Failed(f"{len(found)} verified, fewer than the floor of {floor()} (ci/prove/floor.txt)")
    return f"{len(found)} verified, 0 errors (floor {floor()}); the examples: `make verify-all`"


def check() -> str:
    """Proves both parts."""
    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(check_part, PARTS))
    return check_floor()


def check_examples() -> str:
    """Concrete counterexamples are the dearest proofs; a bound on each keeps them from eating the time of the rest."""
    spent: dict[str, int] = {}
    for row in prove(EXAMPLES):
        spent[row.symbol] = spent.get(row.symbol, 0) + row.resources
    dear = [f"{symbol}: {units}" for symbol, units in spent.items() if units >= DEAREST_EXAMPLE]
    if dear:
        raise Failed("\n".join([f"examples that take {DEAREST_EXAMPLE} units or more", *dear]))
    return f"{len(spent)} symbols, the dearest {max(spent.values(), default=0)} units"
