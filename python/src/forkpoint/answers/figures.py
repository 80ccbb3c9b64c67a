"""Figures of sessions: a year, use, cost, tokens."""

from __future__ import annotations

from forkpoint.answers.base import Answer, Counts, Place, Shape


class YearSession(Shape, kw_only=True):
    """A session that stands out in a year, and by how many prompts, or forks, it does."""

    session: str
    file: str
    title: str | None
    count: int


class Thought(Answer, kw_only=True):
    """``thinkback``: what was done in a year, in UTC, each message once.

    ``answers`` counts messages of the assistant, ``calls`` calls of tools. ``hours``: how long somebody was at work. ``days``: on
    how many days something was asked; ``streak``: on how many in a row at most; ``busiest``: the day with most prompts.
    ``months``: the prompts of each month. ``kinds``: turns by kind of work. ``tools``: calls by tool. ``projects``: prompts
    by working folder. ``longest``: the session with most prompts; ``most_forked``: the one that most forks come from
    which changed last in the year.
    """

    year: int
    where: str
    sessions: int
    prompts: int
    answers: int
    calls: int
    hours: float
    days: int
    streak: int
    busiest: str | None
    months: list[int]
    kinds: dict[str, int]
    tools: dict[str, int]
    projects: dict[str, int]
    longest: YearSession | None
    most_forked: YearSession | None
    unreadable: list[str]


class Figures(Answer, kw_only=True):
    """``stats``: what sessions hold; the figures are those of :class:`forkpoint.transcript.query.stats.Stats`."""

    where: str
    forks_left_out: int
    in_forks: dict[str, int | Counts]
    copies: int
    unreadable: list[str]
    agent_files: int
    sessions: int
    prompts: int
    compactions: int
    damaged: int
    entries: Counts
    sidecars: Counts
    versions: Counts
    nodes: int
    roots: int
    leaves: int
    branch_points: int
    forks: int
    tips: int
    sidechain: int
    depth: int
    missing_parents: int
    beside_speech: int
    uses: int
    results: int
    open: int
    orphans: int
    parallel: int


class CostModel(Shape, kw_only=True):
    """What a model used: requests, and their tokens; ``dollars`` where a price is known. ``input`` is what was sent and neither
    read from the cache nor written to it; ``cache_write_hour`` is what of ``cache_write`` lives for an hour. ``how``: why it has
    another price than the model's other answers: ``fast``, ``web searches`` (``requests`` counts these), ``advisor``,
    ``compaction``, or ``another step``; else empty."""

    model: str
    how: str
    requests: int
    input: int
    cache_write: int
    cache_write_hour: int
    cache_read: int
    output: int
    dollars: float | None


class Costs(Answer, kw_only=True):
    """``stats --cost``: what models used, each message of the API once, and apart from it what stands in forks alone; what it
    cost, by whose prices, and the models that have none."""

    where: str
    models: list[CostModel]
    in_forks: list[CostModel]
    dollars: float
    dollars_in_forks: float
    unpriced: list[str]
    prices: str
    unreadable: list[str]


class Share(Shape, kw_only=True):
    """What one kind of content, or the calls of one tool, take."""

    kind: str
    name: str | None
    count: int
    bytes: int
    tokens_estimate: int


class Spent(Shape, kw_only=True):
    """What the API counted."""

    sent: int
    cache_read: int
    cache_written: int
    output: int


class LastSpent(Spent, kw_only=True):
    """What the API counted of the last request, and an estimate of what stands in the file for it."""

    uuid: str
    line: int
    tokens_estimate: int


class Measured(Spent, kw_only=True):
    """What the API counted in all."""

    requests: int
    last: LastSpent


class DearTurn(Shape, kw_only=True):
    """A turn that weighs much."""

    number: int | None
    uuid: str
    line: int
    text: str | None
    entries: int
    tokens_estimate: int
    requests: int
    sent: int
    output: int


class DearMessage(Shape, kw_only=True):
    """A message that weighs much."""

    uuid: str
    line: int
    step: str | None
    turn: int | None
    calls: Counts
    entries: int
    tokens_estimate: int
    grown: int | None
    measured: Spent | None


class Weighed(Answer, kw_only=True):
    """``stats --tokens``: where the bytes and tokens of the conversation at HEAD are."""

    file: str
    head: Place | None
    why: str
    entries: int
    bytes: int
    tokens_estimate: int
    bytes_per_token: float
    rate_from: str
    stretches: int
    media: int
    kinds: list[Share]
    measured: Measured | None
    turns: list[DearTurn]
    messages: list[DearMessage]
