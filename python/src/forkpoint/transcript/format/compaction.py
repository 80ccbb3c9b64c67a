"""What a compaction boundary preserves, from the ``compactMetadata`` of its line.

``preservedMessages`` lists the entries that are sent again; where there is no list, ``preservedSegment`` gives the two ends of
a stretch of the conversation, which is the way up from its tail to its head by parents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from forkpoint.clients.claude.keys import NAMES
from forkpoint.clients.claude.lines import BOUNDARY, MESSAGES, SEGMENT
from forkpoint.clients.kinds import SPOKEN
from forkpoint.clients.lines import read_keys
from forkpoint.core.ancestries import is_boundary
from forkpoint.core.entries import Id, Kind, Log
from forkpoint.core.rendering import Crossing, Preservation, Preserved, crossers, resolves
from forkpoint.transcript.format.reader import Transcript


def preserved_by(metadata: object, parent_of: Callable[[str], str | None]) -> Preserved | None:
    """What a boundary preserves, from the value of its ``compactMetadata``; ``None`` when it says nothing that can be sent again.

    ``parent_of`` gives an entry's parent, and ``None`` for a root and for what is no entry. A list counts even where a segment
    says otherwise; whether what it names is there is for :mod:`forkpoint.core.rendering` to see. The anchor itself is left out of
    a list that names it, as the client does. O(what is preserved).
    """
    if not isinstance(metadata, dict):
        return None
    messages = metadata.get(MESSAGES)
    if isinstance(messages, dict):
        anchor, uuids = messages.get("anchorUuid"), messages.get("uuids")
        if not isinstance(anchor, str) or not isinstance(uuids, list) or not all(isinstance(uuid, str) for uuid in uuids):
            return None
        return Preserved(anchor, tuple(uuid for uuid in uuids if uuid != anchor))
    segment = metadata.get(SEGMENT)
    if isinstance(segment, dict):
        head, anchor, tail = (segment.get(key) for key in ("headUuid", "anchorUuid", "tailUuid"))
        if not isinstance(head, str) or not isinstance(anchor, str) or not isinstance(tail, str):
            return None
        stretch = _stretch(head, tail, parent_of)
        return None if stretch is None else Preserved(anchor, stretch)
    return None


def _stretch(head: str, tail: str, parent_of: Callable[[str], str | None]) -> tuple[str, ...] | None:
    """The entries from ``head`` down to ``tail``, or ``None`` when the way up from the tail does not meet the head."""
    way = [tail]
    seen = {tail}
    while way[-1] != head:
        above = parent_of(way[-1])
        if above is None or above in seen:
            return None
        seen.add(above)
        way.append(above)
    return tuple(reversed(way))


def preservation(log: Log, metadata_of: Callable[[int], object]) -> dict[Id, Preserved]:
    """What the boundaries of a log preserve, by their uuids.

    ``metadata_of`` gives the ``compactMetadata`` of the boundary at a position, ``None`` for an entry that is no boundary; it is
    asked only for roots, which are few. O(n).
    """
    spine = log.spine

    def parent_of(uuid: str) -> str | None:
        if uuid not in log:
            return None
        above = spine.parent[spine.at[uuid]]
        return None if above < 0 else str(spine.uuids[above])

    found: dict[Id, Preserved] = {}
    for position in range(len(log)):
        if spine.parent[position] < 0:
            preserved = preserved_by(metadata_of(position), parent_of)
            if preserved is not None:
                found[spine.uuids[position]] = preserved
    return found


def starts_anew(transcript: Transcript, position: int) -> bool:
    """Whether a root is a compaction boundary: it continues an older entry, or its line preserves something."""
    return is_boundary(transcript.log[position]) or transcript.log.spine.uuids[position] in preserved(transcript)


def awaits_summary(transcript: Transcript, position: int) -> bool:
    """Whether the conversation at a position starts with a compaction whose summary has not come: a boundary, and below it at
    most what nobody said. A client that finds no more goes on without what was compacted. O(depth)."""
    log = transcript.log
    while log[position].kind not in SPOKEN:
        above = log.spine.parent[position]
        if above < 0:
            return starts_anew(transcript, position)
        position = above
    return False


class _Line(msgspec.Struct, rename=NAMES):
    subtype: object = None
    compaction: object = None


_decode = msgspec.json.Decoder(_Line).decode


def preserved(transcript: Transcript) -> Preservation:
    """What the compaction boundaries of a transcript preserve, by their uuids. Reads the lines of roots, once."""
    return transcript.once(_preserved)


def _preserved(transcript: Transcript) -> Preservation:
    def metadata_of(position: int) -> object:
        line = _boundary_line(transcript, position)
        return None if line is None else line.compaction

    return preservation(transcript.log, metadata_of)


def segment(transcript: Transcript, position: int) -> tuple[str, str] | None:
    """The two ends of the stretch that a boundary says it preserves, where it gives no list. Reads its line."""
    line = _boundary_line(transcript, position)
    metadata = line.compaction if line is not None else None
    ends = metadata.get(SEGMENT) if isinstance(metadata, dict) and not isinstance(metadata.get(MESSAGES), dict) else None
    head, tail = (ends.get(key) for key in ("headUuid", "tailUuid")) if isinstance(ends, dict) else (None, None)
    return (head, tail) if isinstance(head, str) and isinstance(tail, str) else None


def crossings(transcript: Transcript) -> Mapping[int, Crossing]:
    """Of every entry that goes on at one which a boundary before it preserves, by its position, that boundary. Found once."""
    return transcript.once(_crossings)


def _crossings(transcript: Transcript) -> Mapping[int, Crossing]:
    return crossers(transcript.log, preserved(transcript))


def crossing(transcript: Transcript, position: int) -> Crossing | None:
    """The boundary that the conversation at an entry crosses, and the entry at which it goes on behind it: the one nearest above
    that an entry crosses by itself. O(depth), once :func:`crossings` are found."""
    parent, found = transcript.log.spine.parent, crossings(transcript)
    while found and position >= 0:
        if position in found:
            return found[position]
        position = parent[position]
    return None


def sent_again(transcript: Transcript) -> dict[int, list[int]]:
    """For the position of each anchor the positions of what is sent again behind it. O(what is preserved)."""
    log = transcript.log
    found: dict[int, list[int]] = {}
    for boundary, (anchor, uuids) in preserved(transcript).items():
        if anchor in log and anchor not in uuids and resolves(log, boundary, uuids):
            found[log.position(anchor)] = [log.position(uuid) for uuid in uuids]
    return found


def is_written_boundary(transcript: Transcript, position: int) -> bool:
    """Whether a client takes an entry for a compaction boundary, be it a root or not, of the main line or not. Reads its line."""
    return transcript.kinds[position] is Kind.SYSTEM and _boundary_line(transcript, position) is not None


def _boundary_line(transcript: Transcript, position: int) -> _Line | None:
    raw = transcript.line(transcript.span(position))
    line = read_keys(_decode, raw, *_Line.__struct_encode_fields__) if BOUNDARY.encode() in raw else None
    return line if line is not None and line.subtype == BOUNDARY else None


def boundaries(transcript: Transcript) -> Sequence[int]:
    """The compaction boundaries of a file where one of them preserves something, in its order; else none, as it does not matter.

    Found once. Reads the lines of system entries where there are such, else those of roots.
    """
    return transcript.once(_boundaries)


def _boundaries(transcript: Transcript) -> Sequence[int]:
    log, line = transcript.log, transcript.numbers
    system = [at for at, kind in enumerate(transcript.kinds) if kind is Kind.SYSTEM]
    some = any(_names_something(transcript, at) for at in system if log.spine.parent[at] < 0)
    found = [at for at in system if is_written_boundary(transcript, at)] if some else []
    return sorted(found, key=line.__getitem__)


def _names_something(transcript: Transcript, position: int) -> bool:
    """Whether a boundary says that it preserves something, if only a stretch that cannot be walked."""
    line = _boundary_line(transcript, position)
    metadata = None if line is None else line.compaction
    return isinstance(metadata, dict) and any(isinstance(metadata.get(key), dict) for key in (MESSAGES, SEGMENT))


class Cut(NamedTuple):
    """The last boundary of a file, its position, what it sends again of what stands before it, and behind which entry."""

    boundary: int
    again: tuple[Id, ...] = ()
    anchor: Id = ""

    def stands_behind(self, transcript: Transcript, position: int) -> bool:
        """Whether the boundary stands behind an entry in the file."""
        return transcript.numbers[self.boundary] > transcript.numbers[position]

    def forgets(self, transcript: Transcript, position: int) -> bool:
        """Whether the client no longer finds an entry, though it is in the file: no ``last-prompt`` can make it HEAD."""
        return self.stands_behind(transcript, position) and transcript.log.spine.uuids[position] not in self.again


def cut(transcript: Transcript) -> Cut | None:
    """The boundary at which a client forgets what stands before it; None when it forgets nothing.

    It is the last boundary of the file, whatever it is of, once any of them preserves something. Where that one lists what is
    not there, or a stretch that cannot be walked, the client forgets nothing (2.1.78 and 2.1.330 were measured; it stands so in
    the code of the latter). Costs as :func:`boundaries`.
    """
    found = boundaries(transcript)
    if not found:
        return None
    log, last = transcript.log, found[-1]
    kept = preserved(transcript).get(log.spine.uuids[last])
    if kept is None:
        return None if _names_something(transcript, last) else Cut(last)
    return Cut(last, kept.uuids, kept.anchor) if all(uuid in log for uuid in kept.uuids) else None


def goes_on_at_forgotten(transcript: Transcript, position: int) -> tuple[int, int] | None:
    """Of a conversation the entry behind the boundary at which a client forgets, whose parent is one that it forgets, and that
    parent: a client hangs the entry on what the boundary preserves. None where there is none. O(depth)."""
    found, parent = cut(transcript), transcript.log.spine.parent
    while found is not None and (above := parent[position]) >= 0:
        if not found.stands_behind(transcript, position) and found.forgets(transcript, above):
            return position, above
        position = above
    return None
