"""Lines of bytes that hold an object, oddly written, and members to add."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from forkpoint.core.splice import Addition

SPACE = st.text(" \t\r\n", max_size=2)
TEXT = st.text(max_size=4)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXT, inner, max_size=3)),
    max_leaves=6,
)
ADDED = st.lists(st.tuples(st.sampled_from(["aa", "bb", "uuid", "cc"]), VALUES), max_size=3)


def key(draw: st.DrawFn, name: str) -> str:
    """A key as JSON, some of its characters written as escapes."""
    units = [
        f"\\u{ord(c):04x}" if ord(c) < 0xD800 and draw(st.booleans()) else json.dumps(c, ensure_ascii=False)[1:-1] for c in name
    ]
    return '"' + "".join(units) + '"'


@st.composite
def objects(draw: st.DrawFn) -> bytes:
    """An object with odd spacing, any keys (some of those that will be added), nested values, escapes."""
    members = draw(st.lists(st.tuples(st.one_of(TEXT, st.sampled_from(["uuid", "aa"])), VALUES), max_size=4))
    parts = []
    for name, value in members:
        text = json.dumps(value, ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, 1])))
        parts.append(draw(SPACE) + key(draw, name) + draw(SPACE) + ":" + draw(SPACE) + text + draw(SPACE))
    inside = ",".join(parts) if parts else draw(SPACE)
    return (draw(SPACE) + "{" + inside + "}" + draw(SPACE)).encode("utf-8", "surrogatepass")


def additions(pairs: list[tuple[str, object]]) -> list[Addition]:
    return [Addition(json.dumps(name).encode(), json.dumps(value).encode()) for name, value in pairs]
