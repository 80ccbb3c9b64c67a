"""Chapter 22: what a trim keeps, and with what it commutes."""

from __future__ import annotations

import pytest

from forkpoint.contracts import trims as contracted
from forkpoint.core import balance, overlays, rewriting, trims
from forkpoint.core.entries import Entry, Kind, Log, Opaque, Result, UnknownEntry, Use
from forkpoint.core.overlays import Overlay
from forkpoint.core.trims import Face
from forkpoint.laws import definitions as d
from strategies_laws import holds

test_laws = holds("trims", 2)

CALL = Entry("u", kind=Kind.ASSISTANT, message="m", blocks=(Use("t"),))
RESULT = Entry("r", "u", blocks=(Result("t"), Opaque("long")), fields={"text": "a long text"})
ASKED = Log([CALL, RESULT])
SHORT = {"r": Face((Result("t"), Opaque("short")), {"text": "short"})}


def test_a_result_is_trimmed_and_its_call_stays_answered() -> None:
    short = contracted.trim(ASKED, SHORT)
    assert short[0] == CALL
    assert short[1] == RESULT._replace(blocks=(Result("t"), Opaque("short")), fields={"text": "short"})
    assert balance.balanced(tuple(short))


def test_a_face_of_another_shape_is_none() -> None:
    """The counterexample `AFaceOfAnotherShapeLosesAResult`: with it the call would stay open."""
    for blocks in ((), (Opaque("short"),), (Result("s"), Opaque("x")), (Opaque("x"), Result("t"))):
        assert trims.trim(ASKED, {"r": Face(blocks, {})}) == ASKED
    assert not balance.balanced((CALL, RESULT._replace(blocks=())))


def test_a_face_of_a_stub_does_not_commute() -> None:
    """The counterexample `AFaceOfAStubDoesNotCommute`."""
    log, stub = Log([Entry("p")]), Entry("s", blocks=(Opaque("stub"),))
    faces = {"s": Face((Opaque("other"),), {})}
    left = rewriting.drop_with_stub(log, frozenset("p"), stub)
    assert trims.trim(left, faces) != rewriting.drop_with_stub(trims.trim(log, faces), frozenset("p"), stub)


def test_the_later_of_two_trims_counts() -> None:
    """The counterexample `TrimsOfOneEntryDoNotCommute`."""
    other = {"r": Face((Result("t"), Opaque("other")), {})}
    one, two = (trims.trim(trims.trim(ASKED, a), b) for a, b in ((SHORT, other), (other, SHORT)))
    assert one != two
    assert one == trims.trim(ASKED, other)


def test_a_record_trims_and_an_undo_restores() -> None:
    log = ASKED.append(Entry("n", "r", kind=Kind.SYSTEM))
    sayings = {"n": Overlay(frozenset(), 0)}
    said = {"n": SHORT}
    assert contracted.shown_trimmed_at(log, sayings, said, "n") == trims.trim(ASKED, SHORT)
    assert contracted.shown_trimmed_at(log, sayings, said, "r") == ASKED
    log = log.append(Entry("m", "n", kind=Kind.SYSTEM))
    undone = {**sayings, "m": overlays.undo("n", 0)}
    assert contracted.shown_trimmed(log, undone, said) == ASKED
    log = log.append(Entry("o", "m", kind=Kind.SYSTEM))
    assert contracted.shown_trimmed(log, {**undone, "o": overlays.undo("m", 0)}, said) == trims.trim(ASKED, SHORT)
    assert contracted.trim_all(ASKED, overlays.records_in(log, sayings), said) == trims.trim(ASKED, SHORT)


def test_an_entry_that_is_not_there() -> None:
    for function in (trims.shown_trimmed_at, contracted.shown_trimmed_at):
        with pytest.raises(UnknownEntry):
            function(ASKED, {}, {}, "nowhere")


def test_definitions_of_what_is_alike() -> None:
    opaque, other = Opaque("one"), Opaque("other")
    assert d.same_part(opaque, other)
    assert d.same_part(Use("t"), Use("t"))
    for a, b in ((Use("t"), Use("s")), (Use("t"), Result("t")), (opaque, Use("t")), (Use("t"), opaque)):
        assert not d.same_part(a, b)
    assert d.same_form((opaque, Use("t")), (other, Use("t")))
    assert not d.same_form((opaque,), (other, Use("t")))
    assert not d.same_form((Use("t"), opaque), (other, Use("t")))
    entry = Entry("a", blocks=(opaque,), fields={"x": 1})
    assert d.alike(entry, entry._replace(blocks=(other,), fields={}))
    assert not d.alike(entry, entry._replace(uuid="b"))
    assert not d.alike(entry, entry._replace(blocks=(Use("t"),)))
    assert not d.alike(entry, entry._replace(parent="b", blocks=(other,)))
    assert d.all_alike((entry, CALL), (entry._replace(fields={}), CALL))
    assert not d.all_alike((entry,), (entry, CALL))
    assert not d.all_alike((entry,), (CALL,))
    assert not d.all_alike((entry, CALL), (entry,))
