"""Answers about a store of worldlines."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, UnsetType

from forkpoint.answers.base import Answer, Counts, Place, Shape


class StoreHolds(Shape, kw_only=True):
    """Where a session stands in a store: its worldline up to an event, how many events are new, how many stood there before. Of a
    branch that it left behind, where that ends."""

    file: str
    branch: Place | None
    thread: str
    worldline: str
    event: str
    appended: int
    shared: int


class StoreImported(Answer, kw_only=True):
    """``store import``: each session, and where it stands."""

    store: str
    sessions: list[StoreHolds]

    @property
    def done(self) -> str:
        return f"{len(self.sessions)} of the sessions stand in {self.store}"


class StoreWorldline(Shape, kw_only=True):
    """A worldline: where it comes from, how long it is, and what happened in it. Times are microseconds since 1970."""

    thread: str
    worldline: str
    name: str | None
    source: str | None
    base: str | None
    head: str | None
    own: int
    length: int
    messages: int
    last_event: int | None
    last_activity: int
    jobs: Counts
    latest_job: str | None


class StoreListed(Answer, kw_only=True):
    """``store list``: the worldlines of all threads."""

    store: str
    worldlines: list[StoreWorldline]


class StoreBundled(Answer, kw_only=True):
    """``store bundle``, ``store unbundle``: the file, and of each worldline how many events it has there, or are new."""

    store: str
    file: str
    worldlines: Counts

    @property
    def done(self) -> str:
        return f"{len(self.worldlines)} worldlines stand in {self.file} and in {self.store}"


class StoreTask(Shape, kw_only=True):
    """What came of a task: ``completed``, ``failed`` or ``timeout``; its worldline, the latest words there and how they begin."""

    message: str
    label: str | None
    status: str
    worldline: str
    preview: str | None
    text: str | None
    why: str | None


class StoreSpawned(Answer, kw_only=True):
    """``store spawn``: what came of all tasks, in their order. ``head`` is the event with the results."""

    store: str
    id: str
    worldline: str
    from_event: str
    head: str
    results: list[StoreTask]
    completed_count: int
    failed_count: int
    timed_out_count: int

    @property
    def success(self) -> bool:
        return not self.failed_count and not self.timed_out_count

    @property
    def done(self) -> str:
        return f"the results stand in {self.worldline} of {self.store}"


class StoreWrong(Shape, kw_only=True):
    """Something that does not hold."""

    where: str
    why: str


class StoreChecked(Answer, kw_only=True):
    """``store check``: how much there is, and what does not hold of it."""

    store: str
    threads: int
    worldlines: int
    events: int
    wrong: list[StoreWrong]

    @property
    def success(self) -> bool:
        return not self.wrong


class StoreThread(Answer, kw_only=True):
    """A thread."""

    thread: str


class StoreThreads(Answer, kw_only=True):
    """The threads of a store, the oldest first."""

    threads: list[str]


class StoreSummaries(Answer, kw_only=True):
    """The worldlines of a thread that are not discarded: how much is in each, and when something happened there last."""

    thread: str
    worldlines: list[StoreWorldline]


class StoreLine(Answer, kw_only=True):
    """A worldline as it stands. ``made`` is in microseconds since 1970."""

    thread: str
    worldline: str
    name: str | None
    source: str | None
    base: str | None
    head: str | None
    own: int
    length: int
    made: int
    discarded: bool

    @property
    def done(self) -> str:
        return f"the store has it in its log, and the worldline {self.name or self.worldline} as it is now"


class StoreLines(Answer, kw_only=True):
    """The worldlines of a thread, in the order in which they were made."""

    thread: str
    worldlines: list[StoreLine]


class StoreEvent(Answer, kw_only=True):
    """An event: who or what it is from, when it was appended (microseconds since 1970), and its body.

    ``bytes`` has the body in Base64 instead, where it is no text of JSON that everybody reads alike."""

    event: str
    kind: str
    at: int
    body: dict[str, Any] | UnsetType = UNSET
    bytes: str | UnsetType = UNSET


class StoreTimeline(Answer, kw_only=True):
    """A part of a timeline: ``first`` is the place of its first event, ``next`` that of the first one behind it, if there is one.
    ``length`` is how many events the whole has, ``head`` the last of these."""

    worldline: str
    head: str | None
    length: int
    first: int
    next: int | None
    events: list[StoreEvent]


class StoreAppended(Answer, kw_only=True):
    """The head behind an append, and whether that had been done before, so that nothing changed now."""

    worldline: str
    head: str | None
    events: int
    again: bool

    @property
    def done(self) -> str:
        return "" if self.again else f"the worldline {self.worldline} has it in the store"


class StorePoint(Answer, kw_only=True):
    """Whether a worldline can come from an event, why not, and the last event at or before it from which one can."""

    event: str
    worldline: str
    legal: bool
    reason: str | None
    before: str | None


class StoreDifference(Answer, kw_only=True):
    """Where two worldlines part: the last event of both, how many events each has behind it, and the first of these."""

    common: str | None
    left_count: int
    right_count: int
    left: list[StoreEvent]
    right: list[StoreEvent]


class StoreSnapshot(Answer, kw_only=True):
    """The hash of a state that is kept at an event, in hexadecimal."""

    event: str
    name: str
    hash: str

    @property
    def done(self) -> str:
        return f"the state {self.hash} is kept at {self.event}"


class StoreOperation(Shape, kw_only=True):
    """A line of the log of operations."""

    number: int
    at: int
    worldline: str | None
    kind: str
    says: dict[str, Any]
    undoes: int | None


class StoreOperations(Answer, kw_only=True):
    """What was done to the worldlines of a thread, besides appends, in order."""

    thread: str
    operations: list[StoreOperation]

    @property
    def done(self) -> str:
        return f"operation {self.operations[-1].number} stands in the log of the store" if self.operations else ""


class StoreLog(Answer, kw_only=True):
    """``store log``: what was done to worldlines, besides appends, in order; how many events are new in the ledger, and the
    numbers of operations that cannot be in one: their governance is no tuple, their time none, or they say too little."""

    store: str
    operations: list[StoreOperation]
    recorded: int
    odd: list[int]

    @property
    def done(self) -> str:
        return f"{self.recorded} events were recorded" if self.recorded else ""


class StoreRestored(Answer, kw_only=True):
    """``store restore``: the state at an event, where it stands now, and how many events behind a snapshot were replayed."""

    event: str
    name: str
    path: str
    replayed: int

    @property
    def done(self) -> str:
        return f"the state stands at {self.path}"


class StoreBranched(Answer, kw_only=True):
    """``store branch``: the new worldline, or the one that has the id, and where the state of its event stands, if asked for."""

    store: str
    thread: str
    worldline: str
    name: str | None
    source: str | None
    base: str | None
    length: int
    path: str | None
    discarded: bool

    @property
    def done(self) -> str:
        return f"the worldline {self.worldline} stands in {self.store}"
