"""Chapter 23 behind contracts: what hangs below, and the fork that keeps it."""

from __future__ import annotations

from icontract import require

from forkpoint.contracts import behind
from forkpoint.core import below as port
from forkpoint.core.below import Sides
from forkpoint.core.entries import Id, Log, UnknownEntry
from forkpoint.core.rendering import Preservation


@behind(port.beneath)
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
def beneath(log: Log, preserved: Preservation, sides: Sides, uuid: Id) -> frozenset[Id]:
    return port.beneath(log, preserved, sides, uuid)


@behind(port.sent_beside)
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
def sent_beside(log: Log, preserved: Preservation, sides: Sides, uuid: Id, end: int) -> frozenset[Id]:
    return port.sent_beside(log, preserved, sides, uuid, end)


@behind(port.fork_below)
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
def fork_below(log: Log, preserved: Preservation, sides: Sides, uuid: Id) -> Log:
    return port.fork_below(log, preserved, sides, uuid)


@behind(port.fork_sent)
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
def fork_sent(log: Log, preserved: Preservation, sides: Sides, uuid: Id, end: int) -> Log:
    return port.fork_sent(log, preserved, sides, uuid, end)
