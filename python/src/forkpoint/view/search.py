"""What a search found, a few lines a hit."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Final

from forkpoint.answers.sessions import Catalogued, Hit, Hits
from forkpoint.view.points import moment
from forkpoint.view.sessions import age, size
from forkpoint.view.text import cells, clean, fit
from forkpoint.words import SHORT, count

PROGRAM: Final = "forkpoint"


def hits(found: Hits, now: float, width: int) -> Iterator[str]:
    """A hit in three lines: where it is and what is said there, at most ``width`` cells wide, and the command that goes on from
    there."""
    for hit in found.hits:
        front = f"{hit.number:>3}  "
        yield (front + fit(_where(hit, now), width - len(front))).rstrip()
        if line := context(hit, width - 5):
            yield " " * 5 + line
        if hit.command:
            yield f"     {PROGRAM} {clean(shlex.join(hit.command))}"  # whole, however long: it is there to be copied


def aside(found: Hits) -> str | None:
    """What a person is told beside the hits."""
    if found.more:
        return f"more than {count(len(found.hits), 'hit')}; --limit shows more of them, further words fewer"
    return None if found.hits else "nothing found"


def _where(hit: Hit, now: float) -> str:
    when = moment(hit.timestamp)
    parts = [hit.session[:SHORT], "-" if when is None else age(now - when.timestamp()), hit.role]
    if hit.prompt is not None:
        parts.append(f"prompt {hit.prompt}")
    return " · ".join([*parts, *([hit.title] if hit.title else [])])


def context(hit: Hit, room: int) -> str:
    """One line of at most so many cells with what was searched for in it, and some of what stands before and behind."""
    middle = fit(hit.text, room)
    spare = room - cells(middle)
    before = _end(" ".join(hit.before.split()), max(spare // 3, spare - cells(hit.after) - 1))
    space = " " if before and hit.before.endswith(" ") else ""
    return fit(f"{before}{space}{middle}{hit.after}", room)


def _end(text: str, width: int) -> str:
    """The end of a text in at most so many cells, from a word on."""
    if cells(text) <= width:
        return text
    kept: list[str] = []
    room = width - 1
    for word in reversed(text.split()):
        if cells(word) + 1 > room:
            break
        kept.append(word)
        room -= cells(word) + 1
    return "…" + " ".join(reversed(kept)) if kept else ""


def catalog(found: Catalogued) -> Iterator[str]:
    """Where the catalog is, and what it holds."""
    if found.bytes is None:
        yield f"no catalog at {found.file}"
        return
    if found.dropped:
        yield f"removed {found.file}, {size(found.bytes)}"
        return
    yield f"{found.file}, {size(found.bytes)}"
    yield f"{count(found.listed, 'session')} listed, {found.parsed} parsed, {found.searched} searched"
