"""Memories of a few agents with few fields, and forks of them that went on."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from forkpoint.evidence import texts
from forkpoint.evidence.memory import FULL, ForkSpec, fork_memory
from forkpoint.evidence.states import SHARED, Field, Fork, Said, State
from forkpoint.evidence.texts import Text

BEGIN = datetime(2026, 1, 5, 9, tzinfo=UTC)
AGENTS = ("coder", "tester")
VALUES = (b"null", b"1", b"true", b'"x"', b'{"a":[]}')
BLOCKS = (("core", "b"), ("working", "b"), ("archival", "c"))
FIELDS = (
    *(Field(agent, *block, "one") for agent in AGENTS for block in BLOCKS),
    Field(SHARED, "", "b", "one"),
)


def said(number: int) -> Said:
    """A message; a later number is a later one."""
    return Said(BEGIN + timedelta(minutes=number), f"message {number}")


def fields() -> st.SearchStrategy[dict[Field, bytes]]:
    return st.dictionaries(st.sampled_from(FIELDS), st.sampled_from(VALUES), max_size=5)


@st.composite
def states(draw: st.DrawFn) -> State:
    """A memory of both agents."""
    written = draw(st.dictionaries(st.sampled_from(AGENTS), st.text("ab", max_size=3), max_size=2))
    held: dict[tuple[str, str], Text] = {(agent, "t"): texts.new().appended(text) for agent, text in written.items()}
    history = {agent: tuple(map(said, range(draw(st.integers(0, 3))))) for agent in AGENTS}
    return State(frozenset(AGENTS), draw(fields()), held, history)


@st.composite
def gone_on(draw: st.DrawFn, state: State) -> State:
    """A memory after some time: other fields, longer texts and histories."""
    kept = {field: value for field, value in state.fields.items() if draw(st.booleans())}
    held = {key: text.appended(draw(st.text("cd", max_size=3))) for key, text in state.texts.items()}
    history = {agent: (*told, *map(said, range(10, 10 + draw(st.integers(0, 2))))) for agent, told in state.history.items()}
    return State(state.agents, {**kept, **draw(fields())}, held, history)


@st.composite
def forked(draw: st.DrawFn, count: int = 1) -> tuple[State, list[Fork]]:
    """A memory that went on after forks were made that carry all of it, and the forks, which went on too."""
    source = draw(states())
    spec = ForkSpec(history=FULL, blocks=FULL, shared=True)
    forks = [fork_memory(source, spec, f"f{number}") for number in range(count)]
    return draw(gone_on(source)), [replace(fork, now=draw(gone_on(fork.now))) for fork in forks]
