"""Chapter 5, said plainly over tuples of entries and computed slowly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from forkpoint.core.entries import Block, Entry, Id, Kind, Result, Use
from forkpoint.laws.definitions.contexts import context, settled
from forkpoint.laws.definitions.entries import Entries, index_of


def blocks(log: Iterable[Entry]) -> tuple[Block, ...]:
    """The blocks of a sequence of entries, in order."""
    return tuple(block for entry in log for block in entry.blocks)


def paired_by_id_and_order(sequence: Sequence[Block]) -> bool:
    """P3 without books: each use id once, answered once, later; each result answers an earlier use."""
    uses = {i: block.id for i, block in enumerate(sequence) if isinstance(block, Use)}
    results = {i: block.id for i, block in enumerate(sequence) if isinstance(block, Result)}
    return (
        len(set(uses.values())) == len(uses)
        and len(set(results.values())) == len(results)
        and all(any(i < j and results[j] == uses[i] for j in results) for i in uses)
        and all(any(i < j and results[j] == uses[i] for i in uses) for j in results)
    )


def resumable(log: Entries, uuid: Id) -> bool:
    """Balanced and settled."""
    return paired_by_id_and_order(blocks(context(log, uuid))) and settled(log, uuid)


def legal(log: Entries, uuid: Id) -> bool:
    """Resumable, and a main-line assistant entry."""
    entry = log[index_of(log, uuid)]
    return entry.kind is Kind.ASSISTANT and not entry.sidechain and resumable(log, uuid)
