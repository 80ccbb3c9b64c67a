"""Chapter 7 by the generated code: fork, prefix fork, append."""

from __future__ import annotations

from collections.abc import Sequence

from forkpoint.core.entries import DanglingParent, DuplicateUuid, Entry, Id, Log
from forkpoint.oracle import contexts, convert, entries
from forkpoint.oracle.generated import Forks


def fork(log: Log, uuid: Id) -> Log:
    """A new log of exactly the context of ``uuid``, each entry unchanged."""
    return Log(contexts.context(log, uuid))


def fork_prefix(log: Log, uuid: Id) -> Log:
    """Everything up to ``uuid``."""
    made = convert.prepared(log)
    made.position(uuid)
    return Log(convert.entries_of(Forks.default__.ForkPrefix(made.log, uuid)))


def append(log: Log, entry: Entry) -> Log:
    """The log with one more entry; raises as the core does when the model says that it does not fit."""
    made = convert.prepared(log)
    if not entries.fits(log, entry):
        raise DuplicateUuid(entry.uuid) if entry.uuid in made.at else DanglingParent(entry.uuid, entry.parent)
    return Log(convert.entries_of(Forks.default__.Append(made.log, convert.entry(entry))))


def linear(entries: Sequence[Entry] | Log) -> bool:
    """Whether the first entry is a root and each other entry continues the one before it."""
    return bool(Forks.default__.Linear(convert.entries(entries)))
