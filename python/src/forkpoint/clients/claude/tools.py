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

RUNS: Final = frozenset({"Bash", "PowerShell"})
"""The tools that run a command line."""

KINDS: Final = {
    "writing": frozenset(CHANGES),
    "running": frozenset({*RUNS, "BashOutput", "KillBash", "KillShell", "REPL"}),
    "delegating": frozenset({"Agent", "Skill", "Task"}),
    "searching the web": frozenset({"WebFetch", "WebSearch"}),
    "reading": frozenset({"Glob", "Grep", "LS", "LSP", "NotebookRead", "Read"}),
    "planning": frozenset(
        {"EnterPlanMode", "ExitPlanMode", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "TodoRead", "TodoWrite"}
    ),
}
"""The kinds of work, each with the tools that do it; the first kind that a turn does is what it is counted as."""
TALKING: Final = "talking"
"""The kind of a turn that calls no tool."""
OTHER: Final = "other tools"
