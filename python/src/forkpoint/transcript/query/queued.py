"""What the user said while the assistant worked: where it stands, and in which words.

A client writes such a prompt as an attachment where it joins the turn that runs. Some write nothing but rows about their queue:
then it stands behind the entry before the row that takes it out.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from forkpoint.clients.claude.queue import ABSORBED, QUEUED, ROW, typed
from forkpoint.clients.claude.words import own_words
from forkpoint.core.entries import Kind
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query.prompts import prompt_words


class Queued(NamedTuple):
    """A prompt that joined a turn."""

    position: int
    """Of its entry, or of the one behind which it stands."""
    line: int
    words: str
    timestamp: str | None
    """As in the file."""


def queued(transcript: Transcript) -> Mapping[int, Sequence[Queued]]:
    """The prompts that joined a turn, by the positions at which they stand. Found once. Reads the lines of attachments, and of
    rows about the queue; those of prompts too, where a row tells of one that is no attachment."""
    return transcript.once(_queued)


def _queued(transcript: Transcript) -> Mapping[int, Sequence[Queued]]:
    found: dict[int, list[Queued]] = {}
    name = QUEUED.encode()
    for position, kind in enumerate(transcript.kinds):
        if kind is not Kind.ATTACHMENT or transcript.sidechains[position]:
            continue
        span = transcript.span(position)
        if name in transcript.line(span):
            keys = transcript.keys(span)
            words = typed(keys.get("attachment"))
            if words is not None:
                found.setdefault(position, []).append(Queued(position, span.number, words, _time(keys)))
    said = Counter(each.words for several in found.values() for each in several)
    for each in _alone(transcript, said):
        found.setdefault(each.position, []).append(each)
    return found


def _alone(transcript: Transcript, said: Counter[str]) -> Iterator[Queued]:
    """The prompts that joined a turn, and of which nothing but rows tells; ``said`` are those that attachments hold."""
    rows = [sidecar.span for sidecar in transcript.sidecars if sidecar.type == ROW]
    waiting: list[str] = []
    out: list[tuple[int, str, str | None]] = []
    for span in rows:
        keys = transcript.keys(span)
        does, content = keys.get("operation"), keys.get("content")
        if does == "enqueue":
            waiting.append(content if isinstance(content, str) else "")
        elif does == "popAll":
            waiting = []
        elif does in ("dequeue", "remove"):
            at = waiting.index(content) if isinstance(content, str) and content in waiting else 0
            words = waiting.pop(at) if waiting else ""
            if does == "remove" and keys.get("reason", ABSORBED) == ABSORBED:
                out.append((span.number, words, _time(keys)))
    if not out:
        return
    nodes, aside = transcript.nodes, transcript.sidechains
    said = said + Counter(own for node in nodes if node.prompt and (own := prompt_words(transcript, node)) is not None)
    places = sorted((number, at) for at, number in enumerate(transcript.numbers) if not aside[at])
    for number, raw, time in out:
        own = own_words(raw)
        before = bisect_left(places, (number, -1)) - 1
        if own is None or not own.strip():
            continue
        if said[own] > 0:
            said[own] -= 1
        elif before >= 0:
            yield Queued(places[before][1], number, own, time)


def _time(keys: Mapping[str, object]) -> str | None:
    time = keys.get("timestamp")
    return time if isinstance(time, str) else None


LETTERS: Final = 26


def letters(number: int) -> str:
    """The letters of the n-th of several, from 0 on: ``a`` to ``z``, then ``aa``."""
    return chr(ord("a") + number) if number < LETTERS else letters(number // LETTERS - 1) + chr(ord("a") + number % LETTERS)
