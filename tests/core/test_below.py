"""Chapter 23: what hangs below the conversation, and what a fork that keeps it keeps."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from forkpoint.contracts import below as contracted
from forkpoint.core import below, contexts
from forkpoint.core.below import Sides
from forkpoint.core.entries import Entry, Id, Kind, Log, Opaque, Result, UnknownEntry, Use
from forkpoint.core.rendering import Preservation, Preserved
from forkpoint.laws import definitions as d
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


# ---- the port against the definitions


def said(uuid: str, parent: str, message: str | None, *blocks: Use | Result) -> Entry:
    return Entry(uuid, parent, kind=Kind.ASSISTANT, message=message, blocks=blocks)


SHAPES: dict[str, tuple[list[Entry], str, str]] = {
    "a chain of three": ([Entry("p"), CALL, hung("h", "c"), hung("i", "h"), hung("j", "i"), RESULT], "", "p c h i j r"),
    "a chain of two that forks": (
        [Entry("p"), CALL, hung("h", "c"), hung("i", "h"), hung("j", "i"), hung("k", "i"), RESULT], "", "p c r",
    ),
    "an answer below": ([Entry("p"), CALL, hung("h", "c"), said("w", "h", "z"), RESULT], "", "p c r"),
    "a line of an unknown type below": ([Entry("p"), CALL, hung("h", "c"), hung("o", "h", Kind.OTHER), RESULT], "", "p c h r"),
    "below a progress line on the way": (
        [Entry("p"), CALL, hung("g", "c", Kind.PROGRESS), hung("h", "g"), RESULT._replace(parent="g")], "", "p c g h r",
    ),
    "below two results": (
        [Entry("p"), CALL, RESULT, hung("h", "r"), said("d", "r", "n", Use("s")), Entry("q", "d", blocks=(Result("s"),)),
         hung("i", "q"), said("a", "q", "z")], "", "p c r h d q i a",
    ),
    "one on another side, then one on this": ([Entry("p"), CALL, hung("h", "c"), hung("i", "c"), RESULT], "h", "p c i r"),
    "beside a part of the message": (
        [Entry("p"), CALL, hung("h", "c"), hung("i", "h"), said("d", "h", "m", Use("s")), RESULT], "", "p c h i d r",
    ),
    "beside another result": (
        [Entry("p"), CALL, hung("h", "c"), hung("i", "h"), RESULT._replace(uuid="q", parent="h"), RESULT], "", "p c h i q r",
    ),
    "below the result of a call that a result makes": (
        [Entry("p"), CALL, Entry("x", "c", blocks=(Result("t"), Use("s"))), Entry("y", "x", blocks=(Result("s"),)),
         hung("h", "y"), said("a", "y", None)], "", "p c x y a",
    ),
    "below calls that the user makes": (
        [Entry("p"), Entry("x", "p", blocks=(Use("s"), Result("s"), Use("q"))), hung("h", "x"), said("a", "x", None)],
        "", "p x a",
    ),
    "below a call with a result beside it": (
        [Entry("p"), CALL._replace(blocks=(Use("t"), Result("s"))), hung("h", "c"), RESULT], "", "p c h r",
    ),
}  # fmt: skip
"""Entries, those on another side, and what a fork at the last one keeps."""


@pytest.mark.parametrize("name", SHAPES)
def test_what_hangs_is_kept(name: str) -> None:
    entries, other, expected = SHAPES[name]
    assert kept(Log(entries), str(entries[-1].uuid), *other.split()) == expected
    agrees(Log(entries), {}, told(Log(entries), *other.split()), entries[-1].uuid)


def test_a_side_entry_behind_a_boundary_anchors_below_a_part_that_is_preserved() -> None:
    log = Log(
        [
            Entry("p"),
            CALL,
            Entry("b", None, "c", Kind.SYSTEM),
            Entry("s", "b"),
            hung("f", "c"),
            hung("i", "f"),
            said("g", "f", "m"),
        ]
    )
    preserved = {"b": Preserved("s", ("c",))}
    assert below.way_positions(log, preserved, "g") == [4, 6]
    assert below.beneath(log, preserved, told(log), "g") == {"i"}
    agrees(log, preserved, told(log), "g")


def agrees(log: Log, preserved: Preservation, sides: Sides, uuid: Id) -> None:
    """The port finds what the definitions say."""
    entries = tuple(log)
    way = frozenset(log.spine.uuids[position] for position in below.way_positions(log, preserved, uuid))
    assert way == d.way(entries, preserved, uuid)
    assert below.beneath(log, preserved, sides, uuid) == d.beneath(entries, preserved, sides, uuid)
    assert below.trailing(log, sides, uuid) == d.trailing(entries, sides, uuid)
    for end in (0, log.position(uuid) + 2):
        found = below.sent_beside(log, preserved, sides, uuid, end)
        assert found == d.sent_beside(entries, preserved, sides, uuid, end)
        assert tuple(below.fork_sent(log, preserved, sides, uuid, end)) == d.fork_sent(entries, preserved, sides, uuid, end)


KINDS = (
    *("call", "call", "result", "result", "side", "side", "side", "system", "user", "progress", "progress", "other"),
    *("prompt", "words", "part", "odd", "own"),
)


def _entry(choose: random.Random, uuid: str, parent: str | None, tools: Sequence[str]) -> Entry:
    """An entry of some kind: what hangs, what is passed over or unseen, a part of a message, a call, a result, and odd ones."""
    kind, tool = choose.choice(KINDS), choose.choice(tools)
    message = choose.choice(("m", "m", "n", None))
    if kind == "call":
        return Entry(uuid, parent, kind=Kind.ASSISTANT, message=message, blocks=(Use(tool),))
    if kind == "result":
        return Entry(uuid, parent, blocks=(Result(tool),))
    if kind in ("words", "part"):
        return Entry(uuid, parent, kind=Kind.ASSISTANT, message="m" if kind == "part" else None, blocks=(Opaque(),))
    if kind == "own":  # makes a call and answers it itself
        return Entry(uuid, parent, kind=choose.choice((Kind.USER, Kind.ASSISTANT)), blocks=(Use(tool), Result(tool)))
    if kind == "odd":  # of a kind that says nothing, and with a call or a result all the same
        some = choose.choice((Kind.PROGRESS, Kind.OTHER, Kind.ATTACHMENT, Kind.SYSTEM))
        return Entry(uuid, parent, kind=some, blocks=(choose.choice((Use(tool), Result(tool))),))
    if kind == "side":
        return Entry(uuid, parent, kind=Kind.ATTACHMENT)
    return Entry(uuid, parent, kind=Kind.USER if kind == "prompt" else Kind(kind) if kind != "other" else Kind.OTHER)


def grown(seed: int) -> tuple[Log, dict[Id, Preserved], Sides]:
    """A log of up to ten entries, now and then one that goes on behind a boundary at what it preserves; what is told of it."""
    choose = random.Random(seed)
    tools = ("t",) if choose.random() < 0.5 else ("t", "s")
    entries, preserved = list[Entry](), dict[Id, Preserved]()
    size = choose.randint(4, 7)
    while len(entries) < size:
        near = [entry.uuid for entry in entries[-2:]] * 2 + [entry.uuid for entry in entries]
        parent = choose.choice(near) if entries and choose.random() < 0.95 else None
        entries.append(_entry(choose, f"e{len(entries)}", None if parent is None else str(parent), tools))
    if choose.random() < 0.3:
        tip = str(entries[-1].uuid)
        end = [entry.uuid for entry in contexts.context(Log(entries), tip)][-choose.randint(1, 3) :]
        entries += [Entry("b", None, tip, Kind.SYSTEM), Entry("s", "b")]
        preserved["b"] = Preserved("s", tuple(end))
        entries.append(_entry(choose, "f", str(choose.choice(end)), tools))
        entries.append(_entry(choose, "g", str(choose.choice([*end, "f", "f"])), tools))
    aside = {entry.uuid for entry in entries if choose.random() < 0.9}
    said = {entry.uuid: "main" if choose.random() < 0.85 else "agent" for entry in entries if choose.random() < 0.95}
    return Log(entries), preserved, Sides(aside, said)


@pytest.mark.parametrize("some", range(8))
def test_the_port_finds_what_the_definitions_say(some: int) -> None:
    for seed in range(some * 60, (some + 1) * 60):
        log, preserved, sides = grown(seed)
        for uuid in [entry.uuid for entry in log][-1 - seed % 3 :: -2]:
            agrees(log, preserved, sides, uuid)
