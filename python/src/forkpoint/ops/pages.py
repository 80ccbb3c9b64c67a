"""A session as one page holds it: every branch, and all that was said on each, in parts small enough to be read alone."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec

from forkpoint.answers import trees as answers
from forkpoint.ops import begun
from forkpoint.ops.new_files import new_name, store
from forkpoint.ops.session import Progress, Session, Tell
from forkpoint.ops.views import agents_by_prompt, branches, labels, point_place
from forkpoint.requests import STANDARD_OUTPUT, Sink
from forkpoint.sessions.forking import session_title
from forkpoint.transcript.query.branches import Branch, owners
from forkpoint.transcript.query.branches import Stop as Found
from forkpoint.transcript.query.estimates import estimates
from forkpoint.transcript.query.head import stamp
from forkpoint.transcript.query.reading import Told, read
from forkpoint.transcript.write import promotion
from forkpoint.words import as_is

WORDS: Final = 20_000
"""So many characters of what was said stand in a page, and the number of those that do not."""
WORK: Final = 4_000
"""So many of a call, its result, or a thought."""
FOLDED: Final = ("call", "result", "thinking")
"""The parts of a conversation that a page folds."""
PART: Final = 256
"""So many entries are read at once."""


class Stop(msgspec.Struct, array_like=True, gc=False):
    """What stands on a branch, as :class:`forkpoint.answers.trees.TreeStop` has it."""

    kind: str
    entry: int
    """Its place among all entries."""
    line: int
    uuid: str
    number: int | None
    text: str | None
    time: str | None
    point: str | None
    """Of a prompt the uuid at which one can go on behind its turn."""
    can: str | None
    """Of a prompt whether the end of its turn is ``legal`` or ``resumable``, ``inherited``: held back by an older break, or
    ``no``."""
    tokens: int
    left_out: bool
    brought: str | None
    entries: int
    what: str | None
    counts: bool | None
    agents: Sequence[tuple[str, int, str]]
    """Of each sub-agent its id or line, how many entries it has, and what it was told."""


class Line(msgspec.Struct, array_like=True, gc=False):
    """A branch: which one it leaves (-1: none), behind which stop and at which entry of it, and what is on it."""

    source: int
    behind: int
    base: int
    live: bool
    lost: str | None
    """The parent that the file does not hold."""
    bytes: int
    """Of the lines that are its own."""
    stops: Sequence[Stop]
    own: Sequence[int]
    """Its entries, in their order."""


class Part(msgspec.Struct, array_like=True, gc=False):
    """A part of what an entry says, and how many characters of it are left out."""

    kind: str
    text: str
    tool: str | None
    more: int


class Entry(msgspec.Struct, array_like=True, gc=False):
    """An entry that says something."""

    line: int
    uuid: str
    time: str | None
    left_out: bool
    parts: Sequence[Part]


@dataclass(frozen=True, slots=True)
class Whole:
    """A session: its branches, each behind the one that it leaves, and what hangs beside the way of its branch."""

    file: str
    title: str | None
    size: int
    """How many entries it has."""
    lines: Sequence[Line]
    """Each behind the one that it leaves."""
    beside: dict[int, int]
    """Of an entry that no other one of its branch goes on from, the entry behind which it hangs."""
    covered: Set[str]
    """What a record leaves out at HEAD, by uuid."""
    prompts: Set[int]
    """The entries that are prompts."""
    session: Session
    redact: Callable[[str], str]
    progress: Progress | None = None
    """Is told how many entries of how many are read."""
    labels: Mapping[int, Sequence[str]] = field(default_factory=dict)
    """The numbers of prompts that joined a turn, by the entries at which they stand."""

    def parts(self) -> Iterator[list[Entry | None]]:
        """What all entries say, so many at once; None of one that says nothing. Reads every line."""
        for first in range(0, self.size, PART):
            last = min(first + PART, self.size)
            yield self.said(range(first, last))
            if self.progress is not None:
                self.progress(last, self.size)

    def said(self, places: Sequence[int]) -> list[Entry | None]:
        """What some entries say. Reads their lines."""
        said: dict[int, list[Told]] = {}
        for told in read(self.session.transcript, self.prompts, places):
            said.setdefault(told.position, []).append(told)
        return [self._entry(at, said[at]) if at in said else None for at in places]

    def _entry(self, at: int, said: Sequence[Told]) -> Entry:
        session = self.session
        uuid = session.place(at).uuid
        labels = iter(self.labels.get(at, ()))
        said = [told._replace(tool=next(labels, None)) if told.kind == "queued" else told for told in said]
        parts = [
            cut(told._replace(text=self.redact(told.text), tool=None if told.tool is None else self.redact(told.tool)))
            for told in said
            if told.text or told.kind != "thinking"
        ]
        return Entry(session.line(at), uuid, stamp(session.transcript, at), uuid in self.covered, parts)


def cut(told: Told) -> Part:
    """A part of what an entry says, as long as a page holds it."""
    most = WORK if told.kind in FOLDED else WORDS
    return Part(told.kind, told.text[:most], told.tool, max(0, len(told.text) - most))


def whole(session: Session, redact: Callable[[str], str] = as_is, progress: Progress | None = None) -> Whole:
    """A session as a page holds it, with every text as ``redact`` gives it. Near-linear; what was said is read when it is asked
    for, and ``progress`` is told how far that got."""
    transcript, size = session.transcript, len(session.log)
    begun.told(session)
    found, covered = branches(session)
    tokens = transcript.once(estimates)
    agents = agents_by_prompt(session)
    lines: list[Line] = []
    every: list[Branch] = []
    todo: list[tuple[Branch, int, int]] = [(root, -1, -1) for root in reversed(found)]
    while todo:
        branch, source, behind = todo.pop()
        number = len(lines)
        every.append(branch)
        stops = [_stop(session, stop, tokens, agents, redact) for stop in branch.stops]
        lost = transcript.lost_parents.get(branch.root) if branch.base < 0 else None
        lines.append(Line(source, behind, branch.base, branch.live, lost, 0, stops, []))
        todo += [(each, number, at) for at, stop in reversed(list(enumerate(branch.stops))) for each in reversed(stop.branches)]
    owner, anchor = owners(transcript, every)
    own: list[list[int]] = [[] for _ in lines]
    aside = [False] * size if promotion.is_agents(transcript) else transcript.sidechains
    for at in range(size):
        if owner[at] >= 0 and not aside[at]:
            own[owner[at]].append(at)
            span = transcript.span(at)
            lines[owner[at]].bytes += span.end - span.start
    for line, entries in zip(lines, own, strict=True):
        line.own = entries
    way = [at for line in lines if line.live for at in line.own]
    return Whole(
        redact(Path(session.file).name),
        session_title(transcript, way, shown=redact) or None,
        size,
        lines,
        {at: above for at, above in enumerate(anchor) if above != at and owner[at] >= 0},
        covered,
        frozenset(session.outline.prompts),
        session,
        redact,
        progress,
        labels(session),
    )


def _stop(
    session: Session,
    found: Found,
    tokens: Sequence[int],
    agents: Mapping[int, list[answers.TreeAgent]],
    redact: Callable[[str], str],
) -> Stop:
    point = found.point
    end = None if point is None else point.end
    return Stop(
        kind=found.kind,
        entry=found.position,
        line=session.line(found.position),
        uuid=session.place(found.position).uuid,
        number=None if point is None else point.number,
        text=None if point is None else redact(point.words),
        time=stamp(session.transcript, found.position),
        point=session.place(end.position).uuid if end is not None and end.resumable else None,
        can=None if point is None else point_place(session, point.end).can,
        tokens=tokens[found.position if end is None else end.position],
        left_out=found.left_out,
        brought=found.brought,
        entries=found.kept,
        what=None if found.record is None else found.record.what,
        counts=None if found.record is None else found.record.counts,
        agents=[
            (each.agent or f"line {each.line}", each.entries, redact(each.text)[:200])
            for each in (agents.get(found.position, []) if found.kind == "prompt" else [])
        ],
    )


def write(out: str | None, pieces: Iterable[bytes], tell: Tell, sink: Sink) -> Path | None:
    """Writes a page into a new file, which is never one that is there, or into a private folder where no name is given. Its
    place, or None where it went to standard output."""
    if out == STANDARD_OUTPUT:
        sink(pieces)
        return None
    place = new_name(out) if out is not None else Path(tempfile.mkdtemp(prefix="forkpoint-"), "page.html")
    store(place, pieces, tell)
    return place
