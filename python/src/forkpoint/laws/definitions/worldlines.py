"""Chapter 21, said plainly over tuples and computed slowly."""

from __future__ import annotations

from collections.abc import Sequence

from forkpoint.core.entries import Id
from forkpoint.core.worldlines import Report, Saw, Thread, Went, Worldline
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


def rank(report: Report) -> int:
    """An append stands before the looks at what it left."""
    return 2 * report.at + 1 if isinstance(report, Saw) else 2 * report.left


def answered_later(reports: Sequence[Report]) -> bool:
    """Each report is answered no earlier than it is called."""
    return all(report.called <= report.answered for report in reports)


def reports_agree(a: Report, b: Report) -> bool:
    """Neither was answered before the other was called and stands behind it; no two appends behind one head; no look at half of
    an append."""
    if rank(a) < rank(b) and a.called > b.answered:
        return False
    if isinstance(a, Went) and isinstance(b, Went):
        return a.left <= b.found or b.left <= a.found
    return not (isinstance(a, Went) and isinstance(b, Saw) and a.found < b.at < a.left)


def possible_report(size: int, report: Report) -> bool:
    """Of a worldline that has so many own events in the end."""
    return report.at <= size if isinstance(report, Saw) else report.found < report.left <= size


def consistent_reports(size: int, reports: Sequence[Report]) -> bool:
    """Each report is possible, and each two agree."""
    pairs = ((a, b) for i, a in enumerate(reports) for j, b in enumerate(reports) if i != j)
    return all(possible_report(size, report) for report in reports) and all(reports_agree(a, b) for a, b in pairs)


def told_one_by_one(size: int, reports: Sequence[Report], there: int = 0) -> bool:
    """Whether the reports can have happened one by one, others between them: by trying all orders. O(n!)."""
    if not reports:
        return there <= size
    first = min(report.answered for report in reports)

    def next_one(at: int, report: Report) -> bool:
        found, left = (report.at, report.at) if isinstance(report, Saw) else (report.found, report.left)
        grows = isinstance(report, Saw) or found < left
        return there <= found and grows and told_one_by_one(size, [*reports[:at], *reports[at + 1 :]], left)

    return any(report.called <= first and next_one(at, report) for at, report in enumerate(reports))
