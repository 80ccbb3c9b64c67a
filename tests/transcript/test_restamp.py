"""Restamped lines: another session id and where they came from, every other byte as it was."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forkpoint.core import splice
from forkpoint.transcript.write.restamp import (
    restamp_by_default,
    restamp_entry,
    restamp_session,
)

KEYS = st.sampled_from(["sessionId", "session_id", "forkedFrom", "uuid", "message", "requestId", "x"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
)


@st.composite
def objects(draw: st.DrawFn) -> bytes:
    """An object with white space wherever it may stand, keys repeated, some of them escaped."""
    space = st.text(" \t", max_size=2)
    members = []
    for key, value in draw(st.lists(st.tuples(KEYS, VALUES), max_size=5)):
        spelled = json.dumps(key) if draw(st.booleans()) else '"' + "".join(f"\\u{ord(letter):04x}" for letter in key) + '"'
        members.append(f"{draw(space)}{spelled}{draw(space)}:{draw(space)}{json.dumps(value, ensure_ascii=False)}{draw(space)}")
    return ("{" + ",".join(members) + "}").encode("utf-8", "surrogatepass")


def others(text: bytes) -> list[tuple[bytes, bytes]]:
    """The members whose keys restamping does not touch, byte for byte, in order."""
    found = splice.scan(text)
    assert found is not None
    names = (tuple(b"sessionId"), tuple(b"forkedFrom"))
    members = [
        (
            text[member.key_start : member.key_end],
            text[member.value_start : member.value_end],
        )
        for member in found.members
    ]
    return [(key, value) for key, value in members if splice.decode(key) not in names]


@given(objects())
def test_all_other_members_are_the_same_bytes(text: bytes) -> None:
    for stamped in (
        restamp_entry(text, "new", "old", "u"),
        restamp_session(text, "new"),
    ):
        assert others(stamped) == others(text)


@given(objects())
def test_what_a_restamped_entry_says(text: bytes) -> None:
    before, after = json.loads(text), json.loads(restamp_entry(text, "new", "old", "u"))
    assert after == {
        **before,
        "sessionId": "new",
        "forkedFrom": {"sessionId": "old", "messageUuid": "u"},
    }
    again = restamp_entry(restamp_entry(text, "a", "b", "c"), "new", "old", "u")
    assert again == restamp_entry(text, "new", "old", "u")


@given(objects())
def test_a_sidecar_keeps_its_keys(text: bytes) -> None:
    before = json.loads(text)
    after = json.loads(restamp_session(text, "new"))
    assert after == ({**before, "sessionId": "new"} if "sessionId" in before else before)


def test_the_layout_of_a_line_stays() -> None:
    line = b'{ "a" : 1 ,"sessionId": "old" , "b":[ ]}\r'
    assert restamp_session(line, "new") == b'{ "a" : 1 ,"sessionId": "new" , "b":[ ]}\r'
    assert restamp_entry(line, "new", "old", "u") == (
        b'{ "a" : 1 ,"sessionId": "new" , "b":[ ],"forkedFrom":{"sessionId":"old","messageUuid":"u"}}\r'
    )


def test_a_key_deeper_down_is_none_of_its_business() -> None:
    line = b'{"message":{"sessionId":"mine","forkedFrom":1},"text":"\\"sessionId\\":\\"x\\""}'
    assert restamp_session(line, "new") == line


def test_what_holds_no_object_is_refused() -> None:
    with pytest.raises(ValueError, match="no JSON object"):
        restamp_session(b"[]", "new")


def test_clients_up_to_2_1_20_are_restamped() -> None:
    stamped = [version for version in ((), (1, 0, 128), (2, 1, 20), (2, 1, 21), (2, 1, 330)) if restamp_by_default(version)]
    assert stamped == [(1, 0, 128), (2, 1, 20)]
