"""Chapter 5 behind contracts: balance, resumable points, legal fork points."""

from __future__ import annotations

from collections.abc import Sequence

from icontract import ensure, require

from forkpoint.core import balance, definitions
from forkpoint.core.balance import Survey
from forkpoint.core.contracts import FULL, called
from forkpoint.core.entries import Entry, Id, Log, UnknownEntry


@called
@ensure(lambda entries, result: result == definitions.paired_by_id_and_order(definitions.blocks(entries)), enabled=FULL)
def balanced(entries: Sequence[Entry]) -> bool:
    """P3 of a conversation, :func:`forkpoint.core.balance.balanced`."""
    return balance.balanced(entries)


@called
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
@ensure(lambda log, uuid, result: result == definitions.resumable(tuple(log), uuid), enabled=FULL)
def resumable(log: Log, uuid: Id) -> bool:
    """Balanced and settled, :func:`forkpoint.core.balance.resumable`; raises :class:`UnknownEntry`."""
    return balance.resumable(log, uuid)


@called
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
@ensure(lambda log, uuid, result: result == definitions.legal(tuple(log), uuid), enabled=FULL)
@ensure(lambda log, uuid, result: result == definitions.complete_turn(tuple(log), uuid), enabled=FULL)
def legal(log: Log, uuid: Id) -> bool:
    """Whether ``uuid`` is a legal fork point, :func:`forkpoint.core.balance.legal`; raises :class:`UnknownEntry`."""
    return balance.legal(log, uuid)


@called
@ensure(lambda log, result: len(result.balanced) == len(result.settled) == len(result.legal) == len(log))
@ensure(
    lambda log, result: all(
        result.balanced[i] == definitions.paired_by_id_and_order(definitions.blocks(definitions.context(tuple(log), e.uuid)))
        and result.settled[i] == definitions.settled(tuple(log), e.uuid)
        and result.legal[i] == definitions.legal(tuple(log), e.uuid)
        for i, e in enumerate(log)
    ),
    enabled=FULL,
)
def survey(log: Log) -> Survey:
    """Balance, settledness and legality of all entries, :func:`forkpoint.core.balance.survey`."""
    return balance.survey(log)
