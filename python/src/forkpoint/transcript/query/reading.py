"""A conversation to read: what was said in it, part by part, in its order."""

from __future__ import annotations

import json
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

import msgspec

from forkpoint.clients.claude.blocks import is_call, is_result
from forkpoint.clients.kinds import SHOWN, SPOKEN
from forkpoint.clients.lines import read_keys
from forkpoint.core.entries import Id, Kind
from forkpoint.transcript.format.compaction import is_written_boundary
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query.merges import merges
from forkpoint.transcript.query.queued import queued

Part = Literal["prompt", "queued", "notice", "words", "thinking", "call", "result", "compaction", "merge"]
MEDIA: Final = {"image": "[image]", "document": "[document]"}
"""What stands for what is no text."""
TEXTS: Final = ("text", "title", "url", "error_code")
"""The keys of a block whose values are words: of an answer of the API's own tools also a page that was found."""


class _Message(msgspec.Struct):
    content: object = None


class _Line(msgspec.Struct):
    message: _Message | None = None


_decode = msgspec.json.Decoder(_Line).decode


class Told(NamedTuple):
    """A part of what an entry says: a user's prompt, a notice that the client wrote, words of the assistant, and so on."""

    kind: Part
    position: int
    text: str
    tool: str | None = None
    call: str | None = None
    """The id of a call, also of its result."""


def read(transcript: Transcript, prompts: Collection[int], positions: Sequence[int]) -> Iterator[Told]:
    """What entries say, in their order. Reads their lines.

    This decides of every part of a conversation whether it is shown. :func:`hidden` names the entries of which nothing is.
    """
    log = transcript.log
    tools: dict[str, str] = {}
    joined = transcript.once(merges)
    told: set[str] = set()
    typed = queued(transcript)
    for position in positions:
        entry = log[position]
        if transcript.copies:  # of lines with one uuid one says it: a copy of an answer is none to another prompt
            uuid = transcript.nodes[position].uuid
            if uuid in told:
                continue
            told.add(uuid)
        if entry.kind not in SHOWN:
            continue
        if entry.kind is Kind.SYSTEM and is_written_boundary(transcript, position):
            yield Told("compaction", position, "")
        if entry.kind in SPOKEN:
            yield from _spoken(transcript, position, prompts, joined, tools)
        for each in typed.get(position, ()):
            yield Told("queued", position, each.words)


def hidden(transcript: Transcript, positions: Iterable[int], told: Container[int]) -> dict[str, int]:
    """How many entries say nothing to a reader, by what clients call them: the type of an attachment, the kind of a system entry;
    ``told`` are the positions of those that say something. Reads the lines of the others."""
    found: dict[str, int] = {}
    for position in positions:
        if position not in told:
            keys = transcript.keys(transcript.span(position))
            attachment = keys.get("attachment")
            said = attachment.get("type") if isinstance(attachment, Mapping) else keys.get("subtype")
            name = said if isinstance(said, str) and said else transcript.kinds[position].value
            found[name] = found.get(name, 0) + 1
    return dict(sorted(found.items()))


def _spoken(
    transcript: Transcript, position: int, prompts: Collection[int], joined: Container[Id], tools: dict[str, str]
) -> Iterator[Told]:
    """What an entry of the user's or the assistant's says. ``tools`` has the tools of calls by their ids, and takes its own."""
    entry = transcript.log[position]
    line = read_keys(_decode, transcript.line(transcript.span(position)), "message")
    content = None if line is None or line.message is None else line.message.content
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    spoken: Part = "prompt" if position in prompts else "notice" if entry.kind is Kind.USER else "words"
    spoken = "merge" if entry.uuid in joined else spoken
    for block in blocks:
        if not isinstance(block, dict):
            continue
        kind = block.get("type")
        if is_call(kind):
            name, call = str(block.get("name")), str(block.get("id"))
            tools[call] = name
            yield Told("call", position, _given(block.get("input")), name, call)
        elif is_result(kind):
            call = str(block.get("tool_use_id"))
            yield Told("result", position, _text(block.get("content")), tools.get(call), call)
        elif kind == "thinking":
            yield Told("thinking", position, str(block.get("thinking") or ""))
        elif text := _text([block]):
            yield Told(spoken, position, text)


def first_words(content: object) -> str:
    """The first text of a message's content; nothing where it has none."""
    blocks = content if isinstance(content, list) else [{"text": content}]
    texts = (each.get("text") for each in blocks if isinstance(each, dict))
    return next((text for text in texts if isinstance(text, str)), "")


def _text(content: Any) -> str:
    """The text of some content; what is no text is named."""
    if isinstance(content, str):
        return content
    found: list[str] = []
    for block in [content] if isinstance(content, Mapping) else content if isinstance(content, list) else ():
        if isinstance(block, Mapping):
            texts = [text for key in TEXTS if isinstance(text := block.get(key), str)]
            found += texts or [MEDIA.get(str(block.get("type")), "")]
    return "\n".join(filter(None, found))


def _given(value: object) -> str:
    """What a tool is given, as text."""
    return json.dumps(value, ensure_ascii=False, indent=2)
