"""Chapter 2 behind contracts: canonical order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from icontract import ensure, require

from forkpoint.core import definitions, order
from forkpoint.core.contracts import FULL, called
from forkpoint.core.entries import DuplicateUuid, Entry, Log, unique_uuids


def _duplicate(entries: Sequence[Entry]) -> DuplicateUuid:
    count = Counter(entry.uuid for entry in entries)
    return DuplicateUuid(next(uuid for uuid, times in count.items() if times > 1))


@called
@require(lambda entries: unique_uuids(entries), error=_duplicate)
@ensure(lambda entries, result: len(set(result)) == len(result) <= len(entries))
@ensure(lambda entries, result: tuple(entries[i] for i in result) == definitions.arranged(tuple(entries)), enabled=FULL)
@ensure(lambda entries, result: definitions.stable(tuple(entries), tuple(entries[i] for i in result)), enabled=FULL)
@ensure(lambda entries, result: (len(result) == len(entries)) == definitions.acyclic(tuple(entries)), enabled=FULL)
def arrange(entries: Sequence[Entry]) -> list[int]:
    """The file positions in canonical order, :func:`forkpoint.core.order.arrange`; raises :class:`DuplicateUuid`."""
    return order.arrange(entries)


@called
@require(lambda entries: unique_uuids(entries), error=_duplicate)
@ensure(lambda entries, result: result is None or len(result) == len(entries))
@ensure(
    lambda entries, result: (
        (result is not None) == (definitions.no_dangling_parents(tuple(entries)) and definitions.acyclic(tuple(entries)))
    ),
    enabled=FULL,
)
@ensure(lambda entries, result: result is None or tuple(result) == definitions.arranged(tuple(entries)), enabled=FULL)
@ensure(lambda entries, result: result is None or definitions.well_formed(tuple(result)), enabled=FULL)
def canonical(entries: Sequence[Entry]) -> Log | None:
    """The log in canonical order or ``None``, :func:`forkpoint.core.order.canonical`; raises :class:`DuplicateUuid`."""
    return order.canonical(entries)
