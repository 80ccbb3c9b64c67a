"""Chapter 6: the complete turn, and the nearest legal points."""

from __future__ import annotations

import pytest

from forkpoint import UnknownEntry
from forkpoint.contracts import turns as contracted
from forkpoint.core import balance, contexts, turns
from forkpoint.core.entries import Entry, Kind, Log, Result, Use
from strategies_laws import holds

test_laws = holds("turns")

A = Kind.ASSISTANT


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
