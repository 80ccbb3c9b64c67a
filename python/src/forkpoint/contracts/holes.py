"""Chapter 19 behind contracts: points to go on from."""

from __future__ import annotations

from icontract import require

from forkpoint.contracts import behind
from forkpoint.core import holes
from forkpoint.core.entries import Id, Log, UnknownEntry
from forkpoint.core.rendering import Preservation


@behind(holes.legal_to_send)
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
def legal_to_send(log: Log, preserved: Preservation, uuid: Id) -> bool:
    return holes.legal_to_send(log, preserved, uuid)
