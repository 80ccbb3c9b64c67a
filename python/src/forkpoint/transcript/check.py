"""Every property of a file, each violation with its line, uuid, property and reason.

P1 and P2 come from the reader. P3 is judged over contexts: a call is a violation when nothing in the file answers it and a
later API message has it in its context; open at a tip it is a note; answered later or on a sibling branch it is nothing.
A result is a violation when its own conversation has no earlier call that is still open.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from forkpoint.core.balance import Walk
from forkpoint.core.entries import Id, Kind, Result, Use
from forkpoint.transcript.lines import Damage
from forkpoint.transcript.reader import Node, Transcript, Violation

PROPERTIES: Final = {
    "P1": "unique-uuids",
    "P2": "no-dangling-parents",
    "P3": "tools-balanced",
}


@dataclass(frozen=True, slots=True)
class Report:
    """What ``check`` found. A file is healthy when it has no violations and no damaged lines."""

    entries: int
    sidecars: int
    violations: list[Violation]
    notes: list[Violation]
    """Calls that are open at a tip: normal in a session that is running or was interrupted."""
    damage: list[Damage]

    @property
    def healthy(self) -> bool:
        return not self.violations and not self.damage


def _uses_of(node: Node) -> list[Id]:
    return [block.id for block in node.entry.blocks if isinstance(block, Use)]


def check(transcript: Transcript) -> Report:
    """Checks P1, P2 and P3 of a whole file in one pass. Near-linear in the file."""
    calls = _Calls(transcript)
    violations = [*transcript.violations, *calls.violations]
    violations.sort(key=lambda violation: (violation.line, violation.property, violation.message))
    return Report(
        entries=len(transcript.nodes),
        sidecars=len(transcript.sidecars),
        violations=violations,
        notes=calls.notes,
        damage=transcript.damage,
    )


class _Calls:
    """P3 of every context, from one walk over the log."""

    def __init__(self, transcript: Transcript) -> None:
        self._nodes = transcript.nodes
        self.violations: list[Violation] = []
        self._said: set[tuple[Id, int]] = set()
        self._uses: dict[Id, list[int]] = {}
        self._results: dict[Id, list[int]] = {}
        for position, node in enumerate(self._nodes):
            for block in node.entry.blocks:
                if isinstance(block, Use):
                    self._uses.setdefault(block.id, []).append(position)
                elif isinstance(block, Result):
                    self._results.setdefault(block.id, []).append(position)
        self._open = {
            position: [tool for tool in _uses_of(node) if tool not in self._results]
            for position, node in enumerate(self._nodes)
            if any(tool not in self._results for tool in _uses_of(node))
        }
        passed: set[int] = set()
        watched: dict[int, None] = {}  # open calls that came into a context; some have left it again
        walk = Walk(transcript.log)
        for position in walk:
            self._pairs(walk, walk.added)
            for new in walk.added:
                if new in self._open and new not in passed:
                    watched[new] = None
            if watched and self._nodes[position].entry.kind is Kind.ASSISTANT:
                for call in list(watched):
                    if walk.inside[call] and not self._one_message(call, position):
                        self._pass_over(call, position)
                        passed.add(call)
                    if call in passed or not walk.inside[call]:
                        del watched[call]
        self.notes = [
            Violation(self._line(position), self._nodes[position].uuid, "P3", f"the call {tool} is open")
            for position, tools in self._open.items()
            if position not in passed
            for tool in tools
        ]

    def _pairs(self, walk: Walk, added: Iterable[int]) -> None:
        """Reports what the entries that are new in a context break there."""
        for position in added:
            for tool in {block.id for block in self._nodes[position].entry.blocks if isinstance(block, (Use, Result))}:
                tally = walk.tallies[walk.tools[tool]]
                if tally.paired or (tally.uses == 1 and tally.results == 0):
                    continue
                uses = [at for at in self._uses.get(tool, ()) if walk.inside[at]]
                results = [at for at in self._results.get(tool, ()) if walk.inside[at]]
                if len(uses) > 1:
                    self._report(tool, uses[1], f"the tool use id {tool} is used before, on line {self._line(uses[0])}")
                if not uses:
                    self._report(tool, results[0], f"the result answers the call {tool}, which its conversation does not hold")
                elif results and results[0] < uses[0]:
                    self._report(tool, results[0], f"the result stands before the call that it answers, {tool}")
                if len(results) > 1:
                    self._report(tool, results[1], f"the call {tool} is answered before, on line {self._line(results[0])}")

    def _one_message(self, call: int, position: int) -> bool:
        a, b = self._nodes[call].entry, self._nodes[position].entry
        return call == position or (a.message is not None and a.message == b.message)

    def _pass_over(self, call: int, position: int) -> None:
        for tool in self._open[call]:
            self._report(tool, call, f"the call {tool} is never answered and line {self._line(position)} goes on without it")

    def _report(self, tool: Id, position: int, message: str) -> None:
        if (tool, position) not in self._said:
            self._said.add((tool, position))
            node = self._nodes[position]
            self.violations.append(Violation(node.span.number, node.uuid, "P3", message))

    def _line(self, position: int) -> int:
        return self._nodes[position].span.number
