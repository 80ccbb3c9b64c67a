"""Lines of Claude Code to entries: the first :class:`~forkpoint.clients.codec.Codec`.

A line is decoded once, into what the reader uses of it. Unknown keys, types and blocks pass. A line that is not as a client
writes it is looked into with care: what is wrong with it is said, or what can be read is read.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from forkpoint.clients import jsontext
from forkpoint.clients.claude.blocks import CALL, RESULT
from forkpoint.clients.claude.keys import NAMES
from forkpoint.clients.claude.lines import SLUG
from forkpoint.clients.codec import ONE_OPAQUE, Parsed
from forkpoint.clients.lines import Chunk, look_into, read_keys, text, values
from forkpoint.core import splice
from forkpoint.core.entries import OPAQUE, Block, Id, Kind, Result, Use

KINDS: Final[Mapping[str | None, Kind]] = {kind.value: kind for kind in Kind}
"""The kind of an entry by the ``type`` of its line; any other type is :attr:`Kind.OTHER`."""


class LineBlock(msgspec.Struct, gc=False):
    """What the reader uses of a content block."""

    type: str | None = None
    id: str | None = None
    tool_use_id: str | None = None


class LineMessage(msgspec.Struct, gc=False):
    """What the reader uses of ``message``."""

    id: str | None = None
    content: str | list[LineBlock] | None = None
    stop_reason: str | None = None


class DecodedLine(msgspec.Struct, gc=False, rename=NAMES):
    """What the reader uses of a line."""

    type: str | None = None
    uuid: str | None = None
    parent: str | None = None
    logical_parent: str | None = None
    sidechain: bool | None = None
    meta: bool | None = None
    version: str | None = None
    caller: str | None = None
    """The entry that made the call of which this is the result, where the client names one."""
    message: LineMessage | None = None


class OddLine(DecodedLine):
    """A line with values of other types than clients write; those are left out."""

    odd_parent: bool = False
    """Whether its parent is one of them."""


decode: Final = msgspec.json.Decoder(DecodedLine).decode
"""A line as clients write it; raises :class:`msgspec.DecodeError` otherwise. Strings that it skips are not looked into."""
_UNREADABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def read_line(raw: bytes, *, last: bool) -> DecodedLine | str:
    """What the reader uses of a line, or the reason why the line is damaged.

    ``last`` says that no newline ends the line, so that an unfinished object is a torn tail. Of a line without a uuid
    nothing but that is looked at; unknown keys, types and blocks pass.
    """
    try:
        line = decode(raw)
        raw.decode()  # the decoder does not look into the strings that it skips
        return line
    except _UNREADABLE:
        return _read_carefully(raw, last=last)


def _read_carefully(raw: bytes, *, last: bool) -> DecodedLine | str:
    """The slow way, for lines that are not as clients write them: tells what is wrong, or reads what can be read."""
    found = look_into(raw, last=last)
    if isinstance(found, str):
        return found
    held = values(raw, found)
    line = OddLine()
    for name in ("type", "parent", "logical_parent", "version"):
        setattr(line, name, text(held.get(NAMES.get(name, name))))
    for name in ("sidechain", "meta"):
        setattr(line, name, held.get(NAMES[name]) == b"true")
    if held.get(NAMES["caller"], b"null") != b"null":
        line.caller = text(held[NAMES["caller"]]) or ""
    line.odd_parent = line.parent is None and held.get(NAMES["parent"], b"null") != b"null"
    if held.get("uuid", b"null") == b"null":
        return line
    line.uuid = text(held["uuid"])
    if line.uuid is None:
        return "has a uuid that is not a string"
    if line.type in ("user", "assistant"):
        message = _message(held.get("message", b"null"), named=line.type == "assistant")
        if isinstance(message, str):
            return message
        line.message = message
    return line


def _message(raw: bytes, *, named: bool) -> LineMessage | str | None:
    found = splice.scan(raw)
    if found is None:
        return None if raw == b"null" else "has a message that is not an object"
    held = values(raw, found)
    message = LineMessage(text(held.get("id")), stop_reason=text(held.get("stop_reason")))
    if named and message.id is None and held.get("id", b"null") != b"null":
        return "has a message.id that is not a string"
    content = held.get("content", b"null")
    if content == b"null":
        return message
    message.content = text(content)
    if message.content is not None:
        return message
    if not content.startswith(b"["):
        return "has a message.content that is neither text nor a list"
    message.content = []
    for piece in jsontext.array_values(content):
        inner = splice.scan(piece)
        if inner is None:
            return "has a block in message.content that is not an object"
        parts = values(piece, inner)
        message.content.append(LineBlock(*(text(parts.get(key)) for key in LineBlock.__struct_fields__)))
    return message


class Nameless(ValueError):
    """A tool call or result without an id."""


class Speech(NamedTuple):
    """Of each entry its blocks, the API message of an assistant's, and whether it is a prompt."""

    blocks: list[tuple[Block, ...]]
    messages: list[Id | None]
    prompt: bytearray


def speech(lines: Sequence[DecodedLine], kinds: Sequence[Kind]) -> Speech:
    """What entries say; raises :class:`Nameless`. O(blocks)."""
    every: list[tuple[Block, ...]] = []
    messages: list[Id | None] = []
    prompt = bytearray(len(lines))
    user, assistant = Kind.USER, Kind.ASSISTANT
    for at, (line, kind) in enumerate(zip(lines, kinds, strict=True)):
        message = line.message
        blocks: tuple[Block, ...] = ()
        name = None
        if kind is user or kind is assistant:
            if message is not None:
                content = message.content
                if type(content) is list:
                    blocks = (_block(content[0]),) if len(content) == 1 else tuple(map(_block, content))
                elif content is not None:
                    blocks = ONE_OPAQUE
                if kind is assistant:
                    name = message.id
            if kind is user and not line.sidechain and not line.meta:
                prompt[at] = not blocks or {type(block) for block in blocks} != {Result}
        every.append(blocks)
        messages.append(name)
    return Speech(every, messages, prompt)


def _is_call(block: Block) -> bool:
    return isinstance(block, Use)


def _block(block: LineBlock) -> Block:
    kind = block.type
    if kind == CALL:
        if block.id is None:
            raise Nameless("has a tool_use whose id is not a string")
        return Use(block.id)
    if kind == RESULT:
        if block.tool_use_id is None:
            raise Nameless("has a tool_result whose tool_use_id is not a string")
        return Result(block.tool_use_id)
    return OPAQUE


def _decode(chunk: Chunk) -> list[DecodedLine | str | None]:
    """What the reader uses of each line; the reason why it is damaged; nothing of a blank line."""
    try:
        lines: list[DecodedLine | str | None] = list(map(decode, chunk.lines))
        if not all(map(bytes.isascii, chunk.lines)):
            deque(map(bytes.decode, chunk.lines), maxlen=0)  # the decoder does not look into the strings that it skips
        return lines
    except _UNREADABLE:
        last = len(chunk.lines) - 1
        return [
            read_line(raw, last=place == last and not chunk.complete) if raw and not raw.isspace() else None
            for place, raw in enumerate(chunk.lines)
        ]


def _enter(parsed: Parsed, lines: list[DecodedLine], numbers: list[int]) -> None:
    """Enters entries where there are none, or raises :class:`Nameless` and changes nothing."""
    kinds = [KINDS.get(line.type, Kind.OTHER) for line in lines]
    blocks, messages, prompt = speech(lines, kinds)
    for position, line in enumerate(lines):
        caller = line.caller
        if caller is not None and caller != line.parent:
            parsed.callers[position] = caller
        if line.logical_parent is not None:
            parsed.logical[position] = line.logical_parent
        message = line.message
        if message is not None and message.stop_reason == CALL and not any(map(_is_call, blocks[position])):
            parsed.asking.append(position)
    parsed.bad_parents = [at for at, line in enumerate(lines) if type(line) is OddLine and line.odd_parent]
    parsed.numbers, parsed.kinds, parsed.blocks, parsed.messages = numbers, kinds, blocks, messages
    parsed.uuids = [line.uuid for line in lines]
    parsed.parents = [line.parent for line in lines]
    parsed.versions = [line.version for line in lines]
    parsed.sidechain = bytes([line.sidechain is True for line in lines])
    parsed.prompt = bytes(prompt)


class _SpokenBlock(msgspec.Struct):
    type: object = None
    text: object = None


class _SpokenMessage(msgspec.Struct):
    content: str | list[_SpokenBlock] | None = None


class _SpokenLine(msgspec.Struct):
    message: _SpokenMessage | None = None


_decode_spoken = msgspec.json.Decoder(_SpokenLine).decode


_SLUG_KEY: Final = f'"{SLUG}"'.encode()


def _members(line: bytes) -> list[tuple[bytes, bytes]]:
    scanned = splice.scan(line)
    members = scanned.members if scanned else ()
    return [(line[one.key_start : one.key_end], line[one.value_start : one.value_end]) for one in members]


class Claude:
    """The format of Claude Code's transcripts."""

    name: Final = "claude"

    def parse(self, chunk: Chunk) -> Parsed:
        """See :meth:`forkpoint.clients.codec.Codec.parse`."""
        found = Parsed()
        entries: list[DecodedLine] = []
        numbers: list[int] = []
        for place, line in enumerate(_decode(chunk)):
            if line is None:
                continue
            if isinstance(line, str):
                found.damage.append((place, line))
            elif line.uuid is None:
                found.sidecars.append((place, line.type))
            else:
                entries.append(line)
                numbers.append(chunk.number + place)
        try:
            _enter(found, entries, numbers)
        except Nameless:
            named: list[tuple[DecodedLine, int]] = []
            for line, number in zip(entries, numbers, strict=True):
                try:
                    speech([line], [KINDS.get(line.type, Kind.OTHER)])
                    named.append((line, number))
                except Nameless as error:
                    found.damage.append((number - chunk.number, str(error)))
            found.damage.sort()
            _enter(found, [line for line, _ in named], [number for _, number in named])
        return found

    def repeats(self, first: bytes, second: bytes) -> bool:
        """See :meth:`forkpoint.clients.codec.Codec.repeats`. The two may differ in the name of the plan."""
        one, two = _members(first), _members(second)
        rest = [[member for member in each if member[0] != _SLUG_KEY] for each in (one, two)]
        return one != two and rest[0] == rest[1]

    def prompt_text(self, line: bytes) -> str:
        """See :meth:`forkpoint.clients.codec.Codec.prompt_text`."""
        said = read_keys(_decode_spoken, line, "message")
        message = said.message if said is not None else None  # None: odd beyond what a person wrote
        if message is None or message.content is None:
            return ""
        if isinstance(message.content, str):
            return message.content
        return " ".join(block.text for block in message.content if block.type == "text" and isinstance(block.text, str))


CLAUDE: Final = Claude()
