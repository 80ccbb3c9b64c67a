"""How much of a uuid tells it from all others, so that a command takes what another one shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Final

from forkpoint.words import SHORT

if TYPE_CHECKING:
    from forkpoint.transcript.format.reader import Transcript

LONGEST: Final = 36
"""How much of a uuid is shown at most: the length of those that clients write."""


def abbreviation(transcript: Transcript, positions: Iterable[int]) -> int:
    """How many characters of their uuids tell the entries at ``positions`` from all others of the file (:func:`distinct`)."""
    copies = {name for names in transcript.copies.values() for name in names[1:]}  # made up for the log, not in the file
    uuids = [name for name in transcript.log.spine.uuids if isinstance(name, str) and name not in copies]
    return distinct(uuids, [transcript.nodes[position].uuid for position in positions])


def distinct(uuids: Iterable[str], shown: Iterable[str]) -> int:
    """How many characters of each uuid in ``shown`` tell it from every other one of ``uuids``: at least :data:`SHORT`, at
    most :data:`LONGEST`. O(n log n) where all begin alike; of random uuids only the few that do are sorted."""
    wanted = set(shown)
    each = list(dict.fromkeys(chain(uuids, wanted)))  # in the order of the file, which made-up uuids rise in: quickly sorted
    crowded = {beginning for beginning, number in Counter([uuid[:SHORT] for uuid in each]).items() if number > 1}
    length = SHORT
    for one, other in pairwise(sorted([uuid for uuid in each if uuid[:SHORT] in crowded]) if crowded else ()):
        if one in wanted or other in wanted:
            while one[:length] == other[:length]:
                length += 1
                if length == LONGEST:
                    return length
    return length
