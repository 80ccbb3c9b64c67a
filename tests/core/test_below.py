"""Chapter 23: what hangs below the conversation, and what a fork that keeps it keeps."""

from __future__ import annotations

import pytest

from forkpoint.contracts import below as contracted
from forkpoint.core import below
from forkpoint.core.below import Sides
from forkpoint.core.entries import Entry, Kind, Log, Result, UnknownEntry, Use
from forkpoint.core.rendering import Preserved
from strategies_laws import holds

test_laws = holds("below", 2)

CALL = Entry("c", "p", kind=Kind.ASSISTANT, message="m", blocks=(Use("t"),))
RESULT = Entry("r", "c", blocks=(Result("t"),))


def hung(uuid: str, parent: str, kind: Kind = Kind.ATTACHMENT) -> Entry:
    return Entry(uuid, parent, kind=kind)


def told(log: Log, *other: str) -> Sides:
    """All that may be are side entries, and all but some say the same of their side."""
    kinds = (Kind.ATTACHMENT, Kind.SYSTEM)
    return Sides(
        {entry.uuid for entry in log if entry.kind in kinds}, {entry.uuid: 0 for entry in log if entry.uuid not in other}
    )


def kept(log: Log, uuid: str, *other: str, end: int = 0) -> str:
    return " ".join(str(entry.uuid) for entry in below.fork_sent(log, {}, told(log, *other), uuid, end))


def test_a_chain_below_a_call_is_kept() -> None:
    """The example `AForkKeepsAChain`."""
    log = Log([Entry("p"), CALL, hung("h", "c"), hung("i", "h", Kind.SYSTEM), RESULT])
    assert kept(log, "r") == "p c h i r"
    assert contracted.beneath(log, {}, told(log), "r") == {"h", "i"}


def test_a_chain_that_forks_is_left_out_whole() -> None:
    """The example `AForkingChainIsLeftOut`."""
    log = Log([Entry("p"), CALL, hung("h", "c"), hung("i", "h"), hung("j", "h"), hung("k", "c"), RESULT])
    assert kept(log, "r") == "p c k r"


def test_what_is_below_does_not_grow_as_contexts_do() -> None:
    """The counterexample `BelowIsNotMonotone`: a second child makes entries leave."""
    log = Log([Entry("p"), CALL, hung("h", "c"), RESULT, hung("i", "h"), hung("j", "h"), Entry("a", "r", kind=Kind.ASSISTANT)])
    assert kept(log, "r") == "p c h r"
    assert kept(log, "a") == "p c r a"


def test_an_entry_on_another_side_is_left_out() -> None:
    """The example `AnotherSideIsLeftOut`."""
    log = Log([Entry("p"), CALL, hung("h", "c"), RESULT])
    assert kept(log, "r", "h") == "p c r"


def test_a_line_that_is_passed_over_is_kept_along() -> None:
    """The example `AProgressLineIsKeptAlong`."""
    log = Log([Entry("p"), CALL, hung("g", "c", Kind.PROGRESS), hung("h", "g"), hung("x", "c", Kind.PROGRESS), RESULT])
    assert kept(log, "r") == "p c g h r"


def test_a_side_entry_on_the_way_anchors_behind_a_call_alone() -> None:
    """The example `ASideEntryOnTheWayAnchors`."""
    log = Log([Entry("p"), CALL, RESULT, hung("h", "r"), hung("i", "h"), Entry("a", "h", kind=Kind.ASSISTANT)])
    assert kept(log, "a") == "p c r h i a"
    log = Log([Entry("p"), hung("h", "p"), hung("i", "h"), Entry("a", "h", kind=Kind.ASSISTANT)])
    assert kept(log, "a") == "p h a"


def test_nothing_hangs_below_what_a_compaction_preserves() -> None:
    """The example `NothingHangsBelowThePreserved`."""
    log = Log([Entry("p"), CALL, hung("h", "c"), RESULT, Entry("b", None, "r", Kind.SYSTEM), Entry("s", "b"), Entry("q", "s")])
    preserved = {"b": Preserved("s", ("c", "r"))}
    assert below.beneath(log, preserved, told(log), "q") == frozenset()


def test_what_trails_behind_the_last_words_branches_included() -> None:
    log = Log([Entry("p"), Entry("a", "p", kind=Kind.ASSISTANT), hung("h", "a"), hung("i", "h"), hung("j", "h"), Entry("q", "h")])
    assert kept(log, "a") == "p a"
    assert kept(log, "a", end=5) == kept(log, "a", end=6) == "p a h i j"
    assert kept(log, "i") == "p a h i"
    assert below.trailing(log, told(log), "q") == frozenset()


def test_an_entry_that_is_not_there() -> None:
    log = Log([CALL._replace(parent=None)])
    for function in (below.fork_below, contracted.fork_below, below.beneath):
        with pytest.raises(UnknownEntry):
            function(log, {}, told(log), "nowhere")
