"""The calls of the service, one row each: from this table come the routes and their description."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from forkpoint.answers import worldlines as answers
from forkpoint.answers.base import Answer
from forkpoint.answers.refusals import Code
from forkpoint.ops import threads
from forkpoint.server import requests
from forkpoint.server.requests import Nothing, Request


@dataclass(frozen=True)
class Call:
    """A call: its method and address, what it does, what it takes behind ``?`` and as a body, what it gives, how it is refused.

    ``run`` gets the store, the ids of the address and the requests. ``takes`` and ``gives`` of None are bytes."""

    method: str
    path: str
    says: str
    run: Callable[..., Any]
    query: type[Request] = Nothing
    takes: type[Request] | None = Nothing
    gives: type[Answer] | None = None
    refuses: tuple[Code, ...] = ()

    @property
    def name(self) -> str:
        """What the description calls it."""
        words = [word.strip("{}") for word in self.path.removeprefix("/api/").split("/")]
        return "_".join([self.method.lower(), *words]).replace("-", "_")

    @property
    def ids(self) -> tuple[str, ...]:
        """The names of the ids in its address."""
        return tuple(part[1:-1] for part in self.path.split("/") if part.startswith("{"))


UNKNOWN, TAKEN, STALE, ILLEGAL = Code.UNKNOWN, Code.TAKEN, Code.STALE, Code.ILLEGAL
CALLS: Final = (
    Call("GET", "/api/threads", "The threads, the oldest first.", lambda s: threads.threads(s), gives=answers.StoreThreads),
    Call(
        "POST",
        "/api/threads",
        "Makes a thread; one that is there already stays as it is.",
        lambda s, b: threads.make(s, b.id),
        takes=requests.NewThread,
        gives=answers.StoreThread,
    ),
    Call(
        "GET",
        "/api/threads/{thread}/worldline-summaries",
        "Of each worldline how much is in it, its jobs by state, and when something happened there last.",
        lambda s, thread: threads.summaries(s, thread),
        gives=answers.StoreSummaries,
        refuses=(UNKNOWN,),
    ),
    Call(
        "GET",
        "/api/threads/{thread}/worldlines",
        "The worldlines, in the order in which they were made.",
        lambda s, thread, q: threads.lines(s, thread, discarded=q.discarded),
        query=requests.Listed,
        gives=answers.StoreLines,
        refuses=(UNKNOWN,),
    ),
    Call(
        "POST",
        "/api/threads/{thread}/worldlines",
        "Makes a worldline that comes from an event, or from nothing; the same id again gives the same one (P9, P18).",
        lambda s, thread, b: threads.branch(s, thread, b.from_event, b.id, b.name, b.by, b.why, b.governance),
        takes=requests.NewWorldline,
        gives=answers.StoreLine,
        refuses=(UNKNOWN, TAKEN, ILLEGAL),
    ),
    Call(
        "GET",
        "/api/threads/{thread}/operations",
        "The log of operations: what was done to the worldlines, besides appends.",
        lambda s, thread: threads.operations(s, thread),
        gives=answers.StoreOperations,
        refuses=(UNKNOWN,),
    ),
    Call(
        "POST",
        "/api/threads/{thread}/operations/{operation}/undo",
        "Undoes an operation; the undo is one, too.",
        lambda s, thread, operation, b: threads.undo(s, operation, thread, b.by),
        takes=requests.Undo,
        gives=answers.StoreOperations,
        refuses=(UNKNOWN, TAKEN),
    ),
    Call(
        "GET",
        "/api/worldlines/{worldline}",
        "A worldline as it stands.",
        lambda s, worldline: threads.line(s, worldline),
        gives=answers.StoreLine,
        refuses=(UNKNOWN,),
    ),
    Call(
        "DELETE",
        "/api/worldlines/{worldline}",
        "Leaves a worldline out of the lists. Nothing is removed, and an undo brings it back.",
        lambda s, worldline, b: threads.discard(s, worldline, b.by, b.why),
        takes=requests.Discard,
        gives=answers.StoreLine,
        refuses=(UNKNOWN,),
    ),
    Call(
        "PUT",
        "/api/worldlines/{worldline}/name",
        "Gives a worldline a name or none; with `move` the name that another one has.",
        lambda s, worldline, b: (
            threads.move(s, worldline, b.name, b.by)
            if b.move and b.name is not None
            else threads.rename(s, worldline, b.name, b.by)
        ),
        takes=requests.Name,
        gives=answers.StoreLine,
        refuses=(UNKNOWN, TAKEN),
    ),
    Call(
        "GET",
        "/api/worldlines/{worldline}/events",
        "A part of the timeline, from the first event on; the ETag changes with the head.",
        lambda s, worldline, q: threads.timeline(s, worldline, first=q.first, limit=q.limit, as_of=q.as_of),
        query=requests.Part,
        gives=answers.StoreTimeline,
        refuses=(UNKNOWN,),
    ),
    Call(
        "POST",
        "/api/worldlines/{worldline}/events",
        "Appends events, all or none, behind the head that is expected (P7, P8). Again it changes nothing (P18).",
        lambda s, worldline, b: threads.append(s, worldline, [(each.id, each.body) for each in b.events], b.expected),
        takes=requests.Append,
        gives=answers.StoreAppended,
        refuses=(UNKNOWN, TAKEN, STALE),
    ),
    Call(
        "POST",
        "/api/worldlines/{worldline}/merge",
        "Tells a worldline what another one brought, in one event behind the head that is expected.",
        lambda s, worldline, b: threads.merge(s, worldline, b.other, b.expected, b.says, b.by, b.governance),
        takes=requests.Merge,
        gives=answers.StoreAppended,
        refuses=(UNKNOWN, TAKEN, STALE),
    ),
    Call(
        "POST",
        "/api/worldlines/{worldline}/rebase",
        "Makes a worldline with the same own events behind another event; the old one stays.",
        lambda s, worldline, b: threads.rebase(s, worldline, b.onto, b.id, b.by),
        takes=requests.Rebase,
        gives=answers.StoreLine,
        refuses=(UNKNOWN, TAKEN, ILLEGAL),
    ),
    Call(
        "GET",
        "/api/worldlines/{worldline}/diff",
        "Where this worldline and another one part, and the first events behind that.",
        lambda s, worldline, q: threads.diff(s, worldline, q.other, limit=q.limit),
        query=requests.Side,
        gives=answers.StoreDifference,
        refuses=(UNKNOWN,),
    ),
    Call(
        "GET",
        "/api/events/{event}",
        "An event.",
        lambda s, event: threads.event(s, event),
        gives=answers.StoreEvent,
        refuses=(UNKNOWN,),
    ),
    Call(
        "GET",
        "/api/events/{event}/point",
        "Whether a worldline can come from an event (P3).",
        lambda s, event: threads.point(s, event),
        gives=answers.StorePoint,
        refuses=(UNKNOWN,),
    ),
    Call(
        "GET",
        "/api/events/{event}/state",
        "The state at an event (P15): what was kept there, or before it where nothing happened since.",
        lambda s, event, q: threads.state(s, event, q.name),
        query=requests.Named,
        refuses=(UNKNOWN, ILLEGAL),
    ),
    Call(
        "PUT",
        "/api/events/{event}/state",
        "Keeps a state at an event, once.",
        lambda s, event, q, b: threads.keep(s, event, b, q.name),
        query=requests.Named,
        takes=None,
        gives=answers.StoreSnapshot,
        refuses=(UNKNOWN, TAKEN),
    ),
)
