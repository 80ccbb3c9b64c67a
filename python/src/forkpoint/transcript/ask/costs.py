"""What the API counted of sessions: each of its messages once, however many lines or sessions hold it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

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


BESIDE: Final = -1
"""The position of what stands in a sub-agent's own file."""


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

    def enter(self, transcript: Transcript, *, forked: bool = False, within: bool = False) -> None:
        """Enters a session, or a sub-agent's own file, which may stand ``within`` the session that was entered last; then its
        messages stand nowhere else in that. Reads each line of the assistant's.

        A message is known by its id and that of its request; one without an id by its entry. Of several counts of one the
        largest is taken, since clients write some before the answer is whole."""
        number, seen = self._entered - within, set[tuple[Id, str]]()
        self._entered += not within
        for at, entry in enumerate(transcript.log):
            if entry.kind is not Kind.ASSISTANT:
                continue
            line = transcript.line(transcript.span(at))
            said = read(line, entry.kind, prompt=False)
            if said.usage is None:
                continue
            name = ("entry", entry.uuid) if entry.message is None else entry.message
            key = name, request_of(line)
            new = _Answer(said.model or UNKNOWN, said.usage, forked, (number, BESIDE if within else at))
            known = self._answers.setdefault(key, new)
            if known.first[0] != number and key not in seen:
                seen.add(key)
                self._shared.setdefault(number, []).append(known)
            known.forked = known.forked and forked
            if said.usage.output > known.usage.output:
                known.usage = said.usage

    def spent(self, *, forked: bool) -> list[tuple[Spent, list[Spent]]]:
        """What stands in forks alone, or what does not, by model, added up and each request by itself: a price may depend on how
        much one request sends. The model that sent most comes first."""
        found: dict[str, list[Spent]] = {}
        for answer in self._answers.values():
            if answer.forked == forked:
                found.setdefault(answer.model, []).append(Spent(answer.model, 1, answer.usage))
        sums = [
            (Spent(model, len(each), Usage(*map(sum, zip(*(one.usage for one in each), strict=True)))), each)
            for model, each in found.items()
        ]
        return sorted(sums, key=lambda one: (-one[0].usage.sent, one[0].model))

    def placed(self) -> Iterator[tuple[int, int, Spent]]:
        """Each message where it stood first: the number of the session, as they were entered, and the position, or
        :data:`BESIDE`."""
        return ((*answer.first, Spent(answer.model, 1, answer.usage)) for answer in self._answers.values())

    def shared(self) -> Iterator[tuple[int, Spent]]:
        """Each message once more for every later session that holds it, with the number of that session."""
        return ((number, Spent(each.model, 1, each.usage)) for number, found in self._shared.items() for each in found)
