"""A sub-agent's conversation as one of its own (P12.21): the lines of its entries and no others, each as it is but that it no
longer says that a sub-agent speaks.

Clients resume no conversation whose entries have ``isSidechain``; with that false, and without the ``agentId``, they send it as
any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from forkpoint.clients.claude.keys import AGENT_ID, PARENT_LAST, PARENT_SESSION
from forkpoint.clients.claude.lines import CONTEXT_REF, SIDE
from forkpoint.clients.claude.written import with_parent
from forkpoint.clients.edits import with_value, without_key
from forkpoint.core import rewriting
from forkpoint.core.entries import Id
from forkpoint.runtime_checks import promised
from forkpoint.transcript.format import reader
from forkpoint.transcript.format.below import kept_positions
from forkpoint.transcript.format.reader import Transcript


def roots(transcript: Transcript) -> list[int]:
    """The positions at which sub-agents begin, rising: entries of theirs that continue none. O(n)."""
    parent = transcript.log.spine.parent
    return [at for at, aside in enumerate(transcript.sidechains) if aside and parent[at] < 0]


def within(transcript: Transcript, turns: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Of each sub-agent that begins in a session its first entry, how many entries it has, and in which turn it begins: that of
    the last entry of the main line before it, of which ``turns`` has the prompt; -1 before any. None of a sub-agent's own file.
    O(n)."""
    if is_agents(transcript):
        return
    parent, aside = transcript.log.spine.parent, transcript.sidechains
    sizes = [1] * len(aside)
    for at in range(len(aside) - 1, -1, -1):
        if aside[at] and parent[at] >= 0:
            sizes[parent[at]] += sizes[at]
    turn = -1
    for at in range(len(aside)):
        if not aside[at]:
            turn = turns[at]
        elif parent[at] < 0:
            yield at, sizes[at], turn


def is_agents(transcript: Transcript) -> bool:
    """Whether a file is a sub-agent's own: all its entries are of one."""
    return bool(transcript.sidechains) and all(transcript.sidechains)


def agent_of(transcript: Transcript, root: Id) -> str | None:
    """The id of the sub-agent whose file this is, or which begins at an entry, where its line says one."""
    own = re.fullmatch(r"agent-([A-Za-z0-9_-]+)", transcript.path.stem)
    if own is not None:
        return own[1]
    said = transcript.keys(transcript.span(transcript.log.position(root))).get(AGENT_ID)
    return said if isinstance(said, str) and re.fullmatch(r"[A-Za-z0-9_-]+", said) else None


class Pointer(NamedTuple):
    """A line of a sub-agent's file that points to the entry of a session at which its conversation goes on."""

    line: int
    session: str
    uuid: Id


def pointer(transcript: Transcript) -> Pointer | None:
    """Where the first line of a sub-agent's own file points; None without such a line, or where it names no session or entry."""
    for sidecar in transcript.sidecars:
        if sidecar.type == CONTEXT_REF:
            keys = transcript.keys(sidecar.span)
            session, uuid = keys.get(PARENT_SESSION), keys.get(PARENT_LAST)
            return Pointer(sidecar.span.number, session, uuid) if isinstance(session, str) and isinstance(uuid, str) else None
    return None


def goes_on(transcript: Transcript) -> str | None:
    """Whether a file is a sub-agent's own whose conversation may go on from a session's: the session that it names, or empty
    where only its first entry's parent is missing; None where it begins by itself."""
    if not is_agents(transcript):
        return None
    found = pointer(transcript)
    return found.session if found is not None else "" if 0 in transcript.lost_parents else None


def begun_in(transcript: Transcript, session: Transcript) -> int | None:
    """The position in a session of the entry at which a sub-agent's own file goes on from the session's conversation.

    None when it begins by itself, or goes on from what neither file holds. Clients start some sub-agents so: suggestions of
    prompts, compactions; since 2.1.118 by a line that points there."""
    for position, parent in transcript.lost_parents.items():
        if parent in session.log:
            return session.log.position(parent) if position == 0 else None
    found = pointer(transcript)
    return session.log.position(found.uuid) if found is not None and found.uuid in session.log else None


def with_session(transcript: Transcript, session: Transcript, position: int) -> Transcript:
    """A sub-agent's own file behind the conversation of the session that it goes on from, held in memory: the lines of that
    conversation, then those of the sub-agent, the first of which goes on there. Near-linear."""
    log = session.log
    above = b"".join(session.line(session.span(member)) + b"\n" for member in kept_positions(session, log.spine.uuids[position]))
    first = transcript.span(0)
    line = with_parent(transcript.line(first), str(log.spine.uuids[position]))
    own = transcript.source.read(0, first.start) + line + transcript.source.read(first.end, transcript.size)
    return reader.parse(above + own, transcript.path)


def promote(transcript: Transcript, root: Id, path: Path) -> Transcript:
    """The conversation of a sub-agent as a session, held in memory: of a sub-agent's own file all entries, of another session
    those that descend from ``root``, at which the sub-agent begins. ``path`` is that of the session to which it belongs. Lines
    have the numbers that they have in the file; those between are empty.

    Raises :class:`~forkpoint.core.entries.UnknownEntry` and :class:`~forkpoint.core.rewriting.NotARoot`. Near-linear.
    """
    log, numbers = transcript.log, transcript.numbers
    whole = is_agents(transcript) or not log.entry(root).sidechain  # which begins with the session's conversation
    own = log if whole else promised(rewriting.promote)(log, root)
    lines: dict[int, bytes] = {}
    for entry in own:
        position = log.position(entry.uuid)
        line = transcript.line(transcript.span(position))
        lines[numbers[position]] = _main_line(line) if entry.sidechain else line
    return reader.parse(b"".join(lines.get(number, b"") + b"\n" for number in range(1, max(lines) + 1)), path)


def _main_line(line: bytes) -> bytes:
    return without_key(with_value(line, SIDE, False), AGENT_ID)
