"""Where the bytes and the tokens of a conversation are: by kind and tool, by turn, and by message.

*Measured* is what the API counted and clients write on assistant lines (``message.usage``): what a request sent, and what came
back. It counts whole requests. What a part of the conversation has is *estimated*: its bytes by the bytes that a token has,
which the session's own figures give where it has enough of them, and the real transcripts otherwise (spec/tokens.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final, NamedTuple

from forkpoint.core import rendering
from forkpoint.core.entries import Id, Kind
from forkpoint.transcript.format.compaction import crossing, preserved
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query.content import CALLS, RESULTS, UNKNOWN, Usage, read
from forkpoint.transcript.query.head import Head
from forkpoint.transcript.query.outline import Outline

BYTES_PER_TOKEN: Final = 2.66
"""Of the real transcripts; `python -m ci.measure.tokens` measures it."""
ENOUGH: Final = 8
"""So many measured stretches a session needs for a rate of its own."""
SANE: Final = (1.5, 6.0)
"""A rate beyond these is none: the figures are not of this conversation."""


@dataclass(slots=True)
class Share:
    """What one kind of parts, or one tool, has of a conversation."""

    kind: str
    """One of :data:`forkpoint.transcript.query.content.KINDS`."""
    name: str
    """The tool, or the type of the attachments; empty for a kind as a whole."""
    count: int = 0
    """How many parts."""
    bytes: int = 0
    """As JSON in the file, without the data of images and documents and without signatures."""
    weight: int = 0
    """The bytes that count for the estimate."""


@dataclass(slots=True)
class Message:
    """A prompt, or a message of the assistant with the results of its calls; what follows up to the next one belongs to it."""

    position: int
    """Of its first entry."""
    turn: int | None
    """Which of the turns it belongs to; None before the first prompt."""
    answer: bool
    """Whether the assistant began it."""
    entries: int = 0
    weight: int = 0
    tools: Counter[str] = field(default_factory=Counter)
    """Its calls, by tool."""
    model: str | None = None
    usage: Usage | None = None
    """What the API counted of its request."""
    grown: int | None = None
    """Measured: how many more tokens the next request sent; None where that is not known, or a prompt came between."""


@dataclass(slots=True)
class Turn:
    """A prompt and all up to the next one of the conversation."""

    number: int
    position: int
    words: str
    entries: int = 0
    weight: int = 0
    requests: int = 0
    """How many of its requests the API counted."""
    sent: int = 0
    """Measured: what these sent in all."""
    output: int = 0
    """Measured: what came back."""


@dataclass(frozen=True, slots=True)
class Rate:
    """How many bytes a token has."""

    bytes_per_token: float = BYTES_PER_TOKEN
    stretches: int = 0
    """From how many measured stretches of the session it comes; 0 when it is the rate of the real transcripts."""

    def tokens(self, weight: int) -> int:
        """The estimate for so many bytes."""
        return round(weight / self.bytes_per_token)


class Stretch(NamedTuple):
    """From one request that the API counted to the next one of the same model."""

    weight: int
    """The bytes that count of what came between."""
    grown: int
    """By how many tokens the second request was larger; negative where the client left something out."""
    model: str | None


@dataclass(frozen=True, slots=True)
class Request:
    """A request that the API counted, and the estimate of the part of it that stands in the file."""

    position: int
    usage: Usage
    weight: int
    """The bytes that count of what stood before it."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """The bytes and tokens of a conversation. Positions are in canonical order."""

    positions: Sequence[int]
    """The entries that are sent, in the order in which they are."""
    lines: int
    """The bytes of their lines in the file."""
    media: int
    """How many images and documents there are, for which nothing is estimated."""
    shares: Sequence[Share]
    """Every kind, and behind a kind its tools or types, the heaviest first."""
    turns: Sequence[Turn]
    messages: Sequence[Message]
    requests: int
    """How many requests the API counted."""
    spent: Usage
    """Measured: the sum of these."""
    last: Request | None
    """The last request that the API counted."""
    stretches: Sequence[Stretch]
    """What the measured part of the conversation tells about bytes and tokens."""
    rate: Rate

    @property
    def weight(self) -> int:
        """The bytes that count of the whole conversation."""
        return sum(share.weight for share in self.shares if not share.name)

    @property
    def estimate(self) -> int:
        """How many tokens the conversation has."""
        return self.rate.tokens(self.weight)

    def dearest_turns(self, number: int) -> list[Turn]:
        """So many turns, the heaviest first. O(n log n)."""
        return sorted(self.turns, key=lambda turn: (-turn.weight, turn.position))[:number]

    def dearest_messages(self, number: int) -> list[Message]:
        """So many messages, the heaviest first. O(n log n)."""
        return sorted(self.messages, key=lambda message: (-message.weight, message.position))[:number]


def tokens(transcript: Transcript, outline: Outline, head: Head) -> Tokens:
    """The bytes and tokens of the conversation at HEAD, as a client sends it when it resumes the session.

    After a compaction that is the boundary, the summary, what is sent again, and what came after. Without a HEAD it is empty.
    Near-linear; reads every line of the conversation.
    """
    if head.position is None:
        return Tokens((), 0, 0, (), (), (), 0, Usage(0, 0, 0, 0), None, (), Rate())
    log = transcript.log
    uuid = log.spine.uuids[head.position]
    positions = rendering.rendered_positions(log, preserved(transcript), uuid)
    across = crossing(transcript, head.position)
    root = rendering.root_position(log, uuid) if across is None else log.position(across.boundary)
    return _Count(transcript, outline, root).over(positions)


class _Count:
    """The parts of a conversation, added up as its entries come by."""

    def __init__(self, transcript: Transcript, outline: Outline, root: int) -> None:
        self._transcript = transcript
        self._kinds, self._names = transcript.kinds, transcript.messages
        self._words = outline.words
        self._numbers = {position: number for number, position in enumerate(outline.words, 1)}
        self._root = root
        self._shares: dict[tuple[str, str], Share] = {}
        self._turns: list[Turn] = []
        self._messages: list[Message] = []
        self._begun: dict[Id, Message] = {}
        self._calls: dict[str, tuple[str, Message]] = {}
        self._media = self._lines = 0

    def over(self, positions: Sequence[int]) -> Tokens:
        rising = sorted(positions)
        for position, line in zip(rising, self._transcript.lines(rising), strict=True):
            self._add(position, line)
        stretches, last = _measure(self._messages)
        for message in self._messages:
            if message.turn is not None:
                turn = self._turns[message.turn]
                turn.entries += message.entries
                turn.weight += message.weight
                if message.usage is not None:
                    turn.requests += 1
                    turn.sent += message.usage.sent
                    turn.output += message.usage.output
        counted = [message.usage for message in self._messages if message.usage is not None]
        return Tokens(
            positions=positions,
            lines=self._lines,
            media=self._media,
            shares=_ordered(self._shares.values()),
            turns=self._turns,
            messages=self._messages,
            requests=len(counted),
            spent=Usage(*map(sum, zip(*counted, strict=True))) if counted else Usage(0, 0, 0, 0),
            last=last,
            stretches=stretches,
            rate=rate(stretches),
        )

    def _add(self, position: int, line: bytes) -> None:
        self._lines += len(line) + 1
        prompt = position in self._words
        found = read(line, self._kinds[position], prompt=prompt)
        message = self._message(position, prompt=prompt)
        message.entries += 1
        if found.usage is not None and position >= self._root:
            known = message.usage
            message.usage = found.usage if known is None or known.output <= found.usage.output else known
            message.model = found.model
        for kind, name, size, weight, call, media in found.parts:
            where = message
            if kind == CALLS:
                message.tools[name] += 1
                self._calls[call] = name, message
            elif kind == RESULTS:
                name, where = self._calls.get(call, (UNKNOWN, message))
            where.weight += weight
            self._media += media
            share = self._shares.get((kind, name))
            if share is None:
                share = self._shares[kind, name] = Share(kind, name)
            share.count += 1
            share.bytes += size
            share.weight += weight

    def _message(self, position: int, *, prompt: bool) -> Message:
        """The message that an entry belongs to; begins a new one where it is the first."""
        name: Id | None = None
        if self._kinds[position] is Kind.ASSISTANT:
            own = self._names[position]
            name = ("entry", position) if own is None else ("message", own)
            begun = self._begun.get(name)
            if begun is not None:
                return begun
        if prompt:
            self._turns.append(Turn(self._numbers[position], position, self._words[position]))
        elif name is None and self._messages:
            return self._messages[-1]
        made = Message(position, len(self._turns) - 1 if self._turns else None, name is not None)
        self._messages.append(made)
        if name is not None:
            self._begun[name] = made
        return made


def _measure(messages: Sequence[Message]) -> tuple[list[Stretch], Request | None]:
    """The stretches of a conversation and its last request; enters in each message by how much the next request was larger."""
    stretches: list[Stretch] = []
    last: Request | None = None
    weight = begun = 0
    for at, message in enumerate(messages):
        if message.usage is not None:
            if last is not None and message.model == messages[begun].model:
                grown = message.usage.sent - last.usage.sent
                stretches.append(Stretch(weight - last.weight, grown, message.model))
                if begun == at - 1 and grown > 0:
                    messages[begun].grown = grown
            last, begun = Request(message.position, message.usage, weight), at
        weight += message.weight
    return stretches, last


def rate(stretches: Iterable[Stretch]) -> Rate:
    """The rate that a session's stretches show, or that of the real transcripts where they are few or no figures of this
    conversation. A stretch that did not grow tells nothing: the client left something out. O(n log n)."""
    usable = [(stretch.weight, stretch.grown) for stretch in stretches if stretch.weight > 0 and stretch.grown > 0]
    if len(usable) < ENOUGH:
        return Rate()
    found = typical(usable)
    return Rate(found, len(usable)) if SANE[0] <= found <= SANE[1] else Rate()


def typical(stretches: Iterable[tuple[int, int]]) -> float:
    """The median of bytes per token over stretches of bytes and tokens, none of them zero, each as heavy as its bytes: a
    request may grow by what is not in the file, which the median passes over. Raises :class:`ValueError` without a stretch.
    O(n log n)."""
    each = sorted((size / grown, size) for size, grown in stretches)
    if not each:
        raise ValueError("there is no stretch")
    half = sum(size for _, size in each) / 2
    return next(found for (found, _), upto in zip(each, accumulate(size for _, size in each), strict=True) if upto >= half)


def _ordered(shares: Iterable[Share]) -> list[Share]:
    """The kinds, the heaviest first, each with its names behind it, the heaviest first."""
    named: dict[str, list[Share]] = {}
    for share in shares:
        named.setdefault(share.kind, []).append(share)
    wholes = [
        Share(kind, "", *(sum(getattr(share, key) for share in own) for key in ("count", "bytes", "weight")))
        for kind, own in named.items()
    ]
    ordered: list[Share] = []
    for whole in sorted(wholes, key=_heaviest):
        ordered.append(whole)
        ordered += sorted((share for share in named[whole.kind] if share.name), key=_heaviest)
    return ordered


def _heaviest(share: Share) -> tuple[int, str, str]:
    return -share.weight, share.kind, share.name
