"""Texts that several forks append to: the laws of merging them, and what happens under a shared peer number."""

from __future__ import annotations

import loro
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forkpoint.evidence import texts
from forkpoint.evidence.texts import Damaged, SharedPeer, Text, load, mint, new

PIECES = st.lists(st.text("ab é😀\n", min_size=1, max_size=4), max_size=3)


@st.composite
def forks(draw: st.DrawFn, count: int = 3) -> list[Text]:
    """Forks of one text, each of which was written to; some merged another one in between."""
    base = new().appended(draw(st.text("xyz ", max_size=4)))
    made = [base] + [base.forked() for _ in range(count - 1)]
    for _ in range(2):
        for number in range(count):
            for piece in draw(PIECES):
                made[number] = made[number].appended(piece)
        if draw(st.booleans()):
            one, other = draw(st.permutations(range(count)))[:2]
            made[one] = made[one].merged(made[other])
    return made


@given(forks(2))
def test_merging_is_commutative(some: list[Text]) -> None:
    a, b = some
    assert a.merged(b).written() == b.merged(a).written() == a.written() | b.written()
    assert str(a.merged(b)) == str(b.merged(a))


@given(forks())
def test_merging_is_associative(some: list[Text]) -> None:
    a, b, c = some
    left, right = a.merged(b).merged(c), a.merged(b.merged(c))
    assert left.written() == right.written()
    assert str(left) == str(right)


@given(forks(2))
def test_merging_is_idempotent(some: list[Text]) -> None:
    a, b = some
    assert a.merged(a).written() == a.written()
    assert str(a.merged(a)) == str(a)
    assert a.merged(b).merged(b).written() == a.merged(b).written()
    assert str(a.merged(b).merged(b)) == str(a.merged(b))


@given(forks(), st.permutations(range(3)))
def test_all_orders_converge(some: list[Text], order: list[int]) -> None:
    straight = some[0].merged(some[1]).merged(some[2])
    other = some[order[0]].merged(some[order[1]]).merged(some[order[2]])
    assert str(straight) == str(other)
    grown = straight.appended("end")
    assert str(other.merged(grown)) == str(grown)


@given(forks(2))
def test_nothing_is_lost_and_runs_stay_together(some: list[Text]) -> None:
    a, b = some
    merged = a.merged(b)
    assert len(str(merged)) == len(merged.written())
    for one in (a, b):
        left = iter(str(merged))
        assert all(character in left for character in str(one))  # in order, with others between


@given(forks(2), PIECES)
def test_a_text_comes_back_from_its_history(some: list[Text], more: list[str]) -> None:
    for one in some:
        again = load(one.peer, one.history)
        assert str(again) == str(one)
        assert again.written() == one.written()
        for piece in more:
            again, one = again.appended(piece), one.appended(piece)
        assert str(again) == str(one)


def test_each_fork_has_a_number_of_its_own() -> None:
    text = new().appended("a")
    made = [text.forked() for _ in range(50)]
    assert len({one.peer for one in made} | {text.peer}) == 51
    assert all(one.history == text.history for one in made)


def test_a_number_is_minted_that_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = [b"\xff" * 8, (7).to_bytes(8), (8).to_bytes(8)]
    monkeypatch.setattr(texts.os, "urandom", lambda count: drawn.pop(0))
    assert mint({0, 7}) == 8  # the highest number is none of a peer and wraps to 0


@pytest.mark.parametrize(("one", "other"), [("xxx", "yyy"), ("xxx", "yyyy"), ("xxxx", "yyy"), ("x", "yyyy"), ("xxxx", "y")])
def test_a_shared_number_is_refused(one: str, other: str) -> None:
    """Without the refusal two texts of the same length would silently stay different: see the next test."""
    base = new().appended("both ")
    a, b = base.appended(one), base.appended(other)
    for first, second in ((a, b), (b, a)):
        with pytest.raises(
            SharedPeer, match=f"^peer {base.peer} wrote different things in the two texts; each fork needs"
        ) as caught:
            first.merged(second)
        assert caught.value.peer == base.peer


def test_without_the_refusal_texts_would_not_converge() -> None:
    base = new().appended("both ")
    found = []
    for first, second in (("xxx", "yyy"), ("yyy", "xxx")):
        document = loro.LoroDoc()
        document.import_(base.appended(first).history)
        document.import_(base.appended(second).history)
        found.append(document.get_text("text").to_string())
    assert found == ["both xxx", "both yyy"]


def test_the_same_letters_elsewhere_are_different_things() -> None:
    """One number wrote the same in three texts: at another place, at the same place at another time, at the same time."""
    base = new().appended("both ")
    three, more = base.forked().appended("abc"), base.forked().appended("def")
    six = three.appended("def")
    after_both, after_six, after_three = (
        text.appended("x") for text in (base.merged(three).merged(more), base.merged(six), base.merged(three))
    )
    for first, second in ((after_both, after_six), (after_both, after_three), (after_six, after_three)):
        with pytest.raises(SharedPeer):
            first.merged(second)
    assert {one.position for text in (after_both, after_six) for one in text.written() if one.character == "x"} == {11}
    assert {one.time for text in (after_both, after_three) for one in text.written() if one.character == "x"} == {8}


def test_one_that_only_went_on_is_no_other_writer() -> None:
    base = new().appended("a")
    on = base.appended("b")
    assert str(base.merged(on)) == str(on.merged(base)) == "ab"


def history(write: object) -> bytes:
    document = loro.LoroDoc()
    write(document)  # type: ignore[operator]
    document.commit()
    return document.export(loro.ExportMode.Snapshot())


def shallow(text: str) -> bytes:
    """A history whose beginning was cut off, though the text is still known."""
    document = loro.LoroDoc()
    document.import_(new().appended(text).history)
    return document.export(loro.ExportMode.ShallowSnapshot(document.oplog_frontiers))


def deleted(document: loro.LoroDoc) -> None:
    text = document.get_text("text")
    text.insert(0, "abc")
    document.commit()
    text.delete(0, 1)


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (b"", "it is no history of a text"),
        (b"nothing", "it is no history of a text"),
        (new().appended("abc").history[:-3], "it is no history of a text"),
        (history(deleted), "it holds something that was not appended to the text"),
        (history(lambda document: document.get_map("m").insert("k", 1)), "it holds something that was not appended to the text"),
        (history(lambda document: document.get_text("other").insert(0, "x")), "it holds something besides the text"),
        (shallow("abc"), "it holds something that was not appended to the text"),
    ],
)
def test_what_is_no_history_is_refused(bad: bytes, said: str) -> None:
    with pytest.raises(Damaged, match=f"^{said}"):
        load(1, bad)


def test_a_history_with_a_part_missing_is_refused() -> None:
    first = new().appended("a")
    later = first.appended("b")
    document = loro.LoroDoc()
    document.import_(first.history)
    begun = document.oplog_vv
    document.import_(later.history)
    with pytest.raises(Damaged, match="a part of the history is missing"):
        load(1, document.export(loro.ExportMode.Updates(begun)))


@pytest.mark.parametrize("peer", [-1, 2**64 - 1, 2**64])
def test_what_is_no_peer_number_is_refused(peer: int) -> None:
    with pytest.raises(Damaged, match="is no peer number"):
        load(peer, new().history)
