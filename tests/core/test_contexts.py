"""Chapter 4: contexts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forkpoint import UnknownEntry
from forkpoint.contracts import contexts as contracted
from forkpoint.core import contexts
from forkpoint.core.entries import Entry, Kind, Log, Result, Use
from forkpoint.laws import definitions as d
from strategies import logs_and_points
from strategies_laws import holds

test_laws = holds("contexts")

A = Kind.ASSISTANT


@given(logs_and_points(), st.data())
def test_context_in_prefix(at: tuple[Log, str], data: st.DataObject) -> None:
    log, uuid = at
    size = data.draw(st.integers(log.position(uuid) + 1, len(log)))
    prefix = log.as_of(log[size - 1].uuid)
    assert contexts.context(prefix, uuid) == contexts.context(log, uuid)
    assert contexts.settled(prefix, uuid) == d.settled(tuple(prefix), uuid)


def test_parallel_calls_are_gathered() -> None:
    """Both shapes of real files: a result beside the path, and a whole sibling call off it."""
    log = Log(
        [
            Entry("18", None, kind=A, message="m"),
            Entry("19", "18", kind=A, message="m", blocks=(Use("a"),)),
            Entry("20", "19", kind=A, message="m", blocks=(Use("b"),)),
            Entry("21", "20", blocks=(Result("b"),)),
            Entry("22", "19", blocks=(Result("a"),)),
            Entry("23", "22", kind=A, message="n"),
        ]
    )
    assert [entry.uuid for entry in contexts.context(log, "23")] == ["18", "19", "20", "21", "22", "23"]
    assert not contexts.settled(log, "19")
    assert contexts.later_members(log, "19") == [2, 4]
    assert contexts.later_members(log.as_of("21"), "19") == [2]


def test_whole_log_closure_changes_when_the_log_grows() -> None:
    """The false definition: closing over the whole log instead of as of the entry."""
    log = Log([Entry("r"), Entry("a", "r", kind=A, message="m"), Entry("b", "a", kind=A, message="m")])
    assert d.closure(tuple(log.as_of("a")), frozenset({"a"})) != d.closure(tuple(log), frozenset({"a"}))


def test_unknown_entry_is_named() -> None:
    with pytest.raises(UnknownEntry, match="nowhere"):
        contracted.context(Log([Entry("a")]), "nowhere")
