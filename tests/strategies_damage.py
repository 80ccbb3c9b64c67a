"""Transcripts as bytes, sound ones and such as crashes, tools and old clients leave behind."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

from forkpoint.core.entries import Entry, Kind, Opaque, Result, Use
from strategies import sessions, small_logs

Row = dict[str, Any]
SESSION = "5e551000-0000-4000-8000-000000000001"
SIDECARS = (
    b'{"type":"summary","summary":"A walk","leafUuid":"none"}',
    b'{"type":"custom-title","customTitle":"Title","sessionId":"s"}',
    b'{"type":"last-prompt","leafUuid":"e1","sessionId":"s"}',
)


def row(entry: Entry, time: int) -> Row:
    """An entry as clients write it; ``time`` in tenths of seconds."""
    content: list[Row] = []
    for number, block in enumerate(entry.blocks):
        if isinstance(block, Use):
            content.append({"type": "tool_use", "id": block.id, "name": "Bash", "input": {}})
        elif isinstance(block, Result):
            content.append({"type": "tool_result", "tool_use_id": block.id, "content": "done"})
        else:
            content.append({"type": "text", "text": f"words {number} of {entry.uuid}"})
    value: Row = {
        "parentUuid": entry.parent,
        "isSidechain": entry.sidechain,
        "sessionId": SESSION,
        "version": "2.1.161",
        "type": entry.kind.value,
        "uuid": entry.uuid,
        "timestamp": f"2026-03-01T{time // 36000:02d}:{time // 600 % 60:02d}:{time // 10 % 60:02d}.{time % 10}00Z",
    }
    if entry.logical_parent is not None:
        value["logicalParentUuid"] = entry.logical_parent
    if entry.kind in (Kind.USER, Kind.ASSISTANT):
        value["message"] = {"role": entry.kind.value, "content": content, "usage": {"input_tokens": 12}}
        if entry.message is not None:
            value["message"]["id"] = entry.message
            calls = any(isinstance(block, Use) for block in entry.blocks)
            value["message"]["stop_reason"] = "tool_use" if calls else None
    return value


def line(value: Row) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def user(uuid: str, parent: object, blocks: Sequence[Use | Result | Opaque], time: int) -> Row:
    return row(Entry(uuid, parent, kind=Kind.USER, blocks=tuple(blocks)), time)  # type: ignore[arg-type]


def _tree_damage(draw: st.DrawFn, rows: list[Row]) -> None:
    """Breaks a link, a uuid or a pair."""
    at = draw(st.integers(0, len(rows) - 1))
    other = draw(st.integers(0, len(rows) - 1))
    fresh = f"n{len(rows)}"
    tools = [block["id"] for each in rows for block in _content(each) if block["type"] == "tool_use"]
    what = draw(
        st.sampled_from(
            [
                "dangling",
                "odd parent",
                "cycle",
                "self",
                "copy",
                "other copy",
                "bare copy",
                "twin",
                "start again",
                "lost",
                "orphan",
                "second result",
                "use twice",
                "swap",
            ]
        )
    )
    if what == "dangling":
        rows[at]["parentUuid"] = "nowhere"
    elif what == "odd parent":
        rows[at]["parentUuid"] = draw(st.sampled_from([[rows[other]["uuid"]], [], ["nowhere"], 7, {"a": 1}, True]))
    elif what == "cycle":
        rows[at]["parentUuid"] = rows[other]["uuid"]
    elif what == "self":
        rows[at]["parentUuid"] = rows[at]["uuid"]
    elif what == "copy":
        rows.insert(max(at, other), dict(rows[at]))
    elif what == "other copy":
        rows.insert(other, {**rows[at], "parentUuid": draw(st.sampled_from([None, rows[other]["uuid"]])), "isMeta": True})
    elif what == "twin":
        rows.insert(max(at, other), {**rows[at], "slug": "quiet-green-thyme"})
    elif what == "bare copy":
        rows.insert(max(at, other), {**rows[at], "parentUuid": None, "forkedFrom": {"sessionId": "s", "messageUuid": "m"}})
    elif what == "start again":
        rows[other:other] = [{**each, "parentUuid": None} for each in rows[: min(at, other)]]
    elif what == "lost" and len(rows) > 1:
        del rows[at]
    elif what == "orphan":
        rows.insert(at + 1, user(fresh, rows[at]["uuid"], [Result("nobody")], at * 7))
        if at + 2 < len(rows) and rows[at + 2]["parentUuid"] == rows[at]["uuid"]:
            rows[at + 2]["parentUuid"] = fresh
    elif what == "second result" and tools:
        rows.insert(at + 1, user(fresh, rows[at]["uuid"], [Result(draw(st.sampled_from(tools))), Opaque()], at * 7))
    elif what == "use twice" and tools:
        entry = Entry(fresh, rows[at]["uuid"], kind=Kind.ASSISTANT, message=fresh, blocks=(Use(draw(st.sampled_from(tools))),))
        rows.insert(at + 1, row(entry, at * 7))
    elif what == "swap":
        rows[at], rows[other] = rows[other], rows[at]


def _content(value: Row) -> list[Row]:
    content = value.get("message", {}).get("content", [])
    return content if isinstance(content, list) else []


def _torn(text: bytes, at: int) -> bytes:
    return text[: 1 + at % max(1, len(text) - 1)]


LINE_DAMAGE: dict[str, Callable[[bytes, int], bytes]] = {
    "torn": _torn,
    "NUL padding": lambda text, at: b"\x00" * (1 + at % 9) + text,
    "NUL inside": lambda text, at: text[: at % len(text)] + b"\x00" + text[at % len(text) :],
    "UTF-8": lambda text, at: text.replace(b"words", b"w\xff\xfe\xc3ords"),
    "redacted": lambda text, at: text.replace(b'"input_tokens":12', b'"input_tokens":1[REDACTED_PHONE]2'),
    "redacted whole": lambda text, at: text.replace(b'"input_tokens":12', b'"input_tokens":[REDACTED_PHONE]'),
    "no uuid": lambda text, at: text.replace(b'"uuid":"e', b'"uuid":7,"was":"e'),
    "no object": lambda text, at: b"[" + text + b"]",
    "junk": lambda text, at: b"junk",
    "mark": lambda text, at: b"\xef\xbb\xbf" + text,
}


@st.composite
def rows(draw: st.DrawFn) -> list[Row]:
    """The entries of a session as clients write them, some seconds or tenths of seconds apart."""
    log = draw(st.one_of(sessions(), small_logs()))
    time, made = 0, []
    for entry in log:
        time += draw(st.sampled_from([0, 1, 3, 20, 80]))
        made.append(row(entry, time))
    return made


@st.composite
def damaged_files(draw: st.DrawFn) -> bytes:
    """A session with sidecars between its entries, hurt in up to four ways; sometimes in none."""
    entries = draw(rows())
    for _ in range(draw(st.integers(0, 2))):
        _tree_damage(draw, entries)
    lines = [line(entry) for entry in entries]
    for _ in range(draw(st.integers(0, 2))):
        lines.insert(draw(st.integers(0, len(lines))), draw(st.sampled_from(SIDECARS)))
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(lines) - 1))
        what = draw(st.sampled_from([*LINE_DAMAGE, "joined", "glued"]))
        if what == "joined" and at + 1 < len(lines):
            lines[at : at + 2] = [lines[at] + lines[at + 1]]
        elif what == "glued" and at + 1 < len(lines):
            lines[at : at + 2] = [_torn(lines[at], draw(st.integers(0, 400))) + lines[at + 1]]
        elif what in LINE_DAMAGE:
            lines[at] = LINE_DAMAGE[what](lines[at], draw(st.integers(0, 400)))
    end = draw(st.sampled_from([b"\n", b"\n", b"\r\n", b"\n\n"]))
    start = draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf", b"\n"]))
    data = start + end.join(lines) + draw(st.sampled_from([b"\n", b""]))
    return data[: len(data) - draw(st.sampled_from([0, 0, 0, 5]))]
