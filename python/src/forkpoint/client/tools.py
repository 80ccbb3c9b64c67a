"""The tools of clients."""

from __future__ import annotations

from typing import Final

WITHOUT_EFFECT: Final = frozenset(
    {
        "AskUserQuestion", "BashOutput", "EnterPlanMode", "ExitPlanMode", "Glob", "Grep", "LS", "LSP", "ListMcpResourcesTool",
        "NotebookRead", "Read", "ReadMcpResourceTool", "TaskGet", "TaskList", "TaskOutput", "TodoRead", "TodoWrite",
        "ToolSearch", "WebFetch", "WebSearch",
    }
)  # fmt: skip
"""The tools of clients that only read, or change nothing outside the conversation."""

CHANGES: Final = {"Edit": "file_path", "MultiEdit": "file_path", "Write": "file_path", "NotebookEdit": "notebook_path"}
"""The tools that change one file, and the key of their input that names it."""
