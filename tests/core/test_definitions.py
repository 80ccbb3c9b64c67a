"""The definitions themselves: a checker proves nothing until it has been seen to refuse, so each is shown good and bad input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from differential import vectors
from differential.questions import plain

from forkpoint.core.entries import Entry, Kind, Log, Opaque, Result, Use
from forkpoint.core.evidence import Artifact, Branch, Conflict, Evidence, Forked, Governance, Sort, Survives
from forkpoint.core.memories import ABSENT, Clash, Made, Merged, Resolution, Side
from forkpoint.core.overlays import Overlay, Record
from forkpoint.core.rendering import Crossing, Preserved
from forkpoint.core.rewriting import Notes
from forkpoint.laws import definitions as d

A, S = Kind.ASSISTANT, Kind.SYSTEM
T = Use("t")
R = Result("t")


def user(uuid: str, parent: str | None = None, *blocks: Any) -> Entry:
    return Entry(uuid, parent, blocks=blocks)


def said(uuid: str, parent: str | None, message: str | None, *blocks: Any) -> Entry:
    return Entry(uuid, parent, kind=A, message=message, blocks=blocks)


def ids(entries: tuple[Entry, ...]) -> str:
    return "".join(str(entry.uuid) for entry in entries)


ROOT, LEFT, RIGHT, LEAF = user("a"), user("b", "a"), user("c", "a"), user("d", "b")
TREE = (ROOT, LEFT, RIGHT, LEAF)
LOST = user("x", "nowhere")
LOOP = (user("x", "y"), user("y", "x"))

CALL = (
    user("p"),
    said("m1", "p", "m", Opaque()),
    said("m2", "m1", "m", T),
    user("r", "m2", R),
    said("n", "r", "n"),
)
"""A prompt, a message in two parts with a call, its result, an answer."""


@pytest.mark.parametrize(
    ("log", "unique", "no_dangling", "first", "acyclic"),
    [
        ((), True, True, True, True),
        ((ROOT,), True, True, True, True),
        (TREE, True, True, True, True),
        ((ROOT, ROOT), False, True, True, True),
        ((ROOT, LEFT, user("a")), False, True, True, True),
        ((ROOT, user("b"), user("b", "a"), user("e")), False, True, True, True),
        ((LOST,), True, False, False, True),
        ((ROOT, LEFT, LOST), True, False, False, True),
        ((LEFT, ROOT), True, True, False, True),
        ((ROOT, LEAF, LEFT), True, True, False, True),
        ((user("x", "x"),), True, True, False, False),
        (LOOP, True, True, False, False),
        ((ROOT, user("z", "x"), *LOOP), True, True, False, False),
        ((user("x", "y"), user("y", "z"), user("z", "x"), ROOT), True, True, False, False),
    ],
)
def test_structure(log: d.Entries, unique: bool, no_dangling: bool, first: bool, acyclic: bool) -> None:
    assert d.unique_uuids(log) is unique
    assert d.no_dangling_parents(log) is no_dangling
    assert d.parents_first(log) is first
    assert d.acyclic(log) is acyclic
    assert d.well_formed(log) is (unique and first)


def test_an_entry_fits() -> None:
    assert d.fits(TREE, user("new"))
    assert d.fits(TREE, user("new", "c"))
    assert not d.fits(TREE, user("c"))
    assert not d.fits(TREE, user("c", "a"))
    assert not d.fits(TREE, user("new", "nowhere"))


def test_parts_of_a_log() -> None:
    assert d.uuids(TREE) == frozenset("abcd")
    assert [d.index_of(TREE, uuid) for uuid in "abcd"] == [0, 1, 2, 3]
    assert d.as_of(TREE, "b") == TREE[:2]
    assert d.as_of(TREE, "d") == TREE
    assert d.keep(TREE, frozenset("db")) == (LEFT, LEAF)
    assert d.blocks(CALL) == (Opaque(), T, R)


@pytest.mark.parametrize(
    ("file", "out"),
    [((ROOT, LEFT), "ab"), ((LEFT, ROOT), "ab"), ((LEAF, LEFT, RIGHT, ROOT), "abdc"), ((LOST, *TREE), "xabcd"), (LOOP, "")],
)
def test_arranged(file: d.Entries, out: str) -> None:
    assert ids(d.arranged(file)) == out


def test_ready() -> None:
    assert d.ready(TREE, (), ROOT)
    assert d.ready(TREE, (ROOT,), LEFT)
    assert d.ready(TREE, (), LOST)
    assert not d.ready(TREE, (), LEFT)
    assert not d.ready(TREE, (ROOT,), LEAF)


@pytest.mark.parametrize(
    ("file", "order", "stable"),
    [
        ((ROOT, user("e")), (ROOT, user("e")), True),
        ((ROOT, user("e")), (user("e"), ROOT), False),  # a root waits for nobody
        ((ROOT, user("e"), user("f")), (user("f"), ROOT, user("e")), False),
        ((LEFT, ROOT), (ROOT, LEFT), True),
        ((LEFT, ROOT, user("e")), (ROOT, LEFT, user("e")), True),
        ((LEFT, ROOT, user("e")), (ROOT, user("e"), LEFT), False),
        ((LOST, ROOT), (ROOT, LOST), False),  # nor for one that is not there
        ((user("x", "y"), ROOT, user("y", "x"), user("e")), (ROOT, user("e")), True),
        ((user("x", "y"), ROOT, user("y", "x"), user("e")), (user("e"), ROOT), False),
        ((ROOT, ROOT), (ROOT,), True),
    ],
)
def test_stable(file: d.Entries, order: d.Entries, stable: bool) -> None:
    assert d.stable(file, order) is stable


@pytest.mark.parametrize(
    ("way", "uuid", "is_path"),
    [
        ((ROOT,), "a", True),
        ((ROOT, LEFT, LEAF), "d", True),
        ((), "a", False),
        ((ROOT, LEFT), "a", False),
        ((LEFT, LEAF), "d", False),
        ((ROOT, LEAF), "d", False),
        ((ROOT, RIGHT, LEAF), "d", False),
        ((ROOT, user("e", "a")), "e", False),
    ],
)
def test_root_path(way: d.Entries, uuid: str, is_path: bool) -> None:
    assert d.is_root_path(TREE, way, uuid) is is_path


def test_ancestry() -> None:
    assert [ids(d.ancestry(TREE, uuid)) for uuid in "abcd"] == ["a", "ab", "ac", "abd"]


def test_what_an_entry_needs() -> None:
    assert d.uses_of(user("u", None, T, Result("s"), Opaque(), Use("v"))) == {"t", "v"}
    assert d.results_of(user("u", None, T, Result("s"), Opaque(), Result("v"))) == {"s", "v"}
    part, other = said("m", None, "m", T), said("n", None, "n", Use("s"))
    assert d.mates(part, said("o", None, "m"))
    for stranger in (other, said("o", None, None), Entry("o", message="m"), Entry("o")):
        assert not d.mates(part, stranger)
        assert not d.mates(stranger, part)
    assert not d.mates(said("o", None, None), said("q", None, None))
    assert not d.mates(Entry("o", message="m"), Entry("q", message="m"))
    assert d.answers(part, user("r", None, R))
    assert not d.answers(other, user("r", None, R))
    assert not d.answers(part, Entry("r", kind=S, blocks=(R,)))
    assert not d.answers(part, user("r"))
    assert d.needs(LEFT, ROOT)
    assert d.needs(part, said("o", None, "m"))
    assert d.needs(part, user("r", None, R))
    assert not d.needs(ROOT, LEFT)
    assert not d.needs(part, other)


def test_closed() -> None:
    assert d.closed(TREE, frozenset())
    assert d.closed(TREE, frozenset("ab"))
    assert not d.closed(TREE, frozenset("b"))
    assert not d.closed(CALL, frozenset({"p", "m1"}))
    assert not d.closed(CALL, frozenset({"p", "m1", "m2"}))
    assert d.closed(CALL, frozenset({"p", "m1", "m2", "r"}))
    assert d.closure(TREE, frozenset("d")) == frozenset("abd")
    assert d.closure(CALL, frozenset({"m1"})) == {"p", "m1", "m2", "r"}
    assert d.members(CALL, "m1") == {"p", "m1"}
    assert ids(d.context(CALL, "r")) == "pm1m2r"
    assert [d.settled(CALL, str(entry.uuid)) for entry in CALL] == [True, False, False, True, True]


@pytest.mark.parametrize(
    ("blocks", "paired"),
    [
        ((), True),
        ((Opaque(),), True),
        ((T, R), True),
        ((T, Opaque(), Use("s"), Result("s"), R), True),
        ((T,), False),
        ((R,), False),
        ((R, T), False),
        ((T, Result("s")), False),
        ((T, T, R), False),
        ((T, R, R), False),
        ((T, R, T, R), False),
        ((Use("s"), T, R), False),
        ((T, R, Result("s")), False),
        ((R, T, R), False),
    ],
)
def test_paired(blocks: tuple[Any, ...], paired: bool) -> None:
    assert d.paired_by_id_and_order(blocks) is paired
    log = tuple(said(str(n), str(n - 1) if n else None, None, block) for n, block in enumerate((*blocks, Opaque())))
    log = tuple(entry._replace(kind=Kind.USER) if d.results_of(entry) else entry for entry in log)
    assert d.resumable(log, str(len(blocks))) is paired
    assert d.legal(log, str(len(blocks))) is paired
    assert d.complete_turn(log, str(len(blocks))) is paired


def test_legal_points() -> None:
    """In the middle of a message, before a result, at a prompt, in a side chain there is none."""
    side = said("q", "p", "q")._replace(sidechain=True)
    for log, legal in (
        (CALL, [False, False, False, False, True]),
        (CALL[:2], [False, True]),
        (CALL[:3], [False, False, False]),
        ((*CALL, said("m3", "n", "m")), [False] * 5 + [True]),
        ((*CALL, said("o", "n", "o", T)), [False] * 4 + [True, False]),
        ((*CALL, user("s", "m2", R)), [False] * 6),
        ((*CALL, Entry("s", "m2", kind=S, blocks=(R,))), [False] * 4 + [True, False]),
        ((user("p"), said("a", "p", "m"), said("b", "p", "m")), [False, False, True]),
        ((user("p"), said("a", "p", None, T), said("b", "p", None, T)), [False] * 3),
        ((user("p"), user("r", "p", R), said("a", "p", "t")), [False, False, True]),  # a message named as a call is
        ((user("p"), said("a", "p", "t"), user("r", "p", R)), [False, True, False]),
        ((user("p"), said("a", "p", "t", T), user("r", "a", R), said("b", "r", "n")), [False] * 3 + [True]),
        ((user("p"), said("a", "p", None, T), user("r", "a", R), said("b", "a", None)), [False] * 3 + [True]),
        ((user("p"), side), [False, False]),
        ((user("p"), side._replace(kind=S, sidechain=False)), [False, False]),
    ):
        for entry, expected in zip(log, legal, strict=True):
            assert d.legal(log, entry.uuid) is expected, (ids(log), entry.uuid)
            assert d.complete_turn(log, entry.uuid) is expected, (ids(log), entry.uuid)
            assert d.heard(log, entry.uuid) == d.context(log, entry.uuid)


def test_events() -> None:
    assert d.events_of(said("m", None, "m", Opaque(), T)) == (("part", "m"), ("call", "t"))
    assert d.events_of(said("m", None, None, Use("s"), T)) == (("call", "s"), ("call", "t"))
    assert d.events_of(Entry("u", message="m", blocks=(R,))) == (("answer by the user", "t"),)
    assert d.events_of(Entry("u", kind=S, blocks=(R,))) == (("answer by another", "t"),)
    assert d.events_of(user("u", None, Opaque())) == ()


def test_a_result_that_is_no_users_is_heard_on_the_way_only() -> None:
    log = (said("a", None, "m", T), Entry("r", "a", kind=S, blocks=(R,)), said("z", "a", "n"), said("y", "r", "o"))
    assert ids(d.heard(log, "z")) == ids(d.context(log, "z")) == "az"
    assert not d.complete_turn(log, "z")
    assert ids(d.heard(log, "y")) == "ary"
    assert d.complete_turn(log, "y")
    assert d.legal(log, "y")


def test_nearest_legal_points() -> None:
    log = (*CALL, user("q", "n"), said("o", "q", "o"), said("e", "o", "e"), said("f", "q", "f"))
    assert [d.nearest_legal_ancestor(log, uuid) for uuid in ("p", "m2", "n", "q", "e")] == [None, None, "n", "n", "e"]
    assert d.first_legal_descendants(log, "p") == {"n"}
    assert d.first_legal_descendants(log, "n") == {"o", "f"}
    assert d.first_legal_descendants(log, "q") == {"o", "f"}
    assert d.first_legal_descendants(log, "e") == frozenset()


def test_linear() -> None:
    assert d.linear(())
    assert d.linear((ROOT, LEFT, LEAF))
    assert not d.linear((LEFT, LEAF))
    assert not d.linear((ROOT, user("e")))
    assert not d.linear(TREE)


SHORT = (user("x"), user("w", "x"), Entry("b", None, "w", S), user("s", "b"), user("p", "s"))
"""Two entries, a boundary, its summary, a prompt."""


@pytest.mark.parametrize(
    ("listed", "resolves"),
    [("", True), ("x", True), ("wx", True), ("xx", False), ("b", False), ("xp", False), ("px", False), ("xz", False)],
)
def test_resolves(listed: str, resolves: bool) -> None:
    assert d.resolves(SHORT, "b", tuple(listed)) is resolves
    sent = {"b": Preserved("s", tuple(listed))}
    assert d.heeds(SHORT, sent, frozenset("bsp"), "b") is resolves
    assert d.resent(SHORT, sent, "p") == (sent["b"] if resolves else None)
    assert ids(d.rendered(SHORT, sent, "p")) == ("bs" + listed + "p" if resolves else "bsp")
    assert d.kept(SHORT, sent, "p") == frozenset("bsp") | (frozenset("xw"[: len(listed)]) if resolves else frozenset())


CROSSING = (
    user("w"), user("x", "w"), user("y", "x"), user("z", "y"), user("b"), user("s", "b"), user("p", "s"), user("c", "y"),
    user("d", "c"), user("e", "z"),
)  # fmt: skip
"""A boundary b with its summary s that preserves x, y, z; c and d go on at y, e at z."""
LISTS = {"b": Preserved("s", ("x", "y", "z"))}


def test_preserves() -> None:
    assert d.preserves(CROSSING, LISTS, "b", "y")
    assert not d.preserves(CROSSING, LISTS, "b", "w")  # not on the list
    assert not d.preserves(CROSSING, {}, "b", "y")
    assert not d.preserves(CROSSING[:5], LISTS, "b", "y")  # the anchor is not there yet
    assert not d.preserves(CROSSING, {"b": Preserved("p", ("x", "gone"))}, "b", "x")  # the list does not resolve
    assert not d.preserves(CROSSING, {"b": Preserved("w", ("x",))}, "b", "x")  # the anchor stands elsewhere


def test_crossed() -> None:
    for uuid, found in (("c", Crossing("b", "y")), ("d", Crossing("b", "y")), ("e", Crossing("b", "z"))):
        assert d.crossed(CROSSING, LISTS, uuid) == found
    assert [d.crossed(CROSSING, LISTS, uuid) for uuid in "wxyzbsp"] == [None] * 7
    assert d.crossed(CROSSING, {}, "d") is None
    lost = (user("c", "gone"),)
    assert d.crossed(lost, LISTS, "c") is None
    again = (*CROSSING[:7], user("t"), user("c", "y"), user("d", "c"))
    twice = {**LISTS, "t": Preserved("t", ("y",))}
    assert d.crossed(again, twice, "d") == Crossing("t", "y")  # the last boundary that preserves it


def test_what_is_sent_across() -> None:
    assert d.sent_again(LISTS, Crossing("b", "y")) == ("x", "y")
    assert d.sent_again(LISTS, Crossing("b", "z")) == ("x", "y", "z")
    assert ids(d.rendered(CROSSING, LISTS, "d")) == "bsxycd"
    assert ids(d.rendered(CROSSING, LISTS, "e")) == "bsxyze"
    assert ids(d.rendered(CROSSING, LISTS, "p")) == "bsxyzp"
    assert ids(d.rendered(CROSSING, LISTS, "z")) == "wxyz"
    assert ids(d.rendered(CROSSING, {}, "d")) == "wxycd"
    assert d.reaches(CROSSING, LISTS, "d") == frozenset("sxyz")
    assert d.reaches(CROSSING, LISTS, "p") == frozenset("xyz")
    assert d.reaches(CROSSING, {}, "d") == frozenset()
    assert d.kept(CROSSING, LISTS, "d") == frozenset("wxyzbscd")
    assert d.kept(CROSSING, LISTS, "c") == frozenset("wxyzbsc")
    beside = {"b": Preserved("s", ("w",))}  # what is sent again belongs to the anchor's conversation, or to what comes beyond
    log = (user("w"), user("b"), user("s", "b"), user("c", "w"))
    assert ids(d.rendered(log, beside, "c")) == "bswc"
    own = (user("x"), user("b"), user("s", "b"), user("t", "s"), user("c", "x"))
    assert ids(d.rendered(own, {"b": Preserved("t", ("x",))}, "c")) == "bstxc"
    part = (user("x"), said("b", None, "m"), said("c", "x", "m"))  # parts of one message: the conversation at c holds b
    assert ids(d.rendered(part, {"b": Preserved("b", ("x",))}, "c")) == "bxc"


def test_heeds() -> None:
    own = frozenset("bsp")
    assert not d.heeds(SHORT, {"b": Preserved("s", ("x",))}, frozenset("sp"), "b")  # not in the conversation
    assert not d.heeds(SHORT, {"x": Preserved("s", ("x",))}, own, "b")  # preserves nothing
    assert not d.heeds(SHORT, {"s": Preserved("p", ("x",))}, own, "s")  # no root
    assert not d.heeds(SHORT, {"b": Preserved("x", ("w",))}, own, "b")  # the anchor is elsewhere
    assert not d.heeds(SHORT, {"b": Preserved("s", ("x", "s"))}, own, "b")
    assert not d.heeds((*SHORT, user("z", "p")), {"b": Preserved("x", ("x",))}, own | {"x"}, "b")  # preserved itself


def test_sent_again() -> None:
    log = (said("x", None, "m"), Entry("b", kind=S), user("s", "b"), said("r", "s", "m"))
    sent = {"b": Preserved("b", ("x",))}
    assert ids(d.context(log, "r")) == "xbsr"
    assert ids(d.rendered(log, sent, "r")) == "bxsr"  # what is preserved and belongs to the context moves
    assert d.resent(log, {}, "r") is None
    assert ids(d.chosen(TREE, ("d", "a"))) == "da"
    assert ids(d.put_after(TREE, "b", (LOST, ROOT))) == "abxacd"
    assert d.kept(SHORT, {}, "p") == frozenset("bsp")


ONE, TWO = (Artifact(name, Sort.PROOF, "h", name, frozenset()) for name in "xy")
PLAIN: dict[object, object] = {"k": 0}


def size_is_not_two(evidence: Evidence) -> bool:
    return len(evidence) != 2


def test_joined_sets() -> None:
    one, two = frozenset({ONE}), frozenset({TWO})
    gate = size_is_not_two
    assert d.judged(gate, one | two) == Conflict()
    assert d.joined(gate, Survives(one), Survives(one)) == Survives(one)
    assert d.joined(gate, Survives(one), Conflict()) == d.joined(gate, Conflict(), Survives(one)) == Conflict()
    assert d.folded(gate, ()) == Survives(frozenset())
    assert d.folded(gate, (one, two, one)) == Conflict()
    assert d.greedy(gate, ()) == frozenset()
    assert d.greedy(gate, (one, two)) == one
    assert d.associates(gate, one, one, one)
    assert not d.associates(gate, one, two, frozenset({ONE, TWO, ONE._replace(id="z")}))


def test_hereditary_and_bounded() -> None:
    both = frozenset({ONE, TWO})
    assert set(d.parts_of(both)) == {frozenset(), frozenset({ONE}), frozenset({TWO}), both}
    assert d.hereditary(size_is_not_two, both)
    assert not d.hereditary(lambda one: one == both, both)
    assert d.bounded(lambda one: one == both, both)
    assert not d.bounded(lambda one: len(one) in (1, 3), both | {ONE._replace(id="z")})


def test_gates() -> None:
    both = frozenset({ONE, TWO})
    assert d.same_environment(frozenset({ONE}))
    assert not d.same_environment(both)
    assert d.same_id_same_artifact(both)
    assert not d.same_id_same_artifact(frozenset({ONE, ONE._replace(hash="k")}))
    assert d.needs_are_present(frozenset({ONE._replace(needs=frozenset("y")), TWO}))
    assert not d.needs_are_present(frozenset({ONE._replace(needs=frozenset("z")), TWO}))
    assert d.all_hold(lambda one: one.id == "x", frozenset({ONE}))
    assert not d.all_hold(lambda one: one.id == "x", both)
    branches = frozenset({Branch("b", frozenset({ONE})), Branch("c", both)})
    assert d.surviving(lambda one: one.id == "x", branches) == {ONE}


def test_recorded() -> None:
    who = Governance("a", "b", "c", "d")
    first, same, other = (Forked(name, at, who, "v", "w", "h", "") for name, at in (("i", 0), ("i", 1), ("j", 0)))
    assert d.recorded((first, same, other)) == {"i", "j"}
    assert d.recorded_after((), (first, same, other)) == (first, other)
    assert d.recorded_after((same,), (first,)) == (same,)


def test_merged_memories() -> None:
    clash = Clash(0, 1, 2)
    assert d.at(PLAIN, "k") == 0
    assert d.at(PLAIN, "l") is ABSENT
    assert d.made_of(PLAIN, ({"k": 1}, {}, {"k": 0}), "k") == {1, ABSENT}
    assert d.merged_memory(PLAIN, {"k": 1}, {"k": 2}) == Merged({}, {"k": clash})
    assert d.merged_memory(PLAIN, {"k": 1}, {"k": 1}) == d.merged_memory(PLAIN, PLAIN, {"k": 1}) == Merged({"k": 1}, {})
    assert d.merged_memory(PLAIN, {}, PLAIN) == Merged({}, {})
    assert d.merged_memory({"k": 0, "l": 1}, {"k": 0, "l": 1}, {"k": 0, "l": 1}) == Merged({"k": 0, "l": 1}, {})
    sides = [d.side_taken(how, "k") for how in (*Resolution, {"k": Side.FORK}, {})]
    assert sides == [Side.FORK, Side.TARGET, Side.TARGET, None, Side.FORK, None]
    merged = Merged({"l": 5}, {"k": clash})
    assert [d.answered(merged, how, "k") for how in (*Resolution, {"k": Side.FORK})] == [2, 1, 1, ABSENT, 2]
    assert d.answered(merged, Resolution.PREFER_FORK, "l") == 5
    assert d.settled_to(0, frozenset({Made(0, 1), Made(5, 5)}), 1)
    assert not d.settled_to(3, frozenset({Made(0, 1)}), 1)
    assert not d.settled_to(0, frozenset({Made(0, 1), Made(0, 2)}), 1)
    assert d.settled_to(0, frozenset({Made(5, 5)}), 0)
    assert not d.settled_to(0, frozenset({Made(5, 5)}), 5)
    assert d.merged_in_turn(PLAIN, PLAIN, ({"k": 1}, {"k": 2}, {"k": 0, "l": 3})) == {"k": 1, "l": 3}


def test_second_parents() -> None:
    merges = {"d": "c", "b": "b", "a": "c", "c": "nowhere"}
    assert [d.second_parent(TREE, merges, uuid) for uuid in "abcd"] == [None, None, None, "c"]
    assert [d.reach(TREE, merges, uuid) for uuid in "abcd"] == [frozenset(ids) for ids in ("a", "ab", "ac", "abcd")]
    assert d.reach(TREE, {}, "d") == frozenset("abd")
    assert d.reach(TREE, {"d": "b"}, "d") == frozenset("abd")
    assert d.both_parents_closed(TREE, merges, frozenset())
    assert d.both_parents_closed(TREE, merges, frozenset("abcd"))
    assert d.both_parents_closed(TREE, merges, frozenset("ac"))
    assert not d.both_parents_closed(TREE, merges, frozenset("abd"))
    assert not d.both_parents_closed(TREE, merges, frozenset("acd"))
    assert d.both_parents_closed(TREE, {}, frozenset("abd"))


def test_held() -> None:
    parts = (user("r"), said("x", "r", "m"), said("y", "r", "m"), user("z", "r"))
    assert d.reach(parts, {}, "y") == frozenset("ry")
    assert d.held(parts, {}, "y") == frozenset("rxy")
    assert d.held(parts, {"z": "x"}, "z") == frozenset("rxz")  # as of the part that was merged
    assert d.held(parts, {"z": "y"}, "z") == frozenset("rxyz")
    assert d.held(parts, {"z": "y"}, "x") == frozenset("rx")
    assert d.goes_on_at(parts, {}, user("n", "z"), "y") == "n"
    assert d.goes_on_at(parts, {"z": "y"}, user("n", "z"), "y") == "z"
    assert d.goes_on_at(parts, {}, user("n", "z"), "r") == "z"


@pytest.mark.parametrize(
    ("a", "b", "both", "agree", "parts"),
    [
        ((), (), "", True, True),
        (TREE, (), "abcd", True, True),
        ((), TREE, "abcd", True, True),
        ((ROOT, LEFT), (ROOT, RIGHT), "abc", True, True),
        ((ROOT, LEFT, LEAF), (ROOT, RIGHT, LEFT), "abdc", True, False),
        ((ROOT, LEFT), (said("a", None, "m"), RIGHT), "abc", False, False),
        ((ROOT, LEFT), (ROOT, user("b")), "ab", False, False),
        ((LOST,), (ROOT, LOST), "xa", True, False),
    ],
)
def test_union(a: d.Entries, b: d.Entries, both: str, agree: bool, parts: bool) -> None:
    assert ids(d.union(a, b)) == both
    assert d.union(a, b)[: len(a)] == a
    assert d.agree(a, b) is d.agree(b, a) is agree
    assert d.parts_from(b, a) is parts


def _heirs(log: Log, covered: Any) -> list[int]:
    entries = tuple(log)
    places = {entry.uuid: place for place, entry in enumerate(entries)}
    heirs = [d.heir(entries, frozenset(covered), entry.uuid) for entry in entries]
    return [-1 if heir is None else places[heir] for heir in heirs]


def _stub_reasons(entries: Any, covered: Any, notes: Any) -> list[bool]:
    given = tuple(entries), frozenset(covered), notes
    return [not d.covers_effect(*given), not d.covers_reference(*given), not d.covers_before_decision(*given)]


def _steps(entries: Any) -> list[tuple[int, int]]:
    places = range(len(entries) + 1)
    return [(start, end) for start in places for end in places if d.is_step(tuple(entries), start, end)]


def _active(entries: Any, sayings: Any) -> Any:
    return d.living(d.records_in(tuple(entries), sayings))


def _changed(entries: Any, sayings: Any, digest: Any) -> list[Any]:
    return [record.id for record in _active(entries, sayings) if not d.matches(tuple(entries), record.says, digest)]


DEFINED: dict[str, Callable[..., Any]] = {
    "rewriting.heir_positions": _heirs,
    "rewriting.drop": lambda log, covered: d.drop(tuple(log), covered),
    "rewriting.drop_with_stub": lambda log, covered, stub: d.drop_with_stub(tuple(log), covered, stub),
    "rewriting.compact": lambda log, count, stub: d.compact(tuple(log), count, stub),
    "rewriting.cuts": lambda log: [place for place in range(len(log) + 1) if d.is_cut(tuple(log), place)],
    "rewriting.steps": _steps,
    "rewriting.thread": lambda log, root: d.thread(tuple(log), root),
    "rewriting.with_threads": lambda log, callers, covered: d.with_threads(tuple(log), callers, covered),
    "overlays.records_in": lambda log, sayings: d.records_in(tuple(log), sayings),
    "overlays.living": lambda records: d.living(tuple(records)),
    "overlays.active": _active,
    "overlays.apply_all": lambda log, records: d.apply_all(tuple(log), tuple(records)),
    "overlays.shown": lambda log, sayings: d.shown(tuple(log), sayings),
    "overlays.changed": _changed,
    "merging.second_parent": lambda history, uuid: d.second_parent(tuple(history.log), history.merges, uuid),
    "merging.reach": lambda history, uuid: d.reach(tuple(history.log), history.merges, uuid),
    "merging.held": lambda history, uuid: d.held(tuple(history.log), history.merges, uuid),
    "merging.head": lambda history, node, source: d.goes_on_at(tuple(history.log), history.merges, node, source),
    "merging.union": lambda a, b: d.union(tuple(a), tuple(b)),
    "merging.agree": lambda a, b: d.agree(tuple(a), tuple(b)),
    "merging.parts_from": lambda b, a: d.parts_from(tuple(b), tuple(a)),
    "evidence.judge": d.judged,
    "evidence.join": lambda gate, a, b: d.joined(gate, Survives(a), Survives(b)),
    "evidence.fold": lambda gate, parts: d.folded(gate, tuple(parts)),
    "evidence.same_environment": d.same_environment,
    "evidence.same_id_same_artifact": d.same_id_same_artifact,
    "evidence.needs_are_present": d.needs_are_present,
    "evidence.record_all": lambda past, events: d.recorded_after(tuple(past), tuple(events)),
    "memories.merge_memories": d.merged_memory,
    "memories.side_of": d.side_taken,
}
"""Functions of the core that a definition computes, from the same arguments."""

DECIDED: dict[str, Callable[..., Any]] = {
    "rewriting.separated": lambda entries, covered: d.whole(tuple(entries), covered),
    "rewriting.separated_call": lambda entries, covered: d.whole_for_tools(tuple(entries), covered),
    "rewriting.unrooted": lambda entries, covered: d.rooted(tuple(entries), covered),
    "rewriting.stray": lambda log, count: d.hangs_on_first(tuple(log), count),
    "rewriting.lost": lambda log, covered, uuid: d.exits(tuple(log), covered, uuid),
}
"""Functions that name what stands against something, or nothing, and the definitions that say whether it is so."""


@pytest.mark.parametrize("name", sorted(DEFINED.keys() | DECIDED.keys() | {"rewriting.stub_reasons", "overlays.stubs"}))
def test_definitions_answer_as_the_model_did(name: str) -> None:
    """The definitions of the later chapters against the committed answers of the generated code."""
    count = 0
    for question, (how, value) in vectors.load()[1]:
        if name == "overlays.stubs" and question.name == "overlays.apply_all":
            log, records = question.arguments
            assert d.stubs_are_new(tuple(log), tuple(records)) == (how == "gives"), question
        elif question.name != name or how != "gives":
            continue
        elif name in DECIDED:
            assert DECIDED[name](*question.arguments) == (value is None), question
        elif name == "rewriting.stub_reasons":
            assert _stub_reasons(*question.arguments) == [part is None for part in value], question
        else:
            assert plain(DEFINED[name](*question.arguments)) == plain(value), question
        count += 1
    assert count > 5


def test_what_is_left_is_the_rest() -> None:
    assert ids(d.rest(TREE, frozenset("b"))) == "acd"
    assert ids(d.rest(TREE, frozenset("z"))) == "abcd"


def test_a_reference_to_what_is_not_covered_needs_no_stub() -> None:
    notes = Notes(refers={"d": frozenset("c"), "c": frozenset("z")})
    assert d.covers_reference(TREE, frozenset("c"), notes)
    assert not d.covers_reference(TREE, frozenset("b"), notes)
    assert not d.covers_reference(TREE, frozenset("z"), notes)


def test_what_a_dead_record_supersedes_lives_unless_another_says_so() -> None:
    def record(name: str, supersedes: str | None = None) -> Record:
        return Record(name, Overlay(frozenset(), 0, None, supersedes))

    first, second = record("a"), record("b", "a")
    assert d.living((first, second)) == (second,)
    assert d.living((first, second, record("c", "b"))) == (first, record("c", "b"))
    both = (record("a"), record("b"), record("c", "b"), record("d", "a"))
    assert d.living(both) == both[2:]


def test_bounded_asks_of_the_union() -> None:
    x, y, z = ONE, TWO, ONE._replace(id="z")

    def not_just_two(evidence: Evidence) -> bool:
        return evidence != {x, y}

    assert not d.bounded(not_just_two, frozenset({x, y, z}))
    assert d.bounded(not_just_two, frozenset({x, y}))


def test_forks_are_merged_one_after_the_other() -> None:
    assert d.merged_in_turn({}, {}, ({"a": 1}, {"b": 2}, {"a": 3})) == {"a": 1, "b": 2}
