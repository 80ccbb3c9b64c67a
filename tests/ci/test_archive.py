"""An archive gives back what went in, and grows by what has changed."""

import lzma
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci.lib import Failed
from ci.prove import archive, record

LINES = st.sampled_from(
    [b"", b"(assert a)", b"(assert b)", b"(check-sat)", b"x" * 60 + b"1" + b"y" * 60, b"x" * 60 + b"22" + b"y" * 60]
)
FILES = st.dictionaries(
    st.sampled_from(["obligations/a", "obligations/b", "obligations/c", "canaries/a"]),
    st.lists(LINES, max_size=6).map(b"\n".join),
    min_size=1,
)
LONG = "\n".join(f"(assert (forall ((x Int)) (= (F{number} x) x)))" for number in range(2000))


def test_the_archive_is_the_same_whatever_the_order() -> None:
    one, other = archive.pack({"a": b"1", "b": b"2"}), archive.pack({"b": b"2", "a": b"1"})
    assert one == other
    assert archive.unpack(one) == {"a": b"1", "b": b"2"}


@given(st.lists(FILES, min_size=1, max_size=4))
def test_an_archive_holds_what_was_recorded_last_behind_all_that_stood_there(records: list[archive.Files]) -> None:
    data = archive.pack(records[0])
    for before, files in pairwise(records):
        longer = archive.renew(data, files)
        assert longer.startswith(data)
        assert (longer == data) == (files == before)
        assert archive.unpack(longer) == files
        data = longer


def test_a_change_of_a_word_costs_little() -> None:
    old = {f"obligations/{number}": f"{LONG}\n(assert {number})\n(check-sat)\n".encode() for number in range(20)}
    new = old | {
        "obligations/3": old["obligations/3"].replace(b"(F7 x)", b"(G x)"),
        "obligations/new": old["obligations/4"] + b"; new\n",
    }
    data = archive.pack(old)
    assert len(archive.renew(data, new)) - len(data) < 500


def test_many_deltas_become_a_base(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "FOLD", 300)
    data = archive.pack({"a": b"0"})
    for number in range(10):
        data = archive.renew(data, {"a": str(number).encode()})
    folded = next(
        archive.pack({"a": str(number).encode()})
        for number in range(10)
        if data.startswith(archive.pack({"a": str(number).encode()}))
    )
    assert archive.unpack(folded) != {"a": b"0"}
    assert archive.unpack(data) == {"a": b"9"}
    assert len(data) - len(folded) <= 300


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no archive",
        archive.pack({"a": b"1"})[:-4],
        archive.pack({"a": b"1"}) + b"more",
        archive.pack({"a": b"1"}) + lzma.compress(b"{}")[:-4],
        *(
            archive.pack({"a": b"1"}) + lzma.compress(delta)
            for delta in (
                b"",
                b"[]",
                b'{"b": 1}',
                b'{"b": []}',
                b'{"b": ["c"]}',
                b'{"b": ["a", [7, 1, 1, "x"]]}',
                b'{"b": ["a", null]}',
            )
        ),
    ],
)
def test_a_damaged_archive_is_refused(data: bytes) -> None:
    with pytest.raises(Failed, match="cannot be read"):
        archive.unpack(data)


def test_the_archives_of_the_record_are_small_beside_their_deltas() -> None:
    for path in record.archives():
        assert len(path.read_bytes()) - archive.length_of_base(path.read_bytes()) <= archive.FOLD, Path(path).name
