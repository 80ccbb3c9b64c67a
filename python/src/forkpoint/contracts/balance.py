"""Chapter 5 behind contracts: balance, resumable points, legal fork points."""

from __future__ import annotations

from collections.abc import Sequence

from icontract import require

from forkpoint.contracts import behind
from forkpoint.core import balance
from forkpoint.core.balance import Survey
from forkpoint.core.entries import Entry, Id, Log, UnknownEntry


@behind(balance.balanced)
def balanced(entries: Sequence[Entry]) -> bool:
    return balance.balanced(entries)


@behind(balance.resumable)
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
def resumable(log: Log, uuid: Id) -> bool:
    return balance.resumable(log, uuid)


@behind(balance.legal, "turns")
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
def legal(log: Log, uuid: Id) -> bool:
    return balance.legal(log, uuid)


@behind(balance.survey)
def survey(log: Log) -> Survey:
    return balance.survey(log)
