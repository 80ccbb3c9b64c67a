"""How long the generated code takes on logs of rising length: `python -m differential.growth` fills the table of the spec."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable

from ci.lib import ROOT
from forkpoint.core import balance as core_balance
from forkpoint.core.entries import Entry, Kind, Log, Opaque, Result, Use
from forkpoint.core.merging import History
from forkpoint.core.rewriting import span, steps
from forkpoint.oracle import balance, contexts, convert, merging, order, rewriting

PAGE = ROOT / "spec" / "oracle.md"
SIZES = (1_000, 5_000, 10_000, 50_000)
TURN = 10
"""Entries a turn: a prompt, two calls side by side with their results, one after another, an answer in two parts."""


def session(size: int) -> Log:
    """A long session: every tenth turn is taken back and gone another way."""
    entries: list[Entry] = []
    tip: str | None = None
    ends: list[str] = []
    while len(entries) < size:
        at = len(entries)
        names = [f"e{at + k}" for k in range(TURN)]
        if ends and at // TURN % 10 == 9:
            tip = ends[-2] if len(ends) > 1 else ends[-1]
        calls, answer = f"m{at}", f"n{at}"
        entries += [
            Entry(names[0], tip, kind=Kind.USER, blocks=(Opaque(),)),
            Entry(names[1], names[0], kind=Kind.ATTACHMENT),
            Entry(names[2], names[1], kind=Kind.ASSISTANT, message=calls, blocks=(Opaque(),)),
            Entry(names[3], names[2], kind=Kind.ASSISTANT, message=calls, blocks=(Use(f"t{at}"),)),
            Entry(names[4], names[3], kind=Kind.ASSISTANT, message=calls, blocks=(Use(f"s{at}"),)),
            Entry(names[5], names[3], kind=Kind.USER, blocks=(Result(f"t{at}"),)),
            Entry(names[6], names[4], kind=Kind.USER, blocks=(Result(f"s{at}"),)),
            Entry(names[7], names[6], kind=Kind.PROGRESS),
            Entry(names[8], names[7], kind=Kind.ASSISTANT, message=answer, blocks=(Opaque(),)),
            Entry(names[9], names[8], kind=Kind.ASSISTANT, message=answer, blocks=(Opaque(),)),
        ]
        tip = names[9]
        ends.append(tip)
    return Log(entries[:size])


def timed(ask: Callable[[], object]) -> float:
    gc.collect()
    started = time.perf_counter()
    ask()
    return time.perf_counter() - started


def row(size: int) -> list[float]:
    log = session(size)
    made = convert.prepared(log)
    files = list(log)
    pieces = steps(log)
    middle = span(log, *pieces[len(pieces) // 2])
    return [
        timed(lambda: order.arrange(files)),
        timed(lambda: made.links),
        timed(lambda: balance.survey(log)),
        timed(lambda: contexts.context(log, files[-1].uuid)),
        timed(lambda: rewriting.drop(log, middle)),
        timed(lambda: merging.held(History(log, {files[-1].uuid: files[size // 2].uuid}), files[-1].uuid)),
        timed(lambda: core_balance.survey(log)),
    ]


def main() -> int:
    lines = [
        "| entries | canonical order | links | verdicts on every entry | one context | one drop | held at a merge "
        "| the port's verdicts |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for size in SIZES:
        lines.append(f"| {size:,} | " + " | ".join(f"{seconds:.2f} s" for seconds in row(size)) + " |")
        print(lines[-1], flush=True)
    before, _, rest = PAGE.read_text().partition("<!-- growth -->\n")
    PAGE.write_text(f"{before}<!-- growth -->\n" + "\n".join(lines) + f"\n{rest[rest.index('<!-- end -->') :]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
