"""A turn of the installed client in a worldline: a session of it, the client on that, and what the client said back again."""

from __future__ import annotations

import os
import subprocess
import time
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from forkpoint.answers.refusals import Code, Refusal
from forkpoint.ops.session import Tell, ignore
from forkpoint.ops.session import open as open_session
from forkpoint.ops.storing import refusing, session_of
from forkpoint.requests import TakeOutRequest
from forkpoint.sessions.projects import project_folder
from forkpoint.transcript.format.below import kept_positions
from forkpoint.worldlines.events import Event, spoken
from forkpoint.worldlines.fanout import Child, Runner, latest, ran
from forkpoint.worldlines.rows import again_id
from forkpoint.worldlines.store import Store

CLIENT: Final = ("claude",)
"""The installed client."""


class Turn(NamedTuple):
    """What came of a turn: the session in which the client worked, how many events are new, and its last words."""

    session: str
    path: str
    events: int
    text: str | None


def turn(
    store: Store,
    worldline: str,
    message: str | None,
    client: Sequence[str] = CLIENT,
    *,
    at: str | None = None,
    timeout_s: float = 600.0,
    max_turns: int | None = None,
    tell: Tell = ignore,
) -> Turn:
    """Lets the client go on in a worldline from an event, by default its head: with a message, or at the terminal without one.

    The client works in the current folder, on a new session that says what the worldline says. What it adds there becomes
    events behind the head. Refuses (``UNSURE``) where somebody else appended meanwhile: the session then holds the turn.
    Raises :class:`TimeoutError` and :class:`RuntimeError` as :func:`~forkpoint.worldlines.fanout.ran` does. O(bytes).
    """
    with refusing():
        line = store.worldline(worldline)
    begin = at if at is not None else line.head
    if begin is None:
        session, where, before = str(uuid.uuid4()), "--session-id", 0
        path = project_folder(os.getcwd()) / f"{session}.jsonl"
    else:
        made = session_of(store, worldline, TakeOutRequest(at=begin, cwd=os.getcwd(), marker=False), tell=tell)
        assert made.path is not None
        session, where, path, before = made.id, "--resume", Path(made.path), made.kept
    words = [*client, where, session]
    if message is None:
        tell(f"{worldline}: {' '.join(words)}")
        try:
            subprocess.run(words, check=False, timeout=timeout_s)
        except subprocess.TimeoutExpired:
            raise TimeoutError("the time was up") from None
    else:
        limit = [] if max_turns is None else ["--max-turns", str(max_turns)]
        ran([*words, *limit, "-p"], message, timeout_s)
    events = _new(path, before, worldline)
    if events and message is not None and _asked(events[0]) == message and _says(store, worldline, message):
        events = events[1:]  # whoever made the worldline put the message there
    with refusing():
        head = store.worldline(worldline).head
        if head != line.head:
            raise Refusal(f"somebody else appended to {worldline!r} meanwhile; the turn stands in {path}", Code.UNSURE)
        if events:
            store.append(worldline, events, head)
    text = next((said for each in reversed(events) if (said := spoken(each))), None)
    return Turn(session, os.fspath(path), len(events), text)


def _says(store: Store, worldline: str, text: str) -> bool:
    """Whether a worldline's own events have a prompt already."""
    line = store.worldline(worldline)
    return any(_asked(event) == text for event in store.timeline(worldline, first=line.length - line.own))


def _asked(event: Event) -> str | None:
    """The text of a prompt; None of anything else."""
    message = event.says.get("message") if event.type == "user" else None
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list) and len(content) == 1 and isinstance(content[0], dict):
        content = content[0].get("text")
    return content if isinstance(content, str) else None


def _new(path: Path, before: int, worldline: str) -> list[Event]:
    """What a client added to a session, as events: the lines of its conversation behind the first so many."""
    if not path.is_file():
        return []
    session = open_session(path)
    transcript, end = session.transcript, session.head.position
    if end is None:
        return []
    kept = kept_positions(transcript, transcript.log.spine.uuids[end])
    if any(transcript.log[at].logical_parent is not None for at in range(before, len(transcript.log))):
        why = "the client compacted the conversation, and no worldline holds a compaction that came later"
        raise Refusal(f"{why}; the turn stands in {path}", Code.UNSURE)
    found = [(str(transcript.log.spine.uuids[at]), transcript.line(transcript.span(at))) for at in sorted(kept)[before:]]
    return [Event(again_id(worldline, name), bytes(line)) for name, line in found]


def runner(client: Sequence[str] = CLIENT, tell: Tell = ignore) -> Runner:
    """Runs each task of a fan-out as a turn of the client, in the task's worldline, from where that comes."""

    def run(child: Child) -> str:
        base = child.store.worldline(child.worldline).base
        made = turn(
            child.store,
            child.worldline,
            child.message,
            client,
            at=base,
            timeout_s=child.deadline - time.monotonic(),
            max_turns=child.max_iterations,
            tell=tell,
        )
        return made.text or latest(child.store, child.worldline) or ""

    return run
