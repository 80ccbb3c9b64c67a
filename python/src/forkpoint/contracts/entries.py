"""Chapter 1 behind contracts: the decision procedures of P1 and P2."""

from __future__ import annotations

from collections.abc import Sequence

from forkpoint.contracts import behind
from forkpoint.core import entries as core
from forkpoint.core.entries import Entry


@behind(core.unique_uuids)
def unique_uuids(entries: Sequence[Entry]) -> bool:
    return core.unique_uuids(entries)


@behind(core.no_dangling_parents)
def no_dangling_parents(entries: Sequence[Entry]) -> bool:
    return core.no_dangling_parents(entries)


@behind(core.well_formed)
def well_formed(entries: Sequence[Entry]) -> bool:
    return core.well_formed(entries)
