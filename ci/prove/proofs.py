"""The main run: every proof of the model, with a floor on their number so that none goes missing unnoticed."""

from __future__ import annotations

import re

from ci.lib import BUILD, ROOT, Failed, sources
from ci.prove.dafny import Row, read_rows, verify
from ci.prove.source import declarations, tokens

FOLDER = BUILD / "verify"
FLOOR = ROOT / "ci" / "prove" / "floor.txt"
DEAREST_EXAMPLE = 5.0


def rows() -> list[Row]:
    return read_rows(FOLDER / "results.csv")


def floor() -> int:
    return int(FLOOR.read_text()) if FLOOR.exists() else 0


def raise_floor(count: int) -> int:
    """The floor follows the record up; down, only by hand."""
    raised = max(count, floor())
    FLOOR.write_text(f"{raised}\n")
    return raised


def silent_lemmas(found: list[Row]) -> list[str]:
    """Lemmas that no row of the results says anything of: they claim nothing, or were not looked at."""
    checked = {row.symbol for row in found if row.aspect == "correctness"}
    return [
        f"{path.name}:{declaration.line}: {declaration.symbol} has no result row"
        for path in sources()
        for declaration in declarations(tokens(path.read_text()))
        if declaration.kind == "lemma" and declaration.symbol not in checked
    ]


def check() -> str:
    ran, found = verify(FOLDER)
    failed = [f"{row.name}: {row.outcome}" for row in found if row.outcome != "Passed"]
    if failed or ran.code:
        raise Failed("\n".join(["not everything is proved", *failed, ran.tail(40)]))
    counted = re.search(r"finished with (\d+) verified, 0 errors", ran.output)
    if not counted or int(counted[1]) != len(found):
        raise Failed(f"Dafny reports {counted[1] if counted else 'no'} proofs, its results have {len(found)}")
    if len(found) < floor():
        raise Failed(f"{len(found)} verified, fewer than the floor of {floor()} (ci/prove/floor.txt)")
    if silent := silent_lemmas(found):
        raise Failed("\n".join(["lemmas that nothing was proved of", *silent]))
    return f"{len(found)} verified, 0 errors (floor {floor()})"


def check_examples() -> str:
    """Concrete counterexamples are the dearest proofs; a bound on each keeps them from eating the time of the rest."""
    spent: dict[str, float] = {}
    for row in rows():
        if row.symbol.split(".")[0].endswith("Examples"):
            spent[row.symbol] = spent.get(row.symbol, 0) + row.seconds
    dear = [f"{symbol}: {seconds:.1f} s" for symbol, seconds in spent.items() if seconds >= DEAREST_EXAMPLE]
    if dear:
        raise Failed("\n".join([f"examples that take {DEAREST_EXAMPLE:.0f} s or more", *dear]))
    return f"{len(spent)} symbols, the dearest {max(spent.values(), default=0):.1f} s"
