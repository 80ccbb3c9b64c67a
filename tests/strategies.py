"""Logs as clients write them, logs of every small shape, and their broken neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, cycle, islice, product
from types import MappingProxyType
from typing import Any

from hypothesis import strategies as st

from forkpoint.core.backfill import Schema
from forkpoint.core.entries import Block, Entry, Kind, Log, Opaque, Result, Use

KEYS = ("cwd", "entrypoint", "gitBranch", "requestId", "slug", "userType")
VERSIONS = ((1, 0, 128), (2, 0, 77), (2, 1, 78), (2, 1, 330))


def _all_fields() -> tuple[MappingProxyType[str, object], ...]:
    """Up to four keys with small values, in every way; each number of keys as often."""
    of_size = [
        [dict(zip(keys, values, strict=True)) for keys in combinations(KEYS, size) for values in product(range(3), repeat=size)]
        for size in range(5)
    ]
    return tuple(MappingProxyType(one) for some in of_size for one in islice(cycle(some), len(of_size[-1])))


FIELDS = st.sampled_from(_all_fields())
"""One draw: most of what drawing a log costs would be the keys otherwise."""


def fields() -> st.SearchStrategy[MappingProxyType[str, object]]:
    """Some of a line's keys with small values."""
    return FIELDS


@st.composite
def small_logs(draw: st.DrawFn, max_size: int = 8) -> Log:
    """Any well-formed log over few messages and tool ids: most shapes that no client writes are among them."""
    size = draw(st.integers(1, max_size))
    entries: list[Entry] = []
    for number in range(size):
        parent = draw(st.sampled_from([None, *range(number)])) if draw(st.booleans()) else (number - 1 if number else None)
        kind = draw(st.sampled_from((Kind.USER, Kind.ASSISTANT, Kind.ASSISTANT, Kind.USER, Kind.PROGRESS, Kind.SYSTEM)))
        blocks = draw(st.lists(st.sampled_from((Use("t"), Use("s"), Result("t"), Result("s"), Opaque())), max_size=2))
        entries.append(
            Entry(
                uuid=f"e{number}",
                parent=None if parent is None else f"e{parent}",
                kind=kind,
                message=draw(st.sampled_from((None, "m", "n"))) if kind is Kind.ASSISTANT else None,
                blocks=tuple(blocks),
                sidechain=draw(st.integers(0, 7)) == 0,
                version=draw(st.sampled_from(VERSIONS)),
                fields=draw(fields()),
            )
        )
    return Log(entries)


class _Session:
    """Writes entries the way clients do."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.entries: list[Entry] = []
        self.messages = 0
        self.tools = 0

    def add(self, parent: str | None, kind: Kind, blocks: Sequence[Block] = (), message: str | None = None, **more: Any) -> str:
        entry = Entry(
            uuid=f"e{len(self.entries)}",
            parent=parent,
            kind=kind,
            message=message,
            blocks=tuple(blocks),
            version=self.draw(st.sampled_from(VERSIONS)),
            fields=self.draw(fields()),
            **more,
        )
        self.entries.append(entry)
        return str(entry.uuid)

    def aside(self, tip: str | None) -> str | None:
        """Sometimes a progress, attachment or system entry inside the chain."""
        kind = self.draw(st.sampled_from((None, None, None, Kind.PROGRESS, Kind.ATTACHMENT, Kind.SYSTEM)))
        return tip if kind is None else self.add(tip, kind)

    def turn(self, tip: str | None) -> str:
        """A prompt and an answer: text, then calls in one line, side by side, or a call left open."""
        draw = self.draw
        here = self.add(self.aside(tip), Kind.USER, [Opaque()])
        for _ in range(draw(st.integers(0, 2))):
            here = self.calls(self.aside(here) or here)
        if draw(st.integers(0, 5)) > 0:
            here = self.speak(self.aside(here) or here)
        return here

    def speak(self, tip: str) -> str:
        """An answer of one to three parts, one entry each, under one message id."""
        self.messages += 1
        for _ in range(self.draw(st.integers(1, 3))):
            tip = self.add(tip, Kind.ASSISTANT, [Opaque()], f"m{self.messages}")
        return tip

    def calls(self, tip: str) -> str:
        """A message with tool calls, and their results."""
        draw = self.draw
        self.messages += 1
        message = f"m{self.messages}"
        if draw(st.booleans()):
            tip = self.add(tip, Kind.ASSISTANT, [Opaque()], message)
        count = draw(st.integers(1, 3))
        shape = draw(st.sampled_from(("one line", "beside", "crossed", "open")))
        names = [f"t{self.tools + k}" for k in range(count)]
        self.tools += count
        uses: list[str] = []
        for name in names:
            tip = self.add(tip, Kind.ASSISTANT, [Use(name)], message)
            uses.append(tip)
        if shape == "one line":  # all results in one entry, or one after another
            if draw(st.booleans()):
                return self.add(tip, Kind.USER, [Result(name) for name in names])
            for name in names:
                tip = self.add(tip, Kind.USER, [Result(name)])
            return tip
        answered = names if shape != "open" else names[:-1]
        for name in draw(st.permutations(answered)):  # each result hangs on its own use; the next answer goes on from the last
            tip = self.add(uses[names.index(name)], Kind.USER, [Result(name)])
        return tip


@st.composite
def sessions(draw: st.DrawFn) -> Log:
    """A session as clients write them: rewinds, parallel calls, split messages, sub-agents, compaction, mixed versions."""
    session = _Session(draw)
    tip: str | None = None
    for _ in range(draw(st.integers(1, 4))):
        move = draw(st.sampled_from(("go on", "go on", "rewind", "sub-agent", "compaction")))
        if move == "rewind" and session.entries:
            tip = str(draw(st.sampled_from(session.entries)).uuid)
        if move == "sub-agent":
            task = session.add(None, Kind.USER, [Opaque()], sidechain=True)
            session.add(task, Kind.ASSISTANT, [Opaque()], f"side{len(session.entries)}", sidechain=True)
        if move == "compaction" and session.entries:
            older = draw(st.sampled_from([*(entry.uuid for entry in session.entries), "elsewhere"]))
            tip = session.add(None, Kind.SYSTEM, logical_parent=older)
        tip = session.turn(tip)
    return Log(session.entries)


def logs() -> st.SearchStrategy[Log]:
    """Logs as clients write them, and any small log."""
    return st.one_of(sessions(), small_logs())


@st.composite
def logs_and_points(draw: st.DrawFn) -> tuple[Log, str]:
    """A log and one of its entries."""
    log = draw(logs())
    return log, str(draw(st.sampled_from(list(log))).uuid)


@st.composite
def files(draw: st.DrawFn) -> list[Entry]:
    """A file with unique uuids in any order: some children stand before their parents."""
    entries = list(draw(logs()))
    for _ in range(draw(st.integers(0, 4))):
        a, b = draw(st.integers(0, len(entries) - 1)), draw(st.integers(0, len(entries) - 1))
        entries[a], entries[b] = entries[b], entries[a]
    return entries


@st.composite
def broken_files(draw: st.DrawFn) -> list[Entry]:
    """A file with unique uuids in which one parent dangles or lies on a cycle."""
    entries = draw(files())
    at = draw(st.integers(0, len(entries) - 1))
    uuids = [entry.uuid for entry in entries]
    entries[at] = entries[at]._replace(parent=draw(st.just("nowhere") | st.sampled_from(uuids)))
    return entries


@st.composite
def additions(draw: st.DrawFn, log: Log) -> Entry:
    """An entry that fits a log and may be anything: a prompt, an answer, a part of an old message, a late result."""
    parent = draw(st.sampled_from([None, *(entry.uuid for entry in log)]))
    kind = draw(st.sampled_from((Kind.USER, Kind.ASSISTANT)))
    messages = [None, "new", *sorted({str(entry.message) for entry in log if entry.message is not None})]
    tools = sorted({str(block.id) for entry in log for block in entry.blocks if not isinstance(block, Opaque)})
    choices: list[Block] = [Opaque(), Use("new"), *map(Result, tools), *map(Use, tools)]
    blocks = draw(st.lists(st.sampled_from(choices), max_size=2))
    message = draw(st.sampled_from(messages)) if kind is Kind.ASSISTANT else None
    return Entry("new", parent, kind=kind, message=message, blocks=tuple(blocks))


@st.composite
def schemas(draw: st.DrawFn, later_than: Schema | None = None) -> Schema:
    """A schema over few keys, or one that extends another."""
    version = draw(st.sampled_from(VERSIONS))
    reserved = draw(st.frozensets(st.sampled_from(KEYS), max_size=2))
    required = {kind: draw(st.dictionaries(st.sampled_from(KEYS), st.integers(7, 9))) for kind in (Kind.USER, Kind.ASSISTANT)}
    if later_than is None:
        return Schema(version, required, reserved)
    merged = {kind: {**required[kind], **later_than.required_of(kind)} for kind in required}
    filled = {key for kind in required for key in later_than.required_of(kind) if key not in later_than.reserved}
    return Schema(max(version, later_than.version), merged, reserved - filled)
