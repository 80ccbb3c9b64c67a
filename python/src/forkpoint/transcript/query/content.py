"""What an entry adds to a conversation, part by part: prompts, answers, calls and results by tool, and what the API counted.

Only what a client sends is here. Keys of the line beside it (``toolUseResult``, the envelope) are in the file and in no
conversation.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Final, NamedTuple

import msgspec

from forkpoint.clients.claude.keys import NAMES
from forkpoint.clients.claude.lines import NOT_SENT
from forkpoint.clients.lines import read_keys
from forkpoint.core.entries import Id, Kind
from forkpoint.transcript.format.reader import Transcript

PROMPTS: Final = "prompts"
ANSWERS: Final = "answers"
THINKING: Final = "thinking"
CALLS: Final = "calls"
RESULTS: Final = "results"
ATTACHMENTS: Final = "attachments"
SYSTEM: Final = "system"
"""Text of user entries that no user wrote: notices, the output of commands, the summary of a compaction."""
OTHER: Final = "other"
"""Blocks of types that are none of these."""
KINDS: Final = (PROMPTS, ANSWERS, THINKING, CALLS, RESULTS, ATTACHMENTS, SYSTEM, OTHER)
UNKNOWN: Final = "(unknown)"
"""The tool of a result whose call is not in the conversation, or of a call without a name."""


class Part(NamedTuple):
    """A part of what an entry says."""

    kind: str
    """One of :data:`KINDS`."""
    name: str
    """The tool of a call, the type of an attachment or of another block; else empty."""
    size: int
    """Bytes, as JSON in the file, without the data of images and documents and without signatures."""
    weight: int
    """The bytes that count for an estimate of tokens: the size, but of thinking with a signature what the signature tells."""
    call: str = ""
    """The tool use id of a call or a result."""
    media: int = 0
    """How many images and documents it holds."""


class Usage(NamedTuple):
    """What the API counted of a request and its answer, in tokens."""

    fresh: int
    """Sent and neither read from the cache nor written to it."""
    written: int
    """Sent and written to the cache."""
    read: int
    """Sent and read from the cache."""
    output: int
    """The answer, thinking included. Some clients write it before the answer is whole."""
    hour: int = 0
    """Of what was written to the cache, what lives there for an hour and not for minutes."""

    @property
    def sent(self) -> int:
        """All that was sent: the conversation before the answer, and what the client adds."""
        return self.fresh + self.written + self.read


class Beside(NamedTuple):
    """What a request used that is no part of what is counted of its answer, and has another price."""

    how: str
    """:data:`SEARCHES`, or the kind of a step that the API took on the way: :data:`ADVISOR`, :data:`COMPACTION`, or another."""
    model: str | None
    """The model of the step; None where it is that of the request."""
    requests: int
    usage: Usage


FAST: Final = "fast"
SEARCHES: Final = "web searches"
ADVISOR: Final = "advisor"
COMPACTION: Final = "compaction"
OTHER_STEP: Final = "another step"
STEPS: Final = {"advisor_message": ADVISOR, "compaction": COMPACTION}
"""The steps on the way to an answer (``usage.iterations``) that what is counted of the answer does not hold, by their types."""
ANSWER_STEP: Final = "message"
"""The type of those that it holds."""


class Said(NamedTuple):
    """What an entry says, the model that answered, and what the API counted where the line says so; whether the answer was a fast
    one, and what the request used beside."""

    parts: tuple[Part, ...]
    model: str | None = None
    usage: Usage | None = None
    fast: bool = False
    beside: tuple[Beside, ...] = ()


class _Lives(msgspec.Struct, gc=False):
    ephemeral_1h_input_tokens: object = None


class _Usage(msgspec.Struct, gc=False):
    input_tokens: object = None
    cache_creation_input_tokens: object = None
    cache_read_input_tokens: object = None
    output_tokens: object = None
    cache_creation: msgspec.Raw = msgspec.Raw()
    speed: object = None
    server_tool_use: msgspec.Raw = msgspec.Raw()
    iterations: msgspec.Raw = msgspec.Raw()


class _Searched(msgspec.Struct, gc=False):
    web_search_requests: object = None


class _Step(_Usage, gc=False):
    type: object = None
    model: object = None


class _Message(msgspec.Struct, gc=False):
    content: msgspec.Raw = msgspec.Raw()
    model: object = None
    usage: _Usage | None = None


class _Line(msgspec.Struct, gc=False):
    message: _Message | None = None
    attachment: msgspec.Raw = msgspec.Raw()


class _Request(msgspec.Struct, rename=NAMES):
    request_id: object = None


_request = msgspec.json.Decoder(_Request).decode


def request_of(line: bytes) -> str:
    """The id of the request that a line answers; empty where it names none."""
    found = read_keys(_request, line, *_Request.__struct_encode_fields__)
    return found.request_id if found is not None and isinstance(found.request_id, str) else ""


class _BareMessage(msgspec.Struct):
    content: msgspec.Raw = msgspec.Raw()


class _BareLine(msgspec.Struct):
    """A line with a ``usage`` of another shape than the API's."""

    message: _BareMessage | None = None


class _Data(msgspec.Struct):
    data: msgspec.Raw = msgspec.Raw()


class _Block(msgspec.Struct, gc=False):
    type: object = None
    id: object = None
    name: object = None
    tool_use_id: object = None
    signature: msgspec.Raw = msgspec.Raw()
    source: msgspec.Raw = msgspec.Raw()
    content: msgspec.Raw = msgspec.Raw()


class _Attachment(msgspec.Struct):
    type: object = None


_line = msgspec.json.Decoder(_Line).decode
_lives = msgspec.json.Decoder(_Lives).decode
_searched = msgspec.json.Decoder(_Searched).decode
_step = msgspec.json.Decoder(_Step).decode
_bare = msgspec.json.Decoder(_BareLine).decode
_blocks = msgspec.json.Decoder(list[_Block]).decode
_values = msgspec.json.Decoder(list[msgspec.Raw]).decode
_data = msgspec.json.Decoder(_Data).decode
_attachment = msgspec.json.Decoder(_Attachment).decode
_FAILS: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_NOTHING: Final = Said(())


def said(transcript: Transcript, position: int, *, prompt: bool) -> Said:
    """What the entry at a position says; ``prompt`` tells whether it is one of the user's prompts. Reads the line; content that
    cannot be taken apart counts as a block of type ``(unknown)``. O(length)."""
    return read(transcript.line(transcript.span(position)), transcript.log[position].kind, prompt=prompt)


def calls(transcript: Transcript, position: int) -> dict[Id, str]:
    """The tool calls of an entry: the name of the tool by the id of the use. Reads the line of an assistant's entry."""
    if transcript.log[position].kind is not Kind.ASSISTANT:
        return {}
    parts = said(transcript, position, prompt=False).parts
    return {part.call: part.name for part in parts if part.kind == CALLS and part.call}


def read(line: bytes, kind: Kind, *, prompt: bool) -> Said:
    """:func:`said` of a line."""
    if kind is not Kind.USER and kind is not Kind.ASSISTANT and kind is not Kind.ATTACHMENT:
        return _NOTHING
    try:
        found: _Line | _BareLine | None = _line(line)
    except _FAILS:
        found = read_keys(_line, line, "message", "attachment") or read_keys(_bare, line, "message")
    if found is None:
        return _NOTHING
    if kind is Kind.ATTACHMENT:
        return Said(_attached(bytes(found.attachment))) if isinstance(found, _Line) else _NOTHING
    message = found.message
    if message is None:
        return _NOTHING
    if kind is Kind.USER:
        return Said(_content(bytes(message.content), PROMPTS if prompt else SYSTEM))
    parts = _content(bytes(message.content), ANSWERS)
    if isinstance(message, _BareMessage):
        return Said(parts)
    used = message.usage
    if used is None:
        return Said(parts, _text(message.model) or None)
    return Said(parts, _text(message.model) or None, _counted(used), used.speed == FAST, (*_searches(used), *_steps(used)))


def _attached(raw: bytes) -> tuple[Part, ...]:
    if not raw:
        return ()
    try:
        name = _text(_attachment(raw).type)
    except _FAILS:
        name = ""
    return () if name in NOT_SENT else (Part(ATTACHMENTS, name or UNKNOWN, len(raw), len(raw)),)


def _content(raw: bytes, text: str) -> tuple[Part, ...]:
    if raw[:1] != b"[":
        return (Part(text, "", len(raw), len(raw)),) if raw[:1] == b'"' else ()
    try:
        blocks = _blocks(raw)
        if len(blocks) == 1:
            return (_part(blocks[0], len(raw[1:-1].strip()), text),)  # the most frequent case, without a second decoding
        return tuple(_part(block, len(bytes(value)), text) for block, value in zip(blocks, _values(raw), strict=True))
    except _FAILS:
        return (Part(OTHER, UNKNOWN, len(raw), len(raw)),)


def _part(block: _Block, size: int, text: str) -> Part:
    if block.type == "text":
        return Part(text, "", size, size)
    if block.type == "tool_use":
        return Part(CALLS, _text(block.name) or UNKNOWN, size, size, _text(block.id))
    if block.type == "tool_result":
        data, media = _inner_data(bytes(block.content))
        return Part(RESULTS, "", size - data, size - data, _text(block.tool_use_id), media)
    if block.type == "thinking":
        signature = len(bytes(block.signature))
        rest = size - signature
        return Part(THINKING, "", rest, signature * 3 // 4 if signature > 2 else rest)  # Base64: three bytes in four
    data = _data_of(block)
    if data:
        return Part(text, "", size - data, size - data, media=1)
    return Part(OTHER, _text(block.type) or UNKNOWN, size, size)


def _data_of(block: _Block) -> int:
    """How many bytes of data an image or a document holds."""
    source = bytes(block.source)
    if source[:1] != b"{":
        return 0
    try:
        return len(bytes(_data(source).data))
    except _FAILS:
        return 0


def _inner_data(content: bytes) -> tuple[int, int]:
    """How many bytes of data the images and documents in a tool's result hold, and how many these are."""
    if content[:1] != b"[" or b'"data"' not in content:
        return 0, 0
    try:
        found = [data for data in map(_data_of, _blocks(content)) if data]
    except _FAILS:
        return 0, 0
    return sum(found), len(found)


def _counted(found: _Usage) -> Usage | None:
    """What the API counted; None where it says that nothing was sent, as of what a client answers by itself."""
    usage = _usage(found)
    return usage if usage.sent else None


def _usage(found: _Usage) -> Usage:
    return Usage(
        _number(found.input_tokens),
        _number(found.cache_creation_input_tokens),
        _number(found.cache_read_input_tokens),
        _number(found.output_tokens),
        _hour(bytes(found.cache_creation)),
    )


def _searches(found: _Usage) -> Iterator[Beside]:
    """The searches of the web that the API did for an answer."""
    raw = bytes(found.server_tool_use)
    if b"web_search_requests" not in raw:
        return
    with contextlib.suppress(*_FAILS):
        if number := _number(_searched(raw).web_search_requests):
            yield Beside(SEARCHES, None, number, Usage(0, 0, 0, 0))


def _steps(found: _Usage) -> Iterator[Beside]:
    """The steps on the way to an answer that are none of its own."""
    raw = bytes(found.iterations)
    if raw[:1] != b"[":
        return
    try:
        each = _values(raw)
    except _FAILS:
        return
    for value in each:
        with contextlib.suppress(*_FAILS):
            step = _step(value)
            usage = _usage(step)
            if isinstance(step.type, str) and step.type != ANSWER_STEP and (usage.sent or usage.output):
                yield Beside(STEPS.get(step.type, OTHER_STEP), _text(step.model) or None, 1, usage)


def _hour(raw: bytes) -> int:
    """How much of what was written to the cache lives for an hour; nothing where that cannot be read."""
    if b"_1h_" not in raw:
        return 0
    try:
        return _number(_lives(raw).ephemeral_1h_input_tokens)
    except _FAILS:
        return 0


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


MOST: Final = 10**15
"""A larger count of tokens is none."""


def _number(value: object) -> int:
    return value if type(value) is int and 0 < value <= MOST else 0
