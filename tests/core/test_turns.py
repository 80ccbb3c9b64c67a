"""Chapter 6: the complete turn, and the nearest legal points."""

from __future__ import annotations

import pytest
from hypothesis import given

from forkpoint import UnknownEntry
from forkpoint.core import balance, contexts, turns
from forkpoint.core import definitions as d
from forkpoint.core.contracts import turns as contracted
from forkpoint.core.entries import Entry, Kind, Log, Result, Use
from strategies import logs, logs_and_points

A = Kind.ASSISTANT


@given(logs())
def test_conversation_is_context(log: Log) -> None:
    for entry in log:
        assert d.heard(tuple(log), entry.uuid) == contexts.context(log, entry.uuid)


@given(logs())
def test_legal_is_complete_turn(log: Log) -> None:
    survey = balance.survey(log)
    for position, entry in enumerate(log):
        assert survey.legal[position] == d.complete_turn(tuple(log), entry.uuid)


@given(logs_and_points())
def test_nearest_legal_ancestor_is_nearest(at: tuple[Log, str]) -> None:
    log, uuid = at
    found = contracted.nearest_legal_ancestor(log, balance.survey(log).legal, uuid)
    assert found == d.nearest_legal_ancestor(tuple(log), uuid)


@given(logs_and_points())
def test_first_legal_descendants_are_first(at: tuple[Log, str]) -> None:
    log, uuid = at
    found = contracted.first_legal_descendants(log, balance.survey(log).legal, uuid)
    assert set(found) == d.first_legal_descendants(tuple(log), uuid)
    assert len(set(found)) == len(found)


@given(logs_and_points())
def test_each_branch_has_one_first_legal(at: tuple[Log, str]) -> None:
    log, uuid = at
    legal = balance.survey(log).legal
    first = set(turns.first_legal_descendants(log, legal, uuid))
    for entry in log:
        way = [above.uuid for above in d.ancestry(tuple(log), entry.uuid)]
        if entry.uuid != uuid and uuid in way and d.legal(tuple(log), entry.uuid):
            assert len(first & set(way)) == 1
    for one in first:
        assert first & d.uuids(d.ancestry(tuple(log), one)) == {one}


def test_nearest_points_of_an_open_call() -> None:
    log = Log(
        [
            Entry("p"),
            Entry("a", "p", kind=A, message="m"),
            Entry("q", "a"),
            Entry("u", "q", kind=A, message="n", blocks=(Use("t"),)),
            Entry("r", "u", blocks=(Result("t"),)),
            Entry("z", "r", kind=A, message="o"),
            Entry("y", "r", kind=A, message="w"),
        ]
    )
    legal = balance.survey(log).legal
    assert not balance.legal(log, "u")
    assert turns.nearest_legal_ancestor(log, legal, "u") == "a"
    assert turns.first_legal_descendants(log, legal, "u") == ("z", "y")
    assert turns.nearest_legal_ancestor(log, legal, "p") is None
    assert turns.first_legal_descendants(log, legal, "z") == ()


def test_the_first_entry_has_each_first_legal_once() -> None:
    log = Log([Entry("p"), Entry("a", "p", kind=A)])
    assert turns.first_legal_descendants(log, [False, True], "p") == ("a",)


def test_other_part_outside_the_context_is_too_weak() -> None:
    """A point whose own message is whole can still be unsettled: a result of an earlier call comes later."""
    log = Log(
        [
            Entry("a", None, kind=A, message="m", blocks=(Use("t"),)),
            Entry("r", "a", blocks=(Result("t"),)),
            Entry("b", "r", kind=A, message="n"),
            Entry("c", "a", kind=A, message="m"),
        ]
    )
    assert not any(e.message == "n" and e.uuid not in contexts.members(log, "b") for e in log)
    assert not balance.legal(log, "b")


def test_a_survey_of_another_log_is_refused() -> None:
    log = Log([Entry("a")])
    with pytest.raises(AssertionError):
        contracted.nearest_legal_ancestor(log, [], "a")
    with pytest.raises(UnknownEntry):
        contracted.first_legal_descendants(log, [False], "nowhere")
