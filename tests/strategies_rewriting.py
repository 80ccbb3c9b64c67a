"""Covers of logs, as commands make them and as nobody does; stubs, notes, sub-agents; records and what they say."""

from __future__ import annotations

from hypothesis import strategies as st

from forkpoint.core import contexts, rewriting
from forkpoint.core.entries import Block, Entry, Id, Kind, Log, Opaque, Result, Use
from forkpoint.core.overlays import Overlay
from forkpoint.core.rewriting import Callers, Notes
from strategies import logs

STUB = Entry("stub", None, kind=Kind.SUMMARY, blocks=(Opaque(),))
"""A stub that is tied to nothing."""


@st.composite
def covers(draw: st.DrawFn, log: Log) -> frozenset[Id]:
    """A cover: steps of a conversation, a span of the log, or anything, also what is not there."""
    uuids = [entry.uuid for entry in log]
    shape = draw(st.sampled_from(["steps", "steps", "span", "anything"]))
    if shape == "steps":
        context = contexts.context(log, draw(st.sampled_from(uuids)))
        found = rewriting.cuts(context)
        start, end = sorted((draw(st.sampled_from(found)), draw(st.sampled_from(found))))
        return rewriting.span(context, start, end)
    if shape == "span":
        start, end = sorted((draw(st.integers(0, len(log))), draw(st.integers(0, len(log)))))
        return rewriting.span(log, start, end)
    return draw(st.frozensets(st.sampled_from([*uuids, "elsewhere"]), max_size=5))


@st.composite
def covered_logs(draw: st.DrawFn) -> tuple[Log, frozenset[Id]]:
    """A log and a cover."""
    log = draw(logs())
    return log, draw(covers(log))


@st.composite
def survivors(draw: st.DrawFn) -> tuple[Log, frozenset[Id], Id]:
    """A log, a cover and an entry that is left."""
    log, covered = draw(covered_logs())
    left = [entry.uuid for entry in log if entry.uuid not in covered]
    if not left:
        log, left = log.append(Entry("left", log[-1].uuid)), ["left"]
    return log, covered, draw(st.sampled_from(left))


@st.composite
def chains(draw: st.DrawFn) -> Log:
    """One line of entries: prompts, answers, calls and results, in any order; the books are often whole."""
    entries: list[Entry] = []
    for number in range(draw(st.integers(1, 8))):
        move = draw(st.sampled_from(["prompt", "speak", "speak", "call", "answer"]))
        blocks: dict[str, tuple[Block, ...]] = {
            "prompt": (Opaque(),), "speak": (Opaque(),), "call": (Use(number),), "answer": (Result(number - 1),),
        }  # fmt: skip
        spoken = move in ("speak", "call")
        entries.append(
            Entry(
                f"c{number}",
                entries[-1].uuid if entries else None,
                kind=Kind.ASSISTANT if spoken else Kind.USER,
                message=draw(st.sampled_from(["m", "n", None])) if spoken else None,
                blocks=blocks[move],
            )
        )
    return Log(entries)


@st.composite
def stubs(draw: st.DrawFn, log: Log) -> Entry:
    """A stub that may be anything: its parent is not heeded, and it may hold calls and results of the log."""
    parent = draw(st.sampled_from([None, log[0].uuid, "elsewhere"]))
    blocks = draw(st.lists(st.sampled_from([Opaque(), Use("t"), Result("t"), Use("new")]), max_size=2))
    return STUB._replace(parent=parent, blocks=tuple(blocks))


@st.composite
def notes(draw: st.DrawFn, log: Log) -> Notes:
    """What is known of the entries of a log: effects, references, decisions, some of things that are not there."""
    uuids = st.sampled_from([*(entry.uuid for entry in log), "elsewhere"])
    tools = sorted({str(block.id) for entry in log for block in entry.blocks if isinstance(block, Use)})
    return Notes(
        effects=draw(st.frozensets(st.sampled_from([*tools, "none"]), max_size=2)),
        refers=draw(st.dictionaries(uuids, st.frozensets(uuids, max_size=3), max_size=3)),
        decisions=draw(st.frozensets(uuids, max_size=3)),
    )


@st.composite
def called(draw: st.DrawFn) -> tuple[Log, Callers]:
    """A log with sub-agents, each a thread of its own that an entry of the log or of another one called."""
    entries = list(draw(logs()))
    callers: dict[Id, Id] = {}
    for number in range(draw(st.integers(0, 3))):
        root = f"s{number}"
        callers[root] = draw(st.sampled_from(entries)).uuid
        entries.append(Entry(root, sidechain=True))
        for part in range(draw(st.integers(0, 2))):
            parent = draw(st.sampled_from([root, entries[-1].uuid]))
            entries.append(Entry(f"{root}.{part}", parent, kind=Kind.ASSISTANT, message=root, sidechain=True))
    return Log(entries), callers


@st.composite
def recorded(draw: st.DrawFn, stubs_are_new: bool = False) -> tuple[Log, dict[Id, Overlay]]:
    """A log with records, some of which supersede others, cover records, or leave stubs that are there already."""
    log = draw(logs())
    sayings: dict[Id, Overlay] = {}
    for number in range(draw(st.integers(0, 4))):
        uuid, tip = f"r{number}", log[-1].uuid
        parent = draw(st.sampled_from([tip, tip, *(entry.uuid for entry in log)]))
        supersedes = draw(st.sampled_from([None, None, *sayings, "elsewhere"]))
        name = f"stub{number}" if stubs_are_new else draw(st.sampled_from([f"stub{number}", "stub", log[0].uuid]))
        log = log.append(Entry(uuid, parent, kind=Kind.SYSTEM))
        sayings[uuid] = Overlay(
            covered=frozenset() if supersedes is not None and draw(st.booleans()) else draw(covers(log)),
            hash=draw(st.integers(0, 2)),
            stub=STUB._replace(uuid=name) if draw(st.booleans()) else None,
            supersedes=supersedes,
        )
    return log, sayings
