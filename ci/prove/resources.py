"""What each proof costs the solver, in Dafny's resource units, which are the same on every machine.

The costs are kept beside the record, so that a change that makes a proof much dearer is seen where it is made.
"""

from __future__ import annotations

from collections.abc import Iterable

from ci.lib import MODEL, Failed
from ci.prove.dafny import Row
from ci.prove.proofs import EXAMPLES, PARTS, rows

KEPT = MODEL / "record" / "resources.txt"
DEARER = 10
"""Times as dear as recorded is too dear."""


def costs(found: Iterable[Row]) -> dict[str, int]:
    """The cost of each symbol: all its obligations together."""
    spent: dict[str, int] = {}
    for row in found:
        spent[row.symbol] = spent.get(row.symbol, 0) + row.resources
    return spent


def kept() -> dict[str, int]:
    lines = KEPT.read_text().splitlines() if KEPT.exists() else []
    return {symbol: int(count) for symbol, count in (line.split() for line in lines)}


def write() -> None:
    KEPT.write_text("".join(f"{symbol} {count}\n" for symbol, count in sorted(costs(rows(*PARTS, EXAMPLES)).items())))


def dearer(now: dict[str, int], before: dict[str, int]) -> list[str]:
    """The symbols that cost ten times what is recorded, the dearest first."""
    found = [symbol for symbol in now if symbol in before and now[symbol] > DEARER * before[symbol]]
    return [f"{symbol}: {now[symbol]}, recorded {before[symbol]}" for symbol in sorted(found, key=lambda symbol: -now[symbol])]


def check() -> str:
    """No proof costs ten times what is recorded."""
    now, before = costs(rows()), kept()
    if wrong := dearer(now, before):
        raise Failed("\n".join([f"proofs that have become {DEARER} times as dear: make regenerate, if that is meant", *wrong]))
    if unknown := now.keys() - before.keys():
        raise Failed(f"{len(unknown)} symbols have no recorded cost: make regenerate")
    top = sorted(now.items(), key=lambda item: -item[1])[:3]
    return f"{len(now)} symbols, none {DEARER} times as dear; the dearest: " + ", ".join(f"{name} {cost}" for name, cost in top)
