"""What 10^9 events need, from what is measured of 10^5: bytes and rates on one PostgreSQL, and how even partitions by thread are.

PYTHONPATH=tests python -m ci.measure.scale [--write]
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import sys
import time
from collections.abc import Iterator
from typing import Final

import psycopg
from worldlines.server import server

from ci.lib import ROOT
from forkpoint.worldlines.events import Event
from forkpoint.worldlines.store import Store

PAGE: Final = ROOT / "spec" / "scale.md"
BLOCK: Final = re.compile(r"(<!-- scale -->\n).*?(<!-- end of scale -->)", re.DOTALL)
EVENTS: Final = 100_000
WHOLE: Final = 10**9
PAYLOAD: Final = 700
BATCH: Final = 100
THREADS: Final = 2_000_000
PARTITIONS: Final = (16, 64, 256)
MEMORY: Final = 64 * 2**30
"""Of the machine that is assumed, in bytes."""
HALF: Final = 0.5
"""So much of it holds indexes."""


def measured() -> tuple[dict[str, int], float, float]:
    """Of a store with 10^5 events: bytes of rows, of indexes, and of the log that is written ahead, each of all events; and how
    many events a second one client appends, one a commit and 100 a commit."""
    text = json.dumps({"type": "assistant", "message": {"content": "x" * PAYLOAD}}).encode()
    with server() as made, Store.open(made.url) as store, psycopg.connect(made.url, autocommit=True) as asking:

        def one(what: str) -> int:
            row = asking.execute(what).fetchone()
            assert row is not None
            return int(row[0])

        line = store.branch(None, "main", thread=store.thread("t")).id
        before, head = one("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn"), None
        begun = time.monotonic()
        for at in range(0, EVENTS, BATCH):
            events = [Event(f"{number:032x}", text) for number in range(at, at + BATCH)]
            head = store.append(line, events, head).head
        batched = EVENTS / (time.monotonic() - begun)
        written = one("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn") - before
        asking.execute("VACUUM ANALYZE")
        rows = one("SELECT pg_table_size('event')")
        indexes = one("SELECT pg_indexes_size('event')")
        begun = time.monotonic()
        for number in range(1_000):
            head = store.append(line, [Event(f"one-{number}", text)], head).head
        return {"rows": rows, "indexes": indexes, "log": written}, 1_000 / (time.monotonic() - begun), batched


def spread(partitions: int) -> float:
    """How much larger the largest partition is than their average, when threads with sizes of a long tail go by a hash."""
    rng = random.Random(17)
    sizes = [0.0] * partitions
    for thread in range(THREADS):
        digest = hashlib.blake2b(str(thread).encode(), digest_size=8).digest()
        sizes[int.from_bytes(digest, "big") % partitions] += min(rng.paretovariate(1.2), 10_000)
    return max(sizes) / (sum(sizes) / partitions)


def table() -> Iterator[str]:
    sizes, single, batched = measured()
    of = {name: size / EVENTS for name, size in sizes.items()}
    yield f"Measured with {EVENTS:,} events of {PAYLOAD} bytes on PostgreSQL, one client:"
    yield ""
    yield "| | an event | 10^9 events |"
    yield "|---|--:|--:|"
    for name, words in (("rows", "rows"), ("indexes", "indexes"), ("log", "log written ahead")):
        yield f"| {words} | {of[name]:,.0f} bytes | {of[name] * WHOLE / 2**40:.2f} TiB |"
    yield f"| appends, one a commit | {single:,.0f} a second | {WHOLE / single / 86_400:,.0f} days |"
    yield f"| appends, {BATCH} a commit | {batched:,.0f} a second | {WHOLE / batched / 86_400:,.1f} days |"
    needed = of["indexes"] * WHOLE / (MEMORY * HALF)
    yield ""
    yield f"Indexes of 10^9 events need {needed:.1f} machines whose {MEMORY // 2**30} GiB hold them by half."
    yield ""
    yield "| partitions | events in each | the largest, by simulation | its indexes |"
    yield "|--:|--:|--:|--:|"
    for number in PARTITIONS:
        most = spread(number)
        indexes = of["indexes"] * WHOLE / number * most / 2**30
        yield f"| {number} | {WHOLE // number:,} | {most:.2f} times the average | {indexes:.1f} GiB |"


def main() -> int:
    lines = list(table())
    print("\n".join(lines))
    if "--write" in sys.argv[1:]:
        text = PAGE.read_text("utf-8")
        PAGE.write_text(BLOCK.sub(lambda found: found[1] + "\n" + "\n".join(lines) + "\n\n" + found[2], text), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
