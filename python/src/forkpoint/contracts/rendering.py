"""Chapter 10 behind contracts: what is sent after a compaction, and the fork that keeps it."""

from __future__ import annotations

from icontract import require

from forkpoint.contracts import behind
from forkpoint.core import rendering
from forkpoint.core.entries import Entry, Id, Log, UnknownEntry
from forkpoint.core.rendering import Crossing, Preservation


@behind(rendering.crossed)
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
def crossed(log: Log, preserved: Preservation, uuid: Id) -> Crossing | None:
    return rendering.crossed(log, preserved, uuid)


@behind(rendering.rendered)
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
def rendered(log: Log, preserved: Preservation, uuid: Id) -> tuple[Entry, ...]:
    return rendering.rendered(log, preserved, uuid)


@behind(rendering.fork_kept)
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
def fork_kept(log: Log, preserved: Preservation, uuid: Id) -> Log:
    """Whether the point is legal does not depend on what is preserved, and is not asked."""
    return rendering.fork_kept(log, preserved, uuid)
