"""What the Messages API refuses of a conversation whose tree is sound. Each request from there on fails in the same way.

Clients mend some of it before they send: thinking without a signature, empty texts of the assistant's, results out of place. Only
what they send as it is, or refuse themselves, is found here (measured, spec/repair.md).
"""

from __future__ import annotations

import base64
import contextlib
import io
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from forkpoint.core import rendering
from forkpoint.core.entries import Kind
from forkpoint.transcript.format.compaction import preserved
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.heal.doctor import Finding

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
HEADER: Final = 1 << 16
"""Characters of an image in which its sides are looked for first: most often that is enough."""


class _Wrong(NamedTuple):
    kind: str
    message: str
    cause: str
    cure: str
    inner: int | None = None
    """Of a result the block in it."""


class RefusedPart(NamedTuple):
    """A block that the API refuses: the entry, the block's number, of a result the number in it; what is wrong; and whether a
    text in its place is enough, or its step has to go."""

    uuid: str
    block: int
    inner: int | None
    wrong: _Wrong
    trim: bool


def places(transcript: Transcript, position: int | None) -> list[RefusedPart]:
    """What the API refuses of what is sent at an entry, in the order in which it is sent. Reads the lines of it. O(bytes)."""
    if position is None:
        return []
    log = transcript.log
    found: list[RefusedPart] = []
    images: list[tuple[int, RefusedPart]] = []
    for at in rendering.rendered_positions(log, preserved(transcript), log.spine.uuids[position]):
        kind, uuid = log[at].kind, str(log.spine.uuids[at])
        message = transcript.keys(transcript.span(at)).get("message") if kind in (Kind.USER, Kind.ASSISTANT) else None
        content = message.get("content") if isinstance(message, dict) else None
        for number, block in enumerate(content if isinstance(content, list) else ()):
            if isinstance(block, dict):
                wrong = _of(block, of_user=kind is Kind.USER)
                found += [RefusedPart(uuid, number, one.inner, one, one.cure != _DROP) for one in wrong]
                images += [(len(found), RefusedPart(uuid, number, inner, wide, True)) for inner, wide in _images(block)]
    if len(images) > MANY:
        known = {(one.uuid, one.block, one.inner) for one in found}
        wide = [(at, one) for at, one in images if one.wrong.kind and (one.uuid, one.block, one.inner) not in known]
        for at, one in reversed(wide):
            found.insert(at, one)
    return found


def _images(block: Mapping[str, Any]) -> Iterator[tuple[int | None, _Wrong]]:
    """The images of a block, each with the number in a result; what is wrong with it where there are many, else nothing."""
    content = block.get("content") if block.get("type") == "tool_result" else None
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
        yield number, _Wrong("image-many" if wide else "", text, cause, _IMAGES, number)


def refused(transcript: Transcript, position: int | None, go_on: str | None) -> list[Finding]:
    """The same as findings, in line order. ``go_on`` is a point before which nothing of it stands, where there is one."""
    found: list[Finding] = []
    for one in places(transcript, position):
        cure = one.wrong.cure.replace("STEP", one.uuid)
        cure += f"; or `forkpoint fork FILE --at {go_on}` goes on before it" if go_on is not None else ""
        where = f"block {one.block}: {one.wrong.message}"
        line = transcript.span(transcript.log.position(one.uuid)).number
        found.append(
            Finding(line, one.uuid, API, one.wrong.kind, where, one.wrong.cause, "every request from here on fails", cure)
        )
    return sorted(found, key=lambda each: each.line)


def first(transcript: Transcript, position: int | None) -> int | None:
    """The first entry of what is sent at an entry of which the API refuses something; None where there is none."""
    found = refused(transcript, position, None)
    return None if not found else min(transcript.log.position(each.uuid) for each in found if each.uuid is not None)


def _of(block: Mapping[str, Any], *, of_user: bool) -> Iterator[_Wrong]:
    kind = block.get("type")
    if kind == "text" and of_user and not str(block.get("text", "")).strip():
        yield _Wrong("empty-text", "a text of the user's is empty", "nothing was said there", _DROP)
    elif kind == "image":
        yield from _image(block.get("source"))
    elif kind == "tool_use":
        yield from _call(block)
    elif kind == "tool_result":
        if isinstance(block.get("tool_use_id"), str) and not ID.fullmatch(block["tool_use_id"]):
            yield _Wrong("tool-id", "the id of a result has other signs than letters, digits, _ and -", _MADE, _DROP)
        for number, inner in enumerate(block["content"] if isinstance(block.get("content"), list) else ()):
            if isinstance(inner, dict) and inner.get("type") == "text" and not str(inner.get("text", "")).strip():
                cure = _TRIM.format("--kind results --over 0")
                yield _Wrong("empty-text", "a text in a result is empty", "the tool gave no text", cure, number)
            if isinstance(inner, dict) and inner.get("type") == "image":
                yield from (one._replace(inner=number) for one in _image(inner.get("source")))


_DROP: Final = "`forkpoint drop FILE STEP` and `forkpoint export FILE` make a session without it"
_TRIM: Final = "`forkpoint trim FILE STEP {}` and `forkpoint export FILE` make a session without it"
_MADE: Final = "no client writes it so: another tool made the file, or a model made it up"


def _call(block: Mapping[str, Any]) -> Iterator[_Wrong]:
    if not isinstance(block.get("input"), dict):
        yield _Wrong("input", "the input of a call is no object", _MADE, _TRIM.format("--kind inputs --over 0"))
    if not isinstance(block.get("name"), str) or not NAME.fullmatch(block["name"]):
        yield _Wrong("tool-name", "the name of a tool has other signs than letters, digits, _ and -, or over 128", _MADE, _DROP)
    if isinstance(block.get("id"), str) and not ID.fullmatch(block["id"]):
        yield _Wrong("tool-id", "the id of a call has other signs than letters, digits, _ and -", _MADE, _DROP)


def _image(source: object) -> Iterator[_Wrong]:
    if not isinstance(source, dict) or source.get("type") != "base64":
        return
    data, media, cure = source.get("data"), source.get("media_type"), _IMAGES
    if media not in TYPES:
        yield _Wrong("image-type", f"an image is of the type {media}", "it is none of jpeg, png, gif and webp", cure)
    if not isinstance(data, str) or not data:
        yield _Wrong("image-data", "an image has no data", _MADE, cure)
        return
    beginning = _beginning(data)
    mine = next((each for each, begins in TYPES.items() if beginning is not None and begins.match(beginning)), None)
    if mine is None:
        yield _Wrong(
            "image-data", "an image's data is no image", "it begins as none of jpeg, png, gif and webp, or is no base64", cure
        )
    elif media in TYPES and media != mine:
        yield _Wrong("image-type", f"an image is said to be {media}, and is {mine}", "its bytes begin so", cure)
    if len(data) > MOST_BYTES:
        yield _Wrong("image-large", f"an image has {len(data):,} bytes of base64", f"the API takes {MOST_BYTES:,}", cure)
    sides = _sides(data)
    if sides is not None and max(sides) > MOST_PIXELS:
        yield _Wrong("image-wide", f"an image has {sides[0]} by {sides[1]} pixels", f"the API takes {MOST_PIXELS} a side", cure)


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


def _beginning(data: str) -> bytes | None:
    """The first bytes of data in base64; None of what is none."""
    return base64.b64decode(data[:64] + "=" * (-len(data[:64]) % 4)) if len(data) % 4 != 1 and _BASE64.fullmatch(data) else None
