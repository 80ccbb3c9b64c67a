"""A session of all that certificates of choosing ask about, and defects that are planted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SOURCE = "5e551000-0000-4000-8000-00000000000b"
OLD, NEW = "2.0.10", "2.1.330"


def text(words: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": words}]


def call(tool: str) -> list[dict[str, object]]:
    return [{"type": "tool_use", "id": tool, "name": "Bash", "input": {}}]


def answer(tool: str) -> list[dict[str, object]]:
    return [{"type": "tool_result", "tool_use_id": tool, "content": "done"}]


def entry(uuid: str, parent: str | None, content: object, message: str | None = None, **more: object) -> dict[str, object]:
    side = "assistant" if message is not None else "user"
    said = {"role": side, "content": content, **({} if message is None else {"id": message})}
    return {
        "parentUuid": parent, "isSidechain": False, "cwd": "/w", "sessionId": SOURCE, "version": NEW, "type": side,
        "message": said, "uuid": uuid, "timestamp": "2026-01-01T00:00:00.000Z", **more,
    }  # fmt: skip


def named(title: str) -> dict[str, object]:
    return {"type": "custom-title", "customTitle": title, "sessionId": SOURCE}


ROWS: list[dict[str, object]] = [
    entry("p1", None, "first"),
    entry("a1", "p1", text("one"), "m1"),
    named("early"),
    entry("p2", "a1", "second"),
    entry("u2", "p2", call("t1"), "m2"),
    entry("v2", "u2", call("t2"), "m2"),
    entry("r1", "v2", answer("t1")),
    entry("r2", "r1", answer("t2")),
    entry("a2", "r2", text("two"), "m3"),
    entry("n2", "a2", "a reminder", isMeta=True),
    entry("b2", "n2", text("more"), "m4"),
    entry("p3", "b2", "third"),
    entry("a3", "p3", text("three"), "m5"),
    named("late"),
    entry("p4", "a3", "fourth"),
    entry("w4", "p4", call("t4"), "m6"),
    entry("s4", "w4", answer("t4")),
    entry("a4", "s4", text("four"), "m7"),
    entry("p5", "a3", "fifth"),
    entry("w5", "p5", call("t5"), "m8"),
    {"type": "forkpoint", "ref": {"name": "mark", "entry": "a2"}},
    {"type": "last-prompt", "lastPrompt": "fourth", "leafUuid": "a4", "sessionId": SOURCE},
]


def written(folder: Path) -> Path:
    """The session in a file."""
    path = folder / f"{SOURCE}.jsonl"
    path.write_bytes(b"".join(json.dumps(row, separators=(",", ":")).encode() + b"\n" for row in ROWS))
    return path


ORDER = [str(row["uuid"]) for row in ROWS if "uuid" in row]
P = ORDER.index
"""Where an entry stands."""

Patch = pytest.MonkeyPatch
Defect = Callable[[Patch], None]


def gives(of: object, name: str, value: Any) -> Defect:
    """A function gives this, whatever it is asked."""
    return lambda patch: patch.setattr(of, name, lambda *_, **__: value)


def shifts(of: object, name: str, by: Callable[[Any], Any]) -> Defect:
    """A function gives something else than it should."""
    right = getattr(of, name)
    return lambda patch: patch.setattr(of, name, lambda *args, **more: by(right(*args, **more)))


def both(*defects: Defect) -> Defect:
    def planted(patch: Patch) -> None:
        for one in defects:
            one(patch)

    return planted
