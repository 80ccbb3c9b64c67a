"""What is safe from inside of a session: the calls that a model, or the user of a client at work, can make there.

Each call is for the session that the client is in, which :func:`here` finds. None writes into a session's file: a fork and a
branch are new files, and what is left out is deferred until the next export (:mod:`forkpoint.ops.deferring`). What a call takes
are fields of the request of its operation, and what it does is said in the operation's row of the registry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from forkpoint.answers.base import Answer
from forkpoint.clients.claude.places import HERE
from forkpoint.ops import checking, constellations, forking, program, records, searching, views
from forkpoint.ops.registry import FURTHER, NAMED
from forkpoint.ops.session import Session
from forkpoint.ops.session import open as open_session
from forkpoint.requests import (
    BranchRequest,
    DialectRequest,
    DiffRequest,
    DropRequest,
    ForkRequest,
    OverlaysRequest,
    Parameter,
    PointsRequest,
    SearchRequest,
    StepsRequest,
    UndoRequest,
    made,
    parameters,
)

Tell = Callable[[str], None]
SESSION: Final = "session"
OTHER: Final = "other"
_NAMES: Final = "its id or the beginning of one, its title, or a file."
_SESSIONS: Final[Mapping[str, tuple[Any, Any]]] = {
    SESSION: (Annotated[str | None, Meta(description=f"Another session than this one: {_NAMES}")], None),
    OTHER: (Annotated[str, Meta(description=f"Another session: {_NAMES}")], msgspec.NODEFAULT),
}
"""How a call names a session besides the one that the client is in, and what stands for it where none is named."""
_ROWS: Final = {one.name: one for one in FURTHER} | NAMED


@dataclass(frozen=True)
class Call:
    """Something that can be asked for: its name in the registry, the request, which of its fields can be set, and what does it.

    ``act`` takes the session, the request, and the other session where there is one. ``sessions`` names the arguments that are
    sessions, ``says`` is said besides the sentence of the registry, ``given`` are other defaults than those of the request.
    ``reads`` tells whether it makes nothing, ``most`` how many of what it lists are given at once.
    """

    name: str
    request: type[msgspec.Struct]
    fields: Sequence[str]
    act: Callable[[Any, Any, Tell], Answer]
    says: str = ""
    sessions: Sequence[str] = ()
    reads: bool = False
    given: Mapping[str, Any] = field(default_factory=dict)
    most: int = 1000

    @property
    def description(self) -> str:
        """What it does, in words."""
        return f"{_ROWS[self.name].help} {self.says}".rstrip()

    @cached_property
    def asked(self) -> type[msgspec.Struct]:
        """The shape of its arguments."""
        known = {one.name: one for one in parameters(self.request)}
        own = [self._argument(known[name]) for name in self.fields]
        named = [(name, *_SESSIONS[name]) for name in self.sessions]
        every = sorted([*own, *named], key=lambda one: one[2] is not msgspec.NODEFAULT)
        return msgspec.defstruct(
            f"Ask{self.name.title()}",
            [(name, kind) if default is msgspec.NODEFAULT else (name, kind, default) for name, kind, default in every],
            forbid_unknown_fields=True,
        )

    def _argument(self, one: Parameter) -> tuple[str, Any, Any]:
        """The name, the type with what it is for, and the default of a field."""
        return one.name, one.checked(self.most), self.given.get(one.name, one.default)

    def do(self, asked: msgspec.Struct, tell: Tell) -> Answer:
        """Do what is asked for."""
        values = msgspec.structs.asdict(asked)
        named = {name: values.pop(name) for name in self.sessions}
        return self.act(named, made(self.request, {**self.given, **values}), tell)


def here(tell: Tell) -> Session:
    """The session that the client is in."""
    return open_session(HERE, tell=tell)


def _session(named: Mapping[str, Any], tell: Tell) -> Session:
    """The session that is named, else the one that the client is in."""
    other = named.get(SESSION)
    return here(tell) if other is None else open_session(other, tell=tell)


def _on(operation: Callable[[Session, Any], Answer]) -> Callable[[Any, Any, Tell], Answer]:
    """An operation on a session."""
    return lambda named, request, tell: operation(_session(named, tell), request)


def _ended(operation: Callable[[Session, Any], Answer]) -> Callable[[Any, Any, Tell], Answer]:
    """An operation at a point; without one at the end of the last turn that has ended, as the call itself is open."""

    def act(named: Mapping[str, Any], request: ForkRequest, tell: Tell) -> Answer:
        point = request.point
        last = point.at == "HEAD" and not point.before
        return operation(_session(named, tell), replace(request, point=replace(point, legal=last, nearest=last)))

    return act


def _diff(named: Mapping[str, Any], request: DiffRequest, tell: Tell) -> Answer:
    other = open_session(named[OTHER], tell=tell)
    return checking.compared(here(tell), other, request)


def _search(named: Mapping[str, Any], request: SearchRequest, tell: Tell) -> Answer:
    del named, tell
    return searching.search(replace(request, now=datetime.now(UTC)))


def _constellation(named: Mapping[str, Any], request: DialectRequest, tell: Tell) -> Answer:
    del named, tell
    return constellations.run(request.text, request.constellation, by=program.who())


_STAYS: Final = "This session stays as it is."
_DEFERRED: Final = f"The next export is without them. {_STAYS}"
CALLS: Final = (
    Call("points", PointsRequest, ("last", "every"), _on(views.points), "", (SESSION,), True, {"last": 50}),
    Call("steps", StepsRequest, ("last",), _on(views.steps_here), "`drop` takes them.", (SESSION,), True, {"last": 200}),
    Call("search", SearchRequest, ("words", "since", "role", "tool", "file", "limit"), _search, reads=True, most=100),
    Call("diff", DiffRequest, ("at", "other_at"), _diff, "This one is A.", (OTHER,), True),
    Call("overlays", OverlaysRequest, (), _on(views.records), reads=True),
    Call("fork", ForkRequest, ("at", "before", "name"), _ended(forking.fork), _STAYS, (SESSION,)),
    Call("branch", BranchRequest, ("name", "at"), _ended(forking.branch), _STAYS),
    Call("drop", DropRequest, ("span", "stub"), _on(records.drop), _DEFERRED, given={"defer": True}),
    Call("undo", UndoRequest, ("which",), _on(records.undo), _STAYS, given={"defer": True}),
    Call("constellation", DialectRequest, ("text", "constellation"), _constellation),
)
"""Every call."""
