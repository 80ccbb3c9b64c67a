"""Forking a transcript: the lines of one conversation, byte for byte, as a new session."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from forkpoint.core import contexts, turns
from forkpoint.core.balance import BLANK, main_line_assistant, run
from forkpoint.core.entries import Entry, Id, Result, Use
from forkpoint.transcript.outline import Outline
from forkpoint.transcript.reader import Node, Transcript


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a point cannot be forked, and the legal points nearest to it: the closest one above, then the first below."""

    reason: str
    nearest: list[Node]


def kept(transcript: Transcript, uuid: Id) -> list[Node]:
    """The entries that a fork at ``uuid`` keeps, in canonical order, the fork point last."""
    return [transcript.nodes[position] for position in contexts.member_positions(transcript.log, uuid)]


def lines(transcript: Transcript, nodes: list[Node]) -> Iterator[bytes]:
    """The exact lines of entries, each ending in a newline."""
    for node in nodes:
        yield transcript.line(node.span) + b"\n"


def refusal(transcript: Transcript, outline: Outline, uuid: Id) -> Refusal | None:
    """Why ``uuid`` cannot be forked, or ``None`` when it is a legal point and its conversation holds no damage."""
    log = transcript.log
    if outline.survey.legal[log.position(uuid)]:
        return None
    damaged = transcript.damaged_in_context(uuid)
    if damaged:
        node = damaged[0]
        reasons = [violation.message for violation in transcript.violations if violation.uuid == node.uuid]
        also = f" ({reasons[0]})" if reasons else ""
        reason = f"its conversation holds a damaged entry, line {node.span.number}{also}"
    else:
        reason = why_illegal(transcript, uuid)
    above = turns.nearest_legal_ancestor(log, outline.survey.legal, uuid)
    nearest = [] if above is None else [above]
    nearest.extend(turns.first_legal_descendants(log, outline.survey.legal, uuid))
    return Refusal(reason, [transcript.nodes[log.position(point)] for point in nearest])


def why_illegal(transcript: Transcript, uuid: Id) -> str:
    """The reason in words why an entry is no legal fork point."""
    log = transcript.log
    entry = log.entry(uuid)
    later = contexts.later_members(log, uuid)
    if later:
        place = ", ".join(str(transcript.nodes[position].span.number) for position in later[:3])
        return f"the turn is not over: what belongs to it comes later (line {place})"
    conversation = contexts.context(log, uuid)
    books = run(BLANK, conversation)
    if books is None:
        return _why_broken(conversation)
    if books.out:
        names = ", ".join(sorted(str(tool) for tool in books.out)[:3])
        return f"a tool call has no result yet ({names})"
    if entry.sidechain:
        return "it is an entry of a sub-agent"
    if not main_line_assistant(entry):
        return f"it is not the end of an assistant's turn but an entry of kind {entry.kind.value}"
    raise AssertionError("the entry is a legal fork point")


def _why_broken(conversation: tuple[Entry, ...]) -> str:
    """Which block breaks the books of a conversation."""
    out: set[Id] = set()
    made: set[Id] = set()
    for entry in conversation:
        for block in entry.blocks:
            if isinstance(block, Use):
                if block.id in made:
                    return f"its conversation holds the tool use id {block.id} twice"
                made.add(block.id)
                out.add(block.id)
            elif isinstance(block, Result):
                if block.id not in out:
                    what = "a second result of" if block.id in made else "a result without"
                    return f"its conversation holds {what} the call {block.id} (entry {entry.uuid})"
                out.discard(block.id)
    raise AssertionError("the books are not broken")
