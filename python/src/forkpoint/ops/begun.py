"""Where a sub-agent's own file goes on from the conversation of a session: by the line that points there, or by a parent that the
session has. Nothing is written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from forkpoint.client.places import SESSION_ID, SUFFIX
from forkpoint.ops.refusals import Refusal
from forkpoint.ops.session import Session, read
from forkpoint.store import projects
from forkpoint.transcript.make import promotion


class Begun(NamedTuple):
    """The session from which a sub-agent goes on, and at which of its entries."""

    session: Session
    position: int

    @property
    def place(self) -> str:
        """The file and the line."""
        return f"{self.session.file}:{self.session.line(self.position)}"


def begun(session: Session) -> Begun | None:
    """Where a sub-agent's own file goes on from a session's conversation; None where it begins by itself, or goes on from what no
    session has. Reads that session.

    Refuses where the file points to an entry that no session has of which it can be: its conversation lacks its beginning then.
    """
    transcript = session.transcript
    if not session.path.name.startswith("agent-") or not promotion.is_agents(transcript):  # by its name first: most are none
        return None
    pointer = promotion.pointer(transcript)
    if pointer is None and not transcript.lost_parents:
        return None
    for path in _candidates(session.path, None if pointer is None else pointer.session):
        other = read(path, session.tell)
        at = promotion.begun_in(transcript, other.transcript)
        if at is not None:
            return Begun(other, at)
    if pointer is None:
        return None
    raise Refusal(
        f"the sub-agent goes on at the entry {pointer.uuid} of the session {pointer.session}, and no file has that",
        file=session.file,
        line=pointer.line,
        cure=f"put {pointer.session}.jsonl beside the folder in which it stands",
    )


def told(session: Session) -> tuple[Begun | None, str | None]:
    """The same where it is only looked at: where a sub-agent goes on, and what is to be said of it, also where it cannot be
    found; nothing of a session that begins by itself."""
    try:
        found = begun(session)
    except Refusal as error:
        return None, f"note: {error}; what stands above it is not shown"
    return found, None if found is None else f"note: {session.file}: the sub-agent goes on from the conversation at {found.place}"


def _candidates(path: Path, named: str | None) -> Iterator[Path]:
    """The files in which the session can be from which a sub-agent goes on: the one that it belongs to, the one that its line
    names, in the same project, then in another one."""
    found = [projects.session_of_agent(path)]
    if named is not None and SESSION_ID.fullmatch(named):
        beside = found[0].with_name(named + SUFFIX)
        found += [beside, *(folder / beside.name for folder in projects.project_folders())]
    seen = {os.path.realpath(path)}
    for each in found:
        if (real := os.path.realpath(each)) not in seen and each.is_file():
            seen.add(real)
            yield each
