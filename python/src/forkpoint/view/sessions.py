"""Sessions as a table: a line each, in as many cells as there are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from forkpoint.store.lineage import Lineage
from forkpoint.store.listing import Session
from forkpoint.view.text import SHORT, cells, fit
from forkpoint.words import count

WIDE = 110
"""From how many cells on a line says more: prompts, git branch, children."""
LEAST = 12
"""A title is given up for other columns below this many cells."""
LESS = ("version", "size", "folder", "from")
"""The columns that are given up, the first one first."""
UNITS = ("kB", "MB", "GB", "TB")
AGES = ((60, "s"), (60, "min"), (24, "h"), (7, "d"), (52, "w"))


def age(seconds: float) -> str:
    """How long ago, in the largest unit that makes at least one: ``3 h``, ``2 d``."""
    amount = max(0, int(seconds))
    for factor, unit in AGES:
        if amount < factor:
            return f"{amount} {unit}"
        amount //= factor
    return f"{amount} y"


def size(total: int) -> str:
    """Bytes in at most seven characters: ``812 B``, ``3.1 MB``."""
    if total < 1000:
        return f"{total} B"
    power = 1
    while power < len(UNITS) and total >= 999.5 * 1000**power:
        power += 1
    amount = total / 1000**power
    return f"{amount:.1f} {UNITS[power - 1]}" if amount < 99.95 else f"{amount:.0f} {UNITS[power - 1]}"


def table(
    sessions: Sequence[Session], lineage: Sequence[Lineage], now: float, width: int, *, projects: bool = False
) -> Iterator[str]:
    """A heading and a line a session, each at most ``width`` cells wide; ``projects`` adds the working folder."""
    wide = width >= WIDE
    rows: list[list[str]] = []
    for session, family in zip(sessions, lineage, strict=True):
        summary = session.summary
        row = [
            session.id[:SHORT],
            age(now - summary.mtime_ns / 1e9),
            size(summary.size),
            summary.last_version or "-",
            str(summary.branches),
        ]
        if wide:
            row += [str(summary.prompts), fit(summary.git_branch, 20) or "-"]
        if projects:
            row.append(_tail(summary.cwd, width // 4))
        rows.append([*row, _lineage(family, wide=wide), _title(session)])
    headings = ["session", "age", "size", "version", "br"]
    if wide:
        headings += ["prompts", "git branch"]
    if projects:
        headings.append("folder")
    headings += ["from", "title"]
    rows.insert(0, headings)
    right = {"age", "size", "br", "prompts"}
    spans = [max(cells(row[column]) for row in rows) for column in range(len(headings) - 1)]
    for heading in LESS:  # on a narrow terminal the title is worth more
        if sum(spans) + 2 * sum(map(bool, spans)) + LEAST > width and heading in headings:
            spans[headings.index(heading)] = 0
    for row in rows:
        pieces: list[str] = []
        for column, span in enumerate(spans):
            if span:
                gap = " " * (span - cells(row[column]))
                pieces.append(gap + row[column] if headings[column] in right else row[column] + gap)
        head = "  ".join(pieces) + "  "
        room = width - cells(head)
        yield (head + fit(row[-1], room)).rstrip() if room > 0 else fit(head, width)


def _title(session: Session) -> str:
    """The title, and what is wrong with the file."""
    damaged = session.summary.damaged
    broken = f"[{damaged} damaged] " if damaged else ""
    return broken + (session.title or "(no prompt)")


def _lineage(family: Lineage, *, wide: bool) -> str:
    """Where a session comes from and how many come from it."""
    marks: list[str] = []
    if family.parents:
        parent = family.parents[0]
        marks.append(("fork of " if wide else "") + parent.session[:SHORT] + ("" if parent.present else "?"))
    elif family.alike:
        marks.append(("like " if wide else "~") + family.alike[0][:SHORT])
    if family.children and wide:
        marks.append(count(len(family.children), "fork"))
    return fit(", ".join(marks), 40)


def _tail(path: str, width: int) -> str:
    """The end of a path, which tells more than its beginning."""
    shown = fit(path, 4 * width)
    while cells(shown) > width:
        shown = "…" + shown[2:]
    return shown or "-"
