"""What was done in a year, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from forkpoint.answers.figures import Thought, YearSession
from forkpoint.view.text import fit
from forkpoint.words import SHORT, count

MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
MOST: Final = 8
"""So many of each are named."""


def lines(found: Thought, width: int) -> Iterator[str]:
    """A year in lines of at most ``width`` cells."""
    yield fit(f"{found.year} in {found.where}", width)
    if not found.sessions:
        yield "nothing was said"
        return
    yield ""
    said = [
        count(found.prompts, "prompt"),
        count(found.answers, "answer"),
        count(found.calls, "tool call"),
        count(found.sessions, "session"),
    ]
    yield fit(", ".join(said), width)
    yield fit(f"{found.hours:g} hours at work on {count(found.days, 'day')}, {found.streak} of them in a row", width)
    if found.busiest is not None:
        yield fit(f"the busiest day: {found.busiest}", width)
    if found.longest is not None:
        yield fit(f"the longest session: {_session(found.longest)}, {count(found.longest.count, 'prompt')}", width)
    if found.most_forked is not None:
        yield fit(f"the most forked one: {_session(found.most_forked)}, {count(found.most_forked.count, 'fork')}", width)
    most = max(found.months)
    if most:
        yield ""
        room = max(8, width - 12)
        for name, prompts in zip(MONTHS, found.months, strict=True):
            yield f"{name} {prompts:>6} {'█' * round(prompts / most * room)}".rstrip()
    tables = {"turns by kind of work": found.kinds, "calls by tool": found.tools, "prompts by folder": found.projects}
    for title, table in tables.items():
        if table:
            yield ""
            yield title
            yield from _table(table, width)


def _session(session: YearSession) -> str:
    return f"{session.session[:SHORT]} {session.title or ''}".rstrip()


def _table(table: Mapping[str, int], width: int) -> Iterator[str]:
    for name, number in list(table.items())[:MOST]:
        yield f"{number:>7}  {fit(name, width - 9)}"
    if len(table) > MOST:
        yield f"{'':>7}  and {len(table) - MOST} more"
