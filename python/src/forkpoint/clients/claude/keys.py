"""The keys of a line that mean something to this program. They are named here, and nowhere above the packages of the clients."""

from __future__ import annotations

from typing import Final

from forkpoint.clients.claude.lines import META, SESSION_KEY, SIDE, SOURCE

PARENT: Final = "parentUuid"
LOGICAL_PARENT: Final = "logicalParentUuid"
"""The key of a boundary that names the entry behind which it goes on."""
SUMMARIZES: Final = "isCompactSummary"
"""The key that says that an entry sums up what was compacted."""
COMPACTION: Final = "compactMetadata"
"""The key of a boundary that says what it preserves."""
LEAF: Final = "leafUuid"
"""The key that names the entry of which a sidecar speaks: HEAD, or the end of what a summary sums up."""
FORKED_FROM: Final = "forkedFrom"
"""The key of a copied entry that says where it comes from."""
MESSAGE_UUID: Final = "messageUuid"
"""The key in it that names the entry."""
REQUEST_SESSION: Final = "requestSessionId"
GIT_BRANCH: Final = "gitBranch"
AGENT_ID: Final = "agentId"
"""The key of a sub-agent's entry that names the sub-agent."""
PARENT_SESSION: Final = "parentSessionId"
PARENT_LAST: Final = "parentLastUuid"
"""The keys of the line that says where a sub-agent's conversation goes on: the session, and its entry."""
WORKTREE_SESSION: Final = "worktreeSession"
"""The key of the line that says in which worktree a session works."""
PLAN: Final = "planContent"
"""The key of an attachment with the whole plan."""
PROMPT_ID: Final = "promptId"
REQUEST_ID: Final = "requestId"
TOOL_RESULT: Final = "toolUseResult"
"""The key of a result's line with what the tool gave to the client."""
API_ERROR: Final = "isApiErrorMessage"
API_STATUS: Final = "apiErrorStatus"
"""The keys of an answer that the client wrote because a request failed."""
CUSTOM_TITLE: Final = "customTitle"
AI_TITLE: Final = "aiTitle"
AGENT_NAME: Final = "agentName"
MESSAGE_ID: Final = "messageId"
SNAPSHOT_MESSAGE: Final = "snapshotMessageId"
"""The keys of a line about copies of files that name entries."""
TRACKED: Final = "trackedFileBackups"
"""The key of a snapshot with the copies by file."""
TRACKING_PATH: Final = "trackingPath"
"""The key with the file of which a single copy is."""
BACKUP_NAME: Final = "backupFileName"
ADDS: Final = "isSnapshotUpdate"
"""The key that says that a snapshot adds to an earlier one."""
DIGEST: Final = "requestDigest"
SHAPE_HASH: Final = "shapeHash"
CLI_PREFIX: Final = "cliPrefix"
SYSTEM_PROMPT: Final = "systemPrompt"
"""The keys of what the client notes of a request."""
USER_TYPE: Final = "userType"

ENTRY_START: Final = b'{"' + PARENT.encode() + b'":'
"""How clients begin the line of an entry."""

NAMES: Final = {
    "parent": PARENT,
    "logical_parent": LOGICAL_PARENT,
    "sidechain": SIDE,
    "meta": META,
    "summarizes": SUMMARIZES,
    "caller": SOURCE,
    "compaction": COMPACTION,
    "leaf": LEAF,
    "forked_from": FORKED_FROM,
    "message_uuid": MESSAGE_UUID,
    "session": SESSION_KEY,
    "request_session": REQUEST_SESSION,
    "git_branch": GIT_BRANCH,
    "prompt_id": PROMPT_ID,
    "request_id": REQUEST_ID,
    "tool_result": TOOL_RESULT,
    "custom_title": CUSTOM_TITLE,
    "ai_title": AI_TITLE,
    "agent_name": AGENT_NAME,
    "message_id": MESSAGE_ID,
    "snapshot_message": SNAPSHOT_MESSAGE,
}
"""The keys by the names of the fields into which they are decoded, where those differ: ``rename`` of a struct."""
