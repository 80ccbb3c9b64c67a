"""The JSON Schema of every command's answer, made from the shapes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from forkpoint.ops import answers
from forkpoint.ops.answers import Answer, Failure

ANSWERS: Final[Mapping[str, tuple[type[Answer], ...]]] = {
    "sessions": (answers.Sessions,),
    "search": (answers.Hits, answers.Forked),
    "points": (answers.Points, answers.Steps),
    "thinkback": (answers.Thought,),
    "stats": (answers.Figures, answers.Weighed, answers.Costs),
    "diff": (answers.Compared, answers.ContextsCompared),
    "check": (answers.Checked,),
    "tree": (answers.Tree,),
    "print": (answers.Conversation, answers.Quoted),
    "resume": (answers.Started,),
    "clear": (answers.Started,),
    "btw": (answers.SideQuestion,),
    "fork": (answers.Forked,),
    "branch": (answers.Forked,),
    "backfill": (answers.Backfilled,),
    "checkout": (answers.Moved, answers.Standing),
    "rewind": (answers.Moved, answers.Standing),
    "files": (answers.Files, answers.FilesPut),
    "normalize": (answers.Normalized,),
    "manifest": (answers.Manifest, answers.ManifestsCompared),
    "discard": (answers.Removed,),
    "archive": (answers.Archived, answers.ArchiveListed, answers.Restored),
    "bundle": (answers.Bundled,),
    "unbundle": (answers.Unbundled,),
    "gc": (answers.Garbage,),
    "checkpoint": (answers.HookChanged, answers.Refs),
    "install-commands": (answers.CommandsChanged,),
    "ref": (answers.Refs,),
    "rename": (answers.Renamed,),
    "trim": (answers.Recorded, answers.Standing, answers.Suggested),
    "drop": (answers.Recorded, answers.Standing, answers.Suggested),
    "compact": (answers.Recorded, answers.Standing, answers.Forked),
    "undo": (answers.Recorded, answers.Standing),
    "redo": (answers.Recorded, answers.Standing),
    "overlays": (answers.Records,),
    "export": (answers.Forked,),
    "promote": (answers.Forked,),
    "merge": (answers.Merged, answers.Standing),
    "judge": (answers.Verdict,),
    "ledger": (answers.Events,),
    "memory-fork": (answers.MemoryForked,),
    "memory-merge": (answers.MemoryMerged,),
    "catalog": (answers.Catalogued,),
    "verify-fork": (answers.Verified,),
    "doctor": (answers.Diagnosed,),
    "repair": (answers.Repaired, answers.Forked),
    "store": (
        answers.StoreImported,
        answers.Forked,
        answers.StoreListed,
        answers.StoreTimeline,
        answers.StoreBranched,
        answers.StoreAppended,
        answers.StoreSnapshot,
        answers.StoreRestored,
        answers.StoreLog,
        answers.StoreDifference,
        answers.StoreLine,
        answers.StoreOperations,
        answers.StoreChecked,
        answers.StoreBundled,
        answers.StoreSpawned,
    ),
    "constellation": (
        answers.ConstellationHolds,
        answers.ConstellationsListed,
        answers.ConstellationMerged,
        answers.MemoryMerged,
        answers.ConstellationRemembers,
        answers.ConstellationTurn,
        answers.StoreBundled,
    ),
}
"""Of each command the shapes that its answer can have, besides that of a failure."""

_WARNINGS: Final = {"type": "array", "items": {"type": "string"}}


def document() -> dict[str, Any]:
    """One schema for all: ``commands`` has the answer of each command, ``$defs`` every shape. No other key can stand in an
    object, but for ``warnings``, which any answer may have."""
    every: list[type[Answer]] = [Failure]
    for several in ANSWERS.values():
        every += several
    kinds: list[type[Answer]] = sorted(set(every), key=_name)
    _, shapes = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    for shape in shapes.values():
        if "properties" in shape:
            shape["additionalProperties"] = False
    for kind in kinds:
        shapes[_name(kind)]["properties"]["warnings"] = _WARNINGS
    commands = {
        command: {"anyOf": [{"$ref": f"#/$defs/{_name(kind)}"} for kind in (*several, Failure)]}
        for command, several in ANSWERS.items()
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The answers of forkpoint's commands with --json",
        "commands": commands,
        "$defs": dict(sorted(shapes.items())),
    }


def _name(kind: object) -> str:
    return str(getattr(kind, "__name__", kind))


def of(command: str) -> dict[str, Any]:
    """The schema of one command's answer."""
    whole = document()
    return {"$schema": whole["$schema"], **whole["commands"][command], "$defs": whole["$defs"]}
