"""What was done in one year: prompts, answers, calls, turns by kind of work, and when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Set
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from forkpoint.clients.claude.tools import KINDS, OTHER, TALKING
from forkpoint.core.entries import Kind
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query.content import calls
from forkpoint.transcript.query.head import timestamp
from forkpoint.transcript.query.outline import Outline
from forkpoint.transcript.query.stats import appended_here

PAUSE: Final = 900.0
"""After so many seconds in which nothing happened, nobody is at work any more."""


@dataclass(slots=True)
class Year:
    """What was done in a year, in UTC. ``months`` has the prompts of each month, ``days`` those of each day, ``kinds`` the turns
    by kind of work, ``moments`` when something was written, in seconds of the epoch."""

    prompts: int = 0
    entries: int = 0
    answers: int = 0
    calls: int = 0
    tools: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    months: list[int] = field(default_factory=lambda: [0] * 12)
    days: Counter[str] = field(default_factory=Counter)
    moments: list[float] = field(default_factory=list)

    def add(self, other: Year) -> None:
        """Adds what was done elsewhere."""
        self.prompts += other.prompts
        self.entries += other.entries
        self.answers += other.answers
        self.calls += other.calls
        self.tools.update(other.tools)
        self.kinds.update(other.kinds)
        self.months = [one + more for one, more in zip(self.months, other.months, strict=True)]
        self.days.update(other.days)
        self.moments += other.moments


def of(transcript: Transcript, year: int, copies: Set[int] = frozenset()) -> Year:
    """What a transcript tells of a year, without what is a copy of what was counted, and without what forkpoint appended. Reads
    the lines. O(bytes)."""
    outline, log, kinds = Outline(transcript), transcript.log, transcript.kinds
    own = appended_here(transcript) | copies
    prompts, turns, messages = set(outline.prompts), outline.turns, set[object]()
    done: dict[int, set[str]] = {}
    found = Year()
    for at in range(len(log)):
        when = timestamp(transcript, at) if at not in own else None
        if when is None or when.year != year:
            continue
        found.entries += 1
        found.moments.append(when.timestamp())
        if at in prompts:
            found.prompts += 1
            found.months[when.month - 1] += 1
            found.days[when.date().isoformat()] += 1
            done.setdefault(at, set())
        if kinds[at] is Kind.ASSISTANT:
            messages.add(log[at].message or at)
            names = list(calls(transcript, at).values())
            found.calls += len(names)
            found.tools.update(names)
            if turns[at] in done:
                done[turns[at]].update(names)
    found.answers = len(messages)
    found.kinds.update(map(kind_of, done.values()))
    return found


def kind_of(tools: Set[str]) -> str:
    """The kind of work of a turn, by the tools that it calls."""
    if not tools:
        return TALKING
    return next((kind for kind, of_kind in KINDS.items() if tools & of_kind), OTHER)


def seconds_at_work(moments: Iterable[float]) -> float:
    """For how long somebody was at work: the time between neighbouring moments, without pauses of more than :data:`PAUSE`. What
    happens in several sessions at once counts once. O(n log n)."""
    found, before = 0.0, None
    for moment in sorted(moments):
        if before is not None and moment - before <= PAUSE:
            found += moment - before
        before = moment
    return found


def longest_streak(days: Iterable[str]) -> int:
    """How many days in a row at most; each is written ``2026-11-25``."""
    longest, length, before = 0, 0, None
    for day in sorted(datetime.fromisoformat(day).toordinal() for day in days):
        length = length + 1 if before == day - 1 else 1
        longest, before = max(longest, length), day
    return longest
