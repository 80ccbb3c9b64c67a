"""Fork conversations at a past point: git's ``checkout && branch`` for the transcripts of coding agents.

The names here are the core behind its contracts. ``forkpoint.core`` is the same without them, ``forkpoint.transcript`` reads
and writes transcript files.
"""

from forkpoint.core.backfill import Schema
from forkpoint.core.balance import Survey
from forkpoint.core.contracts.ancestries import ancestry, lineage
from forkpoint.core.contracts.backfill import backfill_entry, backfill_log
from forkpoint.core.contracts.balance import balanced, legal, resumable, survey
from forkpoint.core.contracts.contexts import context, settled
from forkpoint.core.contracts.entries import no_dangling_parents, unique_uuids, well_formed
from forkpoint.core.contracts.forks import IllegalForkPoint, append, fork, fork_prefix
from forkpoint.core.contracts.order import arrange, canonical
from forkpoint.core.contracts.stores import apply
from forkpoint.core.contracts.turns import first_legal_descendants, nearest_legal_ancestor
from forkpoint.core.entries import (
    DanglingParent,
    DuplicateUuid,
    Entry,
    EntryError,
    Kind,
    Log,
    Opaque,
    Result,
    UnknownEntry,
    Use,
)
from forkpoint.core.stores import DoAppend, DoBackfill, DoFork, DoForkPrefix, NotEnabled, Store

__all__ = [
    "DanglingParent",
    "DoAppend",
    "DoBackfill",
    "DoFork",
    "DoForkPrefix",
    "DuplicateUuid",
    "Entry",
    "EntryError",
    "IllegalForkPoint",
    "Kind",
    "Log",
    "NotEnabled",
    "Opaque",
    "Result",
    "Schema",
    "Store",
    "Survey",
    "UnknownEntry",
    "Use",
    "ancestry",
    "append",
    "apply",
    "arrange",
    "backfill_entry",
    "backfill_log",
    "balanced",
    "canonical",
    "context",
    "first_legal_descendants",
    "fork",
    "fork_prefix",
    "legal",
    "lineage",
    "nearest_legal_ancestor",
    "no_dangling_parents",
    "resumable",
    "settled",
    "survey",
    "unique_uuids",
    "well_formed",
]
