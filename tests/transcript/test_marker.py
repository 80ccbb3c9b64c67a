"""The marker line: what it says is read back, and no client takes it for an entry."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from forkpoint.clients.jsontext import dump
from forkpoint.transcript.format import reader
from forkpoint.transcript.format.marker import Marker, find_marker, read_marker
from strategies_fork import entry, parse

WORDS = st.text(max_size=12)


@st.composite
def markers(draw: st.DrawFn) -> Marker:
    return Marker(
        session=draw(WORDS),
        source=draw(WORDS),
        point=draw(WORDS),
        created=draw(WORDS),
        actor=draw(st.none() | WORDS),
        governance=draw(st.none() | WORDS),
        note=draw(st.none() | WORDS),
        witness=draw(st.none() | st.dictionaries(WORDS, WORDS | st.integers(0, 9), max_size=3)),
        kept=draw(st.dictionaries(WORDS, st.integers(0, 9), max_size=3)),
    )


def keys_of(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value) | {key for inner in value.values() for key in keys_of(inner)}
    return set()


@given(markers())
def test_a_marker_is_read_back(marker: Marker) -> None:
    transcript = parse([marker.line(), entry("a", None)])
    assert find_marker(transcript) == marker
    assert [node.uuid for node in transcript.nodes] == ["a"]


@given(markers())
def test_a_marker_is_no_entry_for_any_reader(marker: Marker) -> None:
    """Not even for one that looks for these keys anywhere in a line."""
    value = json.loads(marker.line())
    assert value["type"] == "forkpoint"
    assert b"\n" not in marker.line()
    given_names = set(marker.witness or ()) | set(marker.kept)
    assert not {"uuid", "parentUuid", "isSidechain", "message", "leafUuid"} & (keys_of(value) - given_names)


def test_what_was_not_said_is_not_there() -> None:
    bare = Marker("s", "o", "u", "t")
    assert set(json.loads(bare.line())) == {
        "type",
        "sessionId",
        "source",
        "origin",
        "created",
    }


def test_what_is_no_marker_is_none() -> None:
    whole = json.loads(Marker("s", "o", "u", "t").line())
    assert read_marker(whole) is not None
    for change in (
        {"type": "fork"},
        {"source": None},
        {"source": {"sessionId": "o"}},
        {"created": 7},
        {"sessionId": None},
    ):
        assert read_marker({**whole, **change}) is None
    assert find_marker(parse([b'{"type":"forkpoint"}', entry("a", None)])) is None


def test_half_a_character_can_be_written() -> None:
    assert json.loads(dump("\ud800")) == "\ud800"
    assert dump("漢") == '"漢"'.encode()
    assert reader.parse(Marker("\ud800", "o", "u", "t").line(), parse([]).path).sidecars
