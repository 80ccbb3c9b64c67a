"""Chapter 1 behind contracts: the decision procedures of P1 and P2."""

from __future__ import annotations

from collections.abc import Sequence

from icontract import ensure

from forkpoint.core import definitions, entries
from forkpoint.core.contracts import FULL, called
from forkpoint.core.entries import Entry


@called
@ensure(lambda log, result: result == definitions.unique_uuids(tuple(log)), enabled=FULL)
def unique_uuids(log: Sequence[Entry]) -> bool:
    """P1, :func:`forkpoint.core.entries.unique_uuids`."""
    return entries.unique_uuids(log)


@called
@ensure(lambda log, result: result == definitions.no_dangling_parents(tuple(log)), enabled=FULL)
def no_dangling_parents(log: Sequence[Entry]) -> bool:
    """P2, :func:`forkpoint.core.entries.no_dangling_parents`."""
    return entries.no_dangling_parents(log)


@called
@ensure(lambda log, result: result == definitions.well_formed(tuple(log)), enabled=FULL)
@ensure(
    lambda log, result: result == (definitions.unique_uuids(tuple(log)) and definitions.parents_first(tuple(log))),
    enabled=FULL,
)
@ensure(lambda log, result: not result or definitions.acyclic(tuple(log)), enabled=FULL)
@ensure(lambda log, result: not result or definitions.no_dangling_parents(tuple(log)), enabled=FULL)
def well_formed(log: Sequence[Entry]) -> bool:
    """Unique uuids and parents first, :func:`forkpoint.core.entries.well_formed`."""
    return entries.well_formed(log)
