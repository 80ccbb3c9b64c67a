"""Whether a fork still holds what was forked, told from its file, its marker and the file it was forked from.

Compared is the conversation at the fork point, on either side as its own file gives it: a link that was bent changes
which entries that holds, so the links need no chain of their own, and a client that only hangs parallel calls in a row
changes nothing. What a fork grew after its point are additions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from forkpoint.core.entries import Kind
from forkpoint.transcript.format.below import Kept, kept, kept_positions
from forkpoint.transcript.format.marker import Marker, find_marker
from forkpoint.transcript.format.plans import Naming, nameless
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query import witness
from forkpoint.transcript.query.witness import Witness
from forkpoint.words import count

MISSING: Final = "is missing from the fork's conversation"
OLDER: Final = (
    "made by an older rule: without {} below calls and results, which newer clients send; `forkpoint fork` makes it anew"
)


@dataclass(frozen=True, slots=True)
class Difference:
    """The first entry, in canonical order, in which fork and source differ; a line is None where the file lacks it."""

    uuid: str
    line: int | None
    """Its line in the fork."""
    source_line: int | None
    what: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a comparison showed.

    ``verdict``: ``exact``, ``additions`` (the kept prefix and what the fork grew), ``tampered`` (the fork is not as it was
    made), ``source-changed`` (the source is not), ``both-changed``, ``differs`` (nothing tells which of them changed),
    ``unverifiable`` (nothing to compare with) or ``unrelated`` (no entry in common). The first two mean that the fork is
    verified. ``entries`` of the prefix and ``additions`` are counted in the fork. ``against``: what it was compared with:
    ``marker``, ``source``. ``notes`` say what the verdict rests on.
    """

    verdict: str
    entries: int
    additions: int
    against: tuple[str, ...]
    difference: Difference | None = None
    notes: tuple[str, ...] = ()

    @property
    def verified(self) -> bool:
        return self.verdict in ("exact", "additions")


class _Side:
    """The entries of one of the two files that are compared. ``change`` makes of each line the one that counts."""

    def __init__(
        self, transcript: Transcript, positions: list[int], *, content: bool, change: Callable[[bytes], bytes] | None = None
    ) -> None:
        self.transcript = transcript
        self._change = change
        self.uuids = [str(transcript.log.spine.uuids[position]) for position in positions]
        self.witness = witness.of(transcript, positions, content=content, change=change)
        self.doubled = next((uuid for uuid in self.uuids if uuid in transcript.copies), None) if transcript.copies else None

    def line(self, uuid: str) -> int:
        """The number of an entry's line."""
        return self.transcript.span(self.transcript.log.position(uuid)).number

    def says(self, uuid: str) -> bytes:
        line = self.transcript.line(self.transcript.span(self.transcript.log.position(uuid)))
        return witness.said(line if self._change is None else self._change(line))

    def kept_as(self, marked: Witness) -> bool | None:
        """Whether the conversation is as the marker says; ``None`` when only the uuids can tell, and they agree."""
        found = self.witness
        if self.doubled is not None or (found.length, found.ids) != (marked.length, marked.ids):
            return False
        if marked.content is not None:
            return found.content == marked.content
        return True if found.lines == marked.lines else None


def verify(forked: Transcript, source: Transcript | None = None) -> Verdict:
    """Compares a fork with its marker, with its source, or with both. Linear in the two files.

    Without a marker the entries that both files hold are compared, and the fork must hold all of the source's conversation
    at the last of them, but for progress, which clients leave out of their forks.
    """
    marker = find_marker(forked)
    if marker is None:
        return _unmarked(forked, source)
    return _marked(forked, marker, source)


def _marked(forked: Transcript, marker: Marker, source: Transcript | None) -> Verdict:
    marked = witness.from_shape(marker.witness or {})
    content = source is not None or (marked is not None and marked.content is not None)
    change = _renamed(marker)
    ours = _Side(forked, _conversation(forked, marker.point, marker.upto), content=content)
    theirs = None
    if source is not None:
        theirs = _Side(source, _conversation(source, marker.point, marker.upto), content=content, change=change)
    additions = len(forked.log) - len(ours.uuids)
    against = (*(["marker"] if marked else []), *(["source"] if theirs else []))
    notes: list[str] = []
    if marked is None:
        notes.append("the marker holds no witness that can be read here")
    if source is not None and theirs is not None and not _equal(ours, theirs):
        older = _Side(source, _bare(source, marker.point), content=content, change=change)
        if _equal(ours, older) and (marked is None or ours.kept_as(marked) is not False):
            notes.append(OLDER.format(count(len(theirs.uuids) - len(older.uuids), "entry")))
            theirs = older
    equal = theirs is not None and _equal(ours, theirs)
    as_marked = ours.kept_as(marked) if marked else None
    source_as_marked = theirs.kept_as(marked) if marked and theirs else None
    if as_marked is None and marked is not None:
        notes.append("the marker holds no content chain and the lines were rewritten: of the marker only the uuids were compared")
    difference = _absent(forked, ours, source, theirs) if source is not None and theirs is not None else None
    if difference is None:
        difference = _first_difference(ours, theirs) if theirs else _doubled(ours)
    if source is not None and not any(uuid in source.log for uuid in forked.log.spine.uuids):
        notes.append(f"no entry of the fork is an entry of the source; the marker names the session {marker.source}")
        return Verdict("unrelated", len(ours.uuids), additions, against, None, tuple(notes))
    good = "additions" if additions else "exact"
    if theirs is None:
        verdict = {True: good, False: "tampered", None: "unverifiable"}[as_marked]
    elif equal:
        verdict = "both-changed" if as_marked is False or source_as_marked is False else good
        if verdict == "both-changed":
            notes.append("fork and source agree with each other, but not with the marker")
    elif as_marked is False and source_as_marked is False:
        verdict = "both-changed"
    elif as_marked or source_as_marked is False:
        verdict = "source-changed"
    elif source_as_marked or as_marked is False:
        verdict = "tampered"
    else:
        verdict = "differs"
    return Verdict(verdict, len(ours.uuids), additions, against, difference, tuple(notes))


def _renamed(marker: Marker) -> Callable[[bytes], bytes] | None:
    """What the fork's maker made of the source's lines: the plan has a name of its own there."""
    was, now = (marker.plan.get(key) for key in ("was", "now")) if marker.plan is not None else (None, None)
    if not isinstance(was, list) or not isinstance(now, str) or not all(isinstance(name, str) for name in was):
        return None
    return Naming(tuple(was), now).entry


def _absent(forked: Transcript, ours: _Side, source: Transcript, theirs: _Side) -> Difference | None:
    """The first entry of one conversation that the other file does not hold at all."""
    for uuid in theirs.uuids:
        if uuid not in forked.log:
            return Difference(uuid, None, theirs.line(uuid), "is missing from the fork")
    for uuid in ours.uuids:
        if uuid not in source.log:
            return Difference(uuid, ours.line(uuid), None, "is missing from the source")
    return None


def _conversation(transcript: Transcript, point: str, upto: str | None) -> list[int]:
    if point not in transcript.log:
        return []
    return kept_positions(transcript, point, upto if upto is not None and upto in transcript.log else None)


def _bare(transcript: Transcript, point: str) -> list[int]:
    """The conversation without what hangs below it, which an older rule left out."""
    return kept(transcript, point).conversation if point in transcript.log else []


def _unmarked(forked: Transcript, source: Transcript | None) -> Verdict:
    uuids = forked.log.spine.uuids
    if source is None:
        return Verdict("unverifiable", 0, len(uuids), (), None, ("it has no marker, and there is no source to compare it with",))
    shared = [position for position, uuid in enumerate(uuids) if uuid in source.log]
    additions = len(uuids) - len(shared)
    if not shared:
        return Verdict("unrelated", 0, additions, ("source",), None, ("no entry of the fork is an entry of the source",))
    ours = _Side(forked, shared, content=True, change=nameless)
    there = sorted(source.log.position(uuids[position]) for position in shared)
    theirs = _Side(source, there, content=True, change=nameless)
    equal = _equal(ours, theirs)
    difference = None if equal else _first_difference(ours, theirs)
    notes = ["it has no marker: what both files hold was compared, and which of them changed cannot be told"]
    last = kept(source, ours.uuids[-1]) if equal else Kept([], [])
    lacking = sum(source.log.spine.uuids[position] not in forked.log for position in last.below)
    if lacking:
        notes.append(OLDER.format(count(lacking, "entry")))
    for position in last.conversation:
        entry = source.log[position]
        if entry.uuid not in forked.log and entry.kind is not Kind.PROGRESS:
            equal, difference = False, Difference(str(entry.uuid), None, source.span(position).number, MISSING)
            break
    verdict = "differs" if not equal else "additions" if additions else "exact"
    return Verdict(verdict, len(shared), additions, ("source",), difference, tuple(notes))


def _equal(ours: _Side, theirs: _Side) -> bool:
    one, other = ours.witness, theirs.witness
    doubled = ours.doubled or theirs.doubled
    return not doubled and (one.length, one.ids, one.content) == (other.length, other.ids, other.content)


def _doubled(side: _Side) -> Difference | None:
    """A further line with the uuid of a kept entry: clients take the last one."""
    uuid = side.doubled
    return None if uuid is None else Difference(uuid, side.line(uuid), None, "stands on several lines of the fork")


def _first_difference(ours: _Side, theirs: _Side) -> Difference | None:
    """The first entry in which two conversations differ, or None when they are equal."""
    in_ours, in_theirs = set(ours.uuids), set(theirs.uuids)
    for mine, other in zip_longest(ours.uuids, theirs.uuids):
        if mine is not None and mine == other:
            if ours.says(mine) != theirs.says(mine):
                return Difference(mine, ours.line(mine), theirs.line(mine), "says something else")
        elif mine is not None and mine not in in_theirs:
            return Difference(mine, ours.line(mine), None, "is not in the source's conversation")
        elif other is not None and other not in in_ours:
            return Difference(other, None, theirs.line(other), MISSING)
        elif mine is not None:
            return Difference(mine, ours.line(mine), theirs.line(mine), "stands at another place")
    if theirs.doubled and not ours.doubled:
        return Difference(theirs.doubled, None, theirs.line(theirs.doubled), "stands on several lines of the source")
    return _doubled(ours)
