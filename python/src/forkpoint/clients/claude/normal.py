"""One shape for the lines of all clients: the form that the core works on, and the way back.

A line in normal form names what the core knows (uuid, parent, kind, message, calls, results) in one way, whatever the client
wrote: a text is a list of one block, a result holds a list of blocks, what is missing has its default. Everything else goes along
as it is. Where a client could have written the same otherwise, ``was`` says what it wrote, so that :func:`restored` gives the
line back, as a JSON value. Nothing is made up: a default stands for what is absent, and ``was`` says so.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from forkpoint.clients.claude.codec import KINDS
from forkpoint.clients.claude.lines import SESSION_KEY, SPEECH_TYPES
from forkpoint.clients.codec import parse_version
from forkpoint.clients.jsontext import dump
from forkpoint.clients.kinds import SPOKEN
from forkpoint.core.entries import Block, Entry, Kind, Opaque, Result, Use

FORM: Final = 1
"""Names this form; another one has another number."""
ENTRY, SIDECAR, LINE = "entry", "sidecar", "line"
"""What a line is: an entry, an object without a uuid, or what cannot be said in this form, which goes along as text."""

Object = dict[str, Any]


class _Key(NamedTuple):
    """A key in normal form, the client's own, the type of its value, and what stands for it where it is missing."""

    name: str
    written: str
    kind: type
    default: object = None


_ENTRY: Final = (
    _Key("parent", "parentUuid", str),
    _Key("logicalParent", "logicalParentUuid", str),
    _Key("sidechain", "isSidechain", bool, False),
    _Key("version", "version", str),
    _Key("session", SESSION_KEY, str),
    _Key("time", "timestamp", str),
)
_MESSAGE: Final = (_Key("id", "id", str), _Key("role", "role", str))
_TEXT: Final = (_Key("text", "text", str, ""),)
_THINKING: Final = (_Key("text", "thinking", str, ""), _Key("signature", "signature", str))
_CALL: Final = (_Key("name", "name", str), _Key("input", "input", dict))
_RESULT: Final = (_Key("error", "is_error", bool, False),)
_KNOWN: Final = frozenset(kind.decode() for kind in SPEECH_TYPES)


def normal(line: bytes, told: Callable[[str], object] = lambda _: None) -> Object:
    """A line in normal form. ``told`` is told the name of each shape that nobody knows; it goes along as it is. O(length)."""
    try:
        keys = json.loads(line, object_pairs_hook=_once, parse_float=_exact, parse_constant=_refuse)
        if not isinstance(keys, dict):
            raise ValueError("a line that is no object")
        made = _entry(keys, told) if isinstance(keys.get("uuid"), str) else _sidecar(keys)
    except (ValueError, RecursionError) as error:
        lost = isinstance(error, _Lost)
        told(str(error) if lost else "a line that is no JSON object")
        return {"form": FORM, "what": LINE, "text": line.decode("utf-8", "surrogateescape")}
    assert restored(made) == keys
    return made


class _Lost(ValueError):
    """A line says something that a value in Python does not."""


def _once(pairs: list[tuple[str, Any]]) -> Object:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _Lost("a key that stands twice")
    return found


def _exact(text: str) -> float:
    found = float(text)
    if found in (float("inf"), float("-inf")):
        raise _Lost("a number that no double holds")
    return found


def _refuse(text: str) -> object:
    raise ValueError(f"{text} is no JSON")


def restored(made: Mapping[str, Any]) -> Any:
    """The value of the line that a normal form was made of. Raises :class:`ValueError` for what is no normal form, and for a line
    that goes along as text: :func:`written` gives its bytes."""
    try:
        if made["form"] != FORM:
            raise ValueError(f"it is of form {made['form']!r}, and only {FORM} is known")
        if made["what"] == SIDECAR:
            return made["value"]
        if made["what"] != ENTRY:
            raise ValueError("it is a line as text")
        return _restored(made)
    except KeyError as error:
        raise ValueError(f"it lacks {error}") from error
    except (TypeError, AttributeError) as error:
        raise ValueError("a value is of another type than it must be") from error


def written(made: Mapping[str, Any]) -> bytes:
    """The line as a client writes it. Raises :class:`ValueError` for what is no normal form."""
    if made.get("form") == FORM and made.get("what") == LINE:
        text = made.get("text")
        if not isinstance(text, str) or "\n" in text:
            raise ValueError("its text is no line")
        return text.encode("utf-8", "surrogateescape")
    return dump(restored(made))


def entry_of(made: Mapping[str, Any]) -> Entry:
    """The entry of the core that an entry in normal form is, before anything is mended, without its fields."""
    kind = Kind(made["kind"])
    spoken = kind in SPOKEN
    message = made["message"]
    return Entry(
        made["uuid"],
        made["parent"],
        made["logicalParent"],
        kind,
        message["id"] if kind is Kind.ASSISTANT and message is not None else None,
        tuple(map(_block_of, made["blocks"])) if spoken else (),
        made["sidechain"],
        parse_version(made["version"]),
    )


def _block_of(made: Mapping[str, Any]) -> Block:
    if made["block"] == "call":
        return Use(made["id"])
    return Result(made["call"]) if made["block"] == "result" else Opaque()


# ---- keys: taken in normal form, and given back


def _take(keys: Object, wanted: tuple[_Key, ...], known: frozenset[str] = frozenset()) -> tuple[Object, Object]:
    """Some keys in normal form, and the rest of an object; what ``was`` there stands in the first where it is not plain."""
    found: Object = {}
    absent: list[str] = []
    odd: Object = {}
    for key in wanted:
        value = keys.get(key.written, key.default)
        fits = type(value) is key.kind or (value is None and key.default is None)
        found[key.name] = value if fits else key.default
        if key.written not in keys:
            absent.append(key.name)
        elif not fits:
            odd[key.name] = value
    was = {**({"absent": absent} if absent else {}), **({"odd": odd} if odd else {})}
    taken = {key.written for key in wanted} | known
    rest = {key: value for key, value in keys.items() if key not in taken}
    return {**found, **({"was": was} if was else {})}, rest


def _give(made: Mapping[str, Any], wanted: tuple[_Key, ...]) -> Object:
    """The keys as they were."""
    was = made.get("was", {})
    absent, odd = was.get("absent", ()), was.get("odd", {})
    return {key.written: odd.get(key.name, made[key.name]) for key in wanted if key.name not in absent}


# ---- entries


def _entry(keys: Object, told: Callable[[str], object]) -> Object:
    kind = keys.get("type")
    named = kind if isinstance(kind, str) else None
    if KINDS.get(named) is None:
        told(f"type {kind!r}")
    found, rest = _take(keys, _ENTRY, frozenset({"uuid", "type", "message"}))
    was = found.pop("was", {})
    made: Object = {"form": FORM, "what": ENTRY, "uuid": keys["uuid"], "kind": (KINDS.get(named) or Kind.OTHER).value, **found}
    if "type" not in keys:
        was = {**was, "noType": True}
    elif KINDS.get(named) is None or kind == Kind.OTHER.value:
        was = {**was, "type": kind}
    message = keys.get("message")
    blocks: list[Object] = []
    if isinstance(message, dict):
        head, beside = _take(message, _MESSAGE, frozenset({"content"}))
        content, blocks = _content(message, told)
        made["message"] = {**head, **({"rest": beside} if beside else {}), **({"content": content} if content else {})}
    else:
        made["message"] = None
        if "message" in keys:
            was = {**was, "message": message}
    made["blocks"] = blocks
    return {**made, **({"was": was} if was else {}), "rest": rest}


def _restored(made: Mapping[str, Any]) -> Object:
    was = made.get("was", {})
    found: Object = {**_give(made, _ENTRY), "uuid": made["uuid"], **made["rest"]}
    if not was.get("noType"):
        found["type"] = was.get("type", made["kind"])
    message = made["message"]
    if message is not None:
        found["message"] = {**_give(message, _MESSAGE), **message.get("rest", {}), **_contents(made["blocks"], message)}
    elif "message" in was:
        found["message"] = was["message"]
    return found


def _sidecar(keys: Object) -> Object:
    kind = keys.get("type")
    return {"form": FORM, "what": SIDECAR, "type": kind if isinstance(kind, str) else None, "value": keys}


# ---- blocks


def _content(message: Object, told: Callable[[str], object]) -> tuple[str | None, list[Object]]:
    """How the content of a message, or of a result, was written where that is no list, and its blocks."""
    if "content" not in message:
        return "absent", []
    content = message["content"]
    if isinstance(content, str):
        return "text", [{"block": "text", "text": content}]
    if isinstance(content, list):
        return None, [_block(value, told) for value in content]
    told(f"content that is {type(content).__name__}")
    return "odd", [{"block": "opaque", "value": content}]


def _contents(blocks: list[Object], made: Mapping[str, Any]) -> Object:
    how = made.get("content")
    if how == "absent":
        return {}
    if how is None:
        return {"content": [_value(block) for block in blocks]}
    (only,) = blocks
    return {"content": only["text"] if how == "text" else only["value"]}


def _block(value: object, told: Callable[[str], object], *, inner: bool = False) -> Object:
    if not isinstance(value, dict):
        told(f"a block that is {type(value).__name__}")
        return {"block": "opaque", "value": value}
    kind = value.get("type")
    if kind == "text":
        return _told("text", value, _TEXT)
    if kind == "thinking":
        return _told("thinking", value, _THINKING)
    if kind == "tool_use" and isinstance(value.get("id"), str):
        return _told("call", value, _CALL, {"id": value["id"]}, frozenset({"id"}))
    if kind == "tool_result" and isinstance(value.get("tool_use_id"), str) and not inner:
        how, blocks = _content(value, lambda _: None)
        if how is None:
            blocks = [_block(each, told, inner=True) for each in value["content"]]
        more = {"call": value["tool_use_id"], "blocks": blocks, **({"content": how} if how else {})}
        return _told("result", value, _RESULT, more, frozenset({"tool_use_id", "content"}))
    if not isinstance(kind, str) or kind not in _KNOWN:
        told(f"block {kind!r}")
    return {"block": "opaque", "value": value}


def _told(
    name: str, value: Object, wanted: tuple[_Key, ...], more: Object | None = None, known: frozenset[str] = frozenset()
) -> Object:
    found, rest = _take(value, wanted, known | {"type"})
    return {"block": name, **(more or {}), **found, **({"rest": rest} if rest else {})}


_WRITTEN: Final = {"text": ("text", _TEXT), "thinking": ("thinking", _THINKING), "call": ("tool_use", _CALL)}


def _value(made: Object) -> Any:
    """A block as it was."""
    name = made["block"]
    if name == "opaque":
        return made["value"]
    if name == "result":
        keys = {"type": "tool_result", "tool_use_id": made["call"], **_contents(made["blocks"], made), **_give(made, _RESULT)}
    else:
        kind, wanted = _WRITTEN[name]
        keys = {"type": kind, **({"id": made["id"]} if name == "call" else {}), **_give(made, wanted)}
    return {**keys, **made.get("rest", {})}


def lines(texts: Iterator[bytes]) -> Iterator[tuple[Object, list[str]]]:
    """Lines in normal form, each with the names of the shapes in it that nobody knows."""
    for text in texts:
        named: list[str] = []
        yield normal(text, named.append), named
