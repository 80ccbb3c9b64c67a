"""The nodes of a session at which another branch was merged into it, and what a fork leaves of such a branch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from forkpoint.clients.claude.written import KEY, SCHEME
from forkpoint.core import merging
from forkpoint.core.entries import Id, Kind
from forkpoint.core.merging import History
from forkpoint.transcript.format.reader import Transcript


def merges(transcript: Transcript) -> dict[Id, Id]:
    """The second parents of a session: of each merge node the entry at which the merged branch ends. Found once. O(size); reads
    the lines of the user's entries where there are such nodes."""
    return transcript.once(_merges)


def _merges(transcript: Transcript) -> dict[Id, Id]:
    found: dict[Id, Id] = {}
    if not mentions(transcript, b'"secondParent"'):
        return found
    for position, entry in enumerate(transcript.log):
        if entry.kind is Kind.USER:
            says = read_node(transcript, position)
            if says is not None:
                found[entry.uuid] = str(says["secondParent"])
    return found


def read_node(transcript: Transcript, position: int) -> Mapping[str, Any] | None:
    """What a merge node says of itself; None of any other entry. Reads its line."""
    line = transcript.line(transcript.span(position))
    if b'"' + KEY.encode() + b'"' not in line:
        return None
    says = transcript.keys(transcript.span(position)).get(KEY)
    good = isinstance(says, dict) and says.get("scheme") == SCHEME and isinstance(says.get("secondParent"), str)
    return says if good and isinstance(says, dict) else None


class Behind(NamedTuple):
    """A branch that was merged, of which a fork keeps only what its node tells."""

    node: int
    """The position of the node."""
    end: str
    """The uuid of the entry at which the branch ends."""
    entries: int
    """How many of its entries the fork leaves out; 0 when the file itself does not hold it."""


def left_behind(transcript: Transcript, positions: Sequence[int]) -> list[Behind]:
    """The branches that were merged into some entries and are not among them. O(size) where a file has merge nodes."""
    if not mentions(transcript, b'"secondParent"'):
        return []
    inside = set(positions)
    log, found = transcript.log, list[Behind]()
    history: History | None = None
    for position in positions:
        says = read_node(transcript, position) if log[position].kind is Kind.USER else None
        if says is None:
            continue
        end = str(says["secondParent"])
        if end not in log or log.position(end) not in inside:
            if history is None:
                history = History(log, merges(transcript))
            there = merging.held_positions(history, end) if end in log else []
            found.append(Behind(position, end, len(set(there) - inside)))
    return found


def mentions(transcript: Transcript, text: bytes) -> bool:
    """Whether some bytes stand anywhere in a file. O(size), by blocks."""
    block, keep = 1 << 22, len(text) - 1
    return any(
        text in transcript.source.read(max(0, start - keep), min(start + block, transcript.size))
        for start in range(0, transcript.size, block)
    )
