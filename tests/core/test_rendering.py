"""Chapter 10: rendered contexts."""

from __future__ import annotations

import pytest
from hypothesis import settings

from forkpoint import UnknownEntry
from forkpoint.contracts import rendering as contracted
from forkpoint.core import balance, contexts, forks, rendering
from forkpoint.core.entries import Entry, Id, Kind, Log, Result, Use
from forkpoint.core.rendering import NOTHING_PRESERVED, Crossing, Preservation, Preserved
from forkpoint.laws import definitions as d
from strategies_laws import holds

test_laws = holds("rendering", 4)

At = tuple[Log, Preservation, str]

slow = settings(max_examples=max(1, settings().max_examples // 4))
"""For tests that ask the definitions about every entry of a log."""

SHORT = Log([Entry("x"), Entry("b", None, "x", Kind.SYSTEM), Entry("s", "b"), Entry("p", "s")])
"""An entry that is preserved, a boundary, its summary, a prompt."""


def uuids(entries: tuple[Entry, ...] | Log) -> list[Id]:
    return [entry.uuid for entry in entries]


def test_what_goes_on_at_a_preserved_entry_is_sent_behind_the_boundary() -> None:
    log = Log(
        [
            Entry("w"), Entry("x", "w"), Entry("y", "x"), Entry("z", "y"), Entry("b", None, "z", Kind.SYSTEM), Entry("s", "b"),
            Entry("p", "s"), Entry("c", "y"), Entry("d", "c"),
        ]
    )  # fmt: skip
    preserved = {"b": Preserved("s", ("x", "y", "z"))}
    assert rendering.crossed(log, preserved, "d") == Crossing("b", "y")
    assert rendering.crossed(log, preserved, "z") is None  # it stands before the boundary
    assert uuids(rendering.rendered(log, preserved, "d")) == ["b", "s", "x", "y", "c", "d"]
    assert uuids(rendering.fork_kept(log, preserved, "d")) == ["w", "x", "y", "z", "b", "s", "c", "d"]
    assert uuids(rendering.rendered(log, preserved, "p")) == ["b", "s", "x", "y", "z", "p"]
    lost = {"b": Preserved("s", ("x", "y", "gone"))}
    assert rendering.crossed(log, lost, "d") is None
    assert uuids(rendering.rendered(log, lost, "d")) == ["w", "x", "y", "c", "d"]
    early = Log([*log][:5]).append(Entry("c", "y")).append(Entry("s", "b"))  # the anchor stands behind it
    assert rendering.crossed(early, preserved, "c") is None
    assert rendering.crossed(early.append(Entry("e", "y")), preserved, "e") == Crossing("b", "y")
    last = {**preserved, "s2": Preserved("s2", ("y",))}
    more = Log([*log][:7]).append(Entry("s2", None, "p", Kind.SYSTEM)).append(Entry("c", "y"))
    assert rendering.crossed(more, last, "c") == Crossing("s2", "y")
    assert uuids(rendering.rendered(more, last, "c")) == ["s2", "y", "c"]  # the last one that preserves it


def test_a_boundary_whose_anchor_is_nowhere_or_the_entry_itself_is_not_crossed() -> None:
    log = Log([Entry("x"), Entry("b", kind=Kind.ASSISTANT, message="m"), Entry("e", "x", kind=Kind.ASSISTANT, message="m")])
    for anchor in ("elsewhere", "e"):
        preserved = {"b": Preserved(anchor, ("x",))}
        assert rendering.crossed(log, preserved, "e") is None
        assert rendering.crossers(log, preserved) == {}
        assert rendering.crossed(log, preserved, "e") == d.crossed(tuple(log), preserved, "e")
    assert rendering.crossed(log, {"b": Preserved("b", ("x",))}, "e") == Crossing("b", "x")


def test_what_stands_in_front_of_what_is_sent_again_is_not_sent_twice() -> None:
    part = {"kind": Kind.ASSISTANT, "message": "m"}
    log = Log([Entry("x"), Entry("b", kind=Kind.SYSTEM), Entry("s", "b", **part), Entry("c", "x", **part)])
    preserved = {"b": Preserved("s", ("x",))}
    assert contexts.members(log, "c") == {"x", "b", "s", "c"}
    assert uuids(rendering.rendered(log, preserved, "c")) == ["b", "s", "x", "c"]


def test_what_several_boundaries_preserve_is_kept() -> None:
    part = {"kind": Kind.ASSISTANT, "message": "m"}
    two = Log([Entry("x"), Entry("y"), Entry("b", **part), Entry("c", **part), Entry("u", "c", **part)])
    both = {"b": Preserved("b", ("x",)), "c": Preserved("c", ("y",))}
    assert uuids(rendering.fork_kept(two, both, "u")) == ["x", "y", "b", "c", "u"]
    behind = Log([Entry("x"), Entry("b", kind=Kind.SYSTEM), Entry("y", "b"), Entry("c", kind=Kind.SYSTEM), Entry("e", "y")])
    over = {"b": Preserved("b", ("x",)), "c": Preserved("c", ("y",))}
    assert rendering.crossed(behind, over, "e") == Crossing("c", "y")
    assert uuids(rendering.rendered(behind, over, "e")) == ["c", "y", "e"]
    assert uuids(rendering.fork_kept(behind, over, "e")) == ["x", "b", "y", "c", "e"]


def test_preserved_entries_follow_the_summary() -> None:
    preserved = {"b": Preserved("s", ("x",))}
    assert uuids(rendering.rendered(SHORT, preserved, "p")) == ["b", "s", "x", "p"]
    assert uuids(rendering.rendered(SHORT, preserved, "s")) == ["b", "s", "x"]
    assert uuids(rendering.rendered(SHORT, preserved, "b")) == ["b"]  # the anchor is not there yet
    assert not rendering.heeds(SHORT, preserved, {2, 3}, 1)  # nor is a boundary heeded where it does not belong
    assert uuids(rendering.fork_kept(SHORT, preserved, "p")) == ["x", "b", "s", "p"]
    assert uuids(forks.fork(SHORT, "p")) == ["b", "s", "p"]


@pytest.mark.parametrize(
    "wrong",
    [
        Preserved("s", ("x", "elsewhere")),  # one does not resolve: none is sent again
        Preserved("s", ("x", "x")),
        Preserved("s", ("x", "p")),  # stands after the boundary
        Preserved("elsewhere", ("x",)),
        Preserved("x", ("x",)),
        Preserved("s", ()),
    ],
)
def test_the_whole_list_resolves_or_nothing_is_sent_again(wrong: Preserved) -> None:
    assert uuids(rendering.rendered(SHORT, {"b": wrong}, "p")) == ["b", "s", "p"]
    assert uuids(rendering.fork_kept(SHORT, {"b": wrong}, "p")) == ["b", "s", "p"]


def test_what_is_preserved_and_belongs_to_the_context_moves() -> None:
    log = Log(
        [
            Entry("x", kind=Kind.ASSISTANT, message="m"),
            Entry("b", kind=Kind.SYSTEM),
            Entry("s", "b"),
            Entry("r", "s", kind=Kind.ASSISTANT, message="m"),  # another part of the message
        ]
    )
    assert uuids(contexts.context(log, "r")) == ["x", "b", "s", "r"]
    assert uuids(rendering.rendered(log, {"b": Preserved("s", ("x",))}, "r")) == ["b", "s", "x", "r"]
    assert uuids(rendering.rendered(log, {"b": Preserved("x", ("x",))}, "r")) == ["x", "b", "s", "r"]  # its own anchor


def test_a_child_of_the_first_entry_is_no_boundary() -> None:
    log = Log([Entry("x"), Entry("b", "x"), Entry("s", "b")])
    assert not rendering.heeds(log, {"b": Preserved("s", ("x",))}, {0, 1, 2}, 1)


def test_fork_kept_shares_the_spine_where_everything_is_kept() -> None:
    assert rendering.fork_kept(SHORT, {"b": Preserved("s", ("x",))}, "p").spine is SHORT.spine
    assert rendering.fork_kept(SHORT, NOTHING_PRESERVED, "p").spine is not SHORT.spine


def test_a_kept_entry_may_lose_what_its_own_boundary_preserves() -> None:
    log = Log([Entry("x"), Entry("b", kind=Kind.SYSTEM), Entry("s", "b"), Entry("c", kind=Kind.SYSTEM), Entry("t", "c")])
    preserved = {"b": Preserved("s", ("x",)), "c": Preserved("t", ("s",))}
    made = rendering.fork_kept(log, preserved, "t")
    assert uuids(made) == ["b", "s", "c", "t"]
    assert uuids(rendering.rendered(made, preserved, "t")) == uuids(rendering.rendered(log, preserved, "t")) == ["c", "t", "s"]
    assert uuids(rendering.rendered(log, preserved, "s")) == ["b", "s", "x"]
    assert uuids(rendering.rendered(made, preserved, "s")) == ["b", "s"]


def test_an_answer_may_stand_after_the_boundary() -> None:
    log = Log(
        [
            Entry("x", kind=Kind.ASSISTANT, message="m", blocks=(Use("t"),)),
            Entry("b", kind=Kind.SYSTEM),
            Entry("s", "b"),
            Entry("r", "s", blocks=(Result("t"),)),
        ]
    )
    sent = rendering.rendered(log, {"b": Preserved("s", ("x",))}, "r")
    assert balance.balanced(sent)
    assert not balance.balanced(contexts.context(log, "r"))


def test_unknown_entry() -> None:
    for function in (contracted.rendered, contracted.fork_kept, contracted.crossed):
        with pytest.raises(UnknownEntry):
            function(SHORT, NOTHING_PRESERVED, "nowhere")
