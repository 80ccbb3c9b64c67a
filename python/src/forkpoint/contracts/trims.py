"""Chapter 22 behind contracts: entries with their faces."""

from __future__ import annotations

from collections.abc import Sequence

from icontract import require

from forkpoint.contracts import behind
from forkpoint.core import trims as port
from forkpoint.core.entries import Id, Log, UnknownEntry
from forkpoint.core.overlays import Record, Sayings
from forkpoint.core.trims import Faces, Trims


@behind(port.trim)
def trim(log: Log, faces: Faces) -> Log:
    return port.trim(log, faces)


@behind(port.trim_all)
def trim_all(log: Log, records: Sequence[Record], trims: Trims) -> Log:
    return port.trim_all(log, records, trims)


@behind(port.shown_trimmed)
def shown_trimmed(log: Log, sayings: Sayings, trims: Trims) -> Log:
    return port.shown_trimmed(log, sayings, trims)


@behind(port.shown_trimmed_at)
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
def shown_trimmed_at(log: Log, sayings: Sayings, trims: Trims, uuid: Id) -> Log:
    return port.shown_trimmed_at(log, sayings, trims, uuid)
