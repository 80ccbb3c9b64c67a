"""The lines that clients write: their types, and the keys that matter here."""

from __future__ import annotations

from typing import Final

SESSION_KEY: Final = "sessionId"
"""The key of a line that has the id of its session."""

# ---- sidecars: lines that are no entries

REQUEST: Final = "api-request"
"""The record of what was sent, since 2.1.330 or before: its parameters, under an id."""
REQUEST_SHAPE: Final = "api-request-shape"
"""The system prompt and the tools of some of these, by a hash."""
REQUEST_REF: Final = "requestRef"
"""The key of an answer's entry that has the id of its record."""

CONTEXT_REF: Final = "fork-context-ref"
"""The first line of a sub-agent's file whose conversation goes on from its session's, since 2.1.118: ``parentSessionId`` is that
session, ``parentLastUuid`` the entry at which it goes on."""

WORKTREE: Final = "worktree-state"
"""The sidecar that says in which worktree a session works."""
IN_WORKTREE: Final = frozenset({WORKTREE, "relocated"})
"""The sidecars that make a client work in a worktree."""

LEFT_OUT: Final = frozenset(
    {
        "last-prompt",  # the fork gets its own
        "custom-title", "ai-title", "agent-name", "tag", "summary",  # the source's titles
        "queue-operation",  # what was waiting to be sent
        "cost-state",  # the source's bill
        "bridge-session", "pr-link",  # what only one session can be: the end of a bridge, the maker of a pull request
        *IN_WORKTREE,  # the worktree in which the source works
        REQUEST, "api-request-blob", REQUEST_SHAPE,  # a record of what was sent
    }
)  # fmt: skip
"""Sidecars that a fork never takes along."""

STATE: Final = frozenset({"mode", "permission-mode", "atis-latch", "tools-used"})
"""Sidecars that say how the session stands and name no entry."""

NAMING_SIDECARS: Final = {
    "file-history-snapshot": ("messageId",),
    "file-history-delta": ("messageId", "snapshotMessageId"),
}
"""Sidecars that go along exactly if the entries that they name do, with the keys that name them."""

REPLACEMENT: Final = "content-replacement"

KEYED: Final = frozenset(
    {
        "agent-setting", "mode", "permission-mode", "isolation-latch", "atis-latch", "tools-used", "repl-mode",
        "memory-mode", "agent-color", "derived-from", "data-flow-incomplete",
    }
)  # fmt: skip
"""Sidecars that clients look up by the session id in the line, the last of each type counts (spec/forking.md). Some clients ask
for the id of the file, some for that of the entry at which they go on, so a fork whose lines keep the old id needs both."""

REFERENCES: Final = frozenset(
    {
        "parentUuid", "logicalParentUuid", "sourceToolAssistantUUID", "leafUuid", "messageId", "snapshotMessageId",
        "messageUuid", "interruptedMessageId", "parentLastUuid", "headUuid", "anchorUuid", "tailUuid",
    }
)  # fmt: skip
"""Keys whose value names an entry."""

SNAPSHOTS: Final = frozenset({"file-history-snapshot", "file-history-delta"})
"""Sidecars about copies of files."""

TITLES: Final = {"custom-title": "customTitle", "ai-title": "aiTitle", "agent-name": "agentName"}
"""Sidecars that name a session, each with the key that holds the name; of the first type that there is the last counts."""

SUMMARY_LINE: Final = "summary"
"""The sidecar that sums up the conversation at an entry; it names the session where no other title does."""

# ---- entries

COPIED: Final = ("userType", "entrypoint", "cwd", "version", "gitBranch", "slug")
"""The keys of an appended entry whose values are those of the entry it hangs below."""

ENVELOPE: Final = frozenset(
    {
        # which entry this is and where it hangs: the uuid chain and the context say that
        "uuid",
        "parentUuid",
        "logicalParentUuid",
        "sourceToolAssistantUUID",
        # whose line it is
        "sessionId",
        "session_id",
        "requestSessionId",
        "forkedFrom",
        "sessionKind",
        "promptId",
        "slug",
        # where, when and by what it was written
        "cwd",
        "gitBranch",
        "timestamp",
        "version",
        "entrypoint",
        "userType",
    }
)
"""The keys of a line, of any type, that say nothing of what was said. Every other key counts, known or not."""

PROMPT: Final = "prompt_snapshot"
"""The type of attachment that holds the system prompt and the tools as they were, since 2.1.270 or before."""
INSTRUCTIONS: Final = "instructions"
"""The type of attachment that holds the user's memory files, since 2.1.330 or before."""
NOT_SENT: Final = frozenset({PROMPT})
"""Types of attachments that only record what was sent anyway."""
SILENT: Final = NOT_SENT | {
    "hook_success", "hook_non_blocking_error", "hook_system_message", "hook_cancelled", "hook_permission_decision",
    "command_permissions", "todo_reminder", "task_reminder", "structured_output", "dynamic_skill",
}  # fmt: skip
"""Types of attachments of which clients send nothing in the middle of a conversation (measured with 2.1.332)."""

SPEECH_TYPES: Final = frozenset(
    {
        b"user", b"assistant", b"message", b"text", b"tool_use", b"tool_result", b"thinking", b"redacted_thinking", b"image",
        b"document", b"server_tool_use", b"web_search_tool_result",
    }
)  # fmt: skip
"""Types that stand in the lines of user's and assistant's entries."""

STOP_REASON: Final = "stop_reason"
"""The key of a message that says why it ended: where it asks for a tool, ``tool_use``."""
SOURCE: Final = "sourceToolAssistantUUID"
NAMING: Final = frozenset({"headUuid", "anchorUuid", "tailUuid", "uuids", "allUuids"})
"""The keys of what a compaction preserves whose values are uuids."""

# ---- plans

SLUG: Final = "slug"
"""The key of a line that names the plan of its session."""
PLAN_REMINDERS: Final = frozenset({"plan_mode", "plan_mode_exit", "plan_mode_reentry", "plan_file_reference"})
"""Types of attachments in which a client tells the model where the plan is."""
REMINDER_KEYS: Final = ("attachment", "rendered")
"""The keys of such a line that hold the path of the plan: what the client says, and the words that it sends."""
CHECKPOINT_KEYS: Final = ("snapshot", "trackingPath")
"""The keys of a line about copies of files that hold the paths of the files."""
AGENTS_WORKTREE: Final = ("worktreePath", "worktreeBranch", "spawnedWithWorktree")
"""The keys of a sub-agent's ``meta.json`` that say in which worktree it works."""

# ---- compactions

META: Final = "isMeta"
"""The key of a user's entry whose words no user said."""
SIDE: Final = "isSidechain"
"""The key that says whether an entry is a sub-agent's."""
LOCAL_COMMAND: Final = "local_command"
"""The ``subtype`` of a line with the output of a command of the client, which is sent."""
BOUNDARY: Final = "compact_boundary"
"""The ``subtype`` of a boundary's line."""

MESSAGES: Final = "preservedMessages"
SEGMENT: Final = "preservedSegment"

SUMMARY: Final = {"isVisibleInTranscriptOnly": True, "isCompactSummary": True}
"""How clients mark the summary that stands for what was compacted."""
