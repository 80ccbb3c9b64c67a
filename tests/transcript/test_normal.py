"""The normal form of lines: the way back gives the line, the core's entry is the reader's, whatever a line holds."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forkpoint.answers.normal_form import NormalEntry, NormalLine, NormalSidecar
from forkpoint.clients.claude import normal
from forkpoint.clients.jsontext import dump
from forkpoint.ops import normalizing
from forkpoint.transcript.format import canonical, reader

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
WORDS = st.sampled_from(["text", "thinking", "tool_use", "tool_result", "image", "user", "assistant", "system", "other", "x"])
BLOCK = st.fixed_dictionaries(
    {"type": WORDS | ANY},
    optional={
        "text": ANY, "thinking": ANY, "signature": ANY, "id": st.text(max_size=3) | ANY, "name": ANY, "input": ANY,
        "tool_use_id": st.text(max_size=3) | ANY, "content": ANY, "is_error": ANY, "more": ANY,
    },
)  # fmt: skip
MESSAGE = st.fixed_dictionaries(
    {}, optional={"id": ANY, "role": ANY, "content": st.lists(BLOCK | ANY, max_size=3) | ANY, "usage": ANY}
)
LINES = st.fixed_dictionaries(
    {},
    optional={
        "uuid": st.text(max_size=3) | ANY, "type": WORDS | ANY, "parentUuid": ANY, "logicalParentUuid": ANY, "isSidechain": ANY,
        "version": ANY, "sessionId": ANY, "timestamp": ANY, "message": MESSAGE | ANY, "toolUseResult": ANY, "was": ANY,
    },
)  # fmt: skip


@given(LINES)
def test_the_way_back_gives_the_same_value(keys: dict[str, Any]) -> None:
    line = dump(keys)
    made = normal.normal(line)
    assert json.loads(json.dumps(made)) == made
    assert canonical.canonical(normal.written(made)) == canonical.canonical(line)
    msgspec.convert(made, NormalEntry | NormalSidecar | NormalLine)


@given(LINES)
def test_what_can_be_written_in_two_ways_has_one_form(keys: dict[str, Any]) -> None:
    one = {**keys, "uuid": "a", "type": "user", "message": {"role": "user", "content": "words"}}
    other = {**one, "message": {"role": "user", "content": [{"type": "text", "text": "words"}]}}
    (a, b) = (normal.normal(dump(each)) for each in (one, other))
    assert a["blocks"] == b["blocks"]
    assert {key: value for key, value in a.items() if key != "message"} == {
        key: value for key, value in b.items() if key != "message"
    }


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (b"", "no JSON"),
        (b"[]", "no JSON"),
        (b'{"a": NaN}', "no JSON"),
        (b'{"a": 1, "a": 2}', "twice"),
        (b'{"uuid": "a", "n": 1e999}', "no double"),
        (b"\xff\xfe", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b'{"uuid": "a", "type": "new"}', "type 'new'"),
        (b'{"uuid": "a", "type": "user", "message": {"content": [{"type": "hologram"}]}}', "block 'hologram'"),
        (b'{"uuid": "a", "type": "user", "message": {"content": 5}}', "content that is int"),
        (b'{"uuid": "a", "type": "user", "message": {"content": [5]}}', "a block that is int"),
    ],
)
def test_what_nobody_knows_goes_along_and_is_named(line: bytes, name: str) -> None:
    told: list[str] = []
    made = normal.normal(line, told.append)
    assert any(name in one for one in told)
    again = normal.written(made)
    assert again == line or json.loads(again) == json.loads(line)


@pytest.mark.parametrize(
    "made",
    [
        {},
        {"form": 2, "what": "entry"},
        {"form": 1, "what": "entry"},
        {"form": 1, "what": "line", "text": "a\nb"},
        {"form": 1, "what": "line"},
        {"form": 1, "what": "sidecar"},
        {**normal.normal(b'{"uuid": "a"}'), "blocks": [{"block": "new"}], "message": {"id": None, "role": None}},
        {**normal.normal(b'{"uuid": "a"}'), "message": 5},
        {**normal.normal(b'{"uuid": "a"}'), "was": 5},
    ],
)
def test_what_is_no_normal_form_is_refused(made: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        normal.written(made)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of real transcripts is not beside this checkout")
def test_real_lines() -> None:
    """Every tenth file: the way back, and the core's entry, which has to be the reader's."""
    unknown = Counter[str]()
    seen = 0
    for path in sorted(CORPUS.rglob("*.jsonl"))[::10]:
        found = reader.read(path)
        entries = Counter(entry[:-1] for entry in found.as_written())
        for line in path.read_bytes().split(b"\n"):
            if not line.strip():
                continue
            named: list[str] = []
            made = normal.normal(line, named.append)
            unknown.update(named)
            assert canonical.canonical(normal.written(made)) == canonical.canonical(line) if made["what"] != "line" else True
            if made["what"] == "entry":
                seen += 1
                entries[normal.entry_of(made)[:-1]] -= 1
        assert not +entries, path
    assert seen > 1000
    assert set(unknown) <= {"block 'tool_reference'", "a line that is no JSON object"}


def test_a_session_and_back(tmp_path: Path) -> None:
    from forkpoint.api import read

    garden = Path(__file__).parents[1] / "samples" / "garden.jsonl"
    session = read(garden)
    lines = list(normalizing.lines(session))
    back = list(normalizing.inverse(lines, "lines"))
    assert [json.loads(line) for line in back] == [json.loads(line) for line in garden.read_text().splitlines()]
    assert [made.shape() for made in session.normalize().lines] == [json.loads(line) for line in lines]
    assert (
        len(list(normalizing.lines(session, "1")))
        == len(session.fork("1", dry_run=True).companions) + session.fork("1", dry_run=True).kept
    )
