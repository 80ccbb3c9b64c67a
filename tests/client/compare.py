"""Whole request bodies, compared value by value; the few fields that cannot be equal are masked by name."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from client.standin import Body, blocks


@dataclass(frozen=True)
class Mask:
    """A field that differs between two runs of a client on the same conversation, and why."""

    name: str
    reason: str
    apply: Callable[[Body, str], None]
    """Masks the field in place; the second argument is the session's id."""
    rare: bool = False
    """Only a full run needs it."""


def _mask_session(body: Body, session: str) -> None:
    metadata = body.get("metadata")
    if isinstance(metadata, dict) and isinstance(metadata.get("user_id"), str):
        metadata["user_id"] = metadata["user_id"].replace(session, "SESSION")


CHECKSUM = re.compile(r"(?<= cch=)[0-9a-f]+(?=;)")


def _mask_checksum(body: Body, session: str) -> None:
    system = body.get("system")
    if isinstance(system, list) and system and str(system[0].get("text", "")).startswith("x-anthropic-billing-header:"):
        system[0]["text"] = CHECKSUM.sub("SUM", system[0]["text"])


SUMMARY = "This session is being continued from a previous conversation"
SESSION_FILE = re.compile(r"(?<=/)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=\.jsonl)")


def _mask_own_file(body: Body, session: str) -> None:
    messages = body.get("messages")
    first = messages[0] if isinstance(messages, list) and messages else {}
    if isinstance(first.get("content"), str) and first["content"].startswith(SUMMARY):
        first["content"] = SESSION_FILE.sub("SESSION", first["content"])


MASKS = (
    Mask("session id in metadata.user_id", "a fork is a session of its own", _mask_session),
    Mask(
        "session file in a summary made on resuming",
        "a client that compacts what it resumes names the file that it does so in",
        _mask_own_file,
        rare=True,
    ),
    Mask("cch in the billing line of system[0]", "a checksum over the body, the session id included", _mask_checksum),
)


@dataclass(frozen=True)
class Difference:
    """A place where two bodies differ, and the two values there, cut around the first differing character."""

    place: str
    left: str
    right: str


def masked(body: Body, session: str, without: Mask | None = None) -> Body:
    """A copy of a body with every mask applied, save one."""
    copied: Body = copy.deepcopy(body)
    for mask in MASKS:
        if mask is not without:
            mask.apply(copied, session)
    return copied


def needed(left: Body, left_session: str, right: Body, right_session: str) -> list[str]:
    """The masks without which two bodies that are equal under all of them would differ."""
    return [mask.name for mask in MASKS if masked(left, left_session, without=mask) != masked(right, right_session, without=mask)]


def differences(left: Any, right: Any, place: str = "") -> Iterator[Difference]:
    """Every place where two values differ."""
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted(set(left) | set(right)):
            if key not in left or key not in right:
                yield _difference(f"{place}/{key}", left.get(key), right.get(key))
            else:
                yield from differences(left[key], right[key], f"{place}/{key}")
    elif isinstance(left, list) and isinstance(right, list):
        if len(left) != len(right):
            yield Difference(f"{place} (length)", str(len(left)), str(len(right)))
        for index, (one, other) in enumerate(zip(left, right, strict=False)):
            yield from differences(one, other, f"{place}/{index}")
    elif left != right or type(left) is not type(right):
        yield _difference(place, left, right)


def _difference(place: str, left: object, right: object, width: int = 120) -> Difference:
    one, other = json.dumps(left, ensure_ascii=False), json.dumps(right, ensure_ascii=False)
    at = next((i for i, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), min(len(one), len(other)))
    start = max(0, at - width // 3)
    return Difference(place, one[start : start + width], other[start : start + width])


@dataclass(frozen=True)
class Sent:
    """What the messages of a request hold."""

    uses: frozenset[str]
    results: frozenset[str]
    text: str

    @classmethod
    def of(cls, body: Body) -> Sent:
        """Reads a request."""
        uses: set[str] = set()
        results: set[str] = set()
        texts: list[str] = []
        for message in body.get("messages", []):
            for block in blocks(message.get("content")):
                kind = block.get("type")
                if kind == "tool_use":
                    uses.add(str(block.get("id")))
                elif kind == "tool_result":
                    results.add(str(block.get("tool_use_id")))
                    texts += [str(inner.get("text", "")) for inner in blocks(block.get("content"))]
                elif kind == "text":
                    texts.append(str(block.get("text", "")))
        return cls(frozenset(uses), frozenset(results), "\n".join(texts))


@dataclass(frozen=True)
class Column:
    """The second column: what of the model's conversation a request lacks, and what it holds beyond it."""

    missing: dict[str, int]
    beyond: dict[str, int]
    lost: tuple[str, ...]
    """The ids of the calls that are missing, or whose results are."""

    @property
    def whole(self) -> bool:
        return not self.missing and not self.beyond


def against_model(body: Body, lines: list[dict[str, Any]]) -> Column:
    """Compares a request with the lines of the conversation that are to be sent: calls and results by id, texts by content."""
    sent = Sent.of(body)
    missing: dict[str, int] = {}
    uses: set[str] = set()
    results: set[str] = set()

    def lacks(what: str) -> None:
        missing[what] = missing.get(what, 0) + 1

    for line in lines:
        message = line.get("message")
        if line.get("type") not in ("user", "assistant") or not isinstance(message, dict):
            continue
        who = str(line["type"])
        api_error = line.get("isApiErrorMessage") is True
        for block in blocks(message.get("content")):
            kind = block.get("type")
            if kind == "tool_use":
                uses.add(str(block.get("id")))
                if block.get("id") not in sent.uses:
                    lacks("tool call")
            elif kind == "tool_result":
                results.add(str(block.get("tool_use_id")))
                if block.get("tool_use_id") not in sent.results:
                    lacks("tool result")
            elif kind == "text" and (text := str(block.get("text", "")).strip()) and text not in sent.text:
                lacks("API error text" if api_error else f"{who} text")
    beyond = {
        what: len(extra) for what, extra in (("tool call", sent.uses - uses), ("tool result", sent.results - results)) if extra
    }
    lost = (uses - sent.uses) | (results - sent.results)
    return Column(missing, beyond, tuple(sorted(lost)))


COMPACTING = "Your task is to create a detailed summary"
"""How the client asks for a summary, with the prompt in the same request, where a conversation is too long for the model."""


def added(body: Body, lines: list[dict[str, Any]], prompt: str) -> list[str]:
    """What was said, by the user or the assistant, in a request but in none of the lines: what the client put there itself."""
    said = "\n".join(_strings(lines))
    return [
        f"{message['role']}: {text[:80]}"
        for message in body.get("messages", [])
        if message.get("role") in ("user", "assistant")
        for block in blocks(message.get("content"))
        if block.get("type") == "text"
        and (text := str(block.get("text", "")).strip())
        and prompt not in text
        and not text.startswith(("<system-reminder>", COMPACTING))
        and text not in said
    ]


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)
