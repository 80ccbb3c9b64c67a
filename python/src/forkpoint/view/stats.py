"""Figures of transcripts as lines of text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from forkpoint.answers.figures import Costs
from forkpoint.ops.figures import Counted
from forkpoint.transcript.query.stats import Stats
from forkpoint.view.text import cells, fit, wrap
from forkpoint.words import count

LABEL: Final = 12


def asides(found: Counted) -> Iterator[str]:
    """What could not be read, and what was left out."""
    yield from (f"cannot read {line}" for line in found.unreadable)
    if found.forks:
        verb = "stands" if found.forks == 1 else "stand"
        yield f"{count(found.forks, 'fork')} {verb} apart; --with-forks adds them up"
    if found.copies:
        verb = "is a copy" if found.copies == 1 else "are copies"
        yield f"{count(found.copies, 'entry')} {verb} of another one, and counted once"


def lines(stats: Stats, agent_files: int, width: int) -> Iterator[str]:
    """The figures, and how many files of sub-agents belong to the sessions; each line at most ``width`` cells wide, lists
    wrap."""
    yield from row("sessions", [count(stats.sessions, "session"), count(stats.prompts, "prompt")], width)
    yield from row("entries", _counts(stats.entries), width)
    yield from row("sidecars", _counts(stats.sidecars), width)
    if stats.damaged:
        yield from row("damaged", [count(stats.damaged, "line")], width)
    tree = [
        count(stats.nodes, "node"),
        count(stats.roots, "root"),
        count(stats.leaves, "leaf", "leaves"),
        count(stats.branch_points, "branch point"),
        count(stats.forks, "fork"),
        count(stats.tips, "tip"),
        f"depth {stats.depth}",
        count(stats.compactions, "compaction"),
    ]
    yield from row("tree", tree, width)
    within = count(stats.sidechain, "entry") + " in the sessions"
    yield from row("sub-agents", [within, count(agent_files, "file") + " of their own"], width)
    beside = count(stats.beside_speech, "message") + " below an entry that is none"
    parents = [f"{stats.missing_parents} missing", beside]
    yield from row("parents", parents, width)
    tools = [
        count(stats.uses, "call"),
        count(stats.results, "result"),
        f"{stats.open} open",
        count(stats.orphans, "orphan"),
        count(stats.parallel, "message") + " with parallel calls",
    ]
    yield from row("tools", tools, width)
    yield from row("versions", [f"{name} {number}" for name, number in sorted(stats.versions.items(), key=_version)], width)


def in_forks(found: Counted, width: int) -> Iterator[str]:
    """What stands in forks, beside the copies."""
    apart = found.apart
    if found.forks:
        yield from row("in forks", [count(found.forks, "fork"), count(apart.prompts, "prompt")], width)
        yield from row("", [*_counts(apart.entries), count(apart.uses, "call"), count(apart.results, "result")], width)


def costs(found: Costs, width: int) -> Iterator[str]:
    """What models used, and what that cost: a table, and the sums."""
    rows = [*((one, "") for one in found.models), *((one, "in forks: ") for one in found.in_forks)]
    names = [where + (f"{one.how}: {one.model}" if one.how else one.model) for one, where in rows]
    table: list[tuple[str, ...]] = [("requests", "input", "cached", "from cache", "output", "dollars")]
    for one, _ in rows:
        counts = (one.requests, one.input, one.cache_write, one.cache_read, one.output)
        table.append((*(f"{each:,}" for each in counts), "?" if one.dollars is None else f"{one.dollars:,.2f}"))
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    span = max(5, min(max(map(cells, names), default=5), width - sum(widths) - 2 * len(widths)))
    for name, columns in zip(["model", *names], table, strict=True):
        shown = fit(name, span)
        figures = "".join(f"  {text:>{size}}" for text, size in zip(columns, widths, strict=True))
        yield f"{shown}{' ' * (span - cells(shown))}{figures}"
    apart = f", and {found.dollars_in_forks:,.2f} in forks" if found.in_forks else ""
    yield from wrap("", f"{found.dollars:,.2f} dollars{apart}; prices: {found.prices}", width, 2)
    if found.unpriced:
        yield fit(f"without a price: {', '.join(found.unpriced)}", width)
    yield from (fit(f"cannot read {line}", width) for line in found.unreadable)


def _counts(counts: Counter[str]) -> list[str]:
    """The counts, largest first."""
    return [f"{name} {number}" for name, number in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


def _version(item: tuple[str, int]) -> tuple[list[int], str]:
    parts = item[0].split(".")
    return [int(part) for part in parts] if all(part.isdigit() for part in parts) else [], item[0]


def row(label: str, items: list[str], width: int) -> Iterator[str]:
    """A label and its items, wrapped under each other."""
    front, line = f"{label:{LABEL}}", ""
    for item in items or ["none"]:
        longer = f"{line}, {item}" if line else item
        if line and LABEL + len(longer) + 1 > width:
            yield front + fit(line, width - LABEL - 1) + ","
            front, longer = " " * LABEL, item
        line = longer
    yield front + fit(line, width - LABEL)
