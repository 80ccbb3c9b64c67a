"""The kinds of blocks in a message: which call a tool, which answer a call, and who runs the tool."""

from __future__ import annotations

from typing import Final

CALL: Final = "tool_use"
RESULT: Final = "tool_result"
SERVER_CALLS: Final = frozenset({"server_tool_use", "mcp_tool_use"})
"""Calls of tools that the API runs itself; the answer stands in the same message, in a block of a kind of its own."""
SERVER_RESULT: Final = "_tool_result"
"""How the kind of such an answer ends: ``web_search_tool_result``, ``advisor_tool_result``."""


def is_server_result(kind: object) -> bool:
    """Whether a kind of block is the answer of a tool that the API ran."""
    return isinstance(kind, str) and kind.endswith(SERVER_RESULT)


def is_call(kind: object) -> bool:
    """Whether a kind of block is a call, whoever runs the tool."""
    return kind == CALL or (isinstance(kind, str) and kind in SERVER_CALLS)


def is_result(kind: object) -> bool:
    """Whether a kind of block answers a call, whoever ran the tool."""
    return kind == RESULT or is_server_result(kind)
