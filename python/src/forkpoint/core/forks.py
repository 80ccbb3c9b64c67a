"""Chapter 7: fork, the seed's prefix fork, and growth by one entry (P4 fork-preserves-ancestry).

Mirrors ``dafny/07-Forks.dfy``.
"""

from __future__ import annotations

from collections.abc import Sequence

from forkpoint.core.contexts import member_positions
from forkpoint.core.entries import Entry, Id, Log


def fork(log: Log, uuid: Id) -> Log:
    """A new log of exactly the context of ``uuid``, each entry unchanged, ``uuid`` last.

    Total on every entry: whether the point is legal is for the caller to ask. The entries are shared with ``log``, and
    where the context is everything up to ``uuid`` so is the spine. Near-linear in what is kept.
    """
    positions = member_positions(log, uuid)
    if len(positions) == log.position(uuid) + 1:
        return log.as_of(uuid)
    entries = log.spine.entries
    return Log(entries[position] for position in positions)


def fork_prefix(log: Log, uuid: Id) -> Log:
    """The seed's formula: everything up to ``uuid``. Equal to :func:`fork` on a linear log; on a tree it may carry open
    calls of other branches along. O(1)."""
    return log.as_of(uuid)


def append(log: Log, entry: Entry) -> Log:
    """The log with one more entry, which may continue any entry of it. O(1) amortised at the newest end."""
    return log.append(entry)


def linear(entries: Sequence[Entry] | Log) -> bool:
    """Whether the first entry is a root and each other entry continues the one before it. O(n)."""
    before: Id | None = None
    for entry in entries:
        if entry.parent != before:
            return False
        before = entry.uuid
    return True
