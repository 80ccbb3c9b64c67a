"""Chapter 21 behind contracts: worldlines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from icontract import require

from forkpoint.contracts import behind
from forkpoint.core import worldlines
from forkpoint.core.entries import Entry, Id
from forkpoint.core.worldlines import Change, Outcome, Report, Thread
from forkpoint.laws import definitions as d


@behind(worldlines.append_to)
@require(lambda thread: d.valid_thread(thread))
def append_to(thread: Thread, worldline: Id, event: Entry, expected: Id | None) -> tuple[Thread, Outcome]:
    return worldlines.append_to(thread, worldline, event, expected)


@behind(worldlines.branch)
@require(lambda thread: d.valid_thread(thread))
def branch(thread: Thread, worldline: Id, base: Id | None) -> tuple[Thread, Outcome]:
    return worldlines.branch(thread, worldline, base)


@behind(worldlines.do_all)
@require(lambda thread: d.valid_thread(thread))
def do_all(thread: Thread, changes: Iterable[Change]) -> Thread:
    return worldlines.do_all(thread, changes)


@behind(worldlines.explained)
@require(lambda size, reports: size >= 0 and d.answered_later(reports))
def explained(size: int, reports: Sequence[Report]) -> bool:
    return worldlines.explained(size, reports)
