"""What the Messages API refuses of a conversation whose tree is sound. Each request from there on fails in the same way.

Clients mend some of it before they send: thinking without a signature, empty texts of the assistant's, results out of place. Only
what they send as it is, or refuse themselves, is found here (measured, spec/repair.md).
"""

from __future__ import annotations

import base64
import contextlib
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from forkpoint.clients.claude.blocks import CALL, RESULT, SERVER_CALLS, is_server_result
from forkpoint.clients.claude.keys import API_ERROR, API_STATUS
from forkpoint.clients.claude.lines import LOCAL_COMMAND, SILENT
from forkpoint.clients.kinds import SPOKEN
from forkpoint.core import rendering
from forkpoint.core.contexts import member_positions
from forkpoint.core.entries import Kind
from forkpoint.transcript.format.compaction import preserved
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query.reading import first_words
from forkpoint.transcript.repair.doctor import Finding

API: Final = "API"
"""What stands in the place of a property."""
MOST_BYTES: Final = 5 << 20
"""So many bytes of base64 an image may have."""
MOST_PIXELS: Final = 8000
"""So many pixels a side of an image may have."""
MANY, MOST_PIXELS_OF_MANY = 20, 2000
"""Where a request has more images than this, a side may have only so many pixels."""
TYPES: Final = {
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
    "image/png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "image/gif": re.compile(rb"GIF8[79]a"),
    "image/webp": re.compile(rb"RIFF.{4}WEBP", re.DOTALL),
}
"""The types that the API takes, and how their bytes begin: it looks at them, whatever type is said."""
_BASE64: Final = re.compile(r"[A-Za-z0-9+/]*={0,2}")
NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,128}")
ID: Final = re.compile(r"[A-Za-z0-9_-]+")
MEDIA: Final = ("image", "document")
"""The kinds of blocks that are no text and may stand in a result."""
PDF, PDF_BEGINS, PDF_WITHIN = "application/pdf", b"%PDF-", 1368
"""The one type of documents in base64, how such a document begins, and in how many characters of base64: readers look for it in
the first kilobyte."""
HEADER: Final = 1 << 16
"""Characters of an image in which its sides are looked for first: most often that is enough."""


class Wrong(NamedTuple):
    """What is wrong with a block, why, and the commands that make a session without it."""

    kind: str
    message: str
    cause: str
    cure: str
    inner: int | None = None
    """Of a result the block in it."""


class RefusedPart(NamedTuple):
    """A block that the API refuses: the entry, the block's number, of a result the number in it; what is wrong; whether a text
    in its place is enough, or its step has to go; and, where a compaction keeps it from being sent, the line of that."""

    uuid: str
    block: int
    inner: int | None
    wrong: Wrong
    trim: bool
    before: int | None = None
    aside: bool = False
    """Whether it stands above a compaction, so that no record at the entry can cover it."""

    @property
    def words(self) -> str:
        """The text that stands in its place."""
        return f"[left out here: {self.wrong.message}]"


def places(transcript: Transcript, position: int | None) -> list[RefusedPart]:
    """What the API refuses of the conversation at an entry: first of what is sent there, in the order in which it is sent, then
    of what was sent before each compaction above it, the last one first. Reads the lines of it. O(bytes)."""
    found: list[RefusedPart] = []
    known: set[tuple[str, int, int | None]] = set()
    inside = set() if position is None else set(member_positions(transcript.log, transcript.log.spine.uuids[position]))
    for number, sent in views(transcript, position):
        for one in _refused(transcript, sent):
            place = one.uuid, one.block, one.inner
            if place not in known:
                found.append(one._replace(before=number, aside=transcript.log.position(one.uuid) not in inside))
            known.add(place)
    return found


def views(transcript: Transcript, position: int | None) -> Iterator[tuple[int | None, list[int]]]:
    """What is sent at an entry, and at the end of what each compaction above it stands for, each with the line of that
    compaction. O(entries)."""
    log, known = transcript.log, set[int]()
    number = None
    while position is not None:
        sent = rendering.rendered_positions(log, preserved(transcript), log.spine.uuids[position])
        yield number, sent
        known.update(sent)
        root = rendering.root_position(log, log.spine.uuids[position])
        above = log[root].logical_parent
        number = transcript.span(root).number
        position = log.position(above) if above is not None and above in log and log.position(above) not in known else None


def _refused(transcript: Transcript, sent: Sequence[int]) -> list[RefusedPart]:
    """What the API refuses of some entries that are sent one behind the other."""
    found: list[RefusedPart] = []
    images: list[tuple[int, RefusedPart]] = []
    apart = _Apart()
    for at in sent:
        kind, uuid = transcript.log[at].kind, str(transcript.log.spine.uuids[at])
        keys = transcript.keys(transcript.span(at))
        message = keys.get("message") if kind in SPOKEN else None
        content = message.get("content") if isinstance(message, dict) else None
        blocks = [each if isinstance(each, dict) else {} for each in content] if isinstance(content, list) else []
        apart.pass_by(kind, keys, blocks)
        for number, block in enumerate(blocks):
            rule = _TABLE.get(str(block.get("type")))
            if rule is not None and (kind is Kind.USER or not rule.of_user):
                found += [RefusedPart(uuid, number, one.inner, one, one.cure != _DROP) for one in rule.judge(block)]
            if kind is Kind.ASSISTANT:
                found += apart.part(uuid, number, transcript.messages[at] or uuid, transcript.span(at).number, block)
            images += [(len(found), RefusedPart(uuid, number, inner, wide, True)) for inner, wide in _images(block)]
    if len(images) > MANY:
        known = {(one.uuid, one.block, one.inner) for one in found}
        wide = [(at, one) for at, one in images if one.wrong.kind and (one.uuid, one.block, one.inner) not in known]
        for at, one in reversed(wide):
            found.insert(at, one)
    return found


class _Apart:
    """Finds the results of the API's own tools that are sent without their calls.

    A client joins the parts of a message only where nothing but other answers and results of tools stands between them, and
    sends a call only in one message with its result.
    """

    def __init__(self) -> None:
        self._breaks = 0
        self._last: tuple[int, str] = (0, "")
        self._calls: dict[str, tuple[str, int, object, int, str]] = {}

    def pass_by(self, kind: Kind, keys: Mapping[str, object], blocks: Sequence[Mapping[str, Any]]) -> None:
        """Takes notice of an entry: what is sent of the user's side, and is no result, ends the message before it."""
        if kind is Kind.ATTACHMENT:
            attachment = keys.get("attachment")
            ends = not isinstance(attachment, dict) or attachment.get("type") not in SILENT
        elif kind is Kind.SYSTEM:
            ends = keys.get("subtype") == LOCAL_COMMAND
        else:
            ends = kind is Kind.USER and not any(block.get("type") == RESULT for block in blocks)
        self._breaks += ends

    def part(self, uuid: str, number: int, message: object, line: int, block: Mapping[str, Any]) -> Iterator[RefusedPart]:
        """The blocks that have to go because of one, which is the result of a server's tool."""
        kind, of = block.get("type"), block.get("tool_use_id")
        if kind in SERVER_CALLS and isinstance(block.get("id"), str):
            self._calls[block["id"]] = (uuid, number, message, self._breaks, str(block.get("name")))
        elif is_server_result(kind) and isinstance(of, str):
            call = self._calls.get(of)
            if call is not None and call[2:4] == (message, self._breaks):
                return
            what = f"the result of {call[4] if call else 'a tool'} ({of}) is sent without its call"
            cause = "the client leaves out a call whose result is not in one message with it, and sends the result alone"
            if call is not None:
                why = "another entry stands between the two" if call[2] == message else "the two stand in different messages"
                wrong = Wrong(
                    "server-call", f"the call of {call[4]} ({of}) and its result, on line {line}, are apart", why, _PAIR
                )
                yield RefusedPart(call[0], call[1], None, wrong, True)
            yield RefusedPart(uuid, number, None, Wrong("server-result", what, cause, _PAIR), True)


def _images(block: Mapping[str, Any]) -> Iterator[tuple[int | None, Wrong]]:
    """The images of a block, each with the number in a result; what is wrong with it where there are many, else nothing."""
    content = block.get("content") if block.get("type") == RESULT else None
    numbered: list[tuple[int | None, Any]] = [(None, block), *enumerate(content if isinstance(content, list) else ())]
    for number, each in numbered:
        if not isinstance(each, dict) or each.get("type") != "image":
            continue
        source = each.get("source")
        data = source.get("data") if isinstance(source, dict) else None
        sides = _sides(data) if isinstance(data, str) else None
        wide = sides is not None and max(sides) > MOST_PIXELS_OF_MANY
        text = "an image has {} by {} pixels, and others are sent with it".format(*sides) if wide and sides else ""
        cause = f"with more than {MANY} images the API takes {MOST_PIXELS_OF_MANY} pixels a side"
        yield number, Wrong("image-many" if wide else "", text, cause, _IMAGES, number)


def refused(
    transcript: Transcript, parts: Sequence[RefusedPart], go_on: Callable[[int | None], str | None] = lambda _: None
) -> list[Finding]:
    """What is refused as findings, in line order. ``go_on`` gives the point at which one can go on before it: before what is
    refused at the entry, or, by its line, in what a compaction stands for."""
    found: list[Finding] = []
    for one in parts:
        point = go_on(one.before)
        cure = one.wrong.cure.replace("STEP", one.uuid)
        if one.aside:
            cure = _REPAIR if one.trim else "none: nothing stands for it"
        cure += f"; or `forkpoint fork FILE --at {point}` goes on before it" if point is not None else ""
        where = f"block {one.block}: {one.wrong.message}"
        line = transcript.span(transcript.log.position(one.uuid)).number
        loss = "every request from here on fails"
        if one.before is not None:
            loss = f"every request from a point between here and the compaction on line {one.before} fails; behind it none does"
        found.append(Finding(line, one.uuid, API, one.wrong.kind, where, one.wrong.cause, loss, cure))
    return sorted(found, key=lambda each: each.line)


class Answered(NamedTuple):
    """An error of the API on record behind which no answer stands."""

    position: int
    words: str
    refused: bool
    """Whether it says that the request is wrong, so that the same request fails again."""
    since: int
    """The prompt with which the first request that failed began."""


def recorded(transcript: Transcript, position: int | None) -> Answered | None:
    """The last error of the API that is on record behind the last answer at an entry; None where there is none. A client records
    one as an answer of its own. Reads lines from the end up to an answer."""
    if position is None:
        return None
    log, prompts = transcript.log, transcript.prompts
    last: tuple[int, Mapping[str, object]] | None = None
    since, begun = position, False
    for at in reversed(rendering.rendered_positions(log, preserved(transcript), log.spine.uuids[position])):
        if prompts[at]:
            since, begun = at, True
        elif transcript.kinds[at] is Kind.ASSISTANT:
            keys = transcript.keys(transcript.span(at))
            if keys.get(API_ERROR) is True:
                last, begun = last or (at, keys), False
            elif last is None or begun:
                break
    if last is None:
        return None
    at, keys = last
    message = keys.get("message")
    words = first_words(message.get("content") if isinstance(message, dict) else None)
    refused = keys.get(API_STATUS) in REFUSALS or keys.get("error") == "invalid_request" or words.startswith(_REFUSES)
    return Answered(at, words, refused, since)


REFUSALS: Final = (400, 413)
"""The states of an answer that say that the request is wrong, or too large."""
_REFUSES: Final = tuple(f"API Error: {status}" for status in REFUSALS)


def _text(block: Mapping[str, Any]) -> Iterator[Wrong]:
    if not str(block.get("text", "")).strip():
        yield Wrong("empty-text", "a text of the user's is empty", "nothing was said there", _DROP)


def _result(block: Mapping[str, Any]) -> Iterator[Wrong]:
    if isinstance(block.get("tool_use_id"), str) and not ID.fullmatch(block["tool_use_id"]):
        yield Wrong("tool-id", "the id of a result has other signs than letters, digits, _ and -", _MADE, _DROP)
    for number, inner in enumerate(block["content"] if isinstance(block.get("content"), list) else ()):
        if isinstance(inner, dict) and inner.get("type") == "text" and not str(inner.get("text", "")).strip():
            cure = _TRIM.format("--kind results --over 0")
            yield Wrong("empty-text", "a text in a result is empty", "the tool gave no text", cure, number)
        elif isinstance(inner, dict) and inner.get("type") in MEDIA:
            yield from (one._replace(inner=number) for one in _TABLE[inner["type"]].judge(inner))


def _document(block: Mapping[str, Any]) -> Iterator[Wrong]:
    source = block.get("source")
    if not isinstance(source, dict) or source.get("type") != "base64":
        return
    data, media = source.get("data"), source.get("media_type")
    if media != PDF:
        yield Wrong("document-type", f"a document is of the type {media}", f"in base64 the API takes {PDF} alone", _IMAGES)
    if not isinstance(data, str) or not data:
        yield Wrong("document-data", "a document has no data", _MADE, _IMAGES)
    elif media == PDF and PDF_BEGINS not in (_beginning(data, PDF_WITHIN) or b""):
        cause = "it does not begin as one: the client took a file by its name alone"
        yield Wrong("document-data", "a document's data is no PDF", cause, _IMAGES)


_DROP: Final = "`forkpoint drop FILE STEP` and `forkpoint export FILE` make a session without it"
_TRIM: Final = "`forkpoint trim FILE STEP {}` and `forkpoint export FILE` make a session without it"
_REPAIR: Final = "`forkpoint repair FILE` makes a session without it"
_PAIR: Final = "`forkpoint repair FILE` makes a session without the two"
_MADE: Final = "no client writes it so: another tool made the file, or a model made it up"


def _call(block: Mapping[str, Any]) -> Iterator[Wrong]:
    if not isinstance(block.get("input"), dict):
        yield Wrong("input", "the input of a call is no object", _MADE, _TRIM.format("--kind inputs --over 0"))
    if not isinstance(block.get("name"), str) or not NAME.fullmatch(block["name"]):
        yield Wrong("tool-name", "the name of a tool has other signs than letters, digits, _ and -, or over 128", _MADE, _DROP)
    if isinstance(block.get("id"), str) and not ID.fullmatch(block["id"]):
        yield Wrong("tool-id", "the id of a call has other signs than letters, digits, _ and -", _MADE, _DROP)


def _image(block: Mapping[str, Any]) -> Iterator[Wrong]:
    source = block.get("source")
    if not isinstance(source, dict) or source.get("type") != "base64":
        return
    data, media, cure = source.get("data"), source.get("media_type"), _IMAGES
    if media not in TYPES:
        yield Wrong("image-type", f"an image is of the type {media}", "it is none of jpeg, png, gif and webp", cure)
    if not isinstance(data, str) or not data:
        yield Wrong("image-data", "an image has no data", _MADE, cure)
        return
    beginning = _beginning(data)
    mine = next((each for each, begins in TYPES.items() if beginning is not None and begins.match(beginning)), None)
    if mine is None:
        yield Wrong(
            "image-data", "an image's data is no image", "it begins as none of jpeg, png, gif and webp, or is no base64", cure
        )
    elif media in TYPES and media != mine:
        yield Wrong("image-type", f"an image is said to be {media}, and is {mine}", "its bytes begin so", cure)
    if len(data) > MOST_BYTES:
        yield Wrong("image-large", f"an image has {len(data):,} bytes of base64", f"the API takes {MOST_BYTES:,}", cure)
    sides = _sides(data)
    if sides is not None and max(sides) > MOST_PIXELS:
        yield Wrong("image-wide", f"an image has {sides[0]} by {sides[1]} pixels", f"the API takes {MOST_PIXELS} a side", cure)


_IMAGES: Final = _TRIM.format("--kind images --over 0")


def _sides(data: str) -> tuple[int, int] | None:
    """The width and the height of an image, where its beginning tells them."""
    import imagesize  # few conversations hold an image

    for upto in (HEADER, MOST_BYTES):
        with contextlib.suppress(Exception):  # of what is no image, or ends too early, it raises many things
            width, height = imagesize.get(io.BytesIO(base64.b64decode(data[:upto], validate=True)))
            if width > 0 and height > 0:
                return width, height
        if len(data) <= upto:
            break
    return None


def _beginning(data: str, characters: int = 64) -> bytes | None:
    """The first bytes of data in base64; None of what is none."""
    if len(data) % 4 == 1 or not _BASE64.fullmatch(data):
        return None
    first = data[:characters]
    return base64.b64decode(first + "=" * (-len(first) % 4))


class _Rule(NamedTuple):
    """What the API asks of a kind of blocks."""

    judge: Callable[[Mapping[str, Any]], Iterator[Wrong]]
    """What is wrong with a block of it."""
    of_user: bool = False
    """Whether it asks that of the user's blocks alone: clients mend those of the assistant's."""


_TABLE: Final[Mapping[str, _Rule]] = {
    "text": _Rule(_text, of_user=True),
    "image": _Rule(_image),
    "document": _Rule(_document),
    CALL: _Rule(_call),
    RESULT: _Rule(_result),
}
"""The kinds of blocks of which something is asked. What is asked of calls and results of the API's own tools, of whatever kind,
lies in what is sent between them."""
