"""Answers about constellations."""

from __future__ import annotations

from typing import Any

from forkpoint.answers.base import Answer, Shape
from forkpoint.answers.memories import Clash, Left


class ConstellationAgent(Shape, kw_only=True):
    """An agent of a constellation: how many messages it has, and how many are new in a fork."""

    agent: str
    worldline: str
    messages: int
    new_messages: int


class ConstellationHolds(Answer, kw_only=True):
    """A constellation as it stands. Of a fork ``source`` is what it was forked from, and ``blocks_changed`` and ``archival_new``
    count what its memory has since. ``made`` is in microseconds since 1970; ``waiting`` counts turns that are at work."""

    store: str
    name: str
    source: str | None
    made: int
    agents: list[ConstellationAgent]
    partners: list[str]
    history: str
    memory: str
    shared: bool
    blocks_changed: int | None
    archival_new: int | None
    merged: list[str]
    waiting: int

    @property
    def done(self) -> str:
        return f"{self.name!r} stands in {self.store}"


class ConstellationsListed(Answer, kw_only=True):
    """``constellation list``: all constellations, each behind what it was forked from."""

    store: str
    constellations: list[ConstellationHolds]


class ConstellationMerged(Answer, kw_only=True):
    """``constellation merge``: whom it told of the fork and in which words, what changed in the memory, what clashes, and
    which agents the target lacks, so that their conversations stay in the fork."""

    store: str
    name: str
    into: str
    content: str
    told: dict[str, str]
    stays: list[str]
    changed: list[Left]
    clashes: list[Clash]

    @property
    def done(self) -> str:
        return f"{self.name!r} is merged into {self.into!r}"


class ConstellationRemembers(Answer, kw_only=True):
    """``constellation memory``: what agents remember, as the file of a memory has it, and the event that says so."""

    store: str
    name: str
    head: str
    memory: dict[str, Any]


class ConstellationTurn(Answer, kw_only=True):
    """``constellation chat``: the session in which the client worked, how many events are new, its last words, and how many turns
    stand in the agent's worldline now that did not before."""

    store: str
    name: str
    agent: str
    session: str
    path: str
    events: int
    text: str | None
    settled: int

    @property
    def done(self) -> str:
        return f"the turn stands in {self.path}"
