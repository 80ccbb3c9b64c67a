"""How many tokens a conversation has, estimated from the bytes of what its entries say."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import accumulate
from typing import Final

from forkpoint.core.balance import Walk
from forkpoint.core.entries import Id
from forkpoint.transcript.format.compaction import crossings, preserved, sent_again
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query.content import said
from forkpoint.transcript.query.tokens import Rate

NOTE: Final = "tokens-1"
"""Under this name estimates are kept; it changes with every change of what they are."""


def weight(transcript: Transcript, position: int) -> int:
    """How many bytes of an entry count in :func:`estimates`. Reads its line."""
    return sum(part.weight for part in said(transcript, position, prompt=False).parts)


def estimates(transcript: Transcript) -> list[int]:
    """Of each entry how many tokens its conversation has, estimated: the bytes of what its entries say
    (:mod:`forkpoint.transcript.query.content`) at the rate of the real transcripts. Near-linear; reads every line of such an
    entry, or none where the estimates of this very file are kept."""
    kept = array("q")
    if transcript.notes is not None:
        with suppress(ValueError):  # no whole numbers
            kept.frombytes(transcript.notes.recall(NOTE) or b"")
        if len(kept) == len(transcript.log):
            return list(kept)
    found = _estimates(transcript)
    transcript.note(NOTE, array("q", found).tobytes())
    return found


def _estimates(transcript: Transcript) -> list[int]:
    log = transcript.log
    size = [0] * len(log)
    weights: dict[int, int] = {}
    walk = Walk(log)
    for position in walk:
        above = walk.base
        total = size[above] if above >= 0 else 0
        for added in walk.added:
            if added not in weights:
                weights[added] = weight(transcript, added)
            total += weights[added]
        size[position] = total
    rate = Rate()
    moved = _compacted_away(transcript, size, weights)
    return [rate.tokens(total + by) for total, by in zip(size, moved, strict=True)]


def _compacted_away(transcript: Transcript, size: Sequence[int], weights: Mapping[int, int]) -> list[int]:
    """Of each entry what a client sends beyond the conversation because of a compaction, less what it leaves out: what the
    compaction preserves comes behind the anchor, or up to where the conversation goes on there in the place of what is above."""
    log = transcript.log
    parent, at = log.spine.parent, log.spine.at
    again, across = sent_again(transcript), crossings(transcript)
    upto: dict[Id, dict[Id, int]] = {}  # of each boundary that is crossed, what its list weighs up to each entry

    def listed_upto(boundary: Id, uuid: Id) -> int:
        if boundary not in upto:
            uuids = preserved(transcript)[boundary].uuids
            upto[boundary] = dict(zip(uuids, accumulate(weights[at[one]] for one in uuids), strict=True))
        return upto[boundary][uuid]

    by = [0] * len(log)
    for position in range(len(log)) if again else ():
        if position in across:
            boundary, there = across[position]
            sent = size[at[preserved(transcript)[boundary].anchor]] + listed_upto(boundary, there)
            by[position] = sent - size[at[there]]
        else:  # a boundary that is its own anchor is a root, and the list comes behind it
            above = by[parent[position]] if parent[position] >= 0 else 0
            by[position] = above + sum(weights[listed] for listed in again.get(position, ()))
    return by
