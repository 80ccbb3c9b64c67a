"""Values that a JSON Schema accepts, and mutants that it must reject; files with entries as clients write them and worse."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from random import Random
from typing import Any

from hypothesis import strategies as st

OF_TYPE: dict[str, Any] = {"string": "x", "number": 1, "boolean": True, "object": {}, "array": [], "null": None}


def types(schema: dict[str, Any]) -> list[str]:
    """The types that a schema allows; none when it allows any."""
    kinds = schema.get("type", [])
    return [kinds] if isinstance(kinds, str) else kinds


def example(schema: dict[str, Any]) -> Any:
    """A small value that the schema accepts: nothing in it but what is required, and a block of each known type."""
    if "const" in schema:
        return schema["const"]
    if "items" in schema:
        return [example(rule["then"]) | {"type": rule["if"]["properties"]["type"]["const"]} for rule in schema["items"]["allOf"]]
    kinds = types(schema)
    if "object" in kinds:
        return {key: example(schema["properties"][key]) for key in schema.get("required", [])}
    return OF_TYPE[kinds[0]] if kinds else "any"


def mutants(schema: dict[str, Any], value: Any) -> Iterator[tuple[str, str, Any]]:
    """Values that differ from an accepted one in one place and must be rejected, each with the key and what was done to it:
    every required key is left out once, every value once given a wrong type."""
    if isinstance(value, list):
        for at, rule in enumerate(schema.get("items", {}).get("allOf", [])):
            for key, done, mutant in mutants(rule["then"], value[at]):
                yield f"{at}.{key}", done, [*value[:at], mutant, *value[at + 1 :]]
        return
    if not isinstance(value, dict):
        return
    for key in schema.get("required", []):
        yield key, "left out", {other: copy.deepcopy(value[other]) for other in value if other != key}
    for key, inner in schema.get("properties", {}).items():
        wrong = [kind for kind in OF_TYPE if kind not in types(inner)]
        if "const" in inner or types(inner):
            yield key, "wrong type", value | {key: OF_TYPE[wrong[-1]]}
        for deeper, done, mutant in mutants(inner, value.get(key)):
            yield f"{key}.{deeper}", done, value | {key: mutant}


KEYS = ["sessionId", "gitBranch", "userType", "entrypoint", "cwd", "isSidechain", "timestamp", "version", "promptId", "slug"]
VALUES: dict[str, Any] = {"isSidechain": False, "version": "2.1.2"}
SORTS: list[dict[str, Any]] = [
    {"type": "user", "message": {"role": "user", "content": "hi"}},
    {"type": "assistant", "message": {"id": "m", "content": [{"type": "text", "text": '}{"\\,'}]}},
    {"type": "system", "subtype": "turn_duration"},
    {"type": "system", "subtype": "unheard"},
    {"type": "system"},
    {"type": "attachment", "attachment": {"type": "file"}},
    {"type": "attachment", "attachment": 7},
    {"type": "progress", "data": {"deep": [[[]]]}},
    {"type": "unheard"},
    {"type": "mode"},  # a sidecar's type, on an entry
    {"type": 4},
]


def entry(random: Random, uuid: str, parent: str | None) -> bytes:
    """The line of an entry with some of the keys, in any order, spaced and escaped in any way."""
    value = {"uuid": uuid, "parentUuid": parent, **random.choice(SORTS)}
    value |= {key: VALUES.get(key, f"{key} é") for key in KEYS if random.random() < 0.6}
    if "sessionId" in value:
        value["sessionId"] = random.choice(["s1", "s1", "s2", 5])
    colon, comma = random.choice([(":", ","), (": ", ", "), (" : ", "\t,")])
    plain = random.random() < 0.5
    members = [f"{json.dumps(key)}{colon}{json.dumps(held, ensure_ascii=plain)}" for key, held in value.items()]
    random.shuffle(members)
    text = random.choice(["{%s}", " {%s} ", "{ %s }\r"]) % comma.join(members)
    escaped = random.choice(["gitBranch", "sessionId", "none"])
    return text.replace(f'"{escaped}"', f'"\\u{ord(escaped[0]):04x}{escaped[1:]}"').encode()


OTHERS = [b"", b"  ", b'{"type":"summary","summary":"s"}', b'{"type":"user","uuid":"torn', b"\x00\x00", b"[]", b"{}", b"{}{}"]


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """A file of a few entries, each below an earlier or a later one, among other lines and damage."""
    random = draw(st.randoms(use_true_random=False))
    names = [f"u{number}" for number in range(draw(st.integers(0, 6)))]
    lines = []
    for name in names:
        lines += random.choices(OTHERS, k=random.choice([0, 0, 1, 2]))
        lines.append(entry(random, name, random.choice([None, *names])))
    end = random.choice([b"", b"\n", b"\n\n", b"\n{"])
    return random.choice([b"", b"\xef\xbb\xbf"]) + b"\n".join(lines) + end
