"""What hangs below the calls and results of a conversation, and is sent: which lines are side entries, and on which side each is.

The rule is chapter 23's. Lines are read of what might hang there, and of nothing else.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import NamedTuple

from forkpoint.clients.claude.lines import BOUNDARY, META, SIDE
from forkpoint.core import below, rendering
from forkpoint.core.below import Sides
from forkpoint.core.entries import Id, Kind
from forkpoint.transcript.format.compaction import preserved
from forkpoint.transcript.format.reader import Transcript


class _Aside(Container[Id]):
    """The side entries of a transcript: attachments, what the system says but for compaction boundaries, and user entries that
    say that no user wrote them."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript

    def __contains__(self, uuid: object) -> bool:
        transcript = self._transcript
        position = transcript.log.position(uuid)
        kind = transcript.log[position].kind
        if kind is Kind.ATTACHMENT:
            return True
        keys = transcript.keys(transcript.span(position))
        return keys.get("subtype") != BOUNDARY if kind is Kind.SYSTEM else kind is Kind.USER and keys.get(META) is True


class _Said(Mapping[Id, object]):
    """What entries say of the side that they are on."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript

    def __getitem__(self, uuid: Id) -> object:
        transcript = self._transcript
        return transcript.keys(transcript.span(transcript.log.position(uuid)))[SIDE]

    def __iter__(self) -> Iterator[Id]:
        return (uuid for uuid in self._transcript.log.spine.uuids if uuid in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def sides(transcript: Transcript) -> Sides:
    """What is told of the entries beside the log, read where it is asked for."""
    return Sides(_Aside(transcript), _Said(transcript))


def below_positions(transcript: Transcript, uuid: Id, upto: Id | None = None, kept: list[int] | None = None) -> list[int]:
    """The positions of what hangs below the conversation at an entry, rising. ``upto`` names the last entry that may trail behind
    it, by default the entry itself; ``kept`` is what a fork there keeps anyway, where that is known. O(entries)."""
    log = transcript.log
    end = 0 if upto is None else log.position(upto) + 1
    return below.beside_positions(log, preserved(transcript), sides(transcript), uuid, end, kept)


def hanging_on(transcript: Transcript, uuid: Id, anchors: Container[int]) -> list[int]:
    """The positions of what hangs below the conversation at an entry, on some entries of it. O(entries)."""
    log = transcript.log
    way = below.way_positions(log, preserved(transcript), uuid)
    tree = below.Tree(log, sides(transcript), way, log.position(uuid))
    return sorted({position for anchor, found in tree.hanging() if anchor in anchors for position in found})


class Kept(NamedTuple):
    """What a fork keeps, by positions, rising: the conversation, and where it was compacted those at the entries that the client
    sends again; and what hangs below."""

    conversation: list[int]
    below: list[int]

    @property
    def positions(self) -> list[int]:
        """Both, rising."""
        return sorted([*self.conversation, *self.below]) if self.below else self.conversation


def kept(transcript: Transcript, uuid: Id, upto: Id | None = None) -> Kept:
    """What a fork at an entry keeps; ``upto`` as :func:`below_positions`. O(entries), and near-linear in what is kept."""
    conversation = rendering.kept_positions(transcript.log, preserved(transcript), uuid)
    return Kept(conversation, below_positions(transcript, uuid, upto, conversation))


def kept_positions(transcript: Transcript, uuid: Id, upto: Id | None = None) -> list[int]:
    """The positions of what a fork at an entry keeps, rising: :func:`kept`."""
    return kept(transcript, uuid, upto).positions
