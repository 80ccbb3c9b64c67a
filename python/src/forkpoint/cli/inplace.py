"""What ``checkout`` and ``rewind`` share: appending to a session's own file, and only when nobody else is at it."""

from __future__ import annotations

import os
import shlex
import uuid as uuids
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import click

from forkpoint.cli import events
from forkpoint.cli.common import ILLEGAL, STALE, UNSURE, Stop, done, load, note, place, say, say_json
from forkpoint.cli.events import NOTHING, Kept
from forkpoint.store import forking, projects
from forkpoint.transcript import append, inplace, select
from forkpoint.transcript.head import Head, head
from forkpoint.transcript.outline import Outline
from forkpoint.transcript.reader import Transcript

TRIES: Final = 3
"""How often a forced command starts over when the session changes under its hands."""

IF_HEAD_OPTION = click.option("--if-head", metavar="UUID", help="Only when the head is this entry (a uuid or its beginning).")
FORCE_OPTION = click.option("--force", is_flag=True, help="Even when the session changed a moment ago; a client may be at it.")
OPERATION_OPTION = click.option(
    "--operation",
    metavar="UUID",
    help="The id of an operation whose end is not known, as its message named it: what stands of it is not appended again.",
)
DRY_RUN_OPTION = click.option("--dry-run", is_flag=True, help="Only say what would be appended.")

Chooser = Callable[[Transcript, Outline], int]
"""Gives the entry that is to be the head; raises :class:`Stop` or what :mod:`forkpoint.transcript.select` raises."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the user asked for, besides the entry."""

    file: str
    if_head: str | None
    force: bool
    dry_run: bool
    as_json: bool
    oracle: bool = False
    """Whether the generated code is to decide once more."""
    operation: str | None = None
    """The id of the operation: that of one whose end is not known, or else a fresh one."""


def move(asked: Asked, choose: Chooser) -> None:
    """Makes an entry the head of a session, or stops; says the command that undoes it."""
    attempt(asked, lambda again, transcript: _move(again, transcript, choose))


def attempt(
    asked: Asked, act: Callable[[Asked, Transcript], None], record: Callable[[Asked, Transcript], Kept] | None = None
) -> None:
    """Reads a session and acts on it, anew when it changed meanwhile and that is to be overlooked; or stops. ``record`` records
    the event of an operation that stands already: what came in between may have kept it back."""
    again = asked.operation
    if again is not None and not projects.SESSION_ID.fullmatch(again):
        raise Stop(f"--operation needs a uuid, not {again!r}")
    asked = replace(asked, operation=again or str(uuids.uuid4()))
    for left in reversed(range(TRIES)):
        transcript = load(asked.file)
        asked = replace(asked, file=os.fspath(transcript.path))
        try:
            if again is None or not _stands(asked, transcript, record):
                act(asked, transcript)
            return
        except append.Stale as error:
            if not asked.force or not left:
                hint = "" if asked.force else " (--force goes on nevertheless)"
                raise Stop(f"{asked.file}: {error}; nothing was appended{hint}", STALE) from error


def _stands(asked: Asked, transcript: Transcript, record: Callable[[Asked, Transcript], Kept] | None) -> bool:
    """Whether an operation that is repeated stands in the session; what it lacks is appended then, and that is said."""
    assert asked.operation is not None
    found = inplace.standing(transcript, Outline(transcript), asked.operation, session_of(transcript))
    if found is None:
        return False
    lines: list[str] = []
    if found.rest is not None:
        must_fit(asked, transcript)
        lines = as_text(found.rest)
        if not asked.dry_run:
            take(asked, transcript, found.rest)
    shape = {"file": asked.file, "operation": asked.operation, "line": found.line, "appended": lines}
    if not asked.as_json:
        rest = "nothing" if not lines else "only the line that names it as the head"
        would = "would be" if asked.dry_run else "was"
        note(f"{asked.file}: the operation {asked.operation} stands on line {found.line}; {rest} {would} appended")
    if record is not None:
        events.close(NOTHING if asked.dry_run else record(asked, transcript), shape, as_json=asked.as_json)
    elif asked.as_json:
        say_json(shape)
    return True


def session_of(transcript: Transcript) -> str:
    """The id of a session."""
    former = head(transcript).position
    return forking.source_id(transcript, former if former is not None else 0)


def _move(asked: Asked, transcript: Transcript, choose: Chooser) -> None:
    outline = Outline(transcript)
    former = former_head(asked, transcript)
    names = transcript.log.spine.uuids
    try:
        target = choose(transcript, outline)
        session = forking.source_id(transcript, target)
        what = inplace.step(transcript, outline, target, session, operation=asked.operation)
    except select.UnknownPoint as error:
        raise Stop(f"{asked.file}: {error}") from error
    except select.Refused as error:
        raise refused(asked.file, transcript, error) from error
    except inplace.CannotBeHead as error:
        where = transcript.span(target)
        raise Stop(f"{asked.file}:{where.number}: {names[target]} cannot be the head: {error}; fork there", ILLEGAL) from error
    assert former.position is not None
    shape: dict[str, Any] = {
        "file": asked.file,
        "former": place(transcript.nodes[former.position]),
        "operation": what.operation,
    }
    if inplace.reached(transcript, former, str(names[target])):
        _answer(asked, shape | {"head": place(transcript.nodes[target]), "appended": [], "undo": None})
        return
    appended = as_text(what)
    if asked.dry_run:
        must_fit(asked, transcript)
        _answer(asked, shape | {"head": place(transcript.nodes[target]), "appended": appended, "undo": None})
        return
    after, now = take(asked, transcript, what)
    with done(f"the head of {asked.file} was moved to {after.log.spine.uuids[now]}"):
        undo = _undo(asked.file, after, str(names[former.position]), str(after.log.spine.uuids[now]))
        _answer(asked, shape | {"head": place(after.nodes[now]), "appended": appended, "undo": undo})


def as_text(what: inplace.Step) -> list[str]:
    """The lines of a step, for an answer."""
    return [line.decode("utf-8", "surrogateescape") for line in what.lines]


def take(asked: Asked, transcript: Transcript, what: inplace.Step) -> tuple[Transcript, int]:
    """Appends a step; the session as it is then, and the position of its head. Stops when it cannot be."""
    try:
        after, found = inplace.take(transcript, what, quiet=0 if asked.force else append.QUIET)
    except append.Unfit as error:
        raise Stop(f"{asked.file}: {error}", ILLEGAL) from error
    except inplace.NotTaken as error:
        raise _unsure(asked, what, str(error), stands=True) from error
    except append.Unconfirmed as error:
        raise _unsure(asked, what, str(error), stands=error.stands) from error
    except OSError as error:
        raise Stop(f"cannot append to {asked.file}: {error.strerror}; nothing was appended") from error
    assert found.position is not None
    return after, found.position


def _unsure(asked: Asked, what: inplace.Step, why: str, *, stands: bool | None) -> Stop:
    """How a command ends that appended something, and does not know that all is as it should be."""
    again = f"the same command with --operation {what.operation} appends nothing that stands already"
    text = f"{asked.file}: {why}; {again}"
    return Stop(text, UNSURE, error=text, operation=what.operation, stands=stands)


def former_head(asked: Asked, transcript: Transcript) -> Head:
    """The head of a session; stops when there is none, or another than the one that the user named."""
    former = head(transcript)
    if former.position is None:
        raise Stop(f"{asked.file}: there is no head: {former.why}")
    _compare(asked, transcript, str(transcript.log.spine.uuids[former.position]))
    return former


def must_fit(asked: Asked, transcript: Transcript) -> None:
    """Stops when nothing may be appended to a file as it is."""
    why = append.unfit(transcript)
    if why is not None:
        raise Stop(f"{asked.file}: {why}", ILLEGAL)


def _compare(asked: Asked, transcript: Transcript, uuid: str) -> None:
    """Stops when the head is not the one that the user named."""
    if asked.if_head is not None and not (asked.if_head and uuid.startswith(asked.if_head)):
        line = transcript.span(transcript.log.position(uuid)).number
        raise Stop(f"{asked.file}: the head is {uuid} (line {line}), not {asked.if_head}: nothing was appended", STALE)


def refused(file: str, transcript: Transcript, error: select.Refused) -> Stop:
    """How a command ends at a place that it cannot take."""
    at = f":{transcript.span(error.asked).number}" if error.asked is not None else ""
    nearest = [place(transcript.nodes[position]) for position in error.nearest]
    shape = {"reason": error.reason, "nearest": nearest, "left_out": len(error.left_out), "cure": error.cure}
    return Stop(f"{file}{at}: {error}", ILLEGAL, refused=shape)


def _undo(file: str, transcript: Transcript, former: str, now: str) -> str | None:
    """The command that makes the former head the head again, as a shell reads it."""
    outline, position = Outline(transcript), transcript.log.position(former)
    if any(former in names for names in transcript.copies.values()):
        return None  # its uuid stands on several lines: no command can name it
    if inplace.tip(outline, transcript, position) is not None:
        command = "checkout"
    elif outline.resumable[position]:
        command = "rewind"
    else:
        return None
    return shlex.join(["forkpoint", command, file, "--at", former, "--if-head", now, "--force"])


def _answer(asked: Asked, shape: dict[str, Any]) -> None:
    if asked.as_json:
        say_json(shape)
        return
    now, former = shape["head"], shape["former"]
    if not shape["appended"]:
        note(f"the head is {now['uuid']} (line {now['line']}) already; nothing was appended")
        return
    if asked.dry_run:
        note(f"the head would be {now['uuid']} (line {now['line']}) instead of {former['uuid']} (line {former['line']})")
        for line in shape["appended"]:
            say(line)
        return
    note(f"the head is {now['uuid']} (line {now['line']}); it was {former['uuid']} (line {former['line']})")
    if shape["undo"] is None:
        note("no command undoes it: the former head was no point at which a conversation goes on")
    else:
        note("to undo it:")
        say(shape["undo"])
