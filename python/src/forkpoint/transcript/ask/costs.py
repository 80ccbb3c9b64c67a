"""What the API counted of sessions: each of its messages once, however many lines or sessions hold it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from forkpoint.core.entries import Id, Kind
from forkpoint.transcript.ask.said import UNKNOWN, Usage, read, request_of
from forkpoint.transcript.format.reader import Transcript


@dataclass(slots=True)
class _Answer:
    """A message of the API."""

    model: str
    usage: Usage
    forked: bool
    """Whether it stands in forks alone."""
    first: tuple[int, int]
    """Where it stood first: in which of the sessions that were entered, and at which position."""


class Spent(NamedTuple):
    """What a model used: how many requests, and their tokens added up."""

    model: str
    requests: int
    usage: Usage


class Costs:
    """The messages of the API in sessions that were entered."""

    def __init__(self) -> None:
        self._answers: dict[tuple[Id, str], _Answer] = {}
        self._entered = 0
        self._shared: dict[int, list[_Answer]] = {}

    def enter(self, transcript: Transcript, *, forked: bool = False) -> None:
        """Enters a session, or a sub-agent's own file. Reads each line of the assistant's.

        A message is known by its id and that of its request; one without an id by its entry. Of several counts of one the
        largest is taken, since clients write some before the answer is whole."""
        number, seen = self._entered, set[tuple[Id, str]]()
        self._entered += 1
        for at, entry in enumerate(transcript.log):
            if entry.kind is not Kind.ASSISTANT:
                continue
            line = transcript.line(transcript.span(at))
            said = read(line, entry.kind, prompt=False)
            if said.usage is None:
                continue
            name = ("entry", entry.uuid) if entry.message is None else entry.message
            key = name, request_of(line)
            new = _Answer(said.model or UNKNOWN, said.usage, forked, (number, at))
            known = self._answers.setdefault(key, new)
            if known.first[0] != number and key not in seen:
                seen.add(key)
                self._shared.setdefault(number, []).append(known)
            known.forked = known.forked and forked
            if said.usage.output > known.usage.output:
                known.usage = said.usage

    def spent(self, *, forked: bool) -> Iterator[Spent]:
        """What stands in forks alone, or what does not, by model; the one that sent most first."""
        found: dict[str, list[Usage]] = {}
        for answer in self._answers.values():
            if answer.forked == forked:
                found.setdefault(answer.model, []).append(answer.usage)
        sums = [Spent(model, len(each), Usage(*map(sum, zip(*each, strict=True)))) for model, each in found.items()]
        return iter(sorted(sums, key=lambda one: (-one.usage.sent, one.model)))

    def placed(self) -> Iterator[tuple[int, int, Spent]]:
        """Each message where it stood first: the number of the session, as they were entered, and the position."""
        return ((*answer.first, Spent(answer.model, 1, answer.usage)) for answer in self._answers.values())

    def shared(self) -> Iterator[tuple[int, Spent]]:
        """Each message once more for every later session that holds it, with the number of that session."""
        return ((number, Spent(each.model, 1, each.usage)) for number, found in self._shared.items() for each in found)
