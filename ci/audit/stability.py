"""Every proof under ten random seeds, each within the one resource limit.

A seed renames, reorders and makes the solver choose otherwise; a proof that needs luck fails under one of them. `make stability`
writes what each symbol cost at least and at most; one whose cost varies much is the next to break.

`python3 -m ci.audit.stability [NAME]`: all symbols, or those whose qualified name holds the given one; the seeds are 0 to 9 in
both cases. What a seed gave is kept until the last has ended, so that a run that is stopped goes on with the seed that it was at.
"""

from __future__ import annotations

import csv
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from ci.lib import BUILD, CONFIG, MODEL, WORKERS, Z3, Failed, check_z3, locked, project, relative, sha256, sources
from ci.prove import resources
from ci.prove.dafny import dafny
from ci.prove.source import written

KEPT = MODEL / "record" / "stability.txt"
ROWS = BUILD / "stability.csv"
PASSES = BUILD / "seeds" / "passes"
SEEDS = 10
LONG = 300
"""Seconds after which a proof fails under a seed. Its units come first, but the solver has loops that take none."""
HEAD = """\
# A symbol, what was written there, as a digest, and what its proofs cost under {seeds} random seeds, at least and at most, and
# under how many they fail, if under any.
# `make stability` writes it.
"""


@dataclass(frozen=True)
class Spread:
    """What all proofs of a symbol cost under one seed, at least and at most, under how many seeds one of them fails, and what
    the symbol was."""

    least: int
    most: int
    failing: int = 0
    of: str = ""

    def __str__(self) -> str:
        return f"{self.of} {self.least} {self.most}" + (f" {self.failing}" if self.failing else "")


def spread(rows: Iterable[dict[str, str]]) -> dict[str, Spread]:
    """The costs and failures of each symbol."""
    spent: dict[str, dict[str, int]] = {}
    failing: dict[str, set[str]] = {}
    for row in rows:
        symbol, seed = row["TestResult.DisplayName"].split(" (")[0], row["RandomSeed"]
        by_seed = spent.setdefault(symbol, {})
        by_seed[seed] = by_seed.get(seed, 0) + int(row["TestResult.ResourceCount"])
        if row["TestResult.Outcome"] != "Passed":
            failing.setdefault(symbol, set()).add(seed)
    return {
        symbol: Spread(min(costs.values()), max(costs.values()), len(failing.get(symbol, ()))) for symbol, costs in spent.items()
    }


def unmeasured(rows: Iterable[dict[str, str]], expected: Iterable[str], count: int = SEEDS) -> list[str]:
    """What is wrong with rows: symbols that are expected and not there, and such as have not been tried under so many seeds."""
    seeds: dict[str, set[str]] = {symbol: set() for symbol in expected}
    for row in rows:
        seeds.setdefault(row["TestResult.DisplayName"].split(" (")[0], set()).add(row["RandomSeed"])
    return [f"{symbol}: {len(tried)} of {count} seeds" for symbol, tried in sorted(seeds.items()) if len(tried) != count]


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def kept() -> dict[str, Spread]:
    lines = KEPT.read_text().splitlines() if KEPT.exists() else []
    parts = (line.split() for line in lines if not line.startswith("#"))
    return {symbol: Spread(*map(int, numbers), of=of) for symbol, of, *numbers in parts}


def stale() -> list[str]:
    """The symbols that were other text when they were tried under the seeds, those not tried at all, and those that are gone."""
    held, now = kept(), written(sources())
    return sorted(symbol for symbol in held.keys() | resources.kept() if symbol not in held or held[symbol].of != now.get(symbol))


def config(chosen: list[str]) -> Path:
    """What Dafny is given: the whole model, or the files in which something of that name stands, with what they include."""
    if not chosen:
        return CONFIG
    files = [path for path in sources() if any(name in symbol for name in chosen for symbol in written([path]))]
    made = BUILD / "seeds" / CONFIG.name
    made.parent.mkdir(parents=True, exist_ok=True)
    return project(made, files)


def under(seed: int, chosen: list[str]) -> list[dict[str, str]]:
    """What Dafny says of the symbols under a seed; it must be something of each symbol."""
    ROWS.unlink(missing_ok=True)
    ran = dafny(
        "measure-complexity",
        config(chosen),
        f"--random-seed={seed}",
        "--mutations=1",
        f"--cores={WORKERS}",
        f"--solver-path={Z3}",
        f"--verification-time-limit={LONG}",
        f"--log-format=csv;LogFileName={relative(ROWS)}",
        *(f"--filter-symbol={name}" for name in chosen),
        timeout=7200,
    )
    if not ROWS.exists():
        raise Failed(f"no rows\n{ran.tail()}")
    rows = read(ROWS)
    if missing := unmeasured(rows, expected(chosen), 1):
        raise Failed("\n".join([f"{len(missing)} symbols were not tried under seed {seed}", *missing[:20], ran.tail()]))
    return rows


def expected(chosen: list[str]) -> list[str]:
    return [symbol for symbol in resources.kept() if all(name in symbol for name in chosen)]


def measured(chosen: list[str]) -> list[dict[str, str]]:
    """What Dafny says of the symbols under all seeds, one seed after another. What a run that was stopped had asked is not asked
    again while the model is the same. A run of some symbols takes the same seeds as one of all: what is kept is of one kind."""
    model = sha256(b"".join(path.read_bytes() for path in (*sources(), CONFIG, Path(__file__))))
    passes = [PASSES / f"{model[:16]}-{'-'.join(chosen) or 'all'}-{seed}.csv" for seed in range(SEEDS)]
    rows: list[dict[str, str]] = []
    for seed, kept in enumerate(passes):
        if not kept.exists():
            under(seed, chosen)
            PASSES.mkdir(parents=True, exist_ok=True)
            ROWS.replace(kept)
        rows += read(kept)
        print(f"seed {seed + 1} of {SEEDS}", flush=True)
    if missing := unmeasured(rows, expected(chosen)):  # as when each run took the same seed
        raise Failed("\n".join([f"{len(missing)} symbols were not tried under every seed", *missing[:20]]))
    return rows


def forget(chosen: list[str]) -> None:
    """Removes the passes of runs that have ended: of these symbols, or of all after a run of all."""
    for path in PASSES.glob(f"*-{'-'.join(chosen)}-*.csv" if chosen else "*"):
        path.unlink()


def main(chosen: list[str]) -> int:
    started = time.monotonic()
    check_z3()
    with locked(BUILD):
        rows = measured(chosen)
    of = written(sources())
    costs = {symbol: replace(cost, of=of[symbol]) for symbol, cost in spread(rows).items()}
    if chosen:  # what is not measured anew stays, where it is still there
        costs = {symbol: cost for symbol, cost in (kept() | costs).items() if symbol in resources.kept()}
    forget(chosen)
    KEPT.write_text(HEAD.format(seeds=SEEDS) + "".join(f"{symbol} {cost}\n" for symbol, cost in sorted(costs.items())))
    if failed := [f"{symbol}: {cost.failing}" for symbol, cost in sorted(costs.items()) if cost.failing]:
        raise Failed("\n".join([f"{len(failed)} symbols fail under some of {SEEDS} seeds", *failed]))
    worst = sorted(costs, key=lambda symbol: -costs[symbol].most)[:5]
    print(
        f"{len(costs)} symbols hold under {SEEDS} seeds; the dearest: " + ", ".join(f"{one} {costs[one].most}" for one in worst)
    )
    print(f"measured in {time.monotonic() - started:.0f} s")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:2]))
    except Failed as failure:
        sys.exit(f"stability: {failure}")
