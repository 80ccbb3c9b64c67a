"""The public names and where each lives; ``__init__.py`` imports a name when it is first used."""

from .core.backfill import Schema as Schema
from .core.balance import Survey as Survey
from .core.contracts.ancestries import ancestry as ancestry, lineage as lineage
from .core.contracts.backfill import backfill_entry as backfill_entry, backfill_log as backfill_log
from .core.contracts.balance import (
    balanced as balanced,
    legal as legal,
    resumable as resumable,
    survey as survey,
)
from .core.contracts.contexts import context as context, settled as settled
from .core.contracts.entries import (
    no_dangling_parents as no_dangling_parents,
    unique_uuids as unique_uuids,
    well_formed as well_formed,
)
from .core.contracts.forks import (
    IllegalForkPoint as IllegalForkPoint,
    append as append,
    fork as fork,
    fork_prefix as fork_prefix,
)
from .core.contracts.order import arrange as arrange, canonical as canonical
from .core.contracts.stores import apply as apply
from .core.contracts.turns import first_legal_descendants as first_legal_descendants, nearest_legal_ancestor as nearest_legal_ancestor
from .core.entries import (
    DanglingParent as DanglingParent,
    DuplicateUuid as DuplicateUuid,
    Entry as Entry,
    EntryError as EntryError,
    Kind as Kind,
    Log as Log,
    Opaque as Opaque,
    Result as Result,
    UnknownEntry as UnknownEntry,
    Use as Use,
)
from .core.stores import (
    DoAppend as DoAppend,
    DoBackfill as DoBackfill,
    DoFork as DoFork,
    DoForkPrefix as DoForkPrefix,
    NotEnabled as NotEnabled,
    Store as Store,
)
