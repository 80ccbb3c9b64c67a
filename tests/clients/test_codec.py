"""The codec of Claude Code: every line is one thing, and a damaged one hides no other."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from forkpoint.clients.claude.codec import CLAUDE
from forkpoint.clients.codec import Codec, Parsed
from forkpoint.clients.lines import Chunk
from forkpoint.core.entries import Kind, Result, Use

CALL = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}
NAMELESS = {"type": "tool_use", "name": "Bash", "input": {}}


def line(uuid: str, kind: str, *content: object, **more: object) -> bytes:
    message = {"message": {"id": "m", "content": list(content)}} if content else {}
    return json.dumps({"type": kind, "uuid": uuid, "parentUuid": None, **message, **more}).encode()


LINES = {
    "entry": line("a", "user", {"type": "text", "text": "x"}),
    "call": line("b", "assistant", CALL, parentUuid="a", isSidechain=True, version="2.1.330"),
    "odd entry": line("c", "user", {"type": "text", "text": "x"}, parentUuid=7),
    "nameless": line("d", "assistant", NAMELESS),
    "sidecar": b'{"type":"mode","mode":"plan"}',
    "damaged": b'{"type":"user","uuid":',
    "blank": b"  ",
}
ENTRIES = {"entry", "call", "odd entry"}


def parsed(*names: str, number: int = 1) -> Parsed:
    return CLAUDE.parse(Chunk(number, 0, [LINES[name] for name in names], True))


@given(st.lists(st.sampled_from(sorted(LINES)), max_size=8), st.integers(1, 1000))
def test_every_line_is_one_thing(names: list[str], number: int) -> None:
    codec: Codec = CLAUDE
    found = codec.parse(Chunk(number, 0, [LINES[name] for name in names], True))
    places = {sort: [at for at, name in enumerate(names) if name in those] for sort, those in (
        ("entries", ENTRIES), ("damage", {"nameless", "damaged"}), ("sidecars", {"sidecar"})
    )}  # fmt: skip
    assert [one - number for one in found.numbers] == places["entries"]
    assert [place for place, _ in found.damage] == places["damage"]
    assert found.sidecars == [(place, "mode") for place in places["sidecars"]]
    columns = (
        found.uuids,
        found.parents,
        found.kinds,
        found.messages,
        found.blocks,
        found.versions,
        found.sidechain,
        found.prompt,
    )
    assert {len(column) for column in columns} == {len(found.numbers)}


def test_what_a_line_says_is_in_the_words_of_the_core() -> None:
    found = parsed("entry", "blank", "call", number=5)
    assert (found.numbers, found.uuids, found.parents) == ([5, 7], ["a", "b"], [None, "a"])
    assert (found.kinds, found.messages) == ([Kind.USER, Kind.ASSISTANT], [None, "m"])
    assert (found.blocks[1], found.versions, found.sidechain, found.prompt) == ((Use("t1"),), [None, "2.1.330"], b"\0\1", b"\1\0")


def test_an_entry_says_who_called_and_what_it_goes_on_from() -> None:
    answer = line("r", "user", {"type": "tool_result", "tool_use_id": "t1"}, parentUuid="a", sourceToolAssistantUUID="b")
    boundary = line("s", "system", logicalParentUuid="r")
    found = CLAUDE.parse(Chunk(1, 0, [LINES["entry"], answer, boundary], True))
    assert (found.callers, found.logical, found.bad_parents) == ({1: "b"}, {2: "r"}, [])
    assert found.blocks[1] == (Result("t1"),)
    assert parsed("entry", "odd entry").bad_parents == [1]


def test_a_copy_may_differ_in_the_name_of_the_plan() -> None:
    one, two = line("a", "user", slug="p", cwd="/w"), line("a", "user", slug="q", cwd="/w")
    assert CLAUDE.repeats(one, two)
    assert not CLAUDE.repeats(one, one)
    assert not CLAUDE.repeats(one, line("a", "user", slug="q", cwd="/v"))
