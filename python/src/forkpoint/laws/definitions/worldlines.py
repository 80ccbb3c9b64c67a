"""Chapter 21, said plainly over tuples and computed slowly."""

from __future__ import annotations

from collections.abc import Sequence

from forkpoint.core.entries import Id
from forkpoint.core.worldlines import Thread, Worldline
from forkpoint.laws.definitions.entries import Entries, index_of, well_formed


def chained(log: Entries, line: Worldline) -> bool:
    """Each own event of a worldline is in the log and continues the one before it."""
    before = (line.base, *line.own)
    uuids = {entry.uuid for entry in log}
    return all(event in uuids and log[index_of(log, event)].parent == before[at] for at, event in enumerate(line.own))


def comes_from_earlier(lines: Sequence[Worldline], at: int) -> bool:
    """A worldline comes from an event that an earlier one appended."""
    origin = lines[at].origin
    return origin is None or (0 <= origin.line < at and origin.event in lines[origin.line].own)


def valid_thread(thread: Thread) -> bool:
    """The log is well-formed, each event is some worldline's own, once, and each worldline is rooted and chained."""
    log, lines = tuple(thread.log), thread.lines
    owned = [event for line in lines for event in line.own]
    return (
        well_formed(log)
        and len({line.id for line in lines}) == len(lines)
        and len(set(owned)) == len(owned)
        and set(owned) == {entry.uuid for entry in log}
        and all(comes_from_earlier(lines, at) and chained(log, line) for at, line in enumerate(lines))
    )


def walk_up(log: Entries, event: Id | None) -> tuple[Id, ...]:
    """The walk by parents that ends at an event."""
    return () if event is None else (*walk_up(log, log[index_of(log, event)].parent), event)
