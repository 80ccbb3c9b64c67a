"""HEAD: the entry from which a client goes on when it resumes a session.

Each generation of clients has a rule of its own; all of them are measured by resuming small sessions (``spec/points.md``).
A session is on a client's disk, not in its memory: what a running client shows may be further on than its file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec

from forkpoint.client.versions import DESCENDS, EXCLUDES_SIDECHAINS, LAST_LINE, LAST_PROMPT
from forkpoint.core.entries import Id, Kind, Log, Version
from forkpoint.transcript.compaction import cut
from forkpoint.transcript.lines import read_keys
from forkpoint.transcript.reader import Transcript


@dataclass(frozen=True, slots=True)
class Head:
    """Where a client goes on, and by which rule."""

    position: int | None
    """In canonical order; None when the file has no entry that could be it."""
    why: str
    version: Version
    """The client version whose rule was applied."""


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
    return _named(transcript, last, why, version)


def elsewhere(transcript: Transcript) -> Head | None:
    """HEAD as the first later generation of clients understands it that goes on at another entry than the one that wrote the
    file; None where all agree, or where the client that resumes is named. Costs as :func:`head`."""
    own = max(transcript.versions, default=())
    if transcript.client is not None or not own or own >= DESCENDS:
        return None
    here = head(transcript, own)
    later = (version for version in (LAST_LINE, LAST_PROMPT, DESCENDS) if version > own)
    return next((found for version in later if (found := head(transcript, version)).position != here.position), None)


def _named(transcript: Transcript, last: int, why: str, version: Version) -> Head:
    """HEAD as the last ``last-prompt`` line with a leaf names it, ``last`` where it names no entry that counts."""
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
        cutting = cut(transcript)
        if cutting is not None and cutting.forgets(transcript, position):
            return Head(last, f"{why}; {line} names an entry that the compaction after it made the client forget", version)
        explicit = keys.get("explicit") is True
        again = () if cutting is None else cutting.again
        if again and not (explicit and _nothing_behind(transcript, sidecar.span.number)) and not _is_leaf(log, again, position):
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


def _is_leaf(log: Log, again: Sequence[Id], position: int) -> bool:
    """Whether an entry is what somebody said, and nothing that somebody said hangs on it, as a client hangs what is preserved."""
    spoken = (Kind.USER, Kind.ASSISTANT)
    if log[position].kind not in spoken or log.spine.uuids[position] in again[:-1]:
        return False
    parent = log.spine.parent
    return not any(above == position and log[at].kind in spoken for at, above in enumerate(parent[: len(log)]))


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
    while here >= 0 and log[here].kind not in (Kind.USER, Kind.ASSISTANT):
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
