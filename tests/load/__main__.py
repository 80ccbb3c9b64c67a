"""``make load``: 8 clients, a million operations on SQLite and a tenth of it on PostgreSQL, clients and server killed again and
again; then every report is held against what stands in the store.

    python -m load [--sqlite N] [--postgresql N] [--write]
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import random
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from worldlines.server import server

from forkpoint.core.worldlines import Saw, Went, explained
from forkpoint.worldlines.store import Store
from load import history
from load.client import client

CLIENTS: Final = 8
EVERY: Final = 8.0
"""About how many seconds lie between two kills."""
PAGE: Final = Path(__file__).parents[2] / "spec" / "store.md"
BLOCK: Final = re.compile(r"(<!-- load -->\n).*?(<!-- end of load -->)", re.DOTALL)
MANY: Final = 1_000_000


@dataclass
class Ran:
    """What came of a run."""

    name: str
    operations: int
    seconds: float
    kills: int
    checked: float
    judged: history.Judged
    wrong: int


def run(
    name: str, url: str, operations: int, folder: Path, *, durable: bool, every: float, kill: Callable[[], None] | None
) -> Ran:
    """Half of the worldlines are one client's own, the other one is everybody's. ``kill`` ends the server and starts it again;
    without it a client is killed, and another one goes on in its place."""
    rng = random.Random(8)
    context = multiprocessing.get_context("spawn")
    with Store.open(url, durable=durable) as store:
        thread = store.thread("load")
        lines = [store.branch(None, line, thread=thread).id for line in ("all", *(f"own-{at}" for at in range(CLIENTS)))]

    def start(at: int, number: int, share: int) -> multiprocessing.process.BaseProcess:
        into = str(folder / f"{at}-{number}")
        given = (url, ["all", f"own-{at}"], f"{at}-{number}", share, into, durable)
        process = context.Process(target=client, args=given, daemon=True)
        process.start()
        return process

    begun, kills, next_kill = time.monotonic(), 0, time.monotonic() + every
    running = {at: start(at, 0, operations // CLIENTS) for at in range(CLIENTS)}
    turns = dict.fromkeys(running, 0)
    while any(process.is_alive() for process in running.values()):
        time.sleep(0.05)
        if time.monotonic() < next_kill:
            continue
        next_kill = time.monotonic() + every * (0.5 + rng.random())
        kills += 1
        if kill is not None:
            kill()
            continue
        at = rng.choice([at for at, process in running.items() if process.is_alive()] or [0])
        running[at].kill()
        running[at].join()
        turns[at] += 1
        done = sum(len(file.read_bytes().splitlines()) for file in folder.glob(f"{at}-*"))
        running[at] = start(at, turns[at], max(0, operations // CLIENTS - done))
    seconds = time.monotonic() - begun
    failed = [process.exitcode for process in running.values() if process.exitcode]
    with Store.open(url, create=False) as store:
        found = history.timelines(store, lines)
        reports = history.read(sorted(folder.iterdir()))
        checking = time.monotonic()
        judged = history.judge(found, reports)
        checked = time.monotonic() - checking
        wrong = len(store.check("load"))
    if failed:
        judged.wrong.append(f"clients ended with {failed}")
    return Ran(name, len(reports), seconds, kills, checked, judged, wrong)


def whole(sqlite: int, postgresql: int) -> Iterator[Ran]:
    """The runs."""
    with tempfile.TemporaryDirectory(prefix="forkpoint-load-") as place:
        folders = [Path(place) / name for name in ("sqlite", "postgresql")]
        for folder in folders:
            folder.mkdir()
        if sqlite:
            url = f"sqlite:///{place}/w.db"
            yield run("SQLite, clients killed", url, sqlite, folders[0], durable=False, every=EVERY, kill=None)
        if postgresql:
            with server() as made:

                def kill() -> None:
                    made.kill()
                    made.start()

                yield run("PostgreSQL, the server killed", made.url, postgresql, folders[1], durable=True, every=EVERY, kill=kill)


def deciding() -> float:
    """How long a history of a million reports takes to be decided, in seconds."""
    reports: list[Went | Saw] = []
    for at in range(MANY // 2):
        reports += [Went(at, at + 1, 2 * at, 2 * at + 3), Saw(at + 1, 2 * at + 1, 2 * at + 4)]
    begun = time.monotonic()
    if not explained(MANY // 2, reports):
        raise AssertionError("a history that holds was refused")
    return time.monotonic() - begun


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sqlite", type=int, default=MANY)
    parser.add_argument("--postgresql", type=int, default=MANY // 10)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    rows = [
        "| | reports | appends | looks | branches | kills | a second | judged in | wrong |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    good = True
    for ran in whole(asked.sqlite, asked.postgresql):
        one = ran.judged
        good = good and not one.wrong and not ran.wrong
        rate = f"{ran.operations / ran.seconds:,.0f}"
        counts = f"{ran.operations:,} | {one.appends:,} | {one.looks:,} | {one.branches:,} | {ran.kills}"
        rows.append(f"| {ran.name} | {counts} | {rate} | {ran.checked:.1f} s | {len(one.wrong) + ran.wrong} |")
        print("\n".join([rows[-1], *one.wrong[:20]]), flush=True)
    rows += ["", f"The check takes {deciding():.1f} s for {MANY:,} reports of one worldline."]
    print(rows[-1])
    if asked.write:
        text = PAGE.read_text("utf-8")
        PAGE.write_text(BLOCK.sub(lambda found: found[1] + "\n" + "\n".join(rows) + "\n\n" + found[2], text), "utf-8")
    return 0 if good else 1


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(main())
