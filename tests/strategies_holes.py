"""Entries that may have stood in a hole of a log, and what can be read of it."""

from __future__ import annotations

from hypothesis import strategies as st

from forkpoint.core.entries import Entry, Kind, Log, Result, Use
from forkpoint.core.holes import AnswerTo, Aside, Fragment, PartOf

MESSAGES = st.sampled_from(["m", "n", "m0", "m1"])
CALLS = st.frozensets(st.sampled_from(["t", "s", "t0", "t1"]), max_size=2)
FRAGMENTS: st.SearchStrategy[Fragment] = st.one_of(st.builds(PartOf, MESSAGES), st.builds(AnswerTo, CALLS), st.just(Aside()))


@st.composite
def lost(draw: st.DrawFn, log: Log) -> list[Entry]:
    """Entries that may have stood in a hole: parts of a message of the log, answers to a call of it, prompts, and others; perhaps
    one that is in it, or below one that is not, or below another of them."""
    messages = [entry.message for entry in log if entry.message is not None] or ["m"]
    calls = [block.id for entry in log for block in entry.blocks if isinstance(block, Use)] or ["t"]
    found: list[Entry] = []
    for number in range(draw(st.integers(0, 3))):
        parent = draw(st.sampled_from([None, "nowhere", *[one.uuid for one in found], *[entry.uuid for entry in log] * 2]))
        name = draw(st.sampled_from([f"lost{number}", f"lost{number}", log[0].uuid]))
        kinds = [
            Entry(name, parent, kind=Kind.ASSISTANT, message=draw(st.sampled_from(messages))),
            Entry(name, parent, kind=Kind.ASSISTANT, message="other", blocks=(Use("other"),)),
            Entry(name, parent, kind=Kind.USER, blocks=(Result(draw(st.sampled_from(calls))),)),
            Entry(name, parent, kind=Kind.USER),
            Entry(name, parent, kind=Kind.SYSTEM),
        ]
        found.append(draw(st.sampled_from(kinds)))
    return found


@st.composite
def entries_and_fragments(draw: st.DrawFn) -> tuple[Entry, Fragment]:
    """An entry of the user or the assistant, and what can be read of a hole."""
    kind = draw(st.sampled_from([Kind.ASSISTANT, Kind.ASSISTANT, Kind.USER, Kind.SYSTEM]))
    calls, answers = draw(CALLS), draw(CALLS)
    blocks = (*map(Use, sorted(calls)), *map(Result, sorted(answers)))
    message = draw(MESSAGES) if kind is Kind.ASSISTANT else None
    return Entry("e", draw(st.sampled_from([None, "lost", "other"])), kind=kind, message=message, blocks=blocks), draw(FRAGMENTS)
