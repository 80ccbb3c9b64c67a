"""Chapter 7 behind contracts: fork and append. Here, not in the core, a fork demands a legal point."""

from __future__ import annotations

from icontract import ensure, require

from forkpoint.core import ancestries, balance, contexts, definitions, forks, turns
from forkpoint.core.contracts import FULL, called
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


@called
@require(lambda log, uuid: balance.legal(log, uuid), error=lambda log, uuid: IllegalForkPoint(log, uuid))
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
@ensure(lambda uuid, result: result[-1].uuid == uuid)
@ensure(lambda log, uuid, result: tuple(result) == definitions.context(tuple(log), uuid), enabled=FULL)
@ensure(
    lambda log, result: all(
        definitions.context(tuple(result), e.uuid) == definitions.context(tuple(log), e.uuid)
        and definitions.ancestry(tuple(result), e.uuid) == definitions.ancestry(tuple(log), e.uuid)
        for e in result
    ),
    enabled=FULL,
)
@ensure(lambda result, uuid: definitions.legal(tuple(result), uuid), enabled=FULL)
def fork(log: Log, uuid: Id) -> Log:
    """A new log of exactly the context of a legal point, :func:`forkpoint.core.forks.fork`; raises :class:`UnknownEntry`
    and :class:`IllegalForkPoint`."""
    return forks.fork(log, uuid)


@called
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
@ensure(lambda log, uuid, result: len(result) == log.position(uuid) + 1 and result[-1].uuid == uuid)
@ensure(lambda log, uuid, result: tuple(result) == definitions.as_of(tuple(log), uuid), enabled=FULL)
def fork_prefix(log: Log, uuid: Id) -> Log:
    """Everything up to ``uuid``, :func:`forkpoint.core.forks.fork_prefix`; raises :class:`UnknownEntry`."""
    return forks.fork_prefix(log, uuid)


@called
@require(lambda log, entry: fits(log, entry), error=_misfit)
@ensure(lambda log, entry, result: len(result) == len(log) + 1 and result[-1] is entry)
@ensure(lambda log, entry, result: tuple(result) == (*log, entry), enabled=FULL)
@ensure(
    lambda log, result: all(
        contexts.context(result, e.uuid) == definitions.context(tuple(log), e.uuid)
        and ancestries.ancestry(result, e.uuid) == definitions.ancestry(tuple(log), e.uuid)
        for e in log
    ),
    enabled=FULL,
)
def append(log: Log, entry: Entry) -> Log:
    """The log with one more entry, :func:`forkpoint.core.forks.append`; raises :class:`DuplicateUuid` and
    :class:`DanglingParent`."""
    return forks.append(log, entry)
