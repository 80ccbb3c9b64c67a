"""A second reader, as plain as can be: ``json.loads`` a line at a time, every rule of spec/transcripts.md spelt out once.

It is slow, holds the file, and has no second way for odd lines; :mod:`forkpoint.transcript.format.reader` has all three. The two
share nothing. Certificates read by this one what is not too large, and tests compare both.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple, NoReturn

from forkpoint.core.entries import Block, Entry, Kind, Opaque, Result, Use


class Read(NamedTuple):
    entries: list[Entry]
    """In file order, with a parent that no entry has where a parent is neither a uuid nor null; their keys left out."""
    numbers: list[int]
    """On which line each stands, from 1."""
    keys: list[list[str]]
    """The keys of each, sorted."""
    sidecars: list[tuple[int, str | None]]
    """The lines that hold no entry, each with its number and its type."""
    damaged: list[int]
    """The numbers of the lines that hold nothing that can be used."""


class Damaged(Exception):
    """A line holds nothing that can be used."""


def _no_number(text: str) -> NoReturn:
    raise Damaged(f"{text} is no JSON")


def _number(text: str) -> tuple[str]:
    """A number, of any length: nothing that counts is one."""
    return (text,)


def read(data: bytes) -> Read:
    """What a file holds, read plainly. Holds it all; O(bytes), some 50 MB a second."""
    found = Read([], [], [], [], [])
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip(b" \t\r\n\x0b\x0c"):
            continue
        try:
            value = json.loads(line.decode(), parse_constant=_no_number, parse_int=_number, parse_float=_number)
            if not isinstance(value, dict):
                raise Damaged("no object")
            if value.get("uuid") is None:
                kind = value.get("type")
                found.sidecars.append((number, kind if isinstance(kind, str) else None))
                continue
            entry = _entry(value)
        except (Damaged, ValueError):
            found.damaged.append(number)
            continue
        found.entries.append(entry)
        found.numbers.append(number)
        found.keys.append(sorted(value))
    return found


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _entry(value: dict[str, Any]) -> Entry:
    if not isinstance(value["uuid"], str):
        raise Damaged("the uuid is no string")
    parent: Any = value.get("parentUuid")
    if parent is not None and not isinstance(parent, str):
        parent = ("no uuid",)
    kind = next((kind for kind in Kind if kind.value == value.get("type")), Kind.OTHER)
    message: str | None = None
    blocks: tuple[Block, ...] = ()
    if kind in (Kind.USER, Kind.ASSISTANT) and value.get("message") is not None:
        said = value["message"]
        if not isinstance(said, dict):
            raise Damaged("the message is no object")
        if kind is Kind.ASSISTANT and said.get("id") is not None:
            if not isinstance(said["id"], str):
                raise Damaged("the id of the message is no string")
            message = said["id"]
        blocks = _blocks(said.get("content"))
    return Entry(
        uuid=value["uuid"],
        parent=parent,
        logical_parent=_text(value.get("logicalParentUuid")),
        kind=kind,
        message=message,
        blocks=blocks,
        sidechain=value.get("isSidechain") is True,
        version=_version(value.get("version")),
    )


def _blocks(content: Any) -> tuple[Block, ...]:
    if content is None:
        return ()
    if isinstance(content, str):
        return (Opaque(),)
    if not isinstance(content, list):
        raise Damaged("the content is neither text nor a list")
    return tuple(map(_block, content))


def _block(block: Any) -> Block:
    if not isinstance(block, dict):
        raise Damaged("a block is no object")
    for kind, key, make in (("tool_use", "id", Use), ("tool_result", "tool_use_id", Result)):
        if block.get("type") == kind:
            if not isinstance(block.get(key), str):
                raise Damaged("a call or a result without an id")
            return make(block[key])
    return Opaque()


def _version(version: Any) -> tuple[int, ...]:
    parts: list[int] = []
    for part in version.split(".") if isinstance(version, str) else ():
        if not part.isascii() or not part.isdigit() or len(part) > 9:
            break
        parts.append(int(part))
    return tuple(parts)
