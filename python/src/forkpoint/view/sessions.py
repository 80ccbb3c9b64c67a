"""Sessions as a table: a line each, in as many cells as there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from forkpoint.answers.sessions import Whereabouts
from forkpoint.sessions.lineage import BY, MADE, Lineage, follows
from forkpoint.sessions.listing import Session
from forkpoint.view.text import cells, fit
from forkpoint.words import SHORT, count

WIDE = 110
"""From how many cells on a line says more: prompts, git branch, children."""
LEAST = 12
"""A title is given up for other columns below this many cells."""
LESS = ("version", "size", "folder", "from")
"""The columns that are given up, the first one first."""
DEEP = 24
"""So many cells of rails are drawn."""
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


NOBODY: Final[Mapping[Path, str]] = {}
"""No session is of another folder."""


def numbered(sessions: Sequence[Session], width: int, others: Mapping[Path, str] = NOBODY) -> Iterator[str]:
    """A line a session with its number in the list, at most ``width`` cells wide; ``others`` has the folders of those that are of
    another one."""
    for number, session in enumerate(sessions, 1):
        yield f"{number:>3}  {fit(of_folder(session, others) + (session.title or session.id), width - 5)}"


def of_folder(session: Session, others: Mapping[Path, str]) -> str:
    """In which other folder a session is, where it is in one."""
    return f"[in {others[session.path]}] " if session.path in others else ""


def table(
    sessions: Sequence[Session],
    lineage: Sequence[Lineage],
    now: float,
    width: int,
    *,
    projects: bool = False,
    dollars: Mapping[Path, tuple[float | None, float | None]] | None = None,
    others: Mapping[Path, str] = NOBODY,
) -> Iterator[str]:
    """A heading and a line a session, each at most ``width`` cells wide; ``projects`` adds the working folder, ``dollars`` what
    the messages of each cost that no older one holds; ``others`` has the folders of those that are of another one."""
    wide = width >= WIDE
    rows: list[list[str]] = []
    for session, family in zip(sessions, lineage, strict=True):
        summary = session.summary
        row = [
            session.id[:SHORT],
            age(now - summary.when),
            size(summary.size),
            summary.last_version or "-",
            str(summary.branches),
        ]
        if wide:
            row += [str(summary.prompts), fit(summary.git_branch, 20) or "-"]
        if dollars is not None:
            own, _ = dollars[session.path]
            row.append("?" if own is None else f"{own:,.2f}")
        if projects:
            row.append(_tail(summary.cwd, width // 4))
        rows.append([*row, _lineage(family, wide=wide), of_folder(session, others) + _title(session)])
    headings = ["session", "age", "size", "version", "br"]
    if wide:
        headings += ["prompts", "git branch"]
    if dollars is not None:
        headings.append("dollars")
    if projects:
        headings.append("folder")
    headings += ["from", "title"]
    rows.insert(0, headings)
    right = {"age", "size", "br", "prompts", "dollars"}
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


def family_tree(
    sessions: Sequence[Session], lineage: Sequence[Lineage], now: float, width: int, others: Mapping[Path, str] = NOBODY
) -> Iterator[str]:
    """A heading and a line a session, each under the one that it comes from; trees whose sessions changed last come first.

    A line says how a session came of the one above it. Where that one is not listed, it names it.
    """
    at = {session.id: place for place, session in reversed(list(enumerate(sessions)))}
    children: dict[int, list[int]] = {}
    roots: list[int] = []
    for place, family in enumerate(lineage):
        above = at.get(family.parents[0].session) if family.parents else None
        (roots if above is None else children.setdefault(above, [])).append(place)
    newest = list(range(len(sessions)))
    order: list[tuple[int, str]] = []
    todo = [(root, "", "") for root in reversed(roots)]
    while todo:
        place, first, rails = todo.pop()
        order.append((place, first))
        below = children.get(place, [])
        last = len(below) - 1
        todo += [
            (child, _cut(rails) + ("└─" if index == last else "├─"), _cut(rails) + ("  " if index == last else "│ "))
            for index, child in reversed(list(enumerate(below)))
        ]
    for place, _ in reversed(order):  # a tree is as young as its youngest session
        source = lineage[place].parents[0].session if lineage[place].parents else None
        if source in at:
            newest[at[source]] = min(newest[at[source]], newest[place])
    starts = [index for index, (_, first) in enumerate(order) if not first]
    trees = [order[start:end] for start, end in zip(starts, [*starts[1:], len(order)], strict=True)]
    trees.sort(key=lambda tree: newest[tree[0][0]])
    rows = [(first + fit(sessions[place].id[:SHORT], SHORT), place) for tree in trees for place, first in tree]
    span = max((cells(name) for name, _ in rows), default=0)
    made = [_made(sessions[place], lineage[place], at) for _, place in rows]
    wide = max([cells(text) for text in made] + [4])
    if span + wide + LEAST + 16 > width:  # how it was made is worth less than its title
        made, wide = ["" for _ in made], 0
    heading = f"{'session':{span}}  {'age':>5}  {'br':>3}  {'made' if wide else ''}{' ' * max(0, wide - 4)}  title"
    yield heading if len(heading) <= width else fit(heading, width)
    for (name, place), text in zip(rows, made, strict=True):
        session = sessions[place]
        past = age(now - session.summary.when)
        gap = " " * (wide - cells(text))
        head = f"{name}{' ' * (span - cells(name))}  {past:>5}  {session.summary.branches:>3}  {text}{gap}  "
        room = width - cells(head)
        yield (head + fit(of_folder(session, others) + _title(session), room)).rstrip() if room > 0 else fit(head, width)


def where(answer: Whereabouts) -> Iterator[str]:
    """Where a session is, a fact a line."""
    versions = [one for one in (answer.first_version, answer.last_version) if one is not None]
    rows = [
        ("session", " ".join(filter(None, (answer.id, answer.title)))),
        ("file", answer.file),
        ("folder", answer.folder),
        ("project", answer.project),
        ("client", " to ".join(dict.fromkeys(versions))),
        ("size", f"{size(answer.size)}, {count(answer.entries, 'entry')}"),
        ("agents", count(answer.agents, "file") if answer.agents else None),
        ("at work", answer.at_work),
        *(("fork of", f"{one.session} (by its {one.by})") for one in answer.parents),
        *(("led to", one) for one in answer.children),
        *(("alike", one) for one in answer.alike),
    ]
    for name, said in rows:
        if said:
            yield f"{name:<9} {said}"


def _made(session: Session, family: Lineage, at: Mapping[str, int]) -> str:
    """How a session came of another one."""
    if not family.parents:
        return f"~{fit(family.alike[0][:SHORT], SHORT)}" if family.alike else ""
    parent = family.parents[0]
    kind = session.summary.made if parent.by in MADE else "follows" if follows(parent) else BY[parent.by]
    return kind if parent.session in at else f"{kind} of {fit(parent.session[:SHORT], SHORT)}"


def _cut(rails: str) -> str:
    """Rails of a deep tree: the innermost ones."""
    return rails if len(rails) <= DEEP else "… " + rails[len(rails) - DEEP + 2 :]


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
        kind = "follows " if follows(parent) else "fork of "
        marks.append((kind if wide else "") + parent.session[:SHORT] + ("" if parent.present else "?"))
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
