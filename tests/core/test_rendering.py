"""Chapter 11: rendered contexts."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from forkpoint import UnknownEntry
from forkpoint.core import ancestries, balance, contexts, forks, order, rendering
from forkpoint.core import definitions as d
from forkpoint.core.contracts import rendering as contracted
from forkpoint.core.entries import Entry, Id, Kind, Log, Opaque, Result, Use
from forkpoint.core.rendering import NOTHING_PRESERVED, Crossing, Preservation, Preserved
from strategies import additions, logs_and_points
from strategies_rendering import compacted, crossing_points, heeded_points, preservations, preservations_and_points

At = tuple[Log, Preservation, str]

slow = settings(max_examples=max(1, settings().max_examples // 4))
"""For tests that ask the definitions about every entry of a log."""

SHORT = Log([Entry("x"), Entry("b", None, "x", Kind.SYSTEM), Entry("s", "b"), Entry("p", "s")])
"""An entry that is preserved, a boundary, its summary, a prompt."""


def uuids(entries: tuple[Entry, ...] | Log) -> list[Id]:
    return [entry.uuid for entry in entries]


@slow
@given(preservations_and_points())
def test_rendered_is_what_the_model_says(at: At) -> None:
    log, preserved, uuid = at
    assert rendering.rendered(log, preserved, uuid) == d.rendered(tuple(log), preserved, uuid)
    assert rendering.resent(log, preserved, uuid) == d.resent(tuple(log), preserved, uuid)
    assert contracted.crossed(log, preserved, uuid) == d.crossed(tuple(log), preserved, uuid)
    assert contracted.rendered(log, preserved, uuid) == rendering.rendered(log, preserved, uuid)


@slow
@given(preservations_and_points())
def test_heeds_is_what_the_model_says(at: At) -> None:
    log, preserved, uuid = at
    own = set(contexts.member_positions(log, uuid))
    for position, entry in enumerate(log):
        assert rendering.heeds(log, preserved, own, position) == d.heeds(
            tuple(log), preserved, contexts.members(log, uuid), entry.uuid
        )


def crosses(log: Log, preserved: Preservation, boundary: Id, uuid: Id) -> bool:
    """An entry goes on at one that a boundary preserves whose anchor stands before the entry: said of the whole log."""
    entry = log.entry(uuid)
    if entry.parent is None or not d.preserves(tuple(log), preserved, boundary, entry.parent):
        return False
    return log.position(preserved[boundary].anchor) < log.position(uuid)


@slow
@given(preservations_and_points())
def test_crossed_is_the_last(at: At) -> None:
    log, preserved, uuid = at
    way = uuids(ancestries.ancestry(log, uuid))
    crossing = [(n, b.uuid) for n, e in enumerate(way) for b in log if crosses(log, preserved, b.uuid, e)]
    found = [Crossing(boundary, way[n - 1]) for n, boundary in crossing]
    assert rendering.crossed(log, preserved, uuid) == (found[-1] if found else None)
    own = {e: Crossing(boundary, way[n - 1]) for n, boundary in crossing for e in way[n : n + 1]}
    by_itself = {log[position].uuid: what for position, what in rendering.crossers(log, preserved).items()}
    assert {e: by_itself[e] for e in way if e in by_itself} == own


@given(preservations_and_points())
def test_rendered_holds_exactly(at: At) -> None:
    log, preserved, uuid = at
    again = rendering.resent(log, preserved, uuid)
    crossing = rendering.crossed(log, preserved, uuid)
    sent = uuids(rendering.rendered(log, preserved, uuid))
    assert len(set(sent)) == len(sent)
    own = contexts.members(log, uuid)
    if crossing is None:
        assert set(sent) == own | set(again.uuids if again else ())
    else:
        listed = rendering.sent_again(preserved, crossing)
        before = contexts.members(log, preserved[crossing.boundary].anchor)
        assert set(sent) == before | set(listed) | (own - contexts.members(log, crossing.at))


@given(crossing_points())
def test_rendered_is_sent_across(at: At) -> None:
    log, preserved, uuid = at
    crossing = rendering.crossed(log, preserved, uuid)
    assert crossing is not None
    anchor, listed = preserved[crossing.boundary]
    again = rendering.sent_again(preserved, crossing)
    assert again == listed[: len(again)]
    assert again[-1] == crossing.at
    sent = uuids(rendering.rendered(log, preserved, uuid))
    start = sent.index(again[0])
    assert tuple(sent[start : start + len(again)]) == again
    first = [entry.uuid for entry in contexts.context(log, anchor)]
    assert sent[:start] == [each for each in first if each not in again]
    gone = {*first, *again} | contexts.members(log, crossing.at)
    assert sent[start + len(again) :] == [entry.uuid for entry in contexts.context(log, uuid) if entry.uuid not in gone]


@given(heeded_points())
def test_rendered_is_rest_with_preserved_after_anchor(at: At) -> None:
    log, preserved, uuid = at
    again = rendering.resent(log, preserved, uuid)
    assume(rendering.crossed(log, preserved, uuid) is None)  # what is sent across a boundary has a test of its own
    assert again is not None
    sent = uuids(rendering.rendered(log, preserved, uuid))
    place = sent.index(again.anchor) + 1
    assert tuple(sent[place : place + len(again.uuids)]) == again.uuids
    rest = sent[:place] + sent[place + len(again.uuids) :]
    assert rest == [entry.uuid for entry in d.context(tuple(log), uuid) if entry.uuid not in again.uuids]


@given(preservations_and_points())
def test_rendered_ends_in(at: At) -> None:
    log, preserved, uuid = at
    again = rendering.resent(log, preserved, uuid)
    last = rendering.rendered(log, preserved, uuid)[-1].uuid
    if rendering.crossed(log, preserved, uuid) is not None:
        again = None
    assert last == (again.uuids[-1] if again and again.anchor == uuid and again.uuids else uuid)


@slow
@given(logs_and_points())
def test_rendered_is_context_where_nothing_is_preserved(at: tuple[Log, str]) -> None:
    log, uuid = at
    children = {entry.uuid: Preserved(uuid, (log[0].uuid,)) for entry in log if entry.parent is not None}
    for preserved in (NOTHING_PRESERVED, children):  # what is no root is no boundary
        assert rendering.rendered(log, preserved, uuid) == contexts.context(log, uuid)
        assert rendering.kept_positions(log, preserved, uuid) == contexts.member_positions(log, uuid)
        assert rendering.fork_kept(log, preserved, uuid) == forks.fork(log, uuid)


@slow
@given(preservations_and_points())
def test_kept_is_least(at: At) -> None:
    log, preserved, uuid = at
    kept = frozenset(log.spine.uuids[position] for position in rendering.kept_positions(log, preserved, uuid))
    assert kept == d.kept(tuple(log), preserved, uuid)
    assert d.uuids(rendering.rendered(log, preserved, uuid)) <= kept
    for held in kept:
        assert contexts.members(log, held) <= kept
    if one_root(log, uuid):
        sent = d.uuids(rendering.rendered(log, preserved, uuid))
        crossing, again = rendering.crossed(log, preserved, uuid), rendering.resent(log, preserved, uuid)
        if crossing is not None:
            sent = sent.union(
                [preserved[crossing.boundary].anchor], preserved[crossing.boundary].uuids, again.uuids if again else ()
            )
        assert kept == sent.union(*(contexts.members(log, each) for each in sent))


@slow
@given(preservations_and_points())
def test_kept_stands_before(at: At) -> None:
    log, preserved, uuid = at
    own = contexts.member_positions(log, uuid)
    heeded = [p for p in own if rendering.heeds(log, preserved, set(own), p)]
    crossing = rendering.crossed(log, preserved, uuid)
    anchor = -1 if crossing is None else log.position(preserved[crossing.boundary].anchor)
    assert anchor < log.position(uuid)
    for position in set(rendering.kept_positions(log, preserved, uuid)) - set(own):
        assert position <= anchor or any(position < boundary for boundary in heeded)


@slow
@given(preservations_and_points())
def test_last_root_of_the_fork(at: At) -> None:
    log, preserved, uuid = at
    assume(one_root(log, uuid))  # the lemma's precondition
    last = [entry.uuid for entry in rendering.fork_kept(log, preserved, uuid) if entry.parent is None][-1]
    crossing = rendering.crossed(log, preserved, uuid)
    if crossing is None:
        assert last == d.ancestry(tuple(log), uuid)[0].uuid
    elif one_root(log, preserved[crossing.boundary].anchor):
        assert last == crossing.boundary


def one_root(log: Log, uuid: Id) -> bool:
    return sum(log.entry(own).parent is None for own in contexts.members(log, uuid)) == 1


@slow
@given(preservations_and_points())
def test_fork_kept_holds_exactly_what_is_kept(at: At) -> None:
    log, preserved, uuid = at
    made = contracted.fork_kept(log, preserved, uuid)
    assert tuple(made) == d.keep(tuple(log), d.kept(tuple(log), preserved, uuid))
    assert made[-1].uuid == uuid
    assert all(made.entry(entry.uuid) is log.entry(entry.uuid) for entry in made)


@slow
@given(preservations_and_points())
def test_fork_kept_is_well_formed(at: At) -> None:
    log, preserved, uuid = at
    made = rendering.fork_kept(log, preserved, uuid)
    assert d.well_formed(tuple(made))
    assert order.canonical(tuple(made)) == made


@slow
@given(preservations_and_points())
def test_fork_kept_preserves_ancestry_and_contexts(at: At) -> None:
    log, preserved, uuid = at
    made = rendering.fork_kept(log, preserved, uuid)
    for kept in made:
        assert ancestries.ancestry(made, kept.uuid) == d.ancestry(tuple(log), kept.uuid)
        assert contexts.context(made, kept.uuid) == d.context(tuple(log), kept.uuid)


@slow
@given(preservations_and_points())
def test_fork_kept_preserves_rendering(at: At) -> None:
    log, preserved, uuid = at
    made = rendering.fork_kept(log, preserved, uuid)
    here = rendering.crossed(log, preserved, uuid)
    for held in contexts.members(log, uuid):
        crossing = rendering.crossed(log, preserved, held)
        if crossing is None or (here is not None and here.boundary == crossing.boundary):
            assert rendering.rendered(made, preserved, held) == d.rendered(tuple(log), preserved, held)
            assert d.kept(tuple(log), preserved, held) <= d.uuids(made)


@slow
@given(preservations_and_points())
def test_fork_kept_of_fork_kept(at: At) -> None:
    log, preserved, uuid = at
    entries = tuple(log)
    made = rendering.fork_kept(log, preserved, uuid)
    assert rendering.fork_kept(made, preserved, uuid) == made
    for kept in made:
        enough = d.kept(entries, preserved, kept.uuid) <= d.uuids(made)
        assert (rendering.fork_kept(made, preserved, kept.uuid) == rendering.fork_kept(log, preserved, kept.uuid)) == enough
        if enough:
            assert rendering.rendered(made, preserved, kept.uuid) == d.rendered(entries, preserved, kept.uuid)


@slow
@given(preservations_and_points())
def test_fork_kept_is_fork_exactly(at: At) -> None:
    log, preserved, uuid = at
    own = contexts.members(log, uuid)
    assert (rendering.fork_kept(log, preserved, uuid) == forks.fork(log, uuid)) == (d.reaches(tuple(log), preserved, uuid) <= own)


@slow
@given(preservations_and_points())
def test_fork_kept_keeps_legal(at: At) -> None:
    log, preserved, uuid = at
    entries = tuple(log)
    made = rendering.fork_kept(log, preserved, uuid)
    assert contexts.settled(made, uuid)
    assert balance.resumable(made, uuid) == d.paired_by_id_and_order(d.blocks(d.context(entries, uuid)))
    for kept in made:
        assert balance.legal(made, kept.uuid) or not d.legal(entries, kept.uuid)


@slow
@given(preservations(), st.data())
def test_append_keeps_old_renderings(at: tuple[Log, Preservation], data: st.DataObject) -> None:
    log, preserved = at
    longer = log.append(data.draw(additions(log)))
    more = {**preserved, "new": Preserved(log[0].uuid, (log[-1].uuid,))}
    for entry in log:
        assert rendering.rendered(longer, more, entry.uuid) == d.rendered(tuple(log), preserved, entry.uuid)
        assert rendering.kept_positions(longer, more, entry.uuid) == rendering.kept_positions(log, preserved, entry.uuid)


@slow
@given(compacted())
def test_append_renders_one_more(at: tuple[Log, Preservation]) -> None:
    log, preserved = at
    for entry in log:
        prompt = Entry("new", entry.uuid, blocks=(Opaque(),))
        if contexts.settled(log, entry.uuid) and not any(d.preserves(tuple(log), preserved, b, entry.uuid) for b in preserved):
            longer = log.append(prompt)
            assert rendering.rendered(longer, preserved, "new") == (*rendering.rendered(log, preserved, entry.uuid), prompt)
            assert rendering.fork_kept(longer, preserved, "new") == rendering.fork_kept(log, preserved, entry.uuid).append(prompt)


@slow
@given(compacted())
def test_append_renders_across(at: tuple[Log, Preservation]) -> None:
    log, preserved = at
    for entry in log:
        last = [b.uuid for b in log if d.preserves(tuple(log), preserved, b.uuid, entry.uuid)][-1:]
        if last and contexts.settled(log, entry.uuid):
            anchor, listed = preserved[last[0]]
            again = listed[: listed.index(entry.uuid) + 1]
            prompt = Entry("new", entry.uuid, blocks=(Opaque(),))
            first = tuple(each for each in contexts.context(log, anchor) if each.uuid not in again)
            sent = rendering.rendered(log.append(prompt), preserved, "new")
            assert sent == (*first, *d.chosen(tuple(log), again), prompt)


def apart(one: Sequence[Entry], other: Sequence[Entry]) -> bool:
    """Whether no tool id stands in both, be it of a call or of a result."""
    first, second = ({block.id for block in d.blocks(part) if not isinstance(block, Opaque)} for part in (one, other))
    return not first & second


@slow
@given(heeded_points())
def test_rendered_is_balanced_exactly(at: At) -> None:
    log, preserved, uuid = at
    again = rendering.resent(log, preserved, uuid)
    assume(rendering.crossed(log, preserved, uuid) is None)  # what is sent across a boundary has a test of its own
    assert again is not None
    listed = d.chosen(tuple(log), again.uuids)
    rest = [entry for entry in d.context(tuple(log), uuid) if entry.uuid not in again.uuids]
    assume(apart(listed, rest))  # the lemma's precondition
    whole = balance.balanced(rendering.rendered(log, preserved, uuid))
    assert whole == (balance.balanced(listed) and balance.balanced(rest))


@slow
@given(crossing_points())
def test_rendered_across_is_balanced_exactly(at: At) -> None:
    log, preserved, uuid = at
    crossing = rendering.crossed(log, preserved, uuid)
    assert crossing is not None
    again = rendering.sent_again(preserved, crossing)
    sent = rendering.rendered(log, preserved, uuid)
    listed, rest = d.chosen(tuple(log), again), [entry for entry in sent if entry.uuid not in again]
    assume(apart(listed, rest))  # the lemma's precondition
    assert balance.balanced(sent) == (balance.balanced(listed) and balance.balanced(rest))


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
