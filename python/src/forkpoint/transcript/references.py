"""What entries name besides their parent: the entry that made a call, and what a compaction continues and preserves.

None of it makes a file unhealthy. A result that names its call's entry should be its child; where it is not, the note says
what stands between. What a compaction names may be in another file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from forkpoint.core.ancestries import is_ancestor
from forkpoint.core.entries import Kind, Result, Use
from forkpoint.transcript.reader import Transcript, Violation

SOURCE: Final = "sourceToolAssistantUUID"
NAMING: Final = frozenset({"headUuid", "anchorUuid", "tailUuid", "uuids", "allUuids"})
"""The keys of what a compaction preserves whose values are uuids."""


def notes(transcript: Transcript) -> list[Violation]:
    """A note for each reference that needs explaining, in line order. Reads the lines of boundaries."""
    found = [*_sources(transcript), *_boundaries(transcript)]
    found.sort(key=lambda note: note.line)
    return found


def _sources(transcript: Transcript) -> Iterator[Violation]:
    """The results that name another entry than their parent as the one that made their call."""
    spine = transcript.log.spine
    for position, source in transcript.sources.items():
        if not any(isinstance(block, Result) for block in spine.blocks[position]):
            continue
        above = spine.parent[position]
        yield Violation(
            transcript.span(position).number,
            str(spine.uuids[position]),
            "P3",
            f"{SOURCE} is not the parent but {_what(transcript, source, position, above)}",
        )


def _what(transcript: Transcript, source: str, position: int, above: int) -> str:
    """What an entry is to a result that names it."""
    log = transcript.log
    if not source:
        return "no uuid"
    if source not in log:
        return f"{source}, which is no entry of the file"
    named = log.position(source)
    if named == position:
        return "the result itself"
    place = f"the entry on line {transcript.span(named).number}"
    if above >= 0 and is_ancestor(log, source, log.spine.uuids[above]):
        relation = f"{_distance(log.spine.parent, named, position)} above it"
    elif above >= 0 and log[named].message is not None and log[named].message == log[above].message:
        relation = "another part of the parent's message"
    else:
        relation = "on another branch"
    tools = {block.id for block in log.spine.blocks[position] if isinstance(block, Result)}
    makes = any(isinstance(block, Use) and block.id in tools for block in log.spine.blocks[named])
    return f"{place}, {relation}, which {'makes' if makes else 'does not make'} the call"


def _distance(parent: list[int], above: int, position: int) -> int:
    steps = 0
    while position != above:
        position = parent[position]
        steps += 1
    return steps


def _boundaries(transcript: Transcript) -> Iterator[Violation]:
    """What compaction boundaries name that is not in the file."""
    log = transcript.log
    for position in [position for position, above in enumerate(log.spine.parent) if above < 0]:
        entry = log[position]
        outside = entry.logical_parent is not None and entry.logical_parent not in log
        missing = [f"continues {entry.logical_parent}"] if outside else []
        if entry.kind is Kind.SYSTEM:
            keys = transcript.keys(transcript.span(position))
            metadata = keys.get("compactMetadata")
            if isinstance(metadata, dict):
                lost = [name for name in dict.fromkeys(_named(metadata)) if name not in log]
                if lost:
                    more = f" and {len(lost) - 1} more" if len(lost) > 1 else ""
                    missing.append(f"preserves {lost[0]}{more}")
        for what in missing:
            number = transcript.span(position).number
            yield Violation(number, str(log.spine.uuids[position]), "P2", f"the boundary {what}, which the file does not hold")


def _named(metadata: dict[str, object]) -> Iterator[str]:
    """The uuids that the description of a compaction names."""
    for part in ("preservedSegment", "preservedMessages"):
        values = metadata.get(part)
        for key, value in values.items() if isinstance(values, dict) else ():
            if key in NAMING:
                yield from (name for name in (value if isinstance(value, list) else [value]) if isinstance(name, str))
