"""Small sessions, written entry by entry, and files made of logs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from forkpoint.core.entries import Entry, Log, Opaque, Use
from forkpoint.transcript.format import reader
from forkpoint.transcript.format.reader import Transcript
from strategies import logs

FEWER = settings(max_examples=max(1, settings().max_examples // 4))
"""For properties of whole files, which cost more than those of logs."""
NO_ENTRY = "00000000-0000-0000-0000-000000000000"


def entry(kind: str, uuid: str, parent: str | None, minute: int = 0, **more: Any) -> dict[str, Any]:
    """An entry as a client writes it, ``minute`` minutes after midnight."""
    return {
        "parentUuid": parent,
        "isSidechain": False,
        "type": kind,
        "uuid": uuid,
        "version": "2.1.330",
        "timestamp": f"2026-01-01T{minute // 60:02d}:{minute % 60:02d}:00.000Z",
        **more,
    }


def user(uuid: str, parent: str | None, text: Any = None, minute: int = 0, **more: Any) -> dict[str, Any]:
    content = f"say {uuid}" if text is None else text
    return entry("user", uuid, parent, minute, message={"role": "user", "content": content}, **more)


def speak(uuid: str, parent: str, minute: int = 0, message: str | None = None, **more: Any) -> dict[str, Any]:
    body = {"id": message or f"m-{uuid}", "role": "assistant", "content": [{"type": "text", "text": f"answer {uuid}"}]}
    return entry("assistant", uuid, parent, minute, message=body, **more)


def call(uuid: str, parent: str, tool: str, message: str | None = None, **more: Any) -> dict[str, Any]:
    content = [{"type": "tool_use", "id": tool, "name": "Bash", "input": {}}]
    return entry("assistant", uuid, parent, message={"id": message or f"m-{uuid}", "content": content}, **more)


def answer(uuid: str, parent: str, tool: str, **more: Any) -> dict[str, Any]:
    return user(uuid, parent, [{"type": "tool_result", "tool_use_id": tool, "content": "done"}], **more)


def boundary(uuid: str, continues: str | None, minute: int = 0, **metadata: Any) -> dict[str, Any]:
    more = {"subtype": "compact_boundary", "logicalParentUuid": continues, "compactMetadata": {"trigger": "manual", **metadata}}
    return entry("system", uuid, None, minute, **more)


def last_prompt(leaf: str | None, explicit: bool = False) -> dict[str, Any]:
    named = {} if leaf is None else {"leafUuid": leaf}
    return {"type": "last-prompt", "lastPrompt": "x", **named, **({"explicit": True} if explicit else {})}


def data(*lines: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def parse(*lines: dict[str, Any]) -> Transcript:
    return reader.parse(data(*lines), Path("session.jsonl"))


def lines_of(log: Log) -> list[dict[str, Any]]:
    """The entries of a log as lines."""
    return [_line(each, minute) for minute, each in enumerate(log)]


def _line(each: Entry, minute: int) -> dict[str, Any]:
    blocks = [
        {"type": "text", "text": str(each.uuid)}
        if isinstance(block, Opaque)
        else {"type": "tool_use", "id": block.id}
        if isinstance(block, Use)
        else {"type": "tool_result", "tool_use_id": block.id}
        for block in each.blocks
    ]
    more: dict[str, Any] = {} if each.logical_parent is None else {"logicalParentUuid": each.logical_parent}
    if each.kind.value in ("user", "assistant"):
        more["message"] = {"content": blocks} if each.message is None else {"id": each.message, "content": blocks}
    parent = None if each.parent is None else str(each.parent)
    return entry(each.kind.value, str(each.uuid), parent, minute, isSidechain=each.sidechain, **more)


def transcripts() -> st.SearchStrategy[Transcript]:
    """Files of logs as clients write them, and of any small log."""
    return logs().map(lambda log: parse(*lines_of(log)))
