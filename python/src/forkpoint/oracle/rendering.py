"""Chapter 10 by the generated code: rendered contexts and what a fork of a compacted session keeps."""

from __future__ import annotations

from collections.abc import Collection

import _dafny

from forkpoint.core.entries import Entry, Id, Log
from forkpoint.core.rendering import Crossing, Preservation, Preserved
from forkpoint.oracle import convert
from forkpoint.oracle.generated import ContextsFast, Rendering, RenderingFast


def resolves(log: Log, boundary: Id, uuids: tuple[Id, ...]) -> bool:
    """Whether every uuid of a list stands before the boundary in the log, and none is listed twice."""
    made = convert.prepared(log)
    return bool(RenderingFast.default__.DecideResolves(made.log, made.at, made.position(boundary), convert.sequence(uuids)))


def heeds(log: Log, preserved: Preservation, inside: Collection[int], position: int) -> bool:
    """Whether a conversation, given by its positions, heeds what the entry at ``position`` preserves."""
    made = convert.prepared(log)
    mark = convert.sequence(at in inside for at in range(len(log)))
    return bool(RenderingFast.default__.DecideHeeds(made.log, made.at, convert.preservation(preserved), mark, position))


def root_position(log: Log, uuid: Id) -> int:
    """The position of the root of the ancestry of ``uuid``."""
    made = convert.prepared(log)
    return int(RenderingFast.default__.FastRoot(made.up, made.position(uuid)))


def resent(log: Log, preserved: Preservation, uuid: Id) -> Preserved | None:
    """What is sent again in the conversation at ``uuid``."""
    made = convert.prepared(log)
    mark = ContextsFast.default__.FastMembers(made.links, made.position(uuid))
    root = root_position(log, uuid)
    whole = convert.sequence([*mark, *[False] * (len(log) - len(mark))])
    heeded = RenderingFast.default__.DecideHeeds(made.log, made.at, convert.preservation(preserved), whole, root)
    return preserved[made.log[root].uuid] if heeded else None


def crossed(log: Log, preserved: Preservation, uuid: Id) -> Crossing | None:
    """The boundary that the ancestry of ``uuid`` crosses, and where."""
    made = convert.prepared(log)
    given = convert.preservation(preserved)
    found = RenderingFast.default__.FastCrossed(made.links, made.log, made.at, given, made.position(uuid))
    return Crossing(found.value.boundary, found.value.at) if found.is_Some else None


def crossers(log: Log, preserved: Preservation) -> dict[int, Crossing]:
    """Of every entry that crosses a boundary by itself, by its position, the last such boundary."""
    made = convert.prepared(log)
    given = convert.preservation(preserved)
    boundaries = RenderingFast.default__.FindBoundaries(made.log, given)
    found: dict[int, Crossing] = {}
    for position, entry in enumerate(log):
        if entry.parent is not None:
            known, parent = _dafny.Map({}), entry.parent
            last, _ = RenderingFast.default__.FindCrosser(
                made.links, made.log, made.at, given, boundaries, known, position, parent
            )
            if last.is_Some:
                found[position] = Crossing(convert.entry_of(made.log[last.value]).uuid, parent)
    return found


def sent_again(preserved: Preservation, crossing: Crossing) -> tuple[Id, ...]:
    """What a crossing sends again."""
    model = Rendering.Crossing_Crossing(crossing.boundary, crossing.at)
    return tuple(Rendering.default__.Again(convert.preservation(preserved), model))


def rendered_positions(log: Log, preserved: Preservation, uuid: Id) -> list[int]:
    """The positions of what is sent at ``uuid``, in the order in which it is sent."""
    made = convert.prepared(log)
    given = convert.preservation(preserved)
    return list(RenderingFast.default__.FastRendered(made.links, made.log, made.at, given, made.position(uuid)))


def rendered(log: Log, preserved: Preservation, uuid: Id) -> tuple[Entry, ...]:
    """The conversation at ``uuid`` as the client sends it."""
    made = convert.prepared(log)
    return convert.entries_of(made.log[position] for position in rendered_positions(log, preserved, uuid))


def kept_positions(log: Log, preserved: Preservation, uuid: Id) -> list[int]:
    """The positions of what a fork at ``uuid`` keeps, rising."""
    made = convert.prepared(log)
    given = convert.preservation(preserved)
    return convert.marked(RenderingFast.default__.FastKept(made.links, made.log, made.at, given, made.position(uuid)))


def fork_kept(log: Log, preserved: Preservation, uuid: Id) -> Log:
    """The fork of a session that was compacted: exactly what is kept, each entry unchanged."""
    made = convert.prepared(log)
    return Log(convert.entry_of(made.log[position]) for position in kept_positions(log, preserved, uuid))
