"""The registry: one row a command.

A row says what a command is called, in which group it stands, what it does in one sentence, where it is parsed, and where it is
defined. The help, the completion, the methods of a session and the checks take their lists from here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Operation:
    """A command."""

    name: str
    group: str
    help: str
    command: str
    """Its module below :mod:`forkpoint.cli`, and its function there."""
    function: str | None = None
    """The module below :mod:`forkpoint.ops`, and the function there, of an operation on one session; None for any other."""
    answers: tuple[str, ...] = ()
    """The shapes of :mod:`forkpoint.ops.answers` that its answer can have, besides that of a failure; none where it has no
    ``--json``."""
    method: str | None = None
    """The method of a session, where that has another name."""

    @property
    def as_method(self) -> str:
        """The name of the method of a session."""
        return self.method or self.name.replace("-", "_")


OPERATIONS: Final = (
    Operation("sessions", "Look", "List the sessions of this folder.", "sessions:sessions", answers=("Sessions",)),
    Operation("search", "Look", "Find what was said in any session.", "search:search", answers=("Hits", "Forked")),
    Operation("where", "Look", "Say where a session is, and what it comes from.", "where:where", "whereabouts:where", ("Where",)),
    Operation("browse", "Look", "Look at sessions on the whole terminal.", "browse:browse"),
    Operation(
        "tree", "Look", "Draw a session: the way to HEAD, and what left it.", "tree:tree", "looking:tree", answers=("Tree",)
    ),
    Operation(
        "print",
        "Look",
        "Print a conversation to read, as Markdown.",
        "reading:print_command",
        "looking:conversation",
        answers=("Conversation", "Quoted"),
        method="conversation",
    ),
    Operation(
        "points",
        "Look",
        "List the prompts, and say whether you can fork there.",
        "points:points",
        "looking:points",
        answers=("Points", "Steps"),
    ),
    Operation(
        "normalize",
        "Look",
        "Print a session in one form for all clients.",
        "normalize:normalize",
        "normalizing:normalize",
        answers=("Normalized",),
    ),
    Operation(
        "stats",
        "Look",
        "Count what a session, a project or all projects hold.",
        "stats:stats",
        "figures:stats_answer",
        answers=("Figures", "Weighed", "Costs"),
    ),
    Operation("thinkback", "Look", "Say what was done in a year.", "thinkback:thinkback", answers=("Thought",)),
    Operation(
        "diff",
        "Look",
        "Show where two conversations part.",
        "diff:diff",
        "checking:compared",
        answers=("Compared", "ContextsCompared"),
    ),
    Operation("check", "Look", "Check that a session is whole.", "check:check", "checking:check", answers=("Checked",)),
    Operation(
        "resume", "Fork and go back", "Go on in a session: start the client in its folder.", "resume:resume", answers=("Started",)
    ),
    Operation("btw", "Fork and go back", "Ask a side question that leaves no trace.", "btw:btw", answers=("SideQuestion",)),
    Operation("clear", "Fork and go back", "Start the client with a new session.", "resume:clear", answers=("Started",)),
    Operation(
        "fork",
        "Fork and go back",
        "Fork at a past point into a new session.",
        "fork:fork_command",
        "forking:fork",
        answers=("Forked",),
    ),
    Operation(
        "branch",
        "Fork and go back",
        "Branch a session as the client's /branch does.",
        "branch:branch",
        "forking:branch",
        answers=("Forked",),
    ),
    Operation(
        "checkout",
        "Fork and go back",
        "Go on at the end of another branch.",
        "checkout:checkout",
        "moving:checkout",
        answers=("Moved", "Standing"),
    ),
    Operation(
        "rewind",
        "Fork and go back",
        "Go back to an earlier point.",
        "rewind:rewind",
        "moving:rewind",
        answers=("Moved", "Standing"),
    ),
    Operation(
        "manifest",
        "Fork and go back",
        "Say what a continuation depends on.",
        "manifest:manifest",
        "manifests:manifest",
        answers=("Manifest", "ManifestsCompared"),
    ),
    Operation(
        "files",
        "Fork and go back",
        "Say what files were at a past point, or put them back.",
        "files:files_command",
        answers=("Files", "FilesPut"),
    ),
    Operation(
        "verify-fork",
        "Fork and go back",
        "Check that a fork holds what it took from its source.",
        "verify_fork:verify_fork",
        "checking:verify_fork",
        answers=("Verified",),
        method="verify",
    ),
    Operation(
        "discard",
        "Fork and go back",
        "Remove a fork that nobody resumed.",
        "discard:discard",
        "discarding:discard",
        answers=("Removed",),
    ),
    Operation(
        "checkpoint",
        "Fork and go back",
        "Set a ref at the end of each turn.",
        "checkpoint:checkpoint",
        answers=("HookChanged", "Refs"),
    ),
    Operation("ref", "Fork and go back", "Give names to points of sessions.", "naming:ref", answers=("Refs",)),
    Operation("rename", "Fork and go back", "Give a session a title.", "naming:rename", "naming:rename", answers=("Renamed",)),
    Operation(
        "drop",
        "Change",
        "Leave steps out of a conversation.",
        "drop:drop",
        "leaving_out:drop",
        answers=("Recorded", "Standing", "Suggested"),
    ),
    Operation(
        "trim",
        "Change",
        "Put short words in the place of large parts of messages.",
        "trim:trim",
        "leaving_out:trim",
        answers=("Recorded", "Standing", "Suggested"),
    ),
    Operation(
        "compact",
        "Change",
        "Replace the start of a conversation with a summary.",
        "compact:compact",
        "leaving_out:compact",
        answers=("Recorded", "Standing", "Forked"),
    ),
    Operation(
        "undo", "Change", "Take back a drop or a compaction.", "undo:undo", "leaving_out:undo", answers=("Recorded", "Standing")
    ),
    Operation("redo", "Change", "Take back an undo.", "undo:redo", "leaving_out:redo", answers=("Recorded", "Standing")),
    Operation(
        "overlays",
        "Change",
        "List what is left out, and what of it counts.",
        "overlays:overlays_command",
        "looking:records",
        answers=("Records",),
        method="records",
    ),
    Operation(
        "export",
        "Change",
        "Make a new session of what the records leave in.",
        "export:export",
        "forking:export",
        answers=("Forked",),
    ),
    Operation(
        "backfill",
        "Change",
        "Add the keys of a later client version.",
        "backfill:backfill",
        "filling:backfill",
        answers=("Backfilled",),
    ),
    Operation(
        "merge",
        "Merge",
        "Merge the branch of another session into this one.",
        "merge:merge",
        "merging:merge",
        answers=("Merged", "Standing"),
    ),
    Operation("judge", "Merge", "Say whether what branches bring home stands together.", "judge:judge", answers=("Verdict",)),
    Operation("ledger", "Merge", "List who forked and who merged what.", "ledger:ledger", answers=("Events",)),
    Operation(
        "promote",
        "Agents and memory",
        "Make a session of a sub-agent's conversation.",
        "promote:promote",
        "forking:promote",
        answers=("Forked",),
    ),
    Operation("memory-fork", "Agents and memory", "Fork what agents remember.", "memory:memory_fork", answers=("MemoryForked",)),
    Operation(
        "memory-merge", "Agents and memory", "Merge forks of a memory back.", "memory:memory_merge", answers=("MemoryMerged",)
    ),
    Operation(
        "install-commands",
        "Inside a client",
        "Give the client slash commands for forkpoint.",
        "install:install_commands",
        answers=("CommandsChanged",),
    ),
    Operation("mcp", "Inside a client", "Offer forkpoint to a model in a client.", "mcp:mcp"),
    Operation("inside", "Inside a client", "Run a command for the session that the client is in.", "inside:inside"),
    Operation(
        "store",
        "Many worldlines",
        "Keep sessions as worldlines of one database.",
        "store:store",
        answers=(
            "StoreImported",
            "Forked",
            "StoreListed",
            "StoreTimeline",
            "StoreBranched",
            "StoreAppended",
            "StoreSnapshot",
            "StoreRestored",
            "StoreLog",
            "StoreDifference",
            "StoreLine",
            "StoreOperations",
            "StoreChecked",
            "StoreBundled",
            "StoreSpawned",
        ),
    ),
    Operation(
        "constellation",
        "Many worldlines",
        "Fork agents that work together, and merge them back.",
        "constellation:constellation",
        answers=(
            "ConstellationHolds",
            "ConstellationsListed",
            "ConstellationMerged",
            "MemoryMerged",
            "ConstellationRemembers",
            "ConstellationTurn",
            "StoreBundled",
        ),
    ),
    Operation("serve", "Many worldlines", "Serve a store over HTTP, with a page to look at it.", "serve:serve"),
    Operation(
        "archive",
        "Keep",
        "Keep sessions for good, compressed and verified.",
        "archive:archive",
        answers=("Archived", "ArchiveListed", "Restored"),
    ),
    Operation("bundle", "Keep", "Put sessions into one file, to take them elsewhere.", "bundle:bundle", answers=("Bundled",)),
    Operation(
        "unbundle", "Keep", "Write the sessions of a bundle where a client finds them.", "bundle:unbundle", answers=("Unbundled",)
    ),
    Operation("gc", "Keep", "Say which sessions could go, and archive them away.", "archive:gc", answers=("Garbage",)),
    Operation(
        "doctor", "Repair", "Say what is wrong, why, and what helps.", "doctor:doctor", "checking:doctor", answers=("Diagnosed",)
    ),
    Operation(
        "repair",
        "Repair",
        "Write a healthy copy of a damaged session.",
        "repair:repair",
        "repairing:repair",
        answers=("Repaired", "Forked"),
    ),
    Operation(
        "catalog", "Help", "Say what is kept of sessions to be faster, or remove it.", "catalog:catalog", answers=("Catalogued",)
    ),
    Operation("help", "Help", "Explain a command with all its options, or the exit codes.", "help:help_command"),
    Operation("completion", "Help", "Teach a shell to complete commands and sessions.", "completion:completion"),
)
"""Every command, in the order in which the help lists them."""
FURTHER: Final = (
    Operation("steps", "Look", "List the steps of the conversation at HEAD.", "points:points", "looking:steps_here"),
    Operation("tokens", "Look", "Say where the tokens of a session are.", "stats:stats", "figures:weighed"),
    Operation("add_ref", "Fork and go back", "Name a point of a session.", "naming:ref", "naming:add_ref"),
    Operation("remove_ref", "Fork and go back", "Remove a ref.", "naming:ref", "naming:remove_ref"),
    Operation("refs", "Fork and go back", "List the refs of a session.", "naming:ref", "naming:list_refs"),
    Operation("quoted", "Merge", "Give what a merge quotes of its branch.", "reading:print_command", "merging:quoted"),
)
"""Methods of a session that are a part of a command."""
NAMED: Final = {one.name: one for one in OPERATIONS}
GROUPS: Final = tuple(dict.fromkeys(one.group for one in OPERATIONS))
"""The groups of the help."""
METHODS: Final = tuple(one for one in (*OPERATIONS, *FURTHER) if one.function is not None)
"""The operations on one session, each of which is a method."""
