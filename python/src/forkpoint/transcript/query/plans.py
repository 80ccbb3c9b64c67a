"""What a session's plan said at a point, as far as the lines up to there say it.

The newest of these counts: what was written to the plan's file, an edit of it, a plan that was put up for approval, a plan that a
compaction or a checkpoint kept. A reminder may say that there is none yet.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from forkpoint.clients.claude.keys import ADDS, BACKUP_NAME, PLAN, TOOL_RESULT, TRACKED, TRACKING_PATH
from forkpoint.clients.claude.lines import SNAPSHOTS

NONE: Final = b""
"""There was no plan: clients take a file without text for none."""


def newest(lines: Iterable[bytes], is_plan: Callable[[str], bool], backup: Callable[[str], bytes | None]) -> bytes | None:
    """The plan as the last of some lines that says it; :data:`NONE` where it says that there is none; None where no line says
    anything. ``is_plan`` tells whether a path is that of the plan's file, ``backup`` gives a checkpoint's copy of a file by its
    name. O(bytes)."""
    found: bytes | None = None
    for value in _values(lines):
        said = _kept(value, is_plan, backup) if str(value.get("type")) in SNAPSHOTS else _written(value, is_plan)
        found = found if said is None else said
    return found


def before(lines: Iterable[bytes], is_plan: Callable[[str], bool]) -> bytes | None:
    """The plan as it was before the first of some lines that changes it; None where none says that. O(bytes)."""
    for value in _values(lines):
        result = value.get(TOOL_RESULT)
        if isinstance(result, dict) and is_plan(_text(result.get("filePath"))) and "originalFile" in result:
            return _text(result["originalFile"]).encode("utf-8", "surrogatepass")
    return None


def _values(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    for line in lines:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value


def _written(value: dict[str, Any], is_plan: Callable[[str], bool]) -> bytes | None:
    said = _in_result(value.get(TOOL_RESULT), is_plan)
    attachment, message = value.get("attachment"), value.get("message")
    if isinstance(attachment, dict) and is_plan(_text(attachment.get("planFilePath"))):
        if isinstance(attachment.get(PLAN), str):
            said = attachment[PLAN]
        elif attachment.get("planExists") is False:
            return NONE
    blocks = message.get("content") if isinstance(message, dict) else None
    for block in blocks if isinstance(blocks, list) else ():
        asks = block.get("input") if isinstance(block, dict) and block.get("type") == "tool_use" else None
        if isinstance(asks, dict) and is_plan(_text(asks.get("planFilePath"))) and isinstance(asks.get("plan"), str):
            said = asks["plan"]
    return None if said is None else said.encode("utf-8", "surrogatepass")


def _in_result(result: Any, is_plan: Callable[[str], bool]) -> str | None:
    if not isinstance(result, dict) or not is_plan(_text(result.get("filePath"))):
        return None
    for key in ("content", "plan"):
        if isinstance(result.get(key), str):
            return str(result[key])
    old, new, whole = (result.get(key) for key in ("oldString", "newString", "originalFile"))
    if isinstance(old, str) and isinstance(new, str) and isinstance(whole, str):
        return whole.replace(old, new, -1 if result.get("replaceAll") is True else 1)
    return None


def _kept(value: dict[str, Any], is_plan: Callable[[str], bool], backup: Callable[[str], bytes | None]) -> bytes | None:
    """What a checkpoint kept; one that adds to an earlier checkpoint says how files were then, and counts for nothing here."""
    snapshot = value.get("snapshot")
    tracked = snapshot.get(TRACKED) if isinstance(snapshot, dict) else None
    copies = dict(tracked) if isinstance(tracked, dict) and value.get(ADDS) is not True else {}
    copies[_text(value.get(TRACKING_PATH))] = value.get("backup")
    for path, copy in copies.items():
        if is_plan(path) and isinstance(copy, dict) and BACKUP_NAME in copy:
            name = copy[BACKUP_NAME]
            return NONE if name is None else backup(_text(name))
    return None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
