"""What is wrong with a transcript, why, what a client loses by it, and what `repair` does about it.

The findings are those of `check`, each with the reason that a repair on trial gives.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from forkpoint.core.entries import Kind
from forkpoint.transcript.format.reader import Node, Transcript, Violation
from forkpoint.transcript.query import references
from forkpoint.transcript.query.check import OBSTACLE, Report
from forkpoint.transcript.query.remarks import EMPTIED, MARKED, OTHERS
from forkpoint.transcript.repair.changes import LineChange, Reason, Repaired

KINDS: Final = {
    "damaged": ("mended", "unreadable"),
    "P1": ("copy", "parent-copy"),
    "P3": ("orphan-result", "second-result", "use-twice", "passed-over", "asks"),
    "P2": (
        "parent-elsewhere",
        "parent-named",
        "parent-call",
        "parent-message",
        "parent-prompt",
        "parent-copy",
        "parent-segment",
        "parent-client",
        "parent-previous",
        "root",
    ),
}
"""The reasons that a repair gives for each sort of finding."""
ALONG: Final = "the cures of other lines change it too"
"""What is said of a line that violates nothing, and that a repair changes."""
HELD: Final = "held-back"
"""The kind of a note of what keeps the head from being forked."""
OPEN_CALL: Final = "open-call"
NOTES: Final = {
    "reference": (
        "what the entry names besides its parent is elsewhere in the tree, in another file, or gone",
        "none is known: the tree is made of parents alone",
        "none needed",
    ),
    OPEN_CALL: (
        "the session runs, or was interrupted",
        "clients up to 2.1.270 do not send the call; later ones answer it with an error",
        "none needed",
    ),
    EMPTIED: (
        "no client writes an empty prompt: a compaction that failed, or another tool, has emptied them",
        "the model sees nothing of what was said there",
        "none: the words are not in this file; a copy of it that was made before may hold them",
    ),
    MARKED: (
        "another tool wrote the file: no client writes such a mark",
        "none for forkpoint; what clients make of the first line was not measured",
        "none needed: a fork has none",
    ),
    OTHERS: (
        "a client went on in this file with another session",
        "a client that resumes this session goes on with the other one",
        "none needed: each is whole; see where this session ends",
    ),
}
"""Of each kind of note the cause, the loss and the cure."""
MANY: Final = 50
"""From so many reasons of one line on, not all are asked for each finding."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with a line, or worth knowing.

    ``property`` is ``P1``, ``P2``, ``P3``, ``damaged`` or ``note``; ``kind`` names the cause, ``message`` says what `check`
    says, and the others why, what a client loses, and what `repair` does.
    """

    line: int
    uuid: str | None
    property: str
    kind: str
    message: str
    cause: str
    loss: str
    cure: str


def diagnose(transcript: Transcript, report: Report, repaired: Repaired | str) -> list[Finding]:
    """The findings of a file in line order; ``repaired`` is the repair on trial, or why there is none. O(n + findings)."""
    changes = _Changes(None if isinstance(repaired, str) else repaired)
    found = [_finding(damage.line, None, "damaged", f"it {damage.reason}", "", changes, repaired) for damage in report.damage]
    found += [
        _finding(each.line, each.uuid, each.property, each.message, each.kind, changes, repaired) for each in report.violations
    ]
    found = _told(changes, found)
    found += notes(transcript, [note for note in report.notes if note.kind != OBSTACLE])  # the damage itself is told
    return sorted(found, key=lambda each: (each.line, each.property))


def _told(changes: _Changes, found: Sequence[Finding]) -> list[Finding]:
    """The findings, and with them each thing that a repair does and of which none speaks: at the end of the cure of a finding of
    the same line, or as a note of its own, since that line violates nothing. O(findings + reasons)."""
    known = {(each.line, each.cause) for each in found}
    last = {each.line: at for at, each in enumerate(found)}
    whole = {each.line for each in found if each.property == "damaged"}  # such a one tells all of its line
    more: dict[int, list[str]] = {}
    notes = []
    for line, change in changes.items():
        for reason in () if line in whole else change.reasons:
            if line in last and (line, reason.cause) not in known:
                more.setdefault(last[line], []).append(f"{reason.cause}: {reason.cure}")
            elif line not in last:
                notes.append(Finding(line, change.uuid, "note", reason.kind, ALONG, *reason[1:]))
    told = [replace(each, cure="; ".join([each.cure, *more[at]])) if at in more else each for at, each in enumerate(found)]
    return [*told, *notes]


def _finding(
    line: int, uuid: str | None, sort: str, message: str, kind: str, changes: _Changes, repaired: Repaired | str
) -> Finding:
    if isinstance(repaired, str):
        return Finding(line, uuid, sort, "unknown", message, "", "", f"none: {repaired}")
    change = changes.get(line)
    reason = changes.reasons(line).fitting(sort, message, kind)
    if reason is None and sort == "P1":
        reason, last_line = changes.copies.get(uuid, (None, 0))
        if reason is not None:
            last = last_line <= line
            cure = f"this one is kept{', being the last' if last else ''}"
            reason = Reason("copy", "the lines with this uuid do not say the same", reason.loss, cure)
    if reason is not None and sort == "damaged" and change is not None:
        further = [each for each in change.reasons if each is not reason]
        reason = reason._replace(cure="; ".join([reason.cure, *(f"{each.cause}: {each.cure}" for each in further)]))
    if reason is None:
        reason = _by_another(changes.after.get(line), sort, repaired)
    return Finding(line, uuid or (change.uuid if change else None), sort, reason.kind, message, *reason[1:])


class _Changes(dict[int, LineChange]):
    """The changes of a repair by their lines, and the reasons of each; of none where there is no repair."""

    def __init__(self, repaired: Repaired | None) -> None:
        super().__init__((change.line, change) for change in (() if repaired is None else repaired.changes))
        self._asked: dict[int, _Reasons] = {}
        self._repaired = repaired

    @cached_property
    def copies(self) -> dict[str | None, tuple[Reason | None, int]]:
        """By uuid the first reason that speaks of copies, if one does, and the last line that changed."""
        found: dict[str | None, tuple[Reason | None, int]] = {}
        for each in self.values():
            first, last = found.get(each.uuid, (None, 0))
            copy = next((reason for reason in each.reasons if reason.kind == "copy"), None) if first is None else first
            found[each.uuid] = (copy, max(last, each.line))
        return found

    @cached_property
    def after(self) -> dict[int, Node]:
        """By the lines of the source the first entry that each became."""
        found: dict[int, Node] = {}
        if self._repaired is not None:
            for node in self._repaired.transcript.nodes:
                found.setdefault(self._repaired.lines[node.span.number - 1].source, node)
        return found

    def reasons(self, line: int) -> _Reasons:
        """The reasons of the change of a line."""
        if line not in self._asked:
            self._asked[line] = _Reasons(self[line].reasons if line in self else ())
        return self._asked[line]


class _Reasons:
    """The reasons of a change, to be asked for the one that speaks of what a finding speaks of."""

    def __init__(self, reasons: Sequence[Reason]) -> None:
        self._reasons = reasons
        self._words = [_words(reason.cause) for reason in reasons]
        self._with: dict[str, list[int]] = {}
        if len(reasons) > MANY:
            for at, words in enumerate(self._words):
                for word in words:
                    self._with.setdefault(word, []).append(at)

    def fitting(self, sort: str, message: str, kind: str) -> Reason | None:
        """The reason for a finding: of those of its kind the one that speaks of the same names. Of many only those are asked that
        have the word of the message that the fewest have."""
        words = _words(message)
        there = [self._with[word] for word in words if word in self._with]
        asked = min(there, key=len) if there else range(len(self._reasons))
        fitting = [at for at in asked if self._reasons[at].kind in KINDS[sort]]
        best = max(fitting, key=lambda at: (self._reasons[at].kind == kind, len(words & self._words[at])), default=None)
        return None if best is None else self._reasons[best]


def _words(text: str) -> set[str]:
    return set(text.replace(",", " ").replace(":", " ").split())


def _by_another(mine: Node | None, sort: str, repaired: Repaired) -> Reason:
    """The reason for a finding that the cure of another line takes away; ``mine`` is what became of the finding's line."""
    if mine is not None and sort == "P2" and mine.entry.parent is not None:
        above = repaired.transcript.nodes[repaired.transcript.log.position(mine.entry.parent)]
        by = repaired.lines[above.span.number - 1]
        where = f"line {by.source}" if by.source else f"a line of {by.origin}"
        if by.reasons or by.origin:
            what = "which is damaged" if by.source else "which is brought in"
            return Reason("other-line", f"its parent is {where}, {what}", "as there", f"the parent comes back with {where}")
        return Reason("other-line", f"its parent is {where}, and stands below it", "as there", "the cycle is cut at another line")
    loss = "what that line's loss is"
    return Reason("other-line", "another line is damaged", loss, "none of its own: the cure of the other line is enough")


def notes(transcript: Transcript, said: Iterable[Violation]) -> list[Finding]:
    """What is no violation: calls that are open, references that need explaining, answers without a message id."""
    named = set(references.notes(transcript))
    found = []
    for each in said:
        kind = "reference" if each in named else each.kind or OPEN_CALL
        found.append(Finding(each.line, each.uuid, "note", kind, each.message, *NOTES[kind]))
    nameless = [
        node
        for node in transcript.nodes
        if node.entry.kind is Kind.ASSISTANT and node.entry.message is None and node.entry.blocks
    ]
    if nameless:
        found.append(
            Finding(
                nameless[0].span.number,
                nameless[0].uuid,
                "note",
                "no-message-id",
                f"{'1 assistant entry has' if len(nameless) == 1 else f'{len(nameless)} assistant entries have'} no message.id",
                "no client writes them so: a tool took it away, or made the file",
                "clients run such answers together, or leave them out",
                "none: an identity is not made up",
            )
        )
    return found
