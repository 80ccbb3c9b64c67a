"""Chapter 19: points to go on from, over what is sent and over what is not known."""

from __future__ import annotations

import pytest

from forkpoint.contracts import holes as contracted
from forkpoint.core import balance, holes
from forkpoint.core.entries import Entry, Kind, Log, Result, UnknownEntry, Use
from forkpoint.core.holes import AnswerTo, Aside, PartOf, says, wants
from forkpoint.core.rendering import Preserved
from forkpoint.laws import definitions as d
from strategies_laws import holds

test_laws = holds("holes", share=2)

CHAT = Log([Entry("p", kind=Kind.USER), Entry("a", "p", kind=Kind.ASSISTANT, message="m")])
PART = Entry("x", "a", kind=Kind.ASSISTANT, message="m")
NEXT = Entry("x", "a", kind=Kind.USER)


def test_legal_as_it_stands_is_not_legal_in_each() -> None:
    """The counterexample `LegalAsItStandsIsNotLegalInEach`: the hole may have held a part of the reply."""
    assert balance.legal(CHAT, "a")
    assert holes.needed_at(CHAT, "a", PART)
    assert not d.legal_in_each(tuple(CHAT), "a", [PART])
    assert not holes.needed_at(CHAT, "a", NEXT)
    assert d.legal_in_each(tuple(CHAT), "a", [NEXT])


def test_what_can_be_read_tells() -> None:
    reply = CHAT[1]._replace(blocks=(Use("t"),))
    assert wants(reply, PartOf("m"))
    assert not wants(reply, PartOf("n"))
    assert not wants(CHAT[0], PartOf("m"))
    assert wants(reply, AnswerTo(frozenset({"t", "s"})))
    assert not wants(reply, AnswerTo(frozenset({"s"})))
    assert not wants(reply, Aside())
    assert says(PartOf("m"), PART)
    assert says(AnswerTo(frozenset()), NEXT)
    assert not says(AnswerTo(frozenset()), NEXT._replace(blocks=(Result("t"),)))
    assert says(Aside(), Entry("s", kind=Kind.SYSTEM))


def test_legal_and_sent_unbalanced() -> None:
    """The counterexample `ResumableMayBeSentUnbalanced` of chapter 10: a list holds a call without its result."""
    log = Log([
        Entry("x", kind=Kind.ASSISTANT, message="n", blocks=(Use("t"),)),
        Entry("b", None, "x", Kind.SYSTEM),
        Entry("s", "b", kind=Kind.ASSISTANT, message="m"),
    ])  # fmt: skip
    preserved = {"b": Preserved("s", ("x",))}
    assert balance.legal(log, "s")
    assert not contracted.legal_to_send(log, preserved, "s")
    assert contracted.legal_to_send(log, {}, "s")
    with pytest.raises(UnknownEntry):
        contracted.legal_to_send(log, {}, "nowhere")


def test_only_parts_of_an_assistants_message_are_needed_as_parts() -> None:
    unnamed = Log([Entry("p"), Entry("a", "p", kind=Kind.ASSISTANT)])
    assert not holes.needed_at(CHAT, "a", Entry("x", "q", kind=Kind.USER, message="m"))
    assert not holes.needed_at(unnamed, "a", Entry("x", "q", kind=Kind.ASSISTANT))
    assert holes.needed_at(CHAT, "a", Entry("x", "q", kind=Kind.ASSISTANT, message="m"))


def fillings(log: str, *possible: Entry) -> list[str]:
    found = d.fillings(tuple(Entry(uuid) for uuid in log), possible)
    return ["".join(str(entry.uuid) for entry in whole) for whole in found]


def test_fillings_are_one_or_two_entries_wherever_they_can_stand() -> None:
    """The definition itself: one entry and each two of them, in each order and place that gives a log."""
    assert fillings("p", Entry("x", "p"), Entry("y", "x")) == ["p", "px", "pxy"]
    assert fillings("pq", Entry("x")) == ["pq", "xpq", "pxq", "pqx"]
    two = ["xyp", "xpy", "pxy", "yxp", "ypx", "pyx"]
    assert fillings("p", Entry("x"), Entry("y")) == ["p", "xp", "px", "yp", "py", *two]
    assert fillings("pq", Entry("x"), Entry("y"))[-1] == "pqyx"
    three = fillings("p", Entry("x"), Entry("y"), Entry("z"))
    assert {len(whole) for whole in three} == {1, 2, 3}
    assert len(three) == len({*three}) == 1 + 3 * 2 + 6 * 3
