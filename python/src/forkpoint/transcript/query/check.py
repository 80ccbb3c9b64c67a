"""Every property of a file, each violation with its line, uuid, property and reason.

P1 and P2 come from the reader. P3 is judged over contexts: a call is a violation when nothing in the file answers it and a
later API message has it in its context; open at a tip it is a note; answered later or on a sibling branch it is nothing.
A result is a violation when its own conversation has no earlier call that is still open. What entries name besides their
parent is noted where it does not agree with it or is not in the file, and so are emptied contents and another session's entries.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from forkpoint.clients.lines import Damage
from forkpoint.core.balance import Walk
from forkpoint.core.entries import Id, Kind
from forkpoint.transcript.format.reader import Transcript, Violation
from forkpoint.transcript.query import references
from forkpoint.transcript.query.blockers import obstacles
from forkpoint.transcript.query.remarks import remarks

PROPERTIES: Final = {
    "P1": "unique-uuids",
    "P2": "no-dangling-parents",
    "P3": "tools-balanced",
}


OBSTACLE: Final = "obstacle"
"""The kind of a note of what holds a conversation back though its books are in order."""


@dataclass(frozen=True, slots=True)
class Report:
    """What ``check`` found. A file is healthy when it has no violations and no damaged lines."""

    entries: int
    sidecars: int
    violations: list[Violation]
    notes: list[Violation]
    """In line order: calls that are open at a tip, normal in a session that is running or was interrupted, and references
    that need explaining (see :mod:`forkpoint.transcript.query.references`)."""
    damage: list[Damage]

    @property
    def healthy(self) -> bool:
        return not self.violations and not self.damage


def check(transcript: Transcript) -> Report:
    """Checks P1, P2 and P3 of a whole file in one pass. Near-linear in the file."""
    calls = _Calls(transcript)
    violations = [*transcript.violations, *calls.violations]
    violations.sort(key=lambda violation: (violation.line, violation.property, violation.message))
    return Report(
        entries=len(transcript.log),
        sidecars=len(transcript.sidecars),
        violations=violations,
        notes=sorted(
            [*calls.notes, *references.notes(transcript), *_obstacles(transcript), *remarks(transcript)],
            key=lambda note: note.line,
        ),
        damage=transcript.damage,
    )


def _obstacles(transcript: Transcript) -> list[Violation]:
    """What holds a conversation back though its books are in order, noted at the entry to which it is attached."""
    return [
        Violation(transcript.span(position).number, transcript.nodes[position].uuid, "P3", found.why, OBSTACLE)
        for position, found in sorted((pair for each in obstacles(transcript) for pair in each.items()), key=lambda pair: pair[0])
    ]


@dataclass(slots=True)
class _Record:
    """The books of one tool id in the context of ``at``: who used it first, who answered last, and how far one got."""

    at: int
    blocks: int = 0
    last: int = -1
    use: int | None = None
    result: int | None = None


class _Calls:
    """P3 of every context, from one walk over the log."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._log = log = transcript.log
        self.violations: list[Violation] = []
        self._said: set[tuple[Id, int, int]] = set()
        self._places: dict[Id, list[tuple[int, bool, int]]] = {}  # of each tool id its blocks: place, use or not, position
        self._records: dict[Id, list[_Record]] = {}
        walk = Walk(log)
        self._names = list(walk.tools)
        answered: set[Id] = set()
        for position, marks in enumerate(walk.blocks):
            for number, is_use, place in marks:
                tool = self._names[number]
                self._places.setdefault(tool, []).append((place, is_use, position))
                if not is_use:
                    answered.add(tool)
        unanswered: dict[int, list[Id]] = {}
        for tool, places in self._places.items():
            if tool not in answered:
                for _, _, position in places:
                    unanswered.setdefault(position, []).append(tool)
        passed: set[int] = set()
        watched: dict[object, dict[int, None]] = {}  # by message: open calls that came into a context; some have left it
        for position in walk:
            for new in walk.added:
                if walk.blocks[new]:
                    self._pairs(walk, position)
                    break
            if unanswered:
                for new in walk.added:
                    if new in unanswered and new not in passed:
                        watched.setdefault(self._message(new), {})[new] = None
            if watched and log[position].kind is Kind.ASSISTANT:
                for message in [message for message in watched if message != self._message(position)]:
                    for call in watched.pop(message):
                        if walk.inside[call]:
                            passed.add(call)
                            for tool in unanswered[call]:
                                line = self._line(position)
                                text = f"the call {tool} is never answered and line {line} goes on without it"
                                self._report(tool, 0, call, "passed-over", text)
        self.notes = [
            Violation(self._line(position), self._uuid(position), "P3", f"the call {tool} is open")
            for position, tools in sorted(unanswered.items())
            if position not in passed
            for tool in tools
        ]

    def _message(self, position: int) -> object:
        """What makes two entries one message; an entry without a message id counts by itself."""
        message = self._log[position].message
        return position if message is None else ("message", message)

    def _pairs(self, walk: Walk, position: int) -> None:
        """Reports what the blocks that are new in a context break there."""
        new: dict[Id, list[tuple[int, bool, int]]] = {}
        names = self._names
        for added in walk.added:
            for number, is_use, place in walk.blocks[added]:
                new.setdefault(names[number], []).append((place, is_use, added))
        for tool, blocks in new.items():
            records = self._records.setdefault(tool, [])
            while records and not walk.inside[records[-1].at]:
                records.pop()
            blocks.sort()
            tally = walk.tallies[walk.tools[tool]]
            before = records[-1] if records else _Record(-1)
            if before.blocks + len(blocks) != tally.uses + tally.results or blocks[0][0] < before.last:
                before = _Record(-1)  # the new blocks do not simply follow those above: judge all that are inside
                blocks = [block for block in self._places[tool] if walk.inside[block[2]]]
            records.append(self._judge(tool, before, blocks, position))

    def _judge(self, tool: Id, before: _Record, blocks: list[tuple[int, bool, int]], position: int) -> _Record:
        """Enters blocks into the books of one tool id and reports those that break them; such a block changes nothing."""
        use, result = before.use, before.result
        for place, is_use, at in blocks:
            if is_use and use is not None:
                self._report(tool, place, at, "use-twice", f"the tool use id {tool} is used before, on line {self._line(use)}")
            elif is_use:
                use = at
            elif use is None:
                text = f"the result answers {tool}, a call that its conversation does not hold before it"
                self._report(tool, place, at, "orphan-result", text)
            elif result is not None:
                text = f"the call {tool} is answered before, on line {self._line(result)}"
                self._report(tool, place, at, "second-result", text)
            else:
                result = at
        return _Record(position, before.blocks + len(blocks), blocks[-1][0], use, result)

    def _report(self, tool: Id, place: int, position: int, kind: str, message: str) -> None:
        if (tool, place, position) not in self._said:
            self._said.add((tool, place, position))
            self.violations.append(Violation(self._line(position), self._uuid(position), "P3", message, kind, tool))

    def _line(self, position: int) -> int:
        return self._transcript.span(position).number

    def _uuid(self, position: int) -> str:
        return self._transcript.nodes[position].uuid
