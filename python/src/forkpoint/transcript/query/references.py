"""What entries name besides their parent: the entry that made a call, and what a compaction continues and preserves.

None of it makes a file unhealthy. A result that names its call's entry should be its child; where it is not, the note says
what stands between. What a compaction names may be in another file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from forkpoint.clients.claude.keys import COMPACTION
from forkpoint.clients.claude.lines import MESSAGES, NAMING, SEGMENT, SOURCE
from forkpoint.core.entries import Kind, Result, Use
from forkpoint.transcript.format.reader import Transcript, Violation


def notes(transcript: Transcript) -> list[Violation]:
    """A note for each reference that needs explaining, in line order. Reads the lines of boundaries."""
    found = [*_sources(transcript), *_boundaries(transcript)]
    found.sort(key=lambda note: note.line)
    return found


def _sources(transcript: Transcript) -> Iterator[Violation]:
    """The results that name another entry than their parent as the one that made their call."""
    spine = transcript.log.spine
    tree = _Tree(spine.parent[: len(transcript.log)]) if transcript.sources else None
    for position, source in transcript.sources.items():
        if not any(isinstance(block, Result) for block in spine.blocks[position]):
            continue
        above = spine.parent[position]
        yield Violation(
            transcript.span(position).number,
            str(spine.uuids[position]),
            "P3",
            f"{SOURCE} is not the parent but {_what(transcript, tree, source, position, above)}",
        )


def _what(transcript: Transcript, tree: _Tree | None, source: str, position: int, above: int) -> str:
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
    assert tree is not None
    if above >= 0 and tree.holds(named, above):
        relation = f"{tree.depth[position] - tree.depth[named]} above it"
    elif above >= 0 and log[named].message is not None and log[named].message == log[above].message:
        relation = "another part of the parent's message"
    else:
        relation = "on another branch"
    tools = {block.id for block in log.spine.blocks[position] if isinstance(block, Result)}
    makes = any(isinstance(block, Use) and block.id in tools for block in log.spine.blocks[named])
    return f"{place}, {relation}, which {'makes' if makes else 'does not make'} the call"


class _Tree:
    """Which entry stands below which, in constant time after a pass. ``depth`` counts from the root.

    An entry stands below another exactly if it is one of as many entries behind it as the other has below it, in an order in
    which every subtree is in one piece. O(entries).
    """

    def __init__(self, parent: Sequence[int]) -> None:
        size = len(parent)
        self.depth = [0] * size
        self._count = [1] * size
        for position in range(size - 1, -1, -1):
            if parent[position] >= 0:
                self._count[parent[position]] += self._count[position]
        self._place = [0] * size
        free = [0] * size  # of each entry the place of its next child
        top = 0
        for position, above in enumerate(parent):
            if above < 0:
                self._place[position] = top
                top += self._count[position]
            else:
                self.depth[position] = self.depth[above] + 1
                self._place[position] = free[above]
                free[above] += self._count[position]
            free[position] = self._place[position] + 1

    def holds(self, above: int, position: int) -> bool:
        """Whether an entry is another or stands above it."""
        return 0 <= self._place[position] - self._place[above] < self._count[above]


def _boundaries(transcript: Transcript) -> Iterator[Violation]:
    """What compaction boundaries name that is not in the file."""
    log = transcript.log
    for position in [position for position, above in enumerate(log.spine.parent) if above < 0]:
        entry = log[position]
        outside = entry.logical_parent is not None and entry.logical_parent not in log
        missing = [f"continues {entry.logical_parent}"] if outside else []
        if entry.kind is Kind.SYSTEM:
            keys = transcript.keys(transcript.span(position))
            metadata = keys.get(COMPACTION)
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
    for part in (SEGMENT, MESSAGES):
        values = metadata.get(part)
        for key, value in values.items() if isinstance(values, dict) else ():
            if key in NAMING:
                yield from (name for name in (value if isinstance(value, list) else [value]) if isinstance(name, str))
