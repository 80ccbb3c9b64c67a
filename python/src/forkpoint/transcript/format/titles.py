"""Titles, and whose they are: a client that went on in another session writes the title of that one into the file that it has
open, under the other id."""

from __future__ import annotations

from typing import Final, NamedTuple

from forkpoint.clients.claude.lines import SESSION_KEY, TITLES
from forkpoint.clients.claude.places import SESSION_ID
from forkpoint.clients.lines import Sidecar
from forkpoint.transcript.format.reader import Transcript

NONE: Final = ""
"""What a line names that names no session."""


class Stray(NamedTuple):
    """A title in a file that is another session's."""

    line: int
    title: str
    session: str


def titled_as(own: str, first: str, last: str) -> frozenset[str]:
    """The sessions whose titles are those of a file named ``own``, of which the first and the last entry name some: its own, and
    where neither names that, as in a copy under another name, those that they name."""
    if SESSION_ID.fullmatch(own) and own.lower() in (first.lower(), last.lower()):
        return frozenset({own, own.lower(), NONE})
    return frozenset({own, first, last, NONE})


def is_own(transcript: Transcript, sidecar: Sidecar) -> bool:
    """Whether a title line is of the session in whose file it stands."""
    return _named(transcript, sidecar) in transcript.once(_own)


def strays(transcript: Transcript) -> list[Stray]:
    """The titles in a file that are those of other sessions, in its order."""
    found = [sidecar for sidecar in transcript.sidecars if sidecar.type in TITLES and not is_own(transcript, sidecar)]
    titles = [(each, transcript.keys(each.span).get(TITLES[str(each.type)])) for each in found]
    return [Stray(each.span.number, title, _named(transcript, each)) for each, title in titles if isinstance(title, str)]


def _own(transcript: Transcript) -> frozenset[str]:
    ends = [min, max] if len(transcript.log) else []
    numbers = transcript.numbers
    said = [transcript.keys(transcript.span(end(range(len(numbers)), key=numbers.__getitem__))).get(SESSION_KEY) for end in ends]
    first, last = (each if isinstance(each, str) else NONE for each in (said or [NONE, NONE]))
    return titled_as(transcript.path.stem, first, last)


def _named(transcript: Transcript, sidecar: Sidecar) -> str:
    said = transcript.keys(sidecar.span).get(SESSION_KEY)
    return said if isinstance(said, str) else NONE
