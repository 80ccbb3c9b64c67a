"""HEAD: the entry from which a client goes on when it resumes a session.

Each generation of clients has a rule of its own; all of them are measured by resuming small sessions (``spec/points.md``).
A session is on a client's disk, not in its memory: what a running client shows may be further on than its file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import msgspec

from forkpoint.client.versions import DESCENDS, EXCLUDES_SIDECHAINS, LAST_LINE, LAST_PROMPT
from forkpoint.core.entries import Kind, Log, Version
from forkpoint.transcript.format.compaction import Cut, cut
from forkpoint.transcript.format.lines import read_keys
from forkpoint.transcript.format.reader import Transcript


@dataclass(frozen=True, slots=True)
class Head:
    """Where a client goes on, and by which rule."""

    position: int | None
    """In canonical order; None when the file has no entry that could be it."""
    why: str
    version: Version
    """The client version whose rule was applied."""


SPOKEN: Final = (Kind.USER, Kind.ASSISTANT)


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
        version = transcript.client or max(transcript.versions, default=()) or DESCENDS
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
    why = "the last line"
    if version >= DESCENDS and (lowest := _lowest(transcript, positions, last)) != last:
        last, why = lowest, "the end below the last line"
    cutting = cut(transcript)
    if cutting is None or not cutting.again:
        return _named(transcript, last, why, version, cutting, None)
    parent = _relinked(transcript, cutting)
    ends = _ends(transcript.log, parent)
    last, why = _since(transcript, parent, ends, last, why)
    return _named(transcript, last, why, version, cutting, ends)


def elsewhere(transcript: Transcript) -> Head | None:
    """HEAD as the first later generation of clients understands it that goes on at another entry than the one that wrote the
    file; None where all agree, or where the client that resumes is named. Costs as :func:`head`."""
    own = max(transcript.versions, default=())
    if transcript.client is not None or not own or own >= DESCENDS:
        return None
    here = head(transcript, own)
    later = (version for version in (LAST_LINE, LAST_PROMPT, DESCENDS) if version > own)
    return next((found for version in later if (found := head(transcript, version)).position != here.position), None)


def _named(
    transcript: Transcript, last: int, why: str, version: Version, cutting: Cut | None, ends: AbstractSet[int] | None
) -> Head:
    """HEAD as the last ``last-prompt`` line with a leaf names it, ``last`` where it names no entry that counts.

    ``ends`` are those of the branches since a compaction that preserves something, behind which no other entry counts.
    """
    log = transcript.log
    for sidecar in reversed(transcript.sidecars):
        if sidecar.type != "last-prompt":
            continue
        keys = transcript.keys(sidecar.span)
        leaf = keys.get("leafUuid")
        if not isinstance(leaf, str):
            continue
        line = f"the last-prompt on line {sidecar.span.number}"
        if leaf not in log:
            none = "no entry" if leaf.strip("0-") == "" else f"{leaf}, which is no entry of the file"
            return Head(last, f"{why}; {line} names {none}", version)
        position = log.position(transcript.copies.get(leaf, [leaf])[-1])
        if cutting is not None and cutting.forgets(transcript, position):
            return Head(last, f"{why}; {line} names an entry that the compaction after it made the client forget", version)
        explicit = keys.get("explicit") is True
        if ends is not None and position not in ends and not (explicit and _nothing_behind(transcript, sidecar.span.number)):
            return Head(last, f"{why}; {line} does not count: since the last compaction, only the end of a branch does", version)
        if explicit:
            return Head(position, f"{line} names it explicitly", version)
        if position == last or position in _above(log, last):
            return Head(last, f"{why}, at or below the entry that {line} names", version)
        return Head(position, f"{line} names it", version)
    return Head(last, why, version)


def _nothing_behind(transcript: Transcript, line: int) -> bool:
    """Whether no entry of the main line stands behind a line."""
    aside, numbers = transcript.sidechains, transcript.numbers
    return not any(number > line and not aside[position] for position, number in enumerate(numbers))


def _relinked(transcript: Transcript, cutting: Cut) -> dict[int, int]:
    """The parents, -1 for none, of what a client finds since a compaction: what is preserved hangs behind the anchor, one on
    another, and on its last what hung on the anchor. O(n)."""
    log = transcript.log
    again = [log.position(uuid) for uuid in cutting.again]
    kept = set(again)
    found = [at for at in range(len(log)) if at in kept or not cutting.stands_behind(transcript, at)]
    parent = dict.fromkeys(found, -1)
    anchor = log.position(cutting.anchor) if cutting.anchor in log else -1
    for at in found:
        above = log.spine.parent[at]
        parent[at] = again[-1] if above == anchor >= 0 else above if above in parent else -1
    return parent | dict(zip(again, [anchor if anchor in parent else -1, *again], strict=False))


def _said(log: Log, parent: Mapping[int, int], position: int) -> int | None:
    """The nearest at or above that somebody said; None where there is none, or the way goes round in a list that does."""
    way: set[int] = set()
    while position >= 0 and position not in way:
        if log[position].kind in SPOKEN:
            return position
        way.add(position)
        position = parent[position]
    return None


def _ends(log: Log, parent: Mapping[int, int]) -> set[int]:
    """Where branches end: of each entry without children what was said nearest at or above it, if nothing that was said hangs
    on that. O(n)."""
    answered = {above for at, above in parent.items() if log[at].kind in SPOKEN}
    said = (_said(log, parent, at) for at in parent.keys() - set(parent.values()))
    return {at for at in said if at is not None and at not in answered}


def _since(transcript: Transcript, parent: Mapping[int, int], ends: AbstractSet[int], last: int, why: str) -> tuple[int, str]:
    """Where a client goes on since a compaction that preserves something: at the only end; of several at what was said nearest
    at or above the last line, and where it no longer finds that, at the newest."""
    said = _said(transcript.log, parent, last) if last in parent else None
    main = [end for end in ends if not transcript.sidechains[end]]
    if said in ends or not main:
        return last, why
    if len(ends) == 1:
        return main[0], "the only end of a branch since the last compaction"
    if said is not None:
        return last, why
    return _newest(transcript, main), "the newest end of a branch since the last compaction"


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
    here = position
    while here >= 0 and log[here].kind not in SPOKEN:
        here = log.spine.parent[here]
    return here if here >= 0 else position


def _lowest(transcript: Transcript, positions: list[int], position: int) -> int:
    """The end below an entry: at each step the child that stands last in the file."""
    parent = transcript.log.spine.parent
    latest: dict[int, int] = {}
    for child in positions:
        above = parent[child]
        if above >= position:
            other = latest.setdefault(above, child)
            if transcript.span(child).start > transcript.span(other).start:
                latest[above] = child
    while position in latest:
        position = latest[position]
    return position


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
