"""Sessions that hold much of what clients and forkpoint write, and what becomes of them when values are of other types than
those: numbers for texts, lists of numbers, nothing, halves of surrogate pairs, numbers of thousands of digits, keys that are
gone or elsewhere. Each line stays a JSON object, so nothing of it is damaged at the level of bytes."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from forkpoint.clients.claude.lines import KEYED, LEFT_OUT, REFERENCES, STATE
from strategies_fork import SESSION

Row = dict[str, Any]
Place = tuple[int, tuple[str | int, ...]]
"""A value in a session: the line's place, and the way to it there."""

UUID = "00000000-0000-4000-8000-{:012d}".format
HUGE = "@huge@"
"""Stands for a whole number of so many digits that Python reads it only when it is told to."""


def _entry(number: int, parent: int | None, kind: str, **more: object) -> Row:
    return {
        "type": kind,
        "uuid": UUID(number),
        "parentUuid": None if parent is None else UUID(parent),
        "isSidechain": False,
        "sessionId": SESSION,
        "version": "2.1.332",
        "cwd": "/srv/x",
        "gitBranch": "main",
        "slug": "a-calm-plan",
        "timestamp": f"2026-11-01T10:00:{number:02d}.000Z",
        **more,
    }


def _user(number: int, parent: int | None, content: object, **more: object) -> Row:
    return _entry(number, parent, "user", message={"role": "user", "content": content}, **more)


def _assistant(number: int, parent: int, *blocks: Row, **more: object) -> Row:
    usage = {
        "input_tokens": 10,
        "cache_creation_input_tokens": 5,
        "cache_read_input_tokens": 7,
        "output_tokens": 3,
        "cache_creation": {"ephemeral_1h_input_tokens": 5},
        "server_tool_use": {"web_search_requests": 1},
        "speed": "fast",
    }
    message = {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-4-1",
        "content": list(blocks),
        "stop_reason": "tool_use" if blocks[-1]["type"] == "tool_use" else "end_turn",
        "usage": usage,
    }
    return _entry(number, parent, "assistant", message=message, requestId=f"req_{number}", **more)


def _text(words: str) -> Row:
    return {"type": "text", "text": words}


def _call(tool: str, name: str, **given: object) -> Row:
    return {"type": "tool_use", "id": tool, "name": name, "input": given}


def _result(tool: str, content: object) -> Row:
    return {"type": "tool_result", "tool_use_id": tool, "content": content}


def _image() -> Row:
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}


def working() -> list[Row]:
    """A session that edits files, asks an agent, keeps a plan and copies of files, and is compacted in the end."""
    patch = [{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-a", "+b"]}]
    edited = {"filePath": "/srv/x/a", "oldString": "a", "newString": "b", "originalFile": "a\n", "structuredPatch": patch}
    agent = {"status": "completed", "agentId": "a1", "content": [_text("found")], "totalTokens": 12, "prompt": "look"}
    backups = {"a": {"backupFileName": "b@v1", "version": 1, "backupTime": "2026-11-01T10:00:01.000Z"}}
    kept = {"anchorUuid": UUID(14), "uuids": [UUID(11), UUID(12)], "allUuids": [UUID(11), UUID(12)]}
    segment = {"headUuid": UUID(11), "anchorUuid": UUID(14), "tailUuid": UUID(12)}
    metadata = {"trigger": "manual", "preTokens": 100, "preservedMessages": kept, "preservedSegment": segment}
    return [
        {"type": "mode", "mode": "normal", "sessionId": SESSION},
        {
            "type": "file-history-snapshot",
            "messageId": UUID(1),
            "snapshot": {"messageId": UUID(1), "trackedFileBackups": backups, "timestamp": "2026-11-01T10:00:01.000Z"},
            "isSnapshotUpdate": False,
        },
        _user(1, None, "Edit the file.", origin={"kind": "human"}, permissionMode="plan"),
        _assistant(
            2, 1, {"type": "thinking", "thinking": "hm", "signature": "c2lnbg=="}, _call("t1", "Edit", file_path="/srv/x/a")
        ),
        _user(3, 2, [_result("t1", "done")], toolUseResult=edited, sourceToolAssistantUUID=UUID(2)),
        _assistant(4, 3, _call("t2", "Task", prompt="look", description="look", subagent_type="general")),
        _user(5, 4, [_result("t2", [_text("found"), _image()])], toolUseResult=agent, sourceToolAssistantUUID=UUID(4)),
        _assistant(6, 5, _call("t3", "Bash", command="git commit -m x"), _call("t4", "Write", file_path="/srv/x/b", content="b")),
        _user(
            7,
            6,
            [_result("t3", "one"), _result("t4", "two")],
            toolUseResult={"stdout": "one", "stderr": "", "interrupted": False, "gitOperation": {"commit": {"sha": "abc1234"}}},
        ),
        {"type": "content-replacement", "replacements": [{"toolUseId": "t3", "replacement": "o"}], "sessionId": SESSION},
        _entry(8, 7, "attachment", attachment={"type": "plan_mode", "planFilePath": "/srv/x/plan.md", "planContent": "# Plan"}),
        _assistant(9, 8, _text("Done."), forkedFrom={"sessionId": "0000", "messageUuid": UUID(90)}),
        _entry(10, 9, "system", subtype="stop_hook_summary", content="hook", level="info", toolUseID="t4"),
        _user(11, 10, [_text("And now?"), _image()], planContent="# Plan"),
        _assistant(12, 11, _text("Now this.")),
        {"type": "last-prompt", "lastPrompt": "And now?", "leafUuid": UUID(12), "explicit": True, "sessionId": SESSION},
        _entry(13, None, "system", subtype="compact_boundary", logicalParentUuid=UUID(12), compactMetadata=metadata),
        _user(14, 13, "The summary.", isCompactSummary=True, isVisibleInTranscriptOnly=True),
        _user(15, 14, "<command-name>/exit</command-name>", isMeta=True),
        _user(16, 14, "Go on."),
        _assistant(17, 16, _text("Gone on.")),
        {"type": "summary", "summary": "A walk", "leafUuid": UUID(17)},
        {"type": "custom-title", "customTitle": "Title", "sessionId": SESSION},
        {"type": "queue-operation", "operation": "enqueue", "content": "later", "sessionId": SESSION},
    ]


def _sample(name: str) -> list[Row]:
    return [json.loads(line) for line in (Path(__file__).parent / "samples" / "odd" / name).read_bytes().splitlines()]


def recorded() -> list[Row]:
    """A session with drops, one of them taken back and that too, a compaction, a merge, a title and a trim by forkpoint."""
    return _sample("recorded.jsonl")


def forked() -> list[Row]:
    """A fork of that session by forkpoint, which went on."""
    return _sample("fork.jsonl")


def agent() -> list[Row]:
    """The conversation of a sub-agent."""
    own = {"isSidechain": True, "agentId": "a1"}
    return [_user(31, None, "look", **own), _assistant(32, 31, _text("found"), **own)]


ODD: tuple[object, ...] = (
    None, True, False, 0, -1, 1.5, 1e308, HUGE, "", "\ud83d", "a\udc00b", "\0", "x" * 300, "/", "..", "-", "--json",
    UUID(1), UUID(12), UUID(99), SESSION, [], [1], [None], [[1]], ["\ud83d"], [UUID(1), 1, None], [{}], [{"type": 1}], {},
    {"": 1}, {"\ud83d": 1}, {"type": "text"}, {"type": [1]}, {"uuids": [1]}, {"text": 1},
    "2026-99-99T00:00:00Z", "9999-12-31T23:59:59Z",
)  # fmt: skip
"""Values of which few are what a key is to hold."""


def places(value: object, way: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The ways to all values in a value."""
    if way:
        yield way
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield from places(one, (*way, key))


def _keys() -> list[str]:
    found = {key for row in (*working(), *recorded(), *forked()) for way in places(row) for key in way if isinstance(key, str)}
    return sorted(found | REFERENCES)


KEYS = _keys()
"""The names of the keys that mean something."""
TYPES = sorted({"user", "assistant", "system", "attachment", "progress", "pr-link", *KEYED, *LEFT_OUT, *STATE})


def _holder(row: Row, way: tuple[str | int, ...]) -> Any:
    held: Any = row
    for key in way[:-1]:
        held = held[key]
    return held


@st.composite
def changed(draw: st.DrawFn, rows: list[Row], most: int = 3) -> list[Row]:
    """A session in which a few values are others: replaced, gone, moved below another key, in another line, or said twice."""
    rows = copy.deepcopy(rows)
    for _ in range(draw(st.integers(1, most))):
        row = draw(st.sampled_from(rows))
        ways = list(places(row))
        if not ways:
            continue
        way = draw(st.sampled_from(ways))
        held, last = _holder(row, way), way[-1]
        match draw(st.sampled_from(["replace", "replace", "replace", "remove", "add", "copy", "type", "line"])):
            case "replace":
                held[last] = copy.deepcopy(draw(st.sampled_from(ODD)))
            case "remove":
                del held[last]
            case "add" if isinstance(held, dict):
                held[draw(st.sampled_from(KEYS))] = copy.deepcopy(draw(st.sampled_from(ODD)))
            case "copy":
                other = draw(st.sampled_from(rows))
                if ways := list(places(other)):
                    way = draw(st.sampled_from(ways))
                    held[last] = copy.deepcopy(_holder(other, way)[way[-1]])
            case "type":
                row["type"] = draw(st.sampled_from(TYPES))
            case "line":
                rows.insert(draw(st.integers(0, len(rows))), copy.deepcopy(row))
            case _:
                pass
    return rows


def written(rows: list[Row]) -> bytes:
    """The lines of a file."""
    text = "".join(json.dumps(row) + "\n" for row in rows)
    return text.replace(f'"{HUGE}"', "7" * 5000).encode()
