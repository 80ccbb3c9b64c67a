"""What the Messages API documents that it refuses, said once more, apart from the product: for tests, and for the stand-in."""

from __future__ import annotations

import base64
import re
from typing import Any

BEGINNINGS: dict[str, tuple[bytes, ...]] = {
    "image/png": (b"\x89PNG",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/gif": (b"GIF87a", b"GIF89a"),
    "image/webp": (b"RIFF",),
}


def begins(source: dict[str, Any]) -> bool:
    """Whether an image is of the type that is said. Only PNG is measured below."""
    try:
        data = base64.b64decode(source["data"], validate=True)
    except ValueError:
        return False
    return data.startswith(BEGINNINGS.get(source["media_type"], ()))


def joined(messages: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """The blocks of each answer as a client sends them: parts of a message are one, if nothing but results is between."""
    found: list[list[dict[str, Any]]] = []
    names: list[str] = []
    for message in messages:
        blocks = message["content"] if isinstance(message["content"], list) else []
        name = message.get("id", f"one of its own, {len(found)}")  # a request does not say the ids: there each is whole
        if message["role"] == "assistant" and name in names:
            found[-len(names) + names.index(name)] += blocks
        elif message["role"] == "assistant":
            names.append(name)
            found.append([*blocks])
        elif not any(block["type"] == "tool_result" for block in blocks):
            names = []
    return found


def alone(answer: list[dict[str, Any]]) -> bool:
    """Whether an answer holds the result of one of the API's own tools without its call."""
    of = [block["tool_use_id"] for block in answer if block["type"].endswith("_tool_result")]
    return not {*of} <= {block.get("id") for block in answer}


def no_pdf(source: dict[str, Any]) -> bool:
    """Whether a document is none that the API takes in base64."""
    if source["type"] != "base64":
        return False
    return source["media_type"] != "application/pdf" or b"%PDF-" not in base64.b64decode(source["data"] + "==")[:1024]


def refuses(messages: list[dict[str, Any]]) -> bool:
    """What the Messages API documents of its requests, said once more by itself: whether it refuses one."""
    blocks = [block for message in messages for block in message["content"] if isinstance(message["content"], list)]
    inner = [one for block in blocks if isinstance(block.get("content"), list) for one in block["content"]]
    sources = [one["source"] for one in (*blocks, *inner) if one["type"] == "image"]
    papers = [one["source"] for one in (*blocks, *inner) if one["type"] == "document"]
    limit = 2000 if len(sources) > 20 else 8000
    return (
        any(map(alone, joined(messages)))
        or any(map(no_pdf, papers))
        or any(one["type"] == "text" and not one["text"].strip() for one in (*blocks, *inner))
        or any(one["type"] == "tool_use" and type(one["input"]) is not dict for one in blocks)
        or any(one["type"] == "tool_use" and not re.fullmatch(r"[\w-]{1,128}", one["name"], re.ASCII) for one in blocks)
        or any(not re.fullmatch(r"[\w-]+", one.get("id", one.get("tool_use_id", "x")), re.ASCII) for one in blocks)
        or any(source["media_type"].removeprefix("image/") not in ("png", "jpeg", "gif", "webp") for source in sources)
        or any(not 0 < len(source["data"]) <= 5 * 1024 * 1024 for source in sources)
        or any(not begins(source) for source in sources)
        or any(base64.b64decode(source["data"])[16:20] > (limit).to_bytes(4, "big") for source in sources if source["data"])
    )
