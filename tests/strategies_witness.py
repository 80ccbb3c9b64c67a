"""Hypothesis strategies: JSON values, and texts that write one in different ways."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

EXACT = 2**53 - 1
"""The largest whole number that RFC 8785 takes."""

characters = st.characters(exclude_categories=["Cs"])
strings = st.text(characters, max_size=8) | st.sampled_from(
    ["\x00\x1f\x7f", "\u2028", "€", "\uffff", "😀", "\ue000", '"\\/', "é"]
)
numbers = (
    st.integers(-EXACT, EXACT)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([0.0, -0.0, 1e21, 1e-7, 5e-324, 1.5, 1e5, 123456789012345680.0])
)
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | numbers | strings,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(strings, inner, max_size=4),
    max_leaves=12,
)


@st.composite
def written(draw: st.DrawFn, value: Any) -> bytes:
    """A JSON text of a value: escaped or not, with or without white space, members in any order."""
    text = json.dumps(
        shuffled(draw, value),
        ensure_ascii=draw(st.booleans()),
        indent=draw(st.sampled_from([None, 1])),
        separators=draw(st.sampled_from([(",", ":"), (", ", " : ")])),
    )
    return text.encode()


def shuffled(draw: Callable[[st.SearchStrategy[Any]], Any], value: Any) -> Any:
    """The same value with the members of objects in another order."""
    if isinstance(value, dict):
        keys = draw(st.permutations(list(value)))
        return {key: shuffled(draw, value[key]) for key in keys}
    if isinstance(value, list):
        return [shuffled(draw, item) for item in value]
    return value


@st.composite
def value_and_texts(draw: st.DrawFn) -> tuple[Any, bytes, bytes]:
    """A value and two texts of it."""
    value = draw(values)
    return value, draw(written(value)), draw(written(value))
