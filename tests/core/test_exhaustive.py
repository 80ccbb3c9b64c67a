"""Every log of up to five entries: every shape of parents, with messages, calls and results in every place.

The expectation is a third reading of the definitions, over bit masks of positions, quick enough for every case.
"""

from __future__ import annotations

import pytest

from forkpoint import laws
from forkpoint.core import balance, contexts, forks
from forkpoint.core.entries import Entry, Kind, Log, Result, Use
from forkpoint.laws import Law
from strategies_shapes import SORTS, logs


def needs(entries: list[Entry]) -> list[int]:
    """For each position the positions it needs, as a mask."""
    masks = []
    for a in entries:
        mask = 0
        for n, b in enumerate(entries):
            part = a.message is not None and a.message == b.message
            answer = bool(a.blocks) and isinstance(a.blocks[0], Use) and b.blocks == (Result("t"),)
            if a.parent == n or part or answer:
                mask |= 1 << n
        masks.append(mask)
    return masks


def closed(mask: int, need: list[int]) -> int:
    """The least closed superset of a mask."""
    while True:
        more = mask
        for n, needed in enumerate(need):
            if mask >> n & 1:
                more |= needed
        if more == mask:
            return mask
        mask = more


def members(need: list[int], at: int) -> int:
    """The context of a position, as of it."""
    past = (2 << at) - 1
    return closed(1 << at, [mask & past for mask in need[: at + 1]])


def paired(entries: list[Entry], mask: int) -> bool:
    """P3 of a context over the one tool id there is."""
    uses = [n for n, e in enumerate(entries) if mask >> n & 1 and e.blocks == (Use("t"),)]
    results = [n for n, e in enumerate(entries) if mask >> n & 1 and e.blocks == (Result("t"),)]
    return (len(uses), len(results)) == (0, 0) or (len(uses) == len(results) == 1 and uses[0] < results[0])


def check_survey(log: Log) -> None:
    entries = list(log)
    need = needs(entries)
    survey = balance.survey(log)
    for at, entry in enumerate(entries):
        mask = members(need, at)
        balanced = paired(entries, mask)
        settled = closed(mask, need) == mask
        assert survey.balanced[at] == balanced, log
        assert survey.settled[at] == settled, log
        assert survey.legal[at] == (balanced and settled and entry.kind is Kind.ASSISTANT), log


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_every_small_log(size: int) -> None:
    for log in logs(size):
        check_survey(log)
        entries = list(log)
        need = needs(entries)
        for at in range(size):
            mask = members(need, at)
            made = forks.fork(log, at)
            kept = [n for n in range(size) if mask >> n & 1]
            assert [entry.uuid for entry in made] == kept, log
            for v in kept:
                inside = members(need, v)
                assert contexts.members(made, v) == {n for n in range(size) if inside >> n & 1}, log


OF_A_POINT = {("log",), ("log", "uuid"), ("log", "legal", "uuid")}
"""Of what the laws speak that every small log with every point of it is asked about."""


@pytest.mark.parametrize("law", [law for law in laws.every() if law.parameters in OF_A_POINT], ids=str)
def test_every_law_of_every_small_log(law: Law) -> None:
    for size in (1, 2):
        for log in logs(size):
            legal = balance.survey(log).legal
            for entry in log:
                known = {"log": log, "uuid": entry.uuid, "legal": legal}
                assert law(*(known[name] for name in law.parameters)), log


@pytest.mark.parametrize("first", range(len(SORTS)))
def test_every_log_of_five(first: int) -> None:
    for log in logs(5, first):
        check_survey(log)
