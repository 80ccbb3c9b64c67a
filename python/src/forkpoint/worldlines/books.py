"""What an append does to the books of a timeline, to its legal points and to the states of its jobs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Final

from forkpoint.core.balance import main_line_assistant
from forkpoint.core.entries import Opaque, Use
from forkpoint.worldlines.database import Session
from forkpoint.worldlines.events import Event, merged
from forkpoint.worldlines.faults import CHECK, BadEvent, NoStore
from forkpoint.worldlines.rows import Found, Row, checked_id, found_event, segments_of

STATES: Final = ("queued", "running", "completed", "failed", "cancelled")
"""The states of a job. An event of type ``job`` with ``job`` and ``status`` puts a job of its worldline into one."""
NEAR: Final = 3
"""How many legal points a refusal names."""


def marked(word: str) -> str:
    """What stands for a word in the database, whatever is in it: names of tools and messages are not ours."""
    return hashlib.sha256(word.encode("utf-8", "surrogatepass")).hexdigest()


def _listed(row: Row) -> list[str]:
    """The calls that a row says are open."""
    try:
        found = json.loads(row.open or "")
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise NoStore(f"the open calls of worldline {row.id!r} cannot be read", CHECK)
    return found


class Books:
    """The books of a timeline at its head, and what they are after more events; see :mod:`forkpoint.core.balance`.

    ``text`` is the calls that are open, as JSON; None once the books are broken.
    """

    def __init__(self, session: Session, row: Row) -> None:
        self._session, self._row = session, row
        self._open: dict[str, None] | None = None if row.open is None else dict.fromkeys(_listed(row))
        self._marks: dict[str, int] = {}
        self._held: list[list[int]] = []
        self._way: dict[int, int] | None = None

    @property
    def text(self) -> str | None:
        return None if self._open is None else json.dumps(list(self._open))

    def enter(self, event: Event, place: int) -> bool:
        """Enters an event; whether the assistant of the main line ends there and no call is open."""
        for block in event.blocks:
            if isinstance(block, Opaque):
                continue
            tool = str(block.id)
            if isinstance(block, Use):
                made = self._first(f"t{tool}") is not None
                if not made:
                    self._marks[f"t{tool}"] = place
                if made:
                    self._open = None
                elif self._open is not None:
                    self._open[tool] = None
            else:
                if self._open is None or tool not in self._open:
                    self._goes_on(f"t{tool}", place, make=False)  # an answer that comes late belongs to the call all the same
                    self._open = None
                else:
                    del self._open[tool]
        if event.message is not None:
            self._goes_on(f"m{event.message}", place, make=True)
        if (end := merged(event)) is not None:
            self._marks.setdefault(f"s{end}", place)
        return self._open == {} and main_line_assistant(event.entry(None))

    def _goes_on(self, word: str, place: int, *, make: bool) -> None:
        """What was named before goes on at a place, so that nothing since then is settled; or it is named for the first time."""
        first = self._first(word)
        if first is not None and first < place:
            self._held.append([first, place])
        elif first is None and make:
            self._marks[word] = place

    def _first(self, word: str) -> int | None:
        """Where the own events stand that have the first naming of a word in their timeline; None where it is not named."""
        if word not in self._marks:
            first = self._own(word)
            if first is None and self._named(word):
                first = 0
            if first is None:
                return None
            self._marks[word] = first
        return self._marks[word]

    def _own(self, word: str) -> int | None:
        """Where the worldline's own events name it first."""
        found = self._session.execute(
            "SELECT place FROM mark WHERE word = ? AND worldline = ?", (marked(word), self._row.number)
        ).fetchone()
        return None if found is None else int(found[0])

    def _named(self, word: str) -> bool:
        """Whether the timeline names it already, above the own events or in them."""
        found = self._session.execute("SELECT worldline, place FROM mark WHERE word = ?", (marked(word),)).fetchall()
        if found and self._way is None:
            self._way = dict(segments_of(self._session, self._row))
        return any(place < (self._way or {}).get(worldline, 0) for worldline, place in found)

    def has_merged(self, event: str) -> bool:
        """Whether the timeline was told of what ends in an event of another one."""
        return self._named(f"s{event}")

    def write(self) -> None:
        """Writes what later appends ask for."""
        number = self._row.number
        if self._marks:
            self._session.executemany(
                "INSERT INTO mark (word, worldline, place) VALUES (?, ?, ?) ON CONFLICT (word, worldline) DO NOTHING",
                [(marked(word), number, place) for word, place in self._marks.items()],
            )
        for first, last in _joined(self._held):
            before = _holding(self._session, number, first)
            first = first if before is None or before[1] < first else min(first, before[0])
            self._session.execute("DELETE FROM held WHERE worldline = ? AND first >= ?", (number, first))
            self._session.execute("INSERT INTO held (worldline, first, last) VALUES (?, ?, ?)", (number, first, last))


def _joined(stretches: Sequence[list[int]]) -> list[list[int]]:
    """Stretches that overlap, as one each, in order."""
    found: list[list[int]] = []
    for first, last in sorted(stretches):
        if found and first <= found[-1][1]:
            found[-1][1] = max(found[-1][1], last)
        else:
            found.append([first, last])
    return found


def _holding(session: Session, worldline: int, place: int) -> tuple[int, int] | None:
    """The last stretch that begins at or before a place."""
    found = session.execute(
        "SELECT first, last FROM held WHERE worldline = ? AND first <= ? ORDER BY first DESC LIMIT 1", (worldline, place)
    ).fetchone()
    return None if found is None else (found[0], found[1])


def why_illegal(session: Session, found: Found) -> str | None:
    if not found.legal:
        return "a call is open there, or it is not the end of what the assistant of the main line says"
    held = _holding(session, found.worldline, found.place)
    return "the message that it is a part of goes on" if held is not None and found.place < held[1] else None


def nearest(session: Session, found: Found) -> list[str]:
    """The closest legal points before an event, and the first one after it in its own worldline."""
    return [*legal_before(session, found, NEAR - 1), *_own_after(session, found)]


def _own_after(session: Session, found: Found) -> list[str]:
    """The first legal point behind an event among the own events of its worldline."""
    place = found.place
    while True:
        row = session.execute(
            "SELECT id, place FROM event WHERE worldline = ? AND place > ? AND legal = 1 ORDER BY place LIMIT 1",
            (found.worldline, place),
        ).fetchone()
        if row is None:
            return []
        held = _holding(session, found.worldline, row[1])
        if held is None or row[1] >= held[1]:
            return [row[0]]
        place = held[1] - 1


def _own_before(session: Session, worldline: int, place: int, most: int) -> list[str]:
    """The closest legal points before a place among the own events of a worldline. O(log events) for each, and for each
    unfinished message on the way."""
    near: list[str] = []
    while len(near) < most:
        row = session.execute(
            "SELECT id, place FROM event WHERE worldline = ? AND place < ? AND legal = 1 ORDER BY place DESC LIMIT 1",
            (worldline, place),
        ).fetchone()
        if row is None:
            break
        held = _holding(session, worldline, row[1])
        if held is not None and row[1] < held[1]:
            place = held[0]
        else:
            near.append(row[0])
            place = row[1]
    return near


def legal_before(session: Session, found: Found, most: int) -> list[str]:
    """The closest legal points before an event in its timeline. O(log events) for each worldline on the way."""
    near: list[str] = []
    while True:
        near += _own_before(session, found.worldline, found.place, most - len(near))
        base = session.execute("SELECT base FROM worldline WHERE number = ?", (found.worldline,)).fetchone()[0]
        if len(near) == most or base is None:
            return near
        above = found_event(session, base)
        if above.worldline >= found.worldline:
            raise NoStore(f"the worldline of {base!r} comes after one that comes from it", "`forkpoint store check` tells more")
        near += [base] if why_illegal(session, above) is None else []
        found = above
        if len(near) == most:
            return near


class States:
    """The jobs of a worldline, and by how much the number in each state changes."""

    def __init__(self, session: Session, number: int) -> None:
        self._session, self._number = session, number
        self.changes = dict.fromkeys(STATES, 0)
        self._new: dict[str, str] = {}

    def enter(self, event: Event) -> str:
        """Enters an event that puts a job into a state; which state that is."""
        says = event.says
        job, status = says.get("job"), says.get("status")
        if not isinstance(job, str) or status not in STATES:
            raise BadEvent(f"the event {event.id!r} is of type 'job': it needs a job, and a status out of {', '.join(STATES)}")
        checked_id("job", job)
        before = self._new.get(job)
        if before is None:
            found = self._session.execute("SELECT status FROM job WHERE worldline = ? AND id = ?", (self._number, job)).fetchone()
            before = None if found is None else found[0]
        if before is not None:
            self.changes[before] -= 1
        self.changes[status] += 1
        self._new[job] = status
        return str(status)

    def write(self) -> None:
        if self._new:
            self._session.executemany(
                "INSERT INTO job (id, worldline, status) VALUES (?, ?, ?)"
                " ON CONFLICT (worldline, id) DO UPDATE SET status = excluded.status",
                [(job, self._number, status) for job, status in self._new.items()],
            )
