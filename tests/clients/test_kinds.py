"""The table of kinds says what readers and senders do with an entry of each kind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from forkpoint.clients.claude import normal
from forkpoint.clients.kinds import KINDS, SHOWN, SPOKEN, Extent
from forkpoint.core.entries import Kind
from forkpoint.transcript.format import reader
from forkpoint.transcript.query import reading, sent

WORDS = {"content": [{"type": "text", "text": "words"}]}
TYPED = {"type": "queued_command", "prompt": "and this", "commandMode": "prompt"}
ENTRIES: dict[Kind, list[dict[str, Any]]] = {
    Kind.USER: [{"message": {"role": "user", **WORDS}}, {"message": {"role": "user", **WORDS}, "isMeta": True}],
    Kind.ASSISTANT: [{"message": {"role": "assistant", "id": "m", **WORDS}}],
    Kind.SYSTEM: [
        {"subtype": "local_command", "content": "printed"},
        {"subtype": "compact_boundary", "content": "compacted"},
        {"subtype": "informational", "content": "noted"},
    ],
    Kind.SUMMARY: [{"message": {"role": "user", **WORDS}}],
    Kind.ATTACHMENT: [{"attachment": TYPED}, {"attachment": {"type": "todo_reminder", "content": []}}],
    Kind.PROGRESS: [{"message": {"role": "user", **WORDS}}],
    Kind.OTHER: [{"message": {"role": "user", **WORDS}}],
}
"""Entries of each kind, of all that the table tells apart."""


def transcript(kind: Kind, more: dict[str, Any]) -> reader.Transcript:
    """A prompt, the entry, and an answer below it."""
    name = kind.value if kind is not Kind.OTHER else "of a later client"
    rows = [
        {"type": "user", "uuid": "p", "parentUuid": None, "message": {"role": "user", "content": "a prompt"}},
        {"type": name, "uuid": "x", "parentUuid": "p", **more},
        {"type": "assistant", "uuid": "a", "parentUuid": "x", "message": {"role": "assistant", "id": "n", **WORDS}},
    ]
    return reader.parse(b"".join(json.dumps(row).encode() + b"\n" for row in rows), Path("made.jsonl"))


def part(done: list[bool]) -> Extent:
    return Extent.ALL if all(done) else Extent.SOME if any(done) else Extent.NONE


def test_every_kind_has_a_row() -> None:
    assert set(KINDS) == set(Kind) == set(ENTRIES)


@pytest.mark.parametrize("kind", Kind)
def test_what_is_sent_of_a_kind(kind: Kind) -> None:
    every = [transcript(kind, more) for more in ENTRIES[kind]]
    assert part([any(each.position == 1 for each in sent.sent(one, 2)) for one in every]) is KINDS[kind].sent


@pytest.mark.parametrize("kind", Kind)
def test_what_is_shown_of_a_kind(kind: Kind) -> None:
    every = [transcript(kind, more) for more in ENTRIES[kind]]
    shown = [any(told.position == 1 for told in reading.read(one, {0}, range(3))) for one in every]
    assert part(shown) is KINDS[kind].shown
    assert (kind in SHOWN) == any(shown)


@pytest.mark.parametrize("kind", Kind)
def test_what_is_said_has_blocks_in_the_core(kind: Kind) -> None:
    (blocks,) = {len(transcript(kind, more).log[1].blocks) for more in ENTRIES[kind]}
    assert (kind in SPOKEN) == KINDS[kind].spoken == (blocks == 1)
    one = transcript(kind, {"message": {"role": "user", **WORDS}})
    assert len(normal.entry_of(normal.normal(one.line(one.span(1)))).blocks) == blocks
