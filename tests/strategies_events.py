"""Events for a store of worldlines."""

from __future__ import annotations

import itertools
from typing import Any

from hypothesis import strategies as st

from forkpoint.worldlines.events import Event

_COUNT = itertools.count()


def fresh() -> str:
    """A beginning for ids that no other test uses: a store is shared."""
    return f"x{next(_COUNT)}-"


def says(kind: str = "user", *blocks: dict[str, Any], message: str | None = None, **more: object) -> dict[str, Any]:
    """The body of an event, with a text where no block is given."""
    own = {} if message is None else {"id": message}
    return {"type": kind, "message": {**own, "content": list(blocks) or [{"type": "text", "text": "words"}]}, **more}


def use(tool: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": tool, "name": "Read", "input": {}}


def result(tool: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": tool, "content": "done"}


def prompt(id: str) -> Event:
    return Event.of(id, says())


def answer(id: str, *blocks: dict[str, Any], message: str | None = None) -> Event:
    return Event.of(id, says("assistant", *blocks, message=message))


def turn(id: str) -> list[Event]:
    """A prompt and its answer, whose id is that of the turn."""
    return [prompt(f"{id}?"), answer(id)]


@st.composite
def bodies(draw: st.DrawFn) -> dict[str, Any]:
    """The body of an event: calls and answers out of few, parts of few messages, and what is not in the main line."""
    kind = draw(st.sampled_from(["user", "assistant", "assistant", "assistant", "system"]))
    tools = st.sampled_from("tuvw")
    text = st.just({"type": "text", "text": "words"})
    block = {
        "assistant": st.one_of(text, tools.map(use)),
        "user": st.one_of(text, tools.map(result)),
        "system": text,
    }[kind]
    message = draw(st.sampled_from([None, "m", "n", "o"])) if kind == "assistant" else None
    aside = {"isSidechain": True} if draw(st.integers(0, 9)) == 0 else {}
    return says(kind, *draw(st.lists(block, max_size=2)), message=message, **aside)
