"""What is safe from inside of a session: the calls that a model, or the user of a client at work, can make there.

Each call is for the session that the client is in, which :func:`here` finds. None writes into a session's file: a fork and a
branch are new files, and what is left out is deferred until the next export (:mod:`forkpoint.ops.deferring`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from forkpoint import requests
from forkpoint.answers.base import Answer
from forkpoint.clients.claude.places import HERE
from forkpoint.ops import checking, constellations, forking, program, records, searching, views
from forkpoint.ops.session import Session
from forkpoint.ops.session import open as open_session
from forkpoint.requests import BranchRequest, DropRequest, ForkPoint, ForkRequest, UndoRequest

Told = Callable[[str], None]


class Ask(msgspec.Struct, forbid_unknown_fields=True):
    """A call without arguments."""


PointText = Annotated[str, Meta(description="A prompt's number, a uuid or its beginning, HEAD, HEAD~2, or the name of a ref.")]
Title = Annotated[str | None, Meta(description="The title of the new session.")]


class AskPoints(Ask):
    """The arguments of ``points``."""

    last: Annotated[int, Meta(ge=1, le=1000, description="So many of the last prompts.")] = 50
    all_branches: Annotated[bool, Meta(description="The prompts of abandoned branches too.")] = False


class AskSteps(Ask):
    """The arguments of ``steps``."""

    last: Annotated[int, Meta(ge=1, le=1000, description="So many of the last steps.")] = 200


class AskSearch(Ask):
    """The arguments of ``search``."""

    words: Annotated[list[str], Meta(min_length=1, description="Words; all of them must be in what one line says.")]
    since: Annotated[str | None, Meta(description="Only what was said since: 2026-11-20, 7d, 12h.")] = None
    limit: Annotated[int, Meta(ge=1, le=100, description="So many of the newest hits.")] = 10


class AskDiff(Ask):
    """The arguments of ``diff``."""

    other: Annotated[str, Meta(description="Another session: its id or the beginning of one, its title, or a file.")]
    at: PointText = "HEAD"
    other_at: PointText = "HEAD"


class AskFork(Ask):
    """The arguments of ``fork``."""

    at: PointText = "HEAD"
    before: Annotated[bool, Meta(description="Fork before the prompt that `at` names.")] = False
    name: Title = None
    session: Annotated[str | None, Meta(description="Another session than this one, as a hit of `search` names it.")] = None


class AskBranch(Ask):
    """The arguments of ``branch``."""

    name: Title = None
    at: PointText = "HEAD"


class AskDrop(Ask):
    """The arguments of ``drop``."""

    steps: Annotated[
        str, Meta(min_length=1, description="Steps as `steps` lists them: s4, s4..s7, a prompt's number, or a uuid.")
    ]
    stub: Annotated[str | None, Meta(description="What stands in their place; by default a rule decides.")] = None


class AskUndo(Ask):
    """The arguments of ``undo``."""

    record: Annotated[
        str | None, Meta(description="The uuid of a record, or its beginning; by default the last that counts.")
    ] = None


class AskConstellation(Ask):
    """The arguments of ``constellation``."""

    text: Annotated[
        str,
        Meta(
            description='One of: /fork agents A B as "NAME", /fork status "NAME", /merge "NAME" summarize, /fork delete "NAME".'
        ),
    ]
    constellation: Annotated[str | None, Meta(description="What is forked; by default the only one that is no fork.")] = None


@dataclass(frozen=True, slots=True)
class Call:
    """Something that can be asked for: its name, what it does in words, what it takes, and what does it. ``reads`` tells whether
    it makes nothing."""

    name: str
    says: str
    asked: type[Ask]
    act: Callable[[Any, Told], Answer]
    reads: bool = False


def here(tell: Told) -> Session:
    """The session that the client is in."""
    return open_session(HERE, tell=tell)


def points(asked: AskPoints, tell: Told) -> Answer:
    """The last prompts of the session, with their numbers, and whether one can fork there."""
    session = here(tell)
    answer = views.points(session, requests.PointsRequest(every=asked.all_branches))
    answer.points = answer.points[-asked.last :]
    return answer


def steps(asked: AskSteps, tell: Told) -> Answer:
    """The last steps of the session."""
    session = here(tell)
    answer = views.steps_here(session)
    answer.steps = answer.steps[-asked.last :]
    return answer


def search(asked: AskSearch, tell: Told) -> Answer:
    """What was said in any session."""
    del tell
    return searching.search(asked.words, since=asked.since, limit=asked.limit, now=datetime.now(UTC))


def diff(asked: AskDiff, tell: Told) -> Answer:
    """Where the session and another one part."""
    other = open_session(asked.other, tell=tell)
    return checking.compared(here(tell), other, requests.DiffRequest(at=asked.at, other_at=asked.other_at))


def fork(asked: AskFork, tell: Told) -> Answer:
    """A new session that ends at a point; without one at the end of the last turn that has ended, as the call itself is open."""
    session = here(tell) if asked.session is None else open_session(asked.session, tell=tell)
    last = asked.at == "HEAD" and not asked.before
    return forking.fork(
        session, ForkRequest(point=ForkPoint(at=asked.at, before=asked.before, legal=last, nearest=last), name=asked.name)
    )


def branch(asked: AskBranch, tell: Told) -> Answer:
    """The same, as the client's own ``/branch`` makes it."""
    last = asked.at == "HEAD"
    return forking.branch(here(tell), BranchRequest(point=ForkPoint(at=asked.at, legal=last, nearest=last), name=asked.name))


def drop(asked: AskDrop, tell: Told) -> Answer:
    """Defers a record of steps that the next export leaves out."""
    return records.drop(here(tell), DropRequest(span=asked.steps, stub=asked.stub, defer=True))


def undo(asked: AskUndo, tell: Told) -> Answer:
    """Defers a record that takes one back."""
    return records.undo(here(tell), UndoRequest(which=asked.record, defer=True))


def overlays(asked: Ask, tell: Told) -> Answer:
    """The records of the session, deferred ones too."""
    del asked
    return views.records(here(tell), requests.OverlaysRequest())


def constellation(asked: AskConstellation, tell: Told) -> Answer:
    """Does what an agent says in the words of the dialect."""
    del tell
    return constellations.run(asked.text, asked.constellation, by=program.who())


CALLS: Final = (
    Call(
        "points",
        "Lists the last prompts of this session with their numbers, and says where it can be forked.",
        AskPoints,
        points,
        True,
    ),
    Call("steps", "Lists the last steps of this session, which `drop` takes.", AskSteps, steps, True),
    Call(
        "search",
        "Finds what was said in any session on this machine, and where one can go on from there.",
        AskSearch,
        search,
        True,
    ),
    Call("diff", "Says where this session and another one part, and what each said since, turn by turn.", AskDiff, diff, True),
    Call("overlays", "Lists what is left out of this session when it is exported.", Ask, overlays, True),
    Call("fork", "Makes a new session that ends at a past point of this one; this one stays as it is.", AskFork, fork),
    Call("branch", "Makes a branch of this session, as /branch does; this one stays as it is.", AskBranch, branch),
    Call(
        "drop",
        "Leaves steps out of the next export of this session. Its file stays as it is; `undo` takes it back.",
        AskDrop,
        drop,
    ),
    Call("undo", "Takes back what was left out last, or the record that is named.", AskUndo, undo),
    Call(
        "constellation",
        "Forks agents that work together, says how a fork stands, merges it back or deletes it.",
        AskConstellation,
        constellation,
    ),
)
"""Every call."""
