"""Every proof under ten random seeds, each within the one resource limit.

A seed renames, reorders and makes the solver choose otherwise; a proof that needs luck fails under one of them. `make stability`
writes what each symbol cost at least and at most; one whose cost varies much is the next to break.

`python3 -m ci.stability [NAME]`: all symbols, or those whose qualified name holds the given one.
"""

from __future__ import annotations

import csv
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from ci import resources
from ci.dafny import dafny
from ci.lib import BUILD, CONFIG, MODEL, WORKERS, Z3, Failed, check_z3, locked, relative

KEPT = MODEL / "record" / "stability.txt"
ROWS = BUILD / "stability.csv"
SEEDS = 10
HEAD = "# What the proofs of a symbol cost under {seeds} random seeds, at least and at most. `make stability` writes it.\n"


def spread(rows: Iterable[dict[str, str]]) -> tuple[dict[str, tuple[int, int]], list[str]]:
    """For each symbol the least and the most that all its proofs cost under one seed; and the proofs that failed, with seeds."""
    spent: dict[str, dict[str, int]] = {}
    failed = []
    for row in rows:
        name, seed = row["TestResult.DisplayName"], row["RandomSeed"]
        if row["TestResult.Outcome"] != "Passed":
            failed.append(f"{name}: {row['TestResult.Outcome']} with seed {seed}, after {row['TestResult.ResourceCount']}")
        by_seed = spent.setdefault(name.split(" (")[0], {})
        by_seed[seed] = by_seed.get(seed, 0) + int(row["TestResult.ResourceCount"])
    return {symbol: (min(costs.values()), max(costs.values())) for symbol, costs in spent.items()}, sorted(failed)


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def kept() -> dict[str, tuple[int, int]]:
    lines = KEPT.read_text().splitlines()[1:] if KEPT.exists() else []
    parts = (line.split() for line in lines)
    return {symbol: (int(least), int(most)) for symbol, least, most in parts}


def main(chosen: list[str]) -> int:
    started = time.monotonic()
    check_z3()
    with locked(BUILD):
        ROWS.unlink(missing_ok=True)
        ran = dafny(
            "measure-complexity",
            CONFIG,
            f"--mutations={SEEDS}",
            f"--cores={WORKERS}",
            f"--solver-path={Z3}",
            f"--log-format=csv;LogFileName={relative(ROWS)}",
            *(f"--filter-symbol={name}" for name in chosen),
            timeout=7200,
        )
        if not ROWS.exists():
            raise Failed(f"no rows\n{ran.tail()}")
        costs, failed = spread(read(ROWS))
    if failed:
        raise Failed("\n".join([f"{len(failed)} proofs do not hold under every seed", *failed]))
    if chosen:  # what is not measured anew stays, where it is still there
        costs = {symbol: cost for symbol, cost in (kept() | costs).items() if symbol in resources.kept()}
    lines = (f"{symbol} {least} {most}\n" for symbol, (least, most) in sorted(costs.items()))
    KEPT.write_text(HEAD.format(seeds=SEEDS) + "".join(lines))
    worst = sorted(costs, key=lambda symbol: -costs[symbol][1])[:5]
    print(f"{len(costs)} symbols hold under {SEEDS} seeds; the dearest: " + ", ".join(f"{one} {costs[one][1]}" for one in worst))
    print(f"measured in {time.monotonic() - started:.0f} s")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:2]))
    except Failed as failure:
        sys.exit(f"stability: {failure}")
