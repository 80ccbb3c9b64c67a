"""What of a conversation could be trimmed: the parts of its messages, and those that are of no more use: copies, readings of
files that were changed or read again later, and data of images."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from forkpoint.clients.claude.faces import Piece
from forkpoint.clients.claude.tools import CHANGES
from forkpoint.clients.kinds import SPOKEN
from forkpoint.clients.lines import read_keys
from forkpoint.core.entries import Id, Kind, Use
from forkpoint.transcript.query.overlays import Shown, conversation
from forkpoint.transcript.query.tokens import Rate

RESULTS: Final = "results"
INPUTS: Final = "inputs"
IMAGES: Final = "images"
THINKING: Final = "thinking"
TEXTS: Final = "texts"
KINDS: Final = (RESULTS, INPUTS, IMAGES, THINKING, TEXTS)
"""The kinds of parts that can be trimmed."""
DUPLICATE: Final = "duplicate"
SUPERSEDED: Final = "superseded"
BASE64: Final = "base64"
REASONS: Final = (DUPLICATE, SUPERSEDED, BASE64)
"""Why a part is of no more use: the same result stands later, its file was changed or read again later, it is data of an
image."""
READS: Final = {"Read": "file_path", "NotebookRead": "notebook_path"}
_PATHS: Final = {**CHANGES, **READS}
"""Under which key of its input a tool that reads or changes one file has the path."""
LEAST: Final = 400
"""So many characters a part has at least that is worth a suggestion."""


class Part(NamedTuple):
    """A part of a message, as the conversation is seen."""

    position: int
    """Of its entry, in the session as written."""
    uuid: str
    block: int
    inner: int | None
    kind: str
    what: str
    """The tool, or the type of the block."""
    characters: int
    tokens: int
    """An estimate of what is sent of it."""
    call: Id | None = None
    """Of a result and of an input, the id of its call."""
    digest: int = 0
    """Of a result: equal for equal texts."""

    def piece(self, text: str) -> Piece:
        """The part, with a text in its place."""
        return Piece(self.block, self.inner, text)


class Suggestion(NamedTuple):
    """A part that is of no more use, why, and what comes later in its place, in words."""

    part: Part
    reason: str
    because: str


class _Block(msgspec.Struct, gc=False):
    type: object = None
    id: object = None
    name: object = None
    tool_use_id: object = None
    text: msgspec.Raw = msgspec.Raw()
    thinking: msgspec.Raw = msgspec.Raw()
    signature: msgspec.Raw = msgspec.Raw()
    data: msgspec.Raw = msgspec.Raw()
    input: msgspec.Raw = msgspec.Raw()
    content: msgspec.Raw = msgspec.Raw()
    source: msgspec.Raw = msgspec.Raw()


class _Message(msgspec.Struct, gc=False):
    id: object = None
    content: msgspec.Raw = msgspec.Raw()


class _Line(msgspec.Struct, gc=False):
    message: _Message | None = None


_line = msgspec.json.Decoder(_Line).decode
_blocks = msgspec.json.Decoder(list[_Block]).decode
_named = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_text = msgspec.json.Decoder(str).decode
_FAILS: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def parts(shown: Shown) -> list[Part]:
    """The parts of the conversation that is seen, in order. Reads its lines. O(bytes).

    Thinking counts where its message says something else as well: clients leave out a message of nothing but thinking, and a
    text in its place would be sent.
    """
    if shown.position is None:
        return []
    found: list[tuple[object, Part]] = []
    seen, log = shown.transcript, shown.source.log
    tools: dict[Id, str] = {}
    sent: set[object] = set()
    for member in conversation(seen, shown.position):
        uuid = seen.log.spine.uuids[member]
        if uuid in log and seen.log[member].kind in SPOKEN:
            line = read_keys(_line, seen.line(seen.span(member)), "message")
            message = (line.message if line is not None else None) or _Message()
            of = message.id if isinstance(message.id, str) else uuid
            for part in _parts(message, log.position(uuid), str(uuid), seen.log[member].kind is Kind.USER, tools):
                found.append((of, part))
                if part.kind != THINKING:
                    sent.add(of)
    return [part for of, part in found if part.kind != THINKING or of in sent]


def _parts(message: _Message, position: int, uuid: str, of_user: bool, tools: dict[Id, str]) -> Iterator[Part]:
    content = bytes(message.content)
    if content[:1] == b'"':
        if not of_user:
            yield _part(position, uuid, 0, None, TEXTS, "text", content)
        return
    try:
        blocks = _blocks(content)
    except _FAILS:
        return
    for number, block in enumerate(blocks):
        kind = block.type
        if kind == "tool_use" and isinstance(block.id, str):
            tools[block.id] = str(block.name)
            yield _part(position, uuid, number, None, INPUTS, str(block.name), bytes(block.input), block.id)
        elif kind == "tool_result" and isinstance(block.tool_use_id, str):
            yield from _result(position, uuid, number, bytes(block.content), block.tool_use_id, tools)
        elif kind in ("image", "document"):
            yield _part(position, uuid, number, None, IMAGES, str(kind), bytes(block.source))
        elif kind in ("thinking", "redacted_thinking"):
            yield _part(
                position,
                uuid,
                number,
                None,
                THINKING,
                str(kind),
                bytes(block.thinking) + bytes(block.signature) + bytes(block.data),
            )
        elif kind == "text" and not of_user:
            yield _part(position, uuid, number, None, TEXTS, "text", bytes(block.text))


def _result(position: int, uuid: str, number: int, content: bytes, call: Id, tools: Mapping[Id, str]) -> Iterator[Part]:
    what = tools.get(call, "a tool")
    images = 0
    if b'"image"' in content or b'"document"' in content:
        try:
            inner = _blocks(content)
        except _FAILS:
            inner = []
        for at, block in enumerate(inner):
            if block.type in ("image", "document"):
                images += len(bytes(block.source))
                yield _part(position, uuid, number, at, IMAGES, f"{block.type} of {what}", bytes(block.source), call)
    if len(content) - images > LEAST or not images:
        yield _part(position, uuid, number, None, RESULTS, what, content, call)._replace(characters=len(content) - images)


def _part(
    position: int, uuid: str, block: int, inner: int | None, kind: str, what: str, raw: bytes, call: Id | None = None
) -> Part:
    image = kind == IMAGES
    tokens = IMAGE if image else Rate().tokens(len(raw))
    return Part(position, uuid, block, inner, kind, what, len(raw), tokens, call, hash(raw) if kind == RESULTS else 0)


IMAGE: Final = 1500
"""So many tokens an image counts for, roughly: an image of a million pixels."""


def suggestions(shown: Shown) -> list[Suggestion]:
    """The parts that are of no more use, the largest first. O(bytes)."""
    every = parts(shown)
    inputs = _inputs(shown, every)
    last_of: dict[int, Part] = {}
    changed: dict[str, Part] = {}
    found: list[Suggestion] = []
    for part in reversed(every):
        path = inputs.get(part.call or "") if part.kind in (RESULTS, INPUTS) else None
        if part.kind == IMAGES:
            found.append(Suggestion(part, BASE64, f"the data of {part.what}"))
        elif part.kind == RESULTS and part.characters >= LEAST:
            later = last_of.get(part.digest)
            behind = changed.get(path or "") if part.what in READS else None
            if later is not None:
                found.append(Suggestion(part, DUPLICATE, f"the same stands on line {shown.source.span(later.position).number}"))
            elif behind is not None:
                found.append(
                    Suggestion(
                        part, SUPERSEDED, f"its file was touched later, on line {shown.source.span(behind.position).number}"
                    )
                )
        if part.kind == RESULTS:
            last_of.setdefault(part.digest, part)
            if path is not None and part.what in _PATHS:
                changed.setdefault(path, part)
    return sorted(found, key=lambda one: -one.part.tokens)


def _inputs(shown: Shown, every: Iterable[Part]) -> dict[Id, str]:
    """Of each call that reads a whole file or changes one the path."""
    found: dict[Id, str] = {}
    for part in every:
        if part.kind != INPUTS or part.call is None or part.what not in _PATHS:
            continue
        line = read_keys(_line, shown.source.line(shown.source.span(part.position)), "message")
        try:
            block = _blocks(bytes(line.message.content))[part.block] if line is not None and line.message is not None else None
            given = _named(bytes(block.input)) if block is not None else {}
            path = _text(bytes(given[_PATHS[part.what]]))
        except (*_FAILS, KeyError, IndexError):
            continue
        if part.what in CHANGES or not {"offset", "limit"} & given.keys():
            found[part.call] = path
    return found


def steps_of_no_use(shown: Shown, listed: Sequence[Sequence[int]], found: Sequence[Suggestion]) -> list[int]:
    """The steps, by their places in a list of positions, whose calls only read, and all of whose results are of no more use."""
    stale = {one.part.position for one in found if one.reason in (DUPLICATE, SUPERSEDED)}
    log = shown.source.log
    chosen: list[int] = []
    for place, positions in enumerate(listed):
        results = [at for at in positions if log[at].kind is Kind.USER]
        calls = any(isinstance(block, Use) for at in positions for block in log[at].blocks)
        if calls and results and all(at in stale for at in results):
            chosen.append(place)
    return chosen
