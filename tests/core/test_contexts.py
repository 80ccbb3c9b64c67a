"""Chapter 4: contexts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forkpoint import UnknownEntry
from forkpoint.core import contexts
from forkpoint.core import definitions as d
from forkpoint.core.contracts import contexts as contracted
from forkpoint.core.entries import Entry, Kind, Log, Result, Use
from strategies import logs, logs_and_points

A = Kind.ASSISTANT


@given(logs_and_points())
def test_members_are_the_least_closed_set(at: tuple[Log, str]) -> None:
    log, uuid = at
    past = tuple(log.as_of(uuid))
    found = contexts.members(log, uuid)
    assert found == d.members(tuple(log), uuid)
    assert uuid in found
    assert d.closed(past, found)
    for other in log:  # taking any one away leaves a set that does not do
        if other.uuid in found and other.uuid != uuid:
            assert not d.closed(past, d.closure(past, frozenset({uuid})) - {other.uuid})


@given(logs_and_points())
def test_context_holds_exactly_the_members(at: tuple[Log, str]) -> None:
    log, uuid = at
    assert contracted.context(log, uuid) == d.context(tuple(log), uuid)


@given(logs_and_points())
def test_context_ends_in(at: tuple[Log, str]) -> None:
    log, uuid = at
    assert contexts.context(log, uuid)[-1].uuid == uuid


@given(logs_and_points())
def test_context_holds_ancestry(at: tuple[Log, str]) -> None:
    log, uuid = at
    inside = contexts.members(log, uuid)
    for held in inside:
        assert d.uuids(d.ancestry(tuple(log), held)) <= inside


@given(logs())
def test_members_of_parent(log: Log) -> None:
    for entry in log:
        if entry.parent is not None:
            assert contexts.members(log, entry.parent) <= contexts.members(log, entry.uuid)


@given(logs_and_points())
def test_fast_settled(at: tuple[Log, str]) -> None:
    log, uuid = at
    assert contracted.settled(log, uuid) == d.settled(tuple(log), uuid)
    assert contexts.settled(log.as_of(uuid), uuid)
    context = d.context(tuple(log), uuid)
    later = [n for n, b in enumerate(log) if n > log.position(uuid) and any(d.needs(a, b) for a in context)]
    assert contexts.later_members(log, uuid) == later


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
