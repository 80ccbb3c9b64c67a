"""Chapter 7 behind contracts: fork and append. Here, not in the core, a fork demands a legal point."""

from __future__ import annotations

from icontract import require

from forkpoint.contracts import behind
from forkpoint.core import balance, forks, turns
from forkpoint.core.entries import DanglingParent, DuplicateUuid, Entry, EntryError, Id, Log, UnknownEntry, fits


class IllegalForkPoint(EntryError):
    """A fork was asked for at an entry that is not the end of a complete assistant turn.

    ``nearest`` has the uuids of the legal points nearest to it: the closest ancestor, if there is one, then the first
    legal descendants.
    """

    def __init__(self, log: Log, uuid: Id) -> None:
        legal = balance.survey(log).legal
        above = turns.nearest_legal_ancestor(log, legal, uuid)
        below = turns.first_legal_descendants(log, legal, uuid)
        self.nearest: tuple[Id, ...] = (*(() if above is None else (above,)), *below)
        points = ", ".join(map(str, self.nearest)) or "there is none"
        super().__init__(uuid, f"entry {uuid!r} is no legal fork point; nearest legal fork points: {points}")


def _misfit(log: Log, entry: Entry) -> EntryError:
    if entry.uuid in log:
        return DuplicateUuid(entry.uuid)
    return DanglingParent(entry.uuid, entry.parent)


@behind(forks.fork)
@require(lambda log, uuid: balance.legal(log, uuid), error=lambda log, uuid: IllegalForkPoint(log, uuid))
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
def fork(log: Log, uuid: Id) -> Log:
    """Here the point must be legal: raises :class:`UnknownEntry` and :class:`IllegalForkPoint`."""
    return forks.fork(log, uuid)


@behind(forks.fork_prefix)
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
def fork_prefix(log: Log, uuid: Id) -> Log:
    return forks.fork_prefix(log, uuid)


@behind(forks.append)
@require(lambda log, entry: fits(log, entry), error=_misfit)
def append(log: Log, entry: Entry) -> Log:
    return forks.append(log, entry)
