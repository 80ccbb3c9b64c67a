"""The sessions of other clients, as far as to tell them from those of Claude Code: each is a file of JSON lines, too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from forkpoint.clients.claude.lines import SESSION_KEY

PI: Final = "pi"
CODEX: Final = "Codex"
HEAD: Final = 1 << 16
"""So many bytes at the beginning of a file tell whose it is; where they hold no whole line, :data:`MOST` do."""
MOST: Final = 1 << 22
LINES: Final = 20
"""So many lines are looked at."""
_CODEX: Final = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "world_state", "compacted"})
"""The types of Codex's lines, which hold all else under ``payload``; of 2025's first releases some lines have none."""
_PI: Final = frozenset({"message", "model_change", "thinking_level_change", "session_info", "custom", "compaction"})
"""The types of pi's entries, which have ``id`` and ``parentId``."""
_decode: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_text: Final = msgspec.json.Decoder(str).decode


def client_of(head: bytes) -> str | None:
    """The other client that wrote a file which begins so; None of Claude Code's, and where nothing tells."""
    for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n")[:LINES]:
        try:
            keys: Mapping[str, Any] = _decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
        if "uuid" in keys or SESSION_KEY in keys:
            return None
        kind = _kind(keys)
        if (kind in _CODEX and "payload" in keys) or "record_type" in keys or {*keys} >= {"id", "timestamp", "instructions"}:
            return CODEX
        if (kind == "session" and {*keys} >= {"id", "timestamp"}) or (kind in _PI and {*keys} >= {"id", "parentId"}):
            return PI
    return None


def _kind(keys: Mapping[str, Any]) -> str:
    try:
        return _text(keys.get("type", b'""'))
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""
