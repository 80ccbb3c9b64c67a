"""What the API counted of sessions: each of its messages once, however many lines or sessions hold it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from forkpoint.core.entries import Id, Kind
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query.content import FAST, UNKNOWN, Beside, Usage, read, request_of


@dataclass(slots=True)
class _Answer:
    """A message of the API."""

    model: str
    usage: Usage
    forked: bool
    """Whether it stands in forks alone."""
    first: tuple[int, int]
    """Where it stood first: in which of the sessions that were entered, and at which position."""
    fast: bool = False
    beside: tuple[Beside, ...] = ()

    def parts(self) -> Iterator[Spent]:
        """The answer, and what the request used beside."""
        yield Spent(self.model, 1, self.usage, FAST if self.fast else "")
        for one in self.beside:
            yield Spent(one.model or self.model, one.requests, one.usage, one.how)


ASIDE: Final = -1
"""The position of what stands in a sub-agent's own file."""


class Spent(NamedTuple):
    """What a model used: how many requests, and their tokens added up."""

    model: str
    requests: int
    usage: Usage
    how: str = ""
    """Why it has another price than what the model answers otherwise: :data:`FAST`, or the kind of a :class:`Beside`."""


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
            new = _Answer(said.model or UNKNOWN, said.usage, forked, (number, ASIDE if within else at), said.fast, said.beside)
            known = self._answers.setdefault(key, new)
            if known.first[0] != number and key not in seen:
                seen.add(key)
                self._shared.setdefault(number, []).append(known)
            known.forked = known.forked and forked
            if said.usage.output > known.usage.output:
                known.usage = said.usage
            if sum(one.requests for one in said.beside) > sum(one.requests for one in known.beside):
                known.beside = said.beside
            known.fast = known.fast or said.fast

    def spent(self, *, forked: bool) -> list[tuple[Spent, list[Spent]]]:
        """What stands in forks alone, or what does not, by model and how it worked, added up and each request by itself: a price
        may depend on how much one request sends. What sent most comes first."""
        found: dict[tuple[str, str], list[Spent]] = {}
        for answer in self._answers.values():
            if answer.forked == forked:
                for part in answer.parts():
                    found.setdefault((part.model, part.how), []).append(part)
        sums = [
            (Spent(model, sum(one.requests for one in each), added_up(each), how), each) for (model, how), each in found.items()
        ]
        return sorted(sums, key=lambda one: (-one[0].usage.sent, one[0].model, one[0].how))

    def placed(self) -> Iterator[tuple[int, int, Spent]]:
        """Each message where it stood first, with what its request used beside behind it: the number of the session, as they were
        entered, and the position, or :data:`ASIDE`."""
        return ((*answer.first, part) for answer in self._answers.values() for part in answer.parts())

    def shared(self) -> Iterator[tuple[int, Spent]]:
        """Each message once more for every later session that holds it, with the number of that session."""
        return ((number, part) for number, found in self._shared.items() for each in found for part in each.parts())


def added_up(spent: Iterable[Spent]) -> Usage:
    """The tokens of several."""
    return Usage(*map(sum, zip(*(one.usage for one in spent), strict=True)))
