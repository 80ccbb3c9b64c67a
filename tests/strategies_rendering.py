"""Compacted sessions: logs with boundaries and what these preserve, as clients write them, and any map over any small log."""

from __future__ import annotations

from hypothesis import assume
from hypothesis import strategies as st

from forkpoint.core import contexts, rendering
from forkpoint.core.entries import Entry, Kind, Log, Opaque
from forkpoint.core.rendering import Preservation, Preserved
from strategies import sessions, small_logs


@st.composite
def compacted(draw: st.DrawFn, heeded: bool = False) -> tuple[Log, Preservation]:
    """A session that was compacted once or twice, each boundary with its summary and, mostly, entries that it preserves.

    ``heeded`` makes each boundary preserve the end of the conversation before it, as clients do.
    """
    log = draw(st.one_of(small_logs(5), sessions()))
    preserved: dict[object, Preserved] = {}
    for number in range(draw(st.integers(1, 2))):
        boundary, summary = f"b{number}", f"s{number}"
        tip = log[-1].uuid
        context = [entry.uuid for entry in contexts.context(log, tip)]
        ends = st.integers(1, len(context)).map(lambda count, way=context: way[-count:])
        others = st.one_of(
            st.lists(st.sampled_from(context), unique=True, max_size=3),
            st.lists(st.sampled_from([entry.uuid for entry in log]), unique=True, max_size=3),
            st.just([tip, "elsewhere"]),
        )
        listed = draw(ends if heeded else st.one_of(ends, others))
        anchor = summary if heeded else draw(st.sampled_from([summary, summary, summary, boundary]))
        preserved[boundary] = Preserved(anchor, tuple(listed))
        log = log.append(Entry(boundary, None, tip, Kind.SYSTEM))
        if draw(st.booleans()):
            log = log.append(Entry(f"a{number}", boundary, kind=Kind.ATTACHMENT))
        log = log.append(Entry(summary, log[-1].uuid, blocks=(Opaque(),)))
        if draw(st.booleans()):
            log = log.append(Entry(f"p{number}", summary, blocks=(Opaque(),)))
            log = log.append(Entry(f"r{number}", f"p{number}", kind=Kind.ASSISTANT, message=f"n{number}"))
        if heeded or draw(st.booleans()):  # and goes on at an entry that is mostly one of those
            at = draw(st.sampled_from([*(uuid for uuid in listed if uuid in log), log[0].uuid]))
            log = log.append(Entry(f"c{number}", at, blocks=(Opaque(),)))
            if draw(st.booleans()):
                log = log.append(Entry(f"d{number}", f"c{number}", kind=Kind.ASSISTANT, message=f"e{number}"))
    return log, preserved


@st.composite
def heeded_points(draw: st.DrawFn) -> tuple[Log, Preservation, str]:
    """A compacted session and an entry at which something is sent again, from the root."""
    log, preserved = draw(compacted(heeded=True))
    points = [entry.uuid for entry in log if str(entry.uuid)[0] in "spr"]
    return log, preserved, str(draw(st.sampled_from(points)))


@st.composite
def crossing_points(draw: st.DrawFn) -> tuple[Log, Preservation, str]:
    """A compacted session and an entry whose conversation goes on at one that a boundary preserves."""
    log, preserved = draw(st.one_of(compacted(heeded=True), compacted()))
    points = [entry.uuid for entry in log if rendering.crossed(log, preserved, entry.uuid) is not None]
    assume(points)  # some sessions have none
    return log, preserved, str(draw(st.sampled_from(points)))


@st.composite
def anything_preserved(draw: st.DrawFn) -> tuple[Log, Preservation]:
    """Any small log, and any map over it: anchors and listed entries anywhere, twice, or nowhere."""
    log = draw(small_logs(6))
    names = st.sampled_from([*(entry.uuid for entry in log), "elsewhere"])
    anything = st.builds(Preserved, names, st.lists(names, max_size=3).map(tuple))
    return log, draw(st.dictionaries(st.sampled_from([entry.uuid for entry in log]), anything, max_size=3))


def preservations() -> st.SearchStrategy[tuple[Log, Preservation]]:
    """Compacted sessions, and any log with any map."""
    return st.one_of(compacted(), anything_preserved())


@st.composite
def preservations_and_points(draw: st.DrawFn) -> tuple[Log, Preservation, str]:
    """A log, what its boundaries preserve, and an entry, mostly a late one."""
    if draw(st.booleans()):
        return draw(crossing_points())
    log, preserved = draw(preservations())
    return log, preserved, str(draw(st.sampled_from([log[-1], *log])).uuid)
