"""`make differential N=1000000`: so many questions to the port and to the generated code about drawn worlds; and about
small shapes and every real transcript.

Environment: N, how many questions about drawn worlds; SEED, of the first; WORKERS, how many processes. A divergence is shrunk and
its log written as a transcript. First the run is shown a port with a defect; it goes on only if it finds it.
"""

from __future__ import annotations

import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context

from ci.lib import ROOT
from differential.jobs import drawn, real, small

CORPUS = ROOT.parent / "shared" / "corpus"
SHAPES = 3
"""Up to how many entries every shape is asked about."""
DEFECTIVE = "differential.defective", ("forks",)
"""A port that keeps one entry too many, and the chapters that it has."""


def main() -> int:
    wanted, first = int(os.environ.get("N", "100000")), int(os.environ.get("SEED", "0"))
    started = time.monotonic()
    cases: dict[str, int] = {"drawn worlds": 0, "small shapes": 0, "real transcripts": 0}
    divergences: list[str] = []
    files = sorted(map(str, CORPUS.rglob("*.jsonl"))) if CORPUS.is_dir() else []
    if not files:
        print("differential: no real transcripts: the corpus is not beside this checkout")
    with ProcessPoolExecutor(int(os.environ.get("WORKERS", "2")), get_context("spawn")) as pool:
        if pool.submit(drawn, first, *DEFECTIVE).result()[1] is None:
            print("differential: a port that keeps one entry too many was not noticed")
            return 1
        jobs = {pool.submit(small, size): "small shapes" for size in range(1, SHAPES + 1)}
        jobs |= {pool.submit(real, path): "real transcripts" for path in files}
        for done, job in enumerate(as_completed(jobs), 1):
            count, divergence = job.result()
            cases[jobs[job]] += count
            divergences += [divergence] if divergence else []
            if done % 100 == 0:
                print(f"  {done} of {len(jobs)} files and shapes after {time.monotonic() - started:.0f} s", flush=True)
        number = first
        while cases["drawn worlds"] < wanted:
            for count, divergence in pool.map(drawn, range(number, number + 4)):
                cases["drawn worlds"] += count
                divergences += [divergence] if divergence else []
            number += 4
    seconds = time.monotonic() - started
    for divergence in divergences:
        print(f"differential: {divergence}")
    total = sum(cases.values())
    print(
        f"differential: {total} cases ({', '.join(f'{count} of {kind}' for kind, count in cases.items())}), "
        f"{len(divergences)} divergences, {total / seconds:.0f} a second, {seconds:.0f} s, {len(files)} transcripts, "
        f"seeds {first} to {number - 1}"
    )
    return int(bool(divergences))


if __name__ == "__main__":
    sys.exit(main())
