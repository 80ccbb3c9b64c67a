"""When what is left out must leave a stub, and what a stub says.

A stub is required when a call that is left out had an effect, when an entry that stays refers to one that is left out, and
when a prompt that stays was said after it: the user decided on it. Which tools have no effect is a list; any other has one.
"""

from __future__ import annotations

import uuid as uuids
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from forkpoint.clients.claude.keys import PARENT
from forkpoint.clients.claude.lines import COPIED, REFERENCES, SESSION_KEY
from forkpoint.clients.claude.tools import WITHOUT_EFFECT
from forkpoint.clients.claude.written import clipped, entry
from forkpoint.clients.kinds import SPOKEN
from forkpoint.core import rewriting
from forkpoint.core.entries import Id
from forkpoint.core.rendering import root_position
from forkpoint.core.rewriting import Notes
from forkpoint.transcript.format.compaction import crossing, starts_anew
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query.content import calls
from forkpoint.transcript.query.outline import Outline
from forkpoint.transcript.query.overlays import Shown, conversation

_COPIED: Final = (*COPIED, SESSION_KEY, "timestamp")
"""The keys of a stub whose values are those of the first entry that it stands for."""


def notes(shown: Shown, outline: Outline) -> Notes:
    """What the stub rule has to know of the conversation from which a session is seen. Reads its lines."""
    transcript = shown.source
    uuid_of = transcript.log.spine.uuids
    members = conversation(transcript, shown.at)
    names: dict[Id, str] = {}
    refers: dict[Id, frozenset[Id]] = {}
    for member in members:
        names |= calls(transcript, member)
        found = references(transcript, member)
        if found:
            refers[uuid_of[member]] = found
    effects = frozenset(tool for tool, name in names.items() if name not in WITHOUT_EFFECT)
    return Notes(effects, refers, frozenset(uuid_of[member] for member in members if member in outline.words))


def references(transcript: Transcript, position: int) -> frozenset[Id]:
    """The entries that a line names, its parent aside."""
    keys = transcript.keys(transcript.span(position))
    values = (keys[key] for key in REFERENCES - {PARENT} if key in keys)
    return frozenset(value for value in values if isinstance(value, str))


def reasons(shown: Shown, outline: Outline, covered: frozenset[str]) -> list[str]:
    """Why what is covered must leave a stub, in words; none when it may vanish (P13.8). What is left out already does not stay,
    so it asks for none.

    Where a conversation stands behind a compaction, something that was said since must stay: without it there is nothing to go on
    from, or, where it crosses the compaction, it would be the conversation before.
    """
    transcript = shown.source
    gone = shown.covered.keys() - covered
    members = (transcript.log[member] for member in conversation(transcript, shown.at))
    entries = [entry for entry in members if entry.uuid not in gone]
    found = rewriting.stub_reasons(entries, covered, notes(shown, outline))

    def line(uuid: Id) -> str:
        return f"line {transcript.span(transcript.log.position(uuid)).number}"

    said = []
    if found.effect is not None:
        said.append(f"a call on {line(found.effect)} may have had an effect")
    if found.reference is not None:
        said.append(f"{line(found.reference.left)} refers to {line(found.reference.covered)}")
    if found.decision is not None:
        said.append(f"the prompt on {line(found.decision.left)} was said after it")
    boundary = None if shown.position is None else _behind(shown, shown.position)
    if (
        boundary is not None
        and boundary not in covered
        and not any(uuid not in covered for uuid in _said_behind(shown, boundary))
    ):
        said.append(f"it is all that was said since the compaction on {line(boundary)}, which is nothing without a summary")
    return said


def _behind(shown: Shown, position: int) -> Id | None:
    """The boundary behind which a conversation stands that is seen: the one that it crosses, or its root."""
    log, across = shown.transcript.log, crossing(shown.transcript, position)
    if across is not None:
        return across.boundary
    root = root_position(log, log.spine.uuids[position])
    return log.spine.uuids[root] if starts_anew(shown.transcript, root) else None


def _said_behind(shown: Shown, boundary: Id) -> Iterator[Id]:
    """What was said behind a boundary in the conversation that is seen."""
    log = shown.transcript.log
    assert shown.position is not None
    for member in conversation(shown.transcript, shown.position):
        if member > log.position(boundary) and log[member].kind in SPOKEN:
            yield log.spine.uuids[member]


def stub(transcript: Transcript, positions: Sequence[int], text: str, more: Mapping[str, object]) -> dict[str, object]:
    """The line of a stub for some entries, as JSON: an entry of the user's side without a call. ``more`` are further keys."""
    keys = transcript.keys(transcript.span(positions[0]))
    says = {"message": {"role": "user", "content": text}, **more, "uuid": str(uuids.uuid4())}
    return entry(None, keys, "user", says, copied=_COPIED)


def words(transcript: Transcript, positions: Sequence[int], steps: int) -> str:
    """What a stub says when nobody says it otherwise: how much was left out, and which calls with an effect."""
    entries = "1 entry" if len(positions) == 1 else f"{len(positions)} entries"
    left = "1 step was" if steps == 1 else f"{steps} steps were"
    return f"[{left} left out of this conversation here ({entries}).{effects(transcript, positions)}]"


def effects(transcript: Transcript, positions: Sequence[int]) -> str:
    """The calls that may have had an effect, in a sentence; empty where there is none."""
    names = Counter(name for position in positions for name in calls(transcript, position).values() if name not in WITHOUT_EFFECT)
    each = (name if count == 1 else f"{name} ({count} times)" for name, count in sorted(names.items()))
    return f" Calls among them that may have had effects: {', '.join(each)}." if names else ""


def summary(transcript: Transcript, positions: Sequence[int], outline: Outline) -> str:
    """What stands for the start of a conversation when nobody summed it up: the prompts, and the calls with an effect."""
    lines = [f"- {clipped(outline.words[position])}" for position in positions if position in outline.words]
    start = f"The start of this conversation was left out ({len(positions)} entries).{effects(transcript, positions)}"
    return "\n".join([start, "The user's prompts in it:", *lines] if lines else [start])
