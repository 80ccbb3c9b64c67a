"""The registry: one row a command.

A row says what a command is called, in which group it stands, what it does in one sentence, where it is parsed, and where it is
defined. The help, the completion, the methods of a session and the checks take their lists from here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Registered:
    """A command."""

    name: str
    group: str
    help: str
    command: str
    """Its module below :mod:`forkpoint.cli`, and its function there."""
    function: str | None = None
    """The module below :mod:`forkpoint.ops`, and the function there, of an operation on one session; None for any other."""
    answers: tuple[str, ...] = ()
    """The shapes of :mod:`forkpoint.answers` that its answer can have, besides that of a failure; none where it has no
    ``--json``."""
    method: str | None = None
    """The method of a session, where that has another name."""

    @property
    def as_method(self) -> str:
        """The name of the method of a session."""
        return self.method or self.name.replace("-", "_")


OPERATIONS: Final = (
    Registered("sessions", "Look", "List the sessions of this folder.", "sessions:sessions", answers=("Sessions",)),
    Registered("search", "Look", "Find what was said in any session.", "search:search", answers=("Hits", "Forked")),
    Registered(
        "where", "Look", "Say where a session is, and what it comes from.", "where:where", "whereabouts:where", ("Whereabouts",)
    ),
    Registered("browse", "Look", "Look at sessions on the whole terminal.", "browse:browse"),
    Registered(
        "tree", "Look", "Draw a session: the way to HEAD, and what left it.", "tree:tree", "views:tree", answers=("Tree",)
    ),
    Registered(
        "print",
        "Look",
        "Print a conversation to read, as Markdown.",
        "reading:print_command",
        "views:conversation",
        answers=("Conversation", "Quoted"),
        method="conversation",
    ),
    Registered(
        "points",
        "Look",
        "List the prompts, and say whether you can fork there.",
        "points:points",
        "views:points",
        answers=("Points", "Steps"),
    ),
    Registered(
        "normalize",
        "Look",
        "Print a session in one form for all clients.",
        "normalize:normalize",
        "normalizing:normalize",
        answers=("Normalized",),
    ),
    Registered(
        "stats",
        "Look",
        "Count what a session, a project or all projects hold.",
        "stats:stats",
        "figures:stats_answer",
        answers=("Figures", "Weighed", "Costs"),
    ),
    Registered("thinkback", "Look", "Say what was done in a year.", "thinkback:thinkback", answers=("Thought",)),
    Registered(
        "diff",
        "Look",
        "Show where two conversations part.",
        "diff:diff",
        "checking:compared",
        answers=("Compared", "ContextsCompared"),
    ),
    Registered("check", "Look", "Check that a session is whole.", "check:check", "checking:check", answers=("Checked",)),
    Registered(
        "resume", "Fork and go back", "Go on in a session: start the client in its folder.", "resume:resume", answers=("Started",)
    ),
    Registered("btw", "Fork and go back", "Ask a side question that leaves no trace.", "btw:btw", answers=("SideQuestion",)),
    Registered("clear", "Fork and go back", "Start the client with a new session.", "resume:clear", answers=("Started",)),
    Registered(
        "fork",
        "Fork and go back",
        "Fork at a past point into a new session.",
        "fork:fork_command",
        "forking:fork",
        answers=("Forked",),
    ),
    Registered(
        "branch",
        "Fork and go back",
        "Branch a session as the client's /branch does.",
        "branch:branch",
        "forking:branch",
        answers=("Forked",),
    ),
    Registered(
        "checkout",
        "Fork and go back",
        "Go on at the end of another branch.",
        "checkout:checkout",
        "head:checkout",
        answers=("Moved", "Standing"),
    ),
    Registered(
        "rewind",
        "Fork and go back",
        "Go back to an earlier point.",
        "rewind:rewind",
        "head:rewind",
        answers=("Moved", "Standing"),
    ),
    Registered(
        "manifest",
        "Fork and go back",
        "Say what a continuation depends on.",
        "manifest:manifest",
        "manifests:manifest",
        answers=("Manifest", "ManifestsCompared"),
    ),
    Registered(
        "files",
        "Fork and go back",
        "Say what files were at a past point, or put them back.",
        "files:files_command",
        answers=("Files", "FilesPut"),
    ),
    Registered(
        "verify-fork",
        "Fork and go back",
        "Check that a fork holds what it took from its source.",
        "verify_fork:verify_fork",
        "checking:verify_fork",
        answers=("Verified",),
        method="verify",
    ),
    Registered(
        "discard",
        "Fork and go back",
        "Remove a fork that nobody resumed.",
        "discard:discard",
        "discarding:discard",
        answers=("Removed",),
    ),
    Registered(
        "checkpoint",
        "Fork and go back",
        "Set a ref at the end of each turn.",
        "checkpoint:checkpoint",
        answers=("HookChanged", "Refs"),
    ),
    Registered("ref", "Fork and go back", "Give names to points of sessions.", "naming:ref", answers=("Refs",)),
    Registered("rename", "Fork and go back", "Give a session a title.", "naming:rename", "naming:rename", answers=("Renamed",)),
    Registered(
        "drop",
        "Change",
        "Leave steps out of a conversation.",
        "drop:drop",
        "records:drop",
        answers=("Recorded", "Standing", "Suggested"),
    ),
    Registered(
        "trim",
        "Change",
        "Put short words in the place of large parts of messages.",
        "trim:trim",
        "records:trim",
        answers=("Recorded", "Standing", "Suggested"),
    ),
    Registered(
        "compact",
        "Change",
        "Replace the start of a conversation with a summary.",
        "compact:compact",
        "records:compact",
        answers=("Recorded", "Standing", "Forked"),
    ),
    Registered(
        "undo", "Change", "Take back a drop or a compaction.", "undo:undo", "records:undo", answers=("Recorded", "Standing")
    ),
    Registered("redo", "Change", "Take back an undo.", "undo:redo", "records:redo", answers=("Recorded", "Standing")),
    Registered(
        "overlays",
        "Change",
        "List what is left out, and what of it counts.",
        "overlays:overlays_command",
        "views:records",
        answers=("Records",),
        method="records",
    ),
    Registered(
        "export",
        "Change",
        "Make a new session of what the records leave in.",
        "export:export",
        "forking:export",
        answers=("Forked",),
    ),
    Registered(
        "backfill",
        "Change",
        "Add the keys of a later client version.",
        "backfill:backfill",
        "backfill:backfill",
        answers=("Backfilled",),
    ),
    Registered(
        "merge",
        "Merge",
        "Merge the branch of another session into this one.",
        "merge:merge",
        "merging:merge",
        answers=("Merged", "Standing"),
    ),
    Registered("judge", "Merge", "Say whether what branches bring home stands together.", "judge:judge", answers=("Verdict",)),
    Registered("ledger", "Merge", "List who forked and who merged what.", "ledger:ledger", answers=("Events",)),
    Registered(
        "promote",
        "Agents and memory",
        "Make a session of a sub-agent's conversation.",
        "promote:promote",
        "forking:promote",
        answers=("Forked",),
    ),
    Registered("memory-fork", "Agents and memory", "Fork what agents remember.", "memory:memory_fork", answers=("MemoryForked",)),
    Registered(
        "memory-merge", "Agents and memory", "Merge forks of a memory back.", "memory:memory_merge", answers=("MemoryMerged",)
    ),
    Registered(
        "install-commands",
        "Inside a client",
        "Give the client slash commands for forkpoint.",
        "install:install_commands",
        answers=("CommandsChanged",),
    ),
    Registered("mcp", "Inside a client", "Offer forkpoint to a model in a client.", "mcp:mcp"),
    Registered("inside", "Inside a client", "Run a command for the session that the client is in.", "inside:inside"),
    Registered(
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
    Registered(
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
    Registered("serve", "Many worldlines", "Serve a store over HTTP, with a page to look at it.", "serve:serve"),
    Registered(
        "archive",
        "Keep",
        "Keep sessions for good, compressed and verified.",
        "archive:archive",
        answers=("Archived", "ArchiveListed", "Restored"),
    ),
    Registered("bundle", "Keep", "Put sessions into one file, to take them elsewhere.", "bundle:bundle", answers=("Bundled",)),
    Registered(
        "unbundle", "Keep", "Write the sessions of a bundle where a client finds them.", "bundle:unbundle", answers=("Unbundled",)
    ),
    Registered("gc", "Keep", "Say which sessions could go, and archive them away.", "archive:gc", answers=("Garbage",)),
    Registered(
        "doctor", "Repair", "Say what is wrong, why, and what helps.", "doctor:doctor", "checking:doctor", answers=("Diagnosed",)
    ),
    Registered(
        "repair",
        "Repair",
        "Write a healthy copy of a damaged session.",
        "repair:repair",
        "repairing:repair",
        answers=("Repaired", "Forked"),
    ),
    Registered(
        "catalog", "Help", "Say what is kept of sessions to be faster, or remove it.", "catalog:catalog", answers=("Catalogued",)
    ),
    Registered("help", "Help", "Explain a command with all its options, or the exit codes.", "help:help_command"),
    Registered("completion", "Help", "Teach a shell to complete commands and sessions.", "completion:completion"),
)
"""Every command, in the order in which the help lists them."""
FURTHER: Final = (
    Registered("steps", "Look", "List the steps of the conversation at HEAD.", "points:points", "views:steps_here"),
    Registered("tokens", "Look", "Say where the tokens of a session are.", "stats:stats", "figures:weighed"),
    Registered("add_ref", "Fork and go back", "Name a point of a session.", "naming:ref", "naming:add_ref"),
    Registered("remove_ref", "Fork and go back", "Remove a ref.", "naming:ref", "naming:remove_ref"),
    Registered("refs", "Fork and go back", "List the refs of a session.", "naming:ref", "naming:list_refs"),
    Registered("quoted", "Merge", "Give what a merge quotes of its branch.", "reading:print_command", "merging:quoted"),
)
"""Methods of a session that are a part of a command."""
NAMED: Final = {one.name: one for one in OPERATIONS}
GROUPS: Final = tuple(dict.fromkeys(one.group for one in OPERATIONS))
"""The groups of the help."""
METHODS: Final = tuple(one for one in (*OPERATIONS, *FURTHER) if one.function is not None)
"""The operations on one session, each of which is a method."""
