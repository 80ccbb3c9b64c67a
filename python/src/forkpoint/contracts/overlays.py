"""Chapter 12 behind contracts: what records leave of a conversation when it is shown."""

from __future__ import annotations

from collections.abc import Sequence

from icontract import require

from forkpoint.contracts import behind
from forkpoint.core import overlays
from forkpoint.core.entries import Id, Log, UnknownEntry
from forkpoint.core.overlays import Digest, Record, Sayings
from forkpoint.core.rewriting import Entries


@behind(overlays.living)
def living(records: Sequence[Record]) -> tuple[Record, ...]:
    return overlays.living(records)


@behind(overlays.active)
def active(entries: Entries, sayings: Sayings) -> tuple[Record, ...]:
    return overlays.active(entries, sayings)


@behind(overlays.shown)
def shown(log: Log, sayings: Sayings) -> Log:
    return overlays.shown(log, sayings)


@behind(overlays.shown_at)
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
def shown_at(log: Log, sayings: Sayings, uuid: Id) -> Log:
    return overlays.shown_at(log, sayings, uuid)


@behind(overlays.checked)
def checked(log: Log, sayings: Sayings, digest: Digest) -> Log:
    return overlays.checked(log, sayings, digest)
