"""Runs the real client against forks: ``make test-client``; with FULL=1 all cases, and their outcome into the specification.

Environment: FULL=1 for all cases; RECORD=1 to record a sample too; CLIENTS=2.1.332,... for these versions alone; LIVE=1 for
the sessions made live alone; WALKS=N for N long random walks alone; WORKERS, how many clients run at once.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import sys
import time
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from pathlib import Path

from ci.lib import BUILD, ROOT, Failed
from client import (
    cases,
    driven,
    files,
    fixed,
    hermetic,
    hooked,
    inside,
    install,
    live,
    namespace,
    plans,
    records,
    refused,
    report,
    runner,
    trims,
    walks,
    worldlines,
)
from client.cases import Case, Point

REWRITTEN = ("drop", "compact", "merge")
"""The variants of what is left out of a conversation, or merged into it."""

LIMIT = 480.0
"""Seconds after which a run that is not a full one starts no more cases."""

CORPUS = ROOT.parent / "shared" / "corpus"


def quick(corpus: Path, versions: list[str]) -> list[Case]:
    """A seeded sample that ends within minutes."""
    own = _own(corpus, versions)
    every = list(cases.real(corpus))
    found: list[Case] = []
    for version in versions:
        mine = own.get(version, [])
        chosen = cases.spread(mine, 2) + cases.sample(mine, 3)
        found += [Case(version, "made by the client", point) for point in dict.fromkeys(chosen)]
        if version in cases.MAIN_VERSIONS:
            found += [Case(version, "of users", point) for point in cases.sample(every, 3)]
    return found + special(own, every, versions, 1)


def full(corpus: Path, versions: list[str]) -> list[Case]:
    """Every distinct conversation of the client-made transcripts, a larger sample of those of users."""
    own = _own(corpus, versions)
    every = list(cases.real(corpus))
    found = [Case(version, "made by the client", point) for version in versions for point in own.get(version, [])]
    for version in versions:
        if version in cases.MAIN_VERSIONS:
            found += [Case(version, "of users", point) for point in cases.sample(every, 12)]
    return found + special(own, every, versions, 4)


def _own(corpus: Path, versions: list[str]) -> dict[str, list[Point]]:
    own: dict[str, list[Point]] = {}
    for made, point in cases.client_made(corpus):
        version = install.successor(made)
        if version in versions:
            own.setdefault(version, []).append(point)
    return own


def special(own: dict[str, list[Point]], every: list[Point], versions: list[str], each: int) -> list[Case]:
    """What is tried at fewer points: restamped, later, without attachments, in place, at HEAD, rewritten,
    with sub-agents, backfilled."""
    found: list[Case] = []
    for version in versions:
        if version not in cases.MAIN_VERSIONS:
            continue
        all_mine = own.get(version, [])
        mine = [point for point in all_mine if point.kind == "assistant"]
        variants = ("restamp", "later", "no attachments")
        found += [Case(version, "made by the client", point, variants) for point in cases.sample(mine, each)]
        tips = [point for point in all_mine if point.tip]
        found += [Case(version, "made by the client", point, ("checkout",)) for point in cases.spread(tips, each)]
        path = [point for point in mine if "abandoned branch" not in point.strata and not point.ends]
        found += [Case(version, "made by the client", point, ("rewind",)) for point in cases.sample(path, each)]
        ends = {point.path: point for point in all_mine}
        chosen = sorted(ends)
        random.Random(cases.SEED).shuffle(chosen)
        found += [Case(version, "made by the client", ends[path], ("HEAD",)) for path in chosen[: each * 4]]
        found += [Case(version, "made by the client", ends[path], ("btw",)) for path in chosen[-each:]]
        found += [Case(version, "made by the client", point, REWRITTEN) for point in cases.sample(mine, each)]
        agents = [point for point in mine if point.agents]
        found += [Case(version, "with sub-agents", point, ("fork", "restamp", "promote")) for point in cases.sample(agents, each)]
        older = [point for point in every if point.kind == "assistant"]
        found += [Case(version, "of users", point, REWRITTEN) for point in cases.sample(older, each)]
        found += [Case(version, "of users", point, ("backfill",)) for point in cases.sample(older, each)]
        found += [Case(version, "of users", point, ("in any order",)) for point in cases.sample(older, each * 3)]
        found += [Case(version, "made by the client", point, ("in any order",)) for point in cases.sample(mine, each * 3)]
    return found


def shuffled(todo: list[Case]) -> list[Case]:
    """The cases in a seeded order in which those of a transcript stay together; a run that is cut short is a fair sample."""
    together: dict[tuple[str, Path], list[Case]] = {}
    for case in todo:
        together.setdefault((case.version, case.point.path), []).append(case)
    groups = [group[at : at + 6] for group in together.values() for at in range(0, len(group), 6)]
    random.Random(cases.SEED).shuffle(groups)
    return [case for group in groups for case in group]


def main() -> int:
    whole = os.environ.get("FULL") == "1"
    reason = install.reason_against() or namespace.reason_against()
    if reason is None and not CORPUS.is_dir():
        reason = "the corpus of real transcripts is not beside this checkout"
    if reason is not None:
        print(f"test-client: skipped: {reason}")
        return 0
    wanted = os.environ.get("CLIENTS", "").replace(",", " ").split()
    versions = wanted or (install.versions() if whole else list(cases.MAIN_VERSIONS))
    started = time.monotonic()
    walk = bool(os.environ.get("WALKS"))
    todo = [] if walk or os.environ.get("LIVE") == "1" else shuffled((full if whole else quick)(CORPUS, versions))
    commands = runner.clients(versions, install.install)
    made = [(live.work, case) for case in live.cases(versions)] + [(records.work, case) for case in records.cases(versions)]
    made += [(hooked.work, case) for case in hooked.cases(versions, whole=whole)]
    made += [(fixed.work, case) for case in fixed.cases(versions, CORPUS)]
    made += [(plans.work, case) for case in plans.cases(versions, whole=whole)]
    made += [(worldlines.work, case) for case in worldlines.cases(versions)]
    made += [(files.work, case) for case in files.cases(versions, CORPUS)]
    made += [(trims.work, case) for case in trims.cases(versions, CORPUS)]
    made += [(driven.work, case) for case in driven.cases(versions)]
    made += [(inside.work, case) for case in inside.cases(versions)]
    made += [(refused.work, case) for case in refused.cases(versions)]
    made += [(hermetic.work, case) for case in hermetic.cases(versions)]
    wandered = [(walks.work, case) for case in walks.cases(versions, whole=whole)]
    made = wandered if walk else made + wandered
    if absent := fixed.absent(CORPUS):
        print(f"test-client: not there, and so not tried: {', '.join(absent)}")
    every = len(made) + len(todo)
    print(f"test-client: {len(todo)} cases and {len(made)} sessions made live under {len(versions)} clients", flush=True)
    results: list[dict[str, object]] = []
    late = 0
    told = started
    with runner.scratch() as root:
        pool = ProcessPoolExecutor(
            int(os.environ.get("WORKERS", "2")),
            multiprocessing.get_context("spawn"),
            runner.start_worker,
            (str(CORPUS), commands, root),
        )
        with pool:
            pending = {pool.submit(work, case) for work, case in made} | {pool.submit(runner.work, case) for case in todo}
            while pending:
                done, pending = wait(pending, timeout=5, return_when=FIRST_COMPLETED)
                for future in done:
                    results += future.result()
                    for result in future.result():
                        if not report.as_expected(result):
                            print(report.line(result), flush=True)
                if time.monotonic() - told > 60:
                    told = time.monotonic()
                    print(f"  {every - len(pending)} of {every} cases after {told - started:.0f} s", flush=True)
                if not whole and not walk and time.monotonic() - started > LIMIT:
                    left = {future for future in pending if future.cancel()}
                    pending -= left
                    late += len(left)
    seconds = time.monotonic() - started
    BUILD.mkdir(exist_ok=True)
    (BUILD / "client.json").write_text(json.dumps(results, indent=1))
    if late:
        print(f"test-client: {late} cases left out after {LIMIT:.0f} s; FULL=1 runs all")
    if whole or os.environ.get("RECORD") == "1":
        report.keep(results, versions, whole=whole)
    return report.judge(results, seconds, every_mask=bool(todo) and set(cases.MAIN_VERSIONS) <= set(versions), whole=whole)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(f"test-client: {failure}")
