"""The numbered prompts of a session, and what it takes to go back to each."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import msgspec

from forkpoint.core.balance import Walk
from forkpoint.core.entries import Kind
from forkpoint.transcript import select
from forkpoint.transcript.head import Head, path, stamp
from forkpoint.transcript.lines import read_keys
from forkpoint.transcript.outline import Outline
from forkpoint.transcript.reader import Transcript

BYTES_PER_TOKEN: Final = 4
"""The rule of thumb behind every estimate of tokens."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place where a conversation can perhaps be forked."""

    position: int
    resumable: bool
    legal: bool
    inherited: bool
    """Only an inherited break holds it back."""


@dataclass(frozen=True, slots=True)
class Point:
    """A prompt. ``before`` is the place before it, None when nothing stands there; ``end`` is that at the end of its turn."""

    number: int
    position: int
    words: str
    timestamp: str | None
    """As in the file."""
    on_path: bool
    """Whether it stands on the way to HEAD."""
    compacted: bool
    """Whether a compaction stands between the prompt before it on the way to HEAD, or the start, and this one."""
    before: Place | None
    end: Place
    tokens: int
    """An estimate of how many tokens the conversation has at the end of the turn (:func:`estimates`)."""


def points(transcript: Transcript, outline: Outline, head: Head) -> list[Point]:
    """Every prompt of a session, by number. Near-linear."""
    log = transcript.log
    parent = log.spine.parent
    way = path(log, head.position)
    turns = _ends(transcript, outline, way)
    tokens = estimates(transcript)
    carried = select.inherited(transcript, outline)
    compacted = _compacted(outline, parent, way)
    on_path = set(way)

    def place(position: int) -> Place:
        return Place(position, outline.resumable[position], outline.survey.legal[position], carried[position])

    return [
        Point(
            number=number,
            position=position,
            words=outline.words[position],
            timestamp=stamp(transcript, position),
            on_path=position in on_path,
            compacted=position in compacted,
            before=place(parent[position]) if parent[position] >= 0 else None,
            end=place(turns[position]),
            tokens=tokens[turns[position]],
        )
        for number, position in enumerate(outline.prompts, 1)
    ]


def _ends(transcript: Transcript, outline: Outline, way: list[int]) -> dict[int, int]:
    """The end of each prompt's turn."""
    marks = [at for at, position in enumerate(way) if position in outline.words]
    ends: dict[int, int] = {}
    for at, after in pairwise([*marks, len(way)]):
        ends[way[at]] = select.end_of_turn(transcript, outline, way[at], way[at : after + 1])
    for prompt in outline.prompts:
        if prompt not in ends:
            ends[prompt] = select.end_of_turn(transcript, outline, prompt, ())
    return ends


def _compacted(outline: Outline, parent: list[int], way: list[int]) -> set[int]:
    """The prompts on a path with a compaction boundary between them and the prompt before."""
    found: set[int] = set()
    boundary = False
    for at, position in enumerate(way):
        boundary = boundary or (at > 0 and parent[position] < 0)
        if position in outline.words:
            if boundary:
                found.add(position)
            boundary = False
    return found


def estimates(transcript: Transcript) -> list[int]:
    """Of each entry how many tokens its conversation has, estimated: a quarter of the bytes that stand in ``message.content``
    of its user and assistant entries and in ``attachment`` of the others, as JSON, less what is no text to the model: the
    data of images and documents, signatures, and attachments that only record a prompt. Near-linear; reads every such entry.
    """
    log = transcript.log
    size = [0] * len(log)
    weights: dict[int, int] = {}
    walk = Walk(log)
    parent = log.spine.parent
    for position in walk:
        above = parent[position]
        total = size[above] if above >= 0 else 0
        for added in walk.added:
            if added not in weights:
                weights[added] = weight(transcript, added)
            total += weights[added]
        size[position] = total
    return [total // BYTES_PER_TOKEN for total in size]


class _Speech(msgspec.Struct):
    content: msgspec.Raw = msgspec.Raw()


class _Sent(msgspec.Struct):
    """What a client sends of an entry."""

    message: _Speech | None = None
    attachment: msgspec.Raw = msgspec.Raw()


class _Data(msgspec.Struct):
    data: msgspec.Raw = msgspec.Raw()


class _Block(msgspec.Struct):
    signature: msgspec.Raw = msgspec.Raw()
    source: _Data | None = None
    content: msgspec.Raw = msgspec.Raw()


_sent = msgspec.json.Decoder(_Sent).decode
_blocks = msgspec.json.Decoder(list[_Block]).decode


def weight(transcript: Transcript, position: int) -> int:
    """How many bytes of an entry count in :func:`estimates`. Reads its line."""
    kind = transcript.log[position].kind
    if kind not in (Kind.USER, Kind.ASSISTANT, Kind.ATTACHMENT):
        return 0
    sent = read_keys(_sent, transcript.line(transcript.span(position)), "message", "attachment")
    if sent is None:
        return 0
    if kind is Kind.ATTACHMENT:
        raw = bytes(sent.attachment)
        return 0 if b'"prompt_snapshot"' in raw[:80] else len(raw)
    return _speech(bytes(sent.message.content)) if sent.message is not None else 0


def _speech(content: bytes) -> int:
    """How many bytes of a message's content, or of a tool's result, are text to the model."""
    if b'"signature"' not in content and b'"data"' not in content:
        return len(content)
    try:
        blocks = _blocks(content)
    except (msgspec.DecodeError, RecursionError):
        return len(content)
    size = len(content)
    for block in blocks:
        size -= len(bytes(block.signature)) + (len(bytes(block.source.data)) if block.source is not None else 0)
        inner = bytes(block.content)
        if inner.startswith(b"["):
            size -= len(inner) - _speech(inner)
    return size
