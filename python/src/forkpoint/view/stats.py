"""Figures of transcripts as lines of text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from forkpoint.transcript.stats import Stats
from forkpoint.view.tree import fit

LABEL: Final = 12


def lines(stats: Stats, width: int) -> Iterator[str]:
    """The figures, each line at most ``width`` cells wide; lists wrap."""
    yield from _row("sessions", [f"{stats.sessions} sessions", f"{stats.prompts} prompts"], width)
    yield from _row("entries", _counts(stats.entries), width)
    yield from _row("sidecars", _counts(stats.sidecars), width)
    if stats.damaged:
        yield from _row("damaged", [f"{stats.damaged} lines"], width)
    tree = [
        f"{stats.nodes} nodes",
        f"{stats.roots} roots",
        f"{stats.leaves} leaves",
        f"{stats.branch_points} branch points",
        f"{stats.forks} forks",
        f"{stats.tips} tips",
        f"depth {stats.depth}",
        f"{stats.sidechain} of sub-agents",
        f"{stats.compactions} compactions",
    ]
    yield from _row("tree", tree, width)
    parents = [f"{stats.missing_parents} missing", f"{stats.beside_speech} messages below an entry that is none"]
    yield from _row("parents", parents, width)
    tools = [
        f"{stats.uses} calls",
        f"{stats.results} results",
        f"{stats.open} open",
        f"{stats.orphans} orphans",
        f"{stats.parallel} messages with parallel calls",
    ]
    yield from _row("tools", tools, width)
    yield from _row("versions", [f"{name} {count}" for name, count in sorted(stats.versions.items(), key=_version)], width)


def _counts(counts: Counter[str]) -> list[str]:
    """The counts, largest first."""
    return [f"{name} {count}" for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


def _version(item: tuple[str, int]) -> tuple[list[int], str]:
    parts = item[0].split(".")
    return [int(part) for part in parts] if all(part.isdigit() for part in parts) else [], item[0]


def _row(label: str, items: list[str], width: int) -> Iterator[str]:
    """A label and its items, wrapped under each other."""
    front, line = f"{label:{LABEL}}", ""
    for item in items or ["none"]:
        longer = f"{line}, {item}" if line else item
        if line and LABEL + len(longer) + 1 > width:
            yield front + fit(line, width - LABEL - 1) + ","
            front, longer = " " * LABEL, item
        line = longer
    yield front + fit(line, width - LABEL)
