"""The witness: what rewriting of the envelope it survives, and what it does not survive."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forkpoint.clients.claude.lines import ENVELOPE
from forkpoint.transcript.format import canonical, reader
from forkpoint.transcript.query import witness
from strategies_witness import shuffled, values

GARDEN = Path(__file__).parents[1] / "samples" / "garden.jsonl"


def entry(number: int, **more: object) -> dict[str, Any]:
    uuid, parent = f"u{number}", f"u{number - 1}" if number else None
    content = [{"type": "text", "text": f"words {number}", "cost": 0.5}]
    return {
        "parentUuid": parent,
        "isSidechain": False,
        "cwd": "/srv",
        "sessionId": "s1",
        "version": "2.1.110",
        "timestamp": "2026-03-01T09:00:00.000Z",
        "type": "user",
        "message": {"role": "user", "content": content},
        "uuid": uuid,
        **more,
    }


ENTRIES = [entry(number) for number in range(6)]


def dump(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def of(entries: list[dict[str, Any]]) -> witness.Witness:
    return witness.witness(map(dump, entries))


PLAIN = of(ENTRIES)


def test_rewriting_the_envelope_changes_nothing_but_the_bytes() -> None:
    copied = [
        {
            "forkedFrom": {"sessionId": "s1", "messageUuid": value["uuid"]},
            "sessionKind": "bg",
            **value,
            **dict.fromkeys(("sessionId", "cwd", "version", "timestamp", "gitBranch", "slug", "promptId"), "other"),
            "parentUuid": "elsewhere",
        }
        for value in ENTRIES
    ]
    found = of(copied)
    assert (found.length, found.ids, found.content) == (PLAIN.length, PLAIN.ids, PLAIN.content)
    assert found.lines != PLAIN.lines


@given(st.data())
def test_another_spelling_of_the_same_changes_nothing(data: st.DataObject) -> None:
    lines = [
        json.dumps(
            shuffled(data.draw, value), ensure_ascii=data.draw(st.booleans()), indent=data.draw(st.sampled_from([None, 2]))
        )
        for value in ENTRIES
    ]
    found = witness.witness(line.encode() for line in lines)
    assert (found.ids, found.content) == (PLAIN.ids, PLAIN.content)


def changed(number: int, **more: object) -> list[dict[str, Any]]:
    return [{**value, **more} if at == number else value for at, value in enumerate(ENTRIES)]


@pytest.mark.parametrize(
    "entries",
    [
        changed(2, message={"role": "user", "content": [{"type": "text", "text": "other words", "cost": 0.5}]}),
        changed(2, message={"role": "assistant", "content": ENTRIES[2]["message"]["content"]}),
        changed(2, isSidechain=True),
        changed(2, isMeta=True),
        changed(2, toolUseResult="made up"),
        changed(2, someKeyOfALaterClient=1),
        changed(2, type="assistant"),
        [{key: value for key, value in one.items() if key != "isSidechain"} for one in ENTRIES],
    ],
)
def test_a_changed_word_breaks_the_content_chain(entries: list[dict[str, Any]]) -> None:
    found = of(entries)
    assert found.ids == PLAIN.ids
    assert found.content != PLAIN.content


def test_a_changed_uuid_breaks_the_uuid_chain_only() -> None:
    found = of(changed(3, uuid="u33"))
    assert (found.ids == PLAIN.ids, found.content == PLAIN.content) == (False, True)


@pytest.mark.parametrize(
    "entries",
    [ENTRIES[:-1], ENTRIES[1:], [*ENTRIES[:2], *ENTRIES[3:]], [*ENTRIES, entry(6)], [ENTRIES[1], ENTRIES[0], *ENTRIES[2:]], []],
)
def test_a_lost_added_or_exchanged_entry_breaks_both(entries: list[dict[str, Any]]) -> None:
    found = of(entries)
    assert found.ids != PLAIN.ids
    assert found.content != PLAIN.content


@pytest.mark.parametrize("chain", ["_link", "_end"])
def test_every_step_binds(chain: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The chains are bound to their order by each link, and to their length at the end."""
    original = getattr(witness, chain)
    calls: list[object] = []

    def counted(*given: object) -> object:
        calls.append(given)
        return original(*given)

    monkeypatch.setattr(witness, chain, counted)
    of(ENTRIES)
    assert len(calls) == (2 * len(ENTRIES) if chain == "_link" else 2)
    assert witness._end(b"x" * 32, 1) != witness._end(b"x" * 32, 2)
    assert witness._link(b"x" * 32, b"y") != witness._link(b"z" * 32, b"y")


@given(st.dictionaries(st.sampled_from(sorted(ENVELOPE)) | st.text(max_size=3), values, max_size=6))
def test_what_is_said_is_the_canonical_form_without_the_envelope(value: dict[str, Any]) -> None:
    line = dump(value)
    bare = {key: item for key, item in value.items() if key not in ENVELOPE}
    expected = canonical.canonical(dump(bare))
    assert witness.said(line) == expected
    odd = b'{"sessionId":"\\ud800",' + line[1:] if bare else line  # only the slow way takes half a surrogate pair
    assert witness.said(odd) == expected


@pytest.mark.parametrize(
    "odd",
    [
        b'"\\ud800"',
        b"1e400",
        b"123456789012345678901234567890",
        b"[" * 20_000 + b"]" * 20_000,
        b'{"a":1,"a":2}',
    ],
)
def test_no_line_is_too_odd(odd: bytes) -> None:
    line = dump(ENTRIES[0])[:-1] + b',"odd":' + odd + b"}"
    found = witness.witness([line])
    assert found.content not in (None, witness.witness([dump(ENTRIES[0])]).content)
    renamed = line.replace(b'"s1"', b'"s2"')
    assert witness.witness([renamed]).content == found.content
    assert witness.uuid_of(line) == "u0"


def test_a_transcript_gives_the_witness_of_its_lines() -> None:
    transcript = reader.read(GARDEN)
    positions = list(range(len(transcript.log)))
    bare = reader.parse(b"\n".join(transcript.line(transcript.span(at)) for at in positions), GARDEN)  # no sidecar in front
    assert witness.of(bare, positions) == witness.of(transcript, positions)
    for chosen in (positions, positions[::2], positions[3:7], []):
        lines = [transcript.line(transcript.span(position)) for position in chosen]
        assert witness.of(transcript, chosen) == witness.witness(lines)
        assert witness.of(transcript, chosen, content=False) == witness.witness(lines, content=False)


def test_the_content_chain_is_left_out_of_large_prefixes(monkeypatch: pytest.MonkeyPatch) -> None:
    transcript = reader.read(GARDEN)
    monkeypatch.setattr(witness, "LIMIT", 1000)
    assert witness.of(transcript, [0]).content is not None
    assert witness.of(transcript, range(5)).content is None
    assert witness.of(transcript, range(5), content=True).content is not None


def test_as_json_and_back() -> None:
    for found in (PLAIN, witness.witness(map(dump, ENTRIES), content=False)):
        shape = json.loads(json.dumps(found.shape()))
        assert witness.from_shape(shape) == found
        assert ("content" in shape) == (found.content is not None)
    for key, value in (("scheme", 2), ("length", "6"), ("ids", None), ("content", 5), ("lines", [])):
        assert witness.from_shape({**PLAIN.shape(), key: value}) is None
    assert witness.from_shape({}) is None
