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


def refuses(messages: list[dict[str, Any]]) -> bool:
    """What the Messages API documents of its requests, said once more by itself: whether it refuses one."""
    blocks = [block for message in messages for block in message["content"] if isinstance(message["content"], list)]
    inner = [one for block in blocks if isinstance(block.get("content"), list) for one in block["content"]]
    sources = [one["source"] for one in (*blocks, *inner) if one["type"] == "image"]
    limit = 2000 if len(sources) > 20 else 8000
    return (
        any(one["type"] == "text" and not one["text"].strip() for one in (*blocks, *inner))
        or any(one["type"] == "tool_use" and type(one["input"]) is not dict for one in blocks)
        or any(one["type"] == "tool_use" and not re.fullmatch(r"[\w-]{1,128}", one["name"], re.ASCII) for one in blocks)
        or any(not re.fullmatch(r"[\w-]+", one.get("id", one.get("tool_use_id", "x")), re.ASCII) for one in blocks)
        or any(source["media_type"].removeprefix("image/") not in ("png", "jpeg", "gif", "webp") for source in sources)
        or any(not 0 < len(source["data"]) <= 5 * 1024 * 1024 for source in sources)
        or any(not begins(source) for source in sources)
        or any(base64.b64decode(source["data"])[16:20] > (limit).to_bytes(4, "big") for source in sources if source["data"])
    )
