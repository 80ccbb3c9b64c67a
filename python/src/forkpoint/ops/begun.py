"""Where a sub-agent's own file goes on from the conversation of a session: by the line that points there, or by a parent that the
session has. Nothing is written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from forkpoint.answers.refusals import Refusal
from forkpoint.clients.claude.places import SESSION_ID, SUFFIX
from forkpoint.ops import cached
from forkpoint.ops.session import Session, read
from forkpoint.sessions import projects
from forkpoint.transcript.write import promotion


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
    named = _named(session)
    if named is None:
        return None
    transcript = session.transcript
    for path in _candidates(session.path, named):
        other = read(path, session.tell)
        at = promotion.begun_in(transcript, other.transcript)
        if at is not None:
            return Begun(other, at)
    pointer = promotion.pointer(transcript)
    if pointer is None:
        return None
    raise Refusal(
        f"the sub-agent goes on at the entry {pointer.uuid} of the session {pointer.session}, and no file has that",
        file=session.file,
        line=pointer.line,
        cure=f"put {pointer.session}.jsonl beside the folder in which it stands",
    )


class Where(msgspec.Struct):
    """The same as it is said: the sub-agent's first entry, and where it goes on, or why that cannot be found."""

    first: str
    first_line: int
    file: str = ""
    uuid: str = ""
    line: int = 0
    why: str = ""
    cure: str = ""

    @property
    def place(self) -> str:
        """The file and the line."""
        return f"{self.file}:{self.line}"


def where(session: Session) -> Where | None:
    """Where a sub-agent goes on, to be said; None where it begins by itself. O(1) where it is kept."""
    named = _named(session)
    if named is None:
        return None
    return cached.answer(
        session.transcript, "begun", Where | None, lambda: _where(session), list(_candidates(session.path, named))
    )


def _where(session: Session) -> Where | None:
    first, line = session.place(0).uuid, session.line(0)
    try:
        found = begun(session)
    except Refusal as error:
        return Where(first, line, why=str(error), cure=error.cure)
    if found is None:
        return None
    other, at = found
    return Where(first, line, other.file, other.place(at).uuid, other.line(at))


def told(session: Session) -> Where | None:
    """The same where it is only looked at: it is said, also that it cannot be found; None of what cannot."""
    found = where(session)
    if found is not None and found.why:
        session.tell(f"note: {found.why}; what stands above it is not shown")
        return None
    if found is not None:
        session.tell(f"note: {session.file}: the sub-agent goes on from the conversation at {found.place}")
    return found


def _named(session: Session) -> str | None:
    """The session to which a sub-agent's file points, empty where it points to none; None where it begins by itself."""
    if not session.path.name.startswith("agent-"):  # by its name first: most are none
        return None
    return cached.answer(session.transcript, "goes-on", str | None, lambda: promotion.goes_on(session.transcript))


def _candidates(path: Path, named: str) -> Iterator[Path]:
    """The files in which the session can be from which a sub-agent goes on: the one that it belongs to, the one that its line
    names, in the same project, then in another one."""
    found = [projects.session_of_agent(path)]
    if SESSION_ID.fullmatch(named):
        beside = found[0].with_name(named + SUFFIX)
        found += [beside, *(folder / beside.name for folder in projects.project_folders())]
    seen = {os.path.realpath(path)}
    for each in found:
        if (real := os.path.realpath(each)) not in seen and each.is_file():
            seen.add(real)
            yield each
