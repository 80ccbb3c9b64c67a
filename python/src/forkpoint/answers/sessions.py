"""Answers about many sessions, and about where one stands."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from forkpoint.answers.base import Answer, Place, Shape


class Parent(Shape, kw_only=True):
    """A session from which another one came: how that is known, and how much they share."""

    session: str
    by: str
    shared: int
    present: bool


class SessionLine(Shape, kw_only=True, rename="camel"):
    """A session of the list. ``modified``: when the file changed; ``newest``: when something was said or done in it last, by its
    entries. ``otherFolder``: the working folder that it is of, where that is not the one that was asked for; else null.
    ``made``: how forkpoint made it of its source: ``fork``, ``export``, ``promote``, ``backfill``, ``repair``; else null. With
    ``--cost``, ``dollars``: what the messages cost that stand in no older session of the list; ``dollarsShared``: what those
    cost that do; null where no price is known."""

    id: str
    path: str
    title: str | None
    title_from: str | None
    modified: float
    newest: float
    other_folder: str | None
    created: str | None
    size: int
    entries: int
    sidechain: int
    prompts: int
    branches: int
    damaged: int
    first_version: str | None
    last_version: str | None
    cwd: str | None
    git_branch: str | None
    made: str | None
    parents: list[Parent]
    children: list[str]
    alike: list[str]
    dollars: float | UnsetType | None = UNSET
    dollars_shared: float | UnsetType | None = UNSET


class Whereabouts(Answer, kw_only=True, rename="camel"):
    """``where``: where a session is, and what it comes from. ``folder``: the working folder, null where none is known.
    ``project``: the project folder that the file stands in, null where it stands in none. ``size``: in bytes. ``agents``: how
    many files of sub-agents belong to it. ``atWork``: why somebody may be at work on it, or null."""

    file: str
    id: str | None
    title: str | None
    folder: str | None
    project: str | None
    first_version: str | None
    last_version: str | None
    size: int
    entries: int
    agents: int
    at_work: str | None
    parents: list[Parent]
    children: list[str]
    alike: list[str]


class Sessions(Answer, kw_only=True):
    """``sessions``: the sessions of some folders, the one in which something was said last first."""

    folders: list[str]
    sessions: list[SessionLine]
    empty: int


class Hit(Shape, kw_only=True):
    """A place in a session that a search found.

    ``number``: of this hit, counted from 1. ``before``, ``text`` and ``after``: a stretch of what is said there, with the first
    thing that was searched for in the middle. ``prompt``: the number of the prompt whose turn it is, as ``--at`` takes it.
    ``point``: where one can go on from there, which is the end of the turn, or the last entry up to this one at which one can;
    null where there is none. ``command``: what one gives forkpoint to go on from there; empty where one cannot.
    """

    number: int
    file: str
    session: str
    title: str | None
    uuid: str
    line: int
    role: str
    timestamp: str | None
    before: str
    text: str
    after: str
    prompt: int | None
    point: Place | None
    command: list[str]


class Hits(Answer, kw_only=True):
    """``search``: what was found, the newest first. ``more``: whether there is more than was asked for."""

    words: list[str]
    hits: list[Hit]
    more: bool


class Catalogued(Answer, kw_only=True):
    """``catalog``: where the catalog is, how many bytes it has, and how many sessions it knows; null and 0 where there is none.
    ``dropped``: whether it was removed."""

    file: str
    bytes: int | None
    listed: int
    parsed: int
    searched: int
    dropped: bool = False
