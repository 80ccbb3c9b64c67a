"""HEAD: the entry from which a client goes on when it resumes a session.

Each generation of clients has a rule of its own; all of them are measured by resuming small sessions (``spec/points.md``).
A session is on a client's disk, not in its memory: what a running client shows may be further on than its file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain, islice, pairwise
from typing import NamedTuple

import msgspec

from forkpoint.clients.claude.keys import LEAF
from forkpoint.clients.claude.versions import DESCENDS, EXCLUDES_SIDECHAINS, IN_A_TURN, LAST_LINE, LAST_PROMPT
from forkpoint.clients.kinds import SPOKEN
from forkpoint.clients.lines import read_keys
from forkpoint.core.entries import Id, Kind, Log, Result, Use, Version
from forkpoint.transcript.format.below import sides
from forkpoint.transcript.format.compaction import Cut, cut, is_written_boundary
from forkpoint.transcript.format.reader import Transcript


@dataclass(frozen=True, slots=True)
class Head:
    """Where a client goes on, and by which rule."""

    position: int | None
    """In canonical order; None when the file has no entry that could be it."""
    why: str
    version: Version
    """The client version whose rule was applied."""


_Parents = Sequence[int] | Mapping[int, int]
"""Of each position that of the parent, -1 for none."""


class _Stamp(msgspec.Struct):
    timestamp: object = None


_decode = msgspec.json.Decoder(_Stamp).decode


def head(transcript: Transcript, version: Version | None = None) -> Head:
    """HEAD as a client understands it; without a version, as the client that is to resume the file does, or else the newest one
    that wrote into it.

    O(entries); clients before 2.1.121 need a timestamp of every entry, which reads the whole file.
    """
    log = transcript.log
    if version is None:
        version = ruling(transcript)
    positions = [position for position, aside in enumerate(transcript.sidechains) if version < EXCLUDES_SIDECHAINS or not aside]
    if not positions:
        return Head(None, "the file has no entry of a main line", version)
    if version < LAST_LINE:
        newest = _newest(transcript, positions)
        if version < EXCLUDES_SIDECHAINS:
            newest = _spoken(log, newest)
        return Head(newest, "the entry with the newest timestamp", version)
    last = max(positions, key=transcript.numbers.__getitem__)
    if version < LAST_PROMPT:
        newest = _newest(transcript, positions)
        if newest != last and last in _above(log, newest):
            last = newest  # it is below, though it stands before it in the file
        return Head(_spoken(log, last), "the last line", version)
    return _current(transcript, positions, last, version)


def ruling(transcript: Transcript) -> Version:
    """The client whose rule says where HEAD is: the one that is to resume the file, or else the newest one that wrote into it."""
    return transcript.client or max(transcript.versions, default=()) or DESCENDS


def behind_the_turn(transcript: Transcript) -> Head | None:
    """HEAD as clients since 2.1.315 have it, where the client that wrote the file goes on within a turn that is over for them:
    what is appended at one of the two hides the other. None where they agree, or where the client that resumes is named. Costs as
    :func:`head`."""
    own = max(transcript.versions, default=())
    if transcript.client is not None or not LAST_PROMPT <= own < IN_A_TURN:
        return None
    later = head(transcript, IN_A_TURN)
    return later if later.position != head(transcript, own).position else None


def elsewhere(transcript: Transcript) -> tuple[Head, Version | None] | None:
    """HEAD as the first later generation of clients understands it that goes on at another entry than the one that wrote the
    file, and the first client that goes on where that one does again, if there is one; None where all agree, or where the client
    that resumes is named. Costs as :func:`head`."""
    own = max(transcript.versions, default=())
    if transcript.client is not None or not own or own >= DESCENDS:
        return None
    here = head(transcript, own)
    heads = [head(transcript, version) for version in (LAST_LINE, LAST_PROMPT, IN_A_TURN, DESCENDS) if version > own]
    other = next((at for at, found in enumerate(heads) if found.position != here.position), None)
    if other is None:
        return None
    again = next((found.version for found in heads[other:] if found.position == here.position), None)
    return heads[other], again


class _Leaf(NamedTuple):
    """What the last ``last-prompt`` line that names an entry says, if no boundary stands behind it."""

    line: str
    uuid: str
    position: int | None
    """Of the entry, where the client finds it."""
    explicit: bool
    """Whether it says so and no entry of the main line stands behind it."""
    plain: bool
    """Whether it does not say so."""


def _leaf(transcript: Transcript, cutting: Cut | None, last: int) -> _Leaf | None:
    """The leaf that counts. A boundary of any kind makes a client forget what was named before it; a line that names the same
    entry once more takes nothing back."""
    numbers, log = transcript.numbers, transcript.log
    uuid, line, explicit, plain = "", 0, False, True
    for sidecar in reversed(transcript.sidecars):
        keys = transcript.keys(sidecar.span) if sidecar.type == "last-prompt" else {}
        leaf = keys.get(LEAF)
        if not isinstance(leaf, str) or not leaf:
            continue
        if not uuid:
            uuid, line, plain = leaf, sidecar.span.number, keys.get("explicit") is not True
            behind = (at for at, kind in enumerate(transcript.kinds) if kind is Kind.SYSTEM and numbers[at] > line)
            if any(is_written_boundary(transcript, at) for at in behind):
                return None
        if leaf != uuid or sidecar.span.number < numbers[last] or explicit:
            break
        explicit = keys.get("explicit") is True
    if not uuid:
        return None
    position = log.position(transcript.copies.get(uuid, [uuid])[-1]) if uuid in log else None
    if position is not None and cutting is not None and cutting.forgets(transcript, position):
        position = None
    return _Leaf(f"the last-prompt on line {line}", uuid, position, explicit, plain)


def _current(transcript: Transcript, positions: list[int], last: int, version: Version) -> Head:
    """HEAD since ``last-prompt`` lines name it: the leaf that they name, or the last line where that hangs at or below it; where
    nobody said anything at or above that, or a compaction preserves something, the end of a branch."""
    cutting = cut(transcript)
    again = () if cutting is None else cutting.again
    parent: _Parents = transcript.log.spine.parent if cutting is None else _relinked(transcript, cutting)
    if cutting is not None and last not in parent:  # a boundary of a sub-agent stands behind all that the main line has
        positions = [at for at in positions if at in parent]
        if not positions:
            return Head(None, "the file has no entry of a main line since the last compaction", version)
        last = max(positions, key=transcript.numbers.__getitem__)
    leaf = _leaf(transcript, cutting, last)
    told = "" if leaf is None else _not_found(transcript, leaf)
    named = None if leaf is None else leaf.position
    if leaf is not None and named is not None and (not again or (leaf.explicit and not transcript.sidechains[named])):
        here, why = named, f"{leaf.line} names it{' explicitly' if leaf.explicit else ''}"
        if not leaf.explicit and (named == last or named in _way(parent, last)):
            here, why = last, f"the last line, at or below the entry that {leaf.line} names"
        elif leaf.plain and version >= IN_A_TURN and _Turn(transcript, parent, last).holds(named):
            here, why = last, f"the last line, behind the turn in whose middle {leaf.line} was written"
        if _said(transcript.log, parent, here) is not None:
            if again and cutting is not None and transcript.log.spine.uuids[here] == cutting.anchor:
                below = "and what the compaction preserves hangs below it: no entry has its conversation"
                return Head(None, f"{why}, {below}", version)
            return _seated(transcript, cutting, here, why, version)
    if named is None and not again:
        here, why = last, "the last line"
        if version >= DESCENDS and (lowest := _lowest(transcript, positions, last)) != last:
            here, why = lowest, "the end below the last line"
        if _said(transcript.log, parent, here) is not None:
            return Head(here, why + told, version)
    ends = _ends(transcript.log, parent, range(len(transcript.log)) if cutting is None else parent)
    said = _said(transcript.log, parent, last)
    main = [end for end in ends if not transcript.sidechains[end]]
    if said in ends or not main:
        return Head(last, "the last line" + told, version)
    since = " since the last compaction" if cutting is not None else ""
    if len(ends) == 1:
        return _seated(transcript, cutting, main[0], f"the only end of a branch{since}{told}", version)
    if leaf is not None and named in main:
        return _seated(transcript, cutting, named, f"{leaf.line} names it", version)
    if said is not None:
        return Head(last, "the last line" + told, version)
    return _seated(transcript, cutting, _newest(transcript, main), f"the newest end of a branch{since}{told}", version)


class _Turn:
    """Whether an entry that a ``last-prompt`` names lies in the middle of a turn that is on the way to the last line: it is a
    call, or it hangs on a result of one, beside the way. A client writes such a line while parallel calls run."""

    def __init__(self, transcript: Transcript, parent: _Parents, last: int) -> None:
        self._log, self._parent = transcript.log, parent
        self._aside = sides(transcript).aside
        self._way = {at: below for below, at in pairwise((-1, *self._upwards(last)))}
        """Of each entry on the way to the last line the next one below it there."""

    def _upwards(self, position: int) -> Iterator[int]:
        """An entry and what stands above it, but for progress lines, which a client does not see."""
        yield position
        yield from (above for above in _way(self._parent, position) if self._log[above].kind is not Kind.PROGRESS)

    def _above(self, position: int) -> int:
        return next(islice(self._upwards(position), 1, None), -1)

    def _calls(self, position: int) -> set[Id]:
        entry = self._log[position]
        return {block.id for block in entry.blocks if isinstance(block, Use) and entry.kind is Kind.ASSISTANT}

    def _results(self, position: int) -> set[Id]:
        entry = self._log[position]
        return {block.id for block in entry.blocks if isinstance(block, Result) and entry.kind is Kind.USER}

    def _is_aside(self, position: int) -> bool:
        return self._log.spine.uuids[position] in self._aside

    def holds(self, leaf: int) -> bool:
        """Whether it does. O(depth)."""
        log = self._log
        call, result = self._call_of(leaf)
        message = None if call < 0 else log[call].message
        if message is None:
            return False
        nearest = call  # the nearest entry at or above the call that is on the way
        while nearest >= 0 and nearest not in self._way:
            if log[nearest].message != message and not self._results(nearest) and not self._is_aside(nearest):
                return False
            nearest = self._above(nearest)
        if nearest < 0 or log[nearest].message != message or not self._calls(nearest):
            return False
        if nearest != call or any(at != call and log[at].message == message and self._calls(at) for at in self._way):
            return True
        leaves = self._way[call]
        if result < 0 or leaves < 0:
            return False
        mine, its = self._results(result) & self._calls(call), self._results(leaves) & self._calls(call)
        return bool(mine and its - mine)

    def _call_of(self, leaf: int) -> tuple[int, int]:
        """The call that an entry is, or on whose result it hangs through side entries alone, and that result; -1 for none."""
        if self._calls(leaf):
            return leaf, -1
        at = leaf
        while at >= 0 and not self._results(at):
            at = self._above(at) if self._is_aside(at) else -1
        above = -1 if at < 0 else self._above(at)
        return (above, at) if above >= 0 and self._calls(above) else (-1, -1)


def _not_found(transcript: Transcript, leaf: _Leaf) -> str:
    """Why a leaf does not count, as the end of a sentence; empty where it might."""
    if leaf.position is None:
        if leaf.uuid in transcript.log:
            return f"; {leaf.line} names an entry that the compaction after it made the client forget"
        none = "no entry" if leaf.uuid.strip("0-") == "" else f"{leaf.uuid}, which is no entry of the file"
        return f"; {leaf.line} names {none}"
    return f"; {leaf.line} does not count: since the last compaction, only the end of a branch does"


def _seated(transcript: Transcript, cutting: Cut | None, position: int, why: str, version: Version) -> Head:
    """HEAD at an entry. One that a compaction sends again stands, for the client, behind the summary: at the last of them the
    conversation is that of the summary; at another no entry of the file has it, and there is no HEAD to speak of."""
    log = transcript.log
    if cutting is None or not cutting.again or not cutting.stands_behind(transcript, position):
        return Head(position, why, version)
    if log.spine.uuids[position] == cutting.again[-1] and cutting.anchor in log:
        return Head(log.position(cutting.anchor), f"{why}, which the compaction sends again", version)
    return Head(None, f"{why}, which the compaction sends again: no entry has the conversation there", version)


def _way(parent: _Parents, position: int) -> Iterator[int]:
    """The entries above one, nearest first, by parents alone."""
    seen = {position}
    while (position := parent[position]) >= 0 and position not in seen:
        seen.add(position)
        yield position


def _relinked(transcript: Transcript, cutting: Cut) -> dict[int, int]:
    """The parents, -1 for none, of what a client finds since a compaction: what is preserved hangs behind the anchor, one on
    another, and on its last what hung on the anchor, and what somebody said at a forgotten entry. O(n)."""
    log = transcript.log
    again = [log.position(uuid) for uuid in cutting.again]
    kept, last = set(again), again[-1] if again else -1
    found = [at for at in range(len(log)) if at in kept or not cutting.stands_behind(transcript, at)]
    parent = dict.fromkeys(found, -1)
    anchor = log.position(cutting.anchor) if again and cutting.anchor in log else -1
    for at in found:
        above = log.spine.parent[at]
        if above == anchor >= 0 or (above >= 0 and above not in parent and log[at].kind in SPOKEN):
            parent[at] = last
        elif above in parent:
            parent[at] = above
    return parent | dict(zip(again, [anchor if anchor in parent else -1, *again], strict=False))


def _said(log: Log, parent: _Parents, position: int) -> int | None:
    """The nearest at or above that somebody said; None where there is none, or the way goes round in a list that does."""
    return next((at for at in chain((position,), _way(parent, position)) if log[at].kind in SPOKEN), None)


def _ends(log: Log, parent: _Parents, found: Iterable[int]) -> set[int]:
    """Where branches end: of each entry without children what was said nearest at or above it, if nothing that was said hangs
    on that. O(n)."""
    there = list(found)
    answered = {parent[at] for at in there if log[at].kind in SPOKEN}
    nearest: dict[int, int | None] = {}  # of what was passed on the way up what was said nearest at or above it
    for end in set(there).difference(parent[at] for at in there):
        passed = []
        for at in chain((end,), _way(parent, end)):
            if at in nearest or log[at].kind in SPOKEN:
                said = nearest.get(at, at)
                break
            passed.append(at)
        else:
            said = None
        nearest |= dict.fromkeys((*passed, end), said)
    return {at for at in nearest.values() if at is not None and at not in answered}


def path(log: Log, position: int | None) -> list[int]:
    """The way to an entry from the start of the session, rising: its ancestry, continued above a compaction boundary at
    the entry that the boundary continues, as far as the file goes. O(length)."""
    if position is None:
        return []
    way = [position, *_above(log, position)]
    way.reverse()
    return way


def _above(log: Log, position: int) -> dict[int, None]:
    """The entries above one, nearest first, across boundaries."""
    return dict.fromkeys(_climb(log, position))


def _climb(log: Log, position: int) -> Iterator[int]:
    parent = log.spine.parent
    while True:
        above = parent[position]
        if above < 0:
            logical = log[position].logical_parent
            if logical is None or logical not in log or log.position(logical) >= position:
                return
            above = log.position(logical)
        position = above
        yield position


def _spoken(log: Log, position: int) -> int:
    """The nearest user or assistant entry at or above; the entry itself when there is none."""
    found = _said(log, log.spine.parent, position)
    return position if found is None else found


def _lowest(transcript: Transcript, positions: list[int], position: int) -> int:
    """What somebody said below an entry, of that the newest, of equals the last in the file: a client looks for it where no
    ``last-prompt`` speaks of a leaf and something else is newer. The entry itself where nothing does."""
    parent = transcript.log.spine.parent
    below: set[int] = set()
    for at in positions:
        if (parent[at] == position or parent[at] in below) and transcript.log[at].kind in SPOKEN:
            below.add(at)
    if not below or any(LEAF in transcript.keys(one.span) for one in transcript.sidecars if one.type == "last-prompt"):
        return position
    if _newest(transcript, positions) == position:
        return position
    return max(below, key=lambda at: (stamp(transcript, at) or "", transcript.span(at).start))


def _newest(transcript: Transcript, positions: list[int]) -> int:
    """The entry with the newest timestamp, the first in the file of equals; one without a timestamp is the oldest."""
    in_file = sorted(positions, key=lambda position: transcript.span(position).start)
    best, newest = in_file[0], None
    for position in in_file:
        when = timestamp(transcript, position)
        if when is not None and (newest is None or when > newest):
            best, newest = position, when
    return best


def stamp(transcript: Transcript, position: int) -> str | None:
    """An entry's timestamp as it stands in the file; None when there is none. Reads the line."""
    line = read_keys(_decode, transcript.line(transcript.span(position)), "timestamp")
    return line.timestamp if line is not None and isinstance(line.timestamp, str) else None


def timestamp(transcript: Transcript, position: int) -> datetime | None:
    """When an entry was written; None when it does not say so, or not in which time zone."""
    said = stamp(transcript, position)
    try:
        when = datetime.fromisoformat(said) if said is not None else None
        return when.astimezone(UTC) if when is not None and when.tzinfo is not None else None
    except (ValueError, OverflowError):  # the calendar ends: there is no such time in UTC
        return None
