"""The public names and where each lives; ``__init__.py`` imports a name when it is first used."""

from .answers.refusals import Code as Code
from .answers.refusals import Refusal as Refusal
from .api import Session as Session
from .api import open as open  # noqa: A004  (as one opens a file)
from .clients.claude.schemas import UnknownVersion as UnknownVersion
from .clients.claude.schemas import for_version as for_version
from .contracts.ancestries import ancestry as ancestry
from .contracts.ancestries import lineage as lineage
from .contracts.backfill import backfill_entry as backfill_entry
from .contracts.backfill import backfill_log as backfill_log
from .contracts.balance import (
    balanced as balanced,
)
from .contracts.balance import (
    legal as legal,
)
from .contracts.balance import (
    resumable as resumable,
)
from .contracts.balance import (
    survey as survey,
)
from .contracts.contexts import context as context
from .contracts.contexts import settled as settled
from .contracts.entries import (
    no_dangling_parents as no_dangling_parents,
)
from .contracts.entries import (
    unique_uuids as unique_uuids,
)
from .contracts.entries import (
    well_formed as well_formed,
)
from .contracts.evidence import merge_branches as merge_branches
from .contracts.forks import (
    IllegalForkPoint as IllegalForkPoint,
)
from .contracts.forks import (
    append as append,
)
from .contracts.forks import (
    fork as fork,
)
from .contracts.forks import (
    fork_prefix as fork_prefix,
)
from .contracts.memories import merge_memories as merge_memories
from .contracts.memories import resolve_clashes as resolve_clashes
from .contracts.merging import Disagreement as Disagreement
from .contracts.merging import IllegalMerge as IllegalMerge
from .contracts.merging import held as held
from .contracts.merging import merge as merge
from .contracts.merging import reach as reach
from .contracts.merging import union as union
from .contracts.order import arrange as arrange
from .contracts.order import canonical as canonical
from .contracts.overlays import (
    shown as shown,
)
from .contracts.overlays import (
    shown_at as shown_at,
)
from .contracts.rendering import fork_kept as fork_kept
from .contracts.rendering import rendered as rendered
from .contracts.rewriting import (
    compact as compact,
)
from .contracts.rewriting import (
    drop as drop,
)
from .contracts.rewriting import (
    drop_with_stub as drop_with_stub,
)
from .contracts.stores import LogStore as LogStore
from .contracts.stores import apply as apply
from .contracts.turns import first_legal_descendants as first_legal_descendants
from .contracts.turns import nearest_legal_ancestor as nearest_legal_ancestor
from .core.backfill import Schema as Schema
from .core.balance import Survey as Survey
from .core.entries import (
    DanglingParent as DanglingParent,
)
from .core.entries import (
    DuplicateUuid as DuplicateUuid,
)
from .core.entries import (
    Entry as Entry,
)
from .core.entries import (
    EntryError as EntryError,
)
from .core.entries import (
    Kind as Kind,
)
from .core.entries import (
    Log as Log,
)
from .core.entries import (
    Opaque as Opaque,
)
from .core.entries import (
    Result as Result,
)
from .core.entries import (
    UnknownEntry as UnknownEntry,
)
from .core.entries import (
    Use as Use,
)
from .core.evidence import (
    Artifact as Artifact,
)
from .core.evidence import (
    Branch as Branch,
)
from .core.evidence import (
    Outcome as Outcome,
)
from .core.memories import (
    Clash as Clash,
)
from .core.memories import (
    Resolution as Resolution,
)
from .core.memories import (
    Side as Side,
)
from .core.merging import History as History
from .core.merging import NoTarget as NoTarget
from .core.overlays import CoverChanged as CoverChanged
from .core.overlays import Overlay as Overlay
from .core.overlays import Sayings as Sayings
from .core.rendering import Preservation as Preservation
from .core.rendering import Preserved as Preserved
from .core.rewriting import CoveredEntry as CoveredEntry
from .core.rewriting import NoSuchPlace as NoSuchPlace
from .core.rewriting import NotARoot as NotARoot
from .core.stores import DoAppend as DoAppend
from .core.stores import DoBackfill as DoBackfill
from .core.stores import DoCheckout as DoCheckout
from .core.stores import DoCompaction as DoCompaction
from .core.stores import DoExport as DoExport
from .core.stores import DoFork as DoFork
from .core.stores import DoForkPrefix as DoForkPrefix
from .core.stores import DoMerge as DoMerge
from .core.stores import DoRecord as DoRecord
from .core.stores import DoRestamp as DoRestamp
from .core.stores import DoUnion as DoUnion
from .core.stores import (
    NotEnabled as NotEnabled,
)
from .ops.frames import frame as frame
from .runtime_checks import BrokenPromise as BrokenPromise
from .sessions.find_parent import search as search
from .sessions.lineage import lineages as lineages
from .sessions.listing import all_sessions as all_sessions
from .sessions.listing import folders_here as folders_here
from .sessions.listing import sessions as sessions
from .sessions.locate import AmbiguousSession as AmbiguousSession
from .sessions.locate import UnknownSession as UnknownSession
from .sessions.locate import locate as locate
from .transcript.format.reader import Transcript as Transcript
from .transcript.format.reader import Violation as Violation
from .transcript.format.reader import parse as parse
from .transcript.format.reader import read as read
from .transcript.query.check import Report as Report
from .transcript.query.check import check as check
from .transcript.query.diff import Diff as Diff
from .transcript.query.diff import diff as diff
from .transcript.query.head import Head as Head
from .transcript.query.head import head as head
from .transcript.query.outline import Outline as Outline
from .transcript.query.points import points as points
from .transcript.query.select import (
    UnknownPoint as UnknownPoint,
)
from .transcript.query.select import (
    resolve as resolve,
)
from .transcript.query.stats import stats as stats
from .transcript.query.tokens import Tokens as Tokens
from .transcript.query.tokens import tokens as tokens
from .transcript.query.validate import Judgement as Judgement
from .transcript.query.validate import validate as validate
from .transcript.query.verify import Verdict as Verdict
from .transcript.query.verify import verify as verify
from .transcript.repair.backfill import Cost as Cost
from .transcript.repair.backfill import backfill as backfill
from .transcript.repair.changes import RepairError as RepairError
from .transcript.repair.doctor import diagnose as diagnose
from .transcript.repair.repair import repair as repair
from .worldlines.events import Event as Event
from .worldlines.fanout import Task as Task
from .worldlines.fanout import command as command
from .worldlines.fanout import spawn as spawn
from .worldlines.faults import BadBundle as BadBundle
from .worldlines.faults import BadEvent as BadEvent
from .worldlines.faults import BadState as BadState
from .worldlines.faults import Busy as Busy
from .worldlines.faults import IllegalPoint as IllegalPoint
from .worldlines.faults import NoSession as NoSession
from .worldlines.faults import NoState as NoState
from .worldlines.faults import NoStore as NoStore
from .worldlines.faults import StaleHead as StaleHead
from .worldlines.faults import StoreError as StoreError
from .worldlines.faults import Taken as Taken
from .worldlines.faults import Unknown as Unknown
from .worldlines.store import Store as Store

__version__: str
