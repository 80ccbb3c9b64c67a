"""Logs in which entries hang below calls and results, and what a reader tells of them."""

from __future__ import annotations

from hypothesis import strategies as st

from forkpoint.core.below import Sides
from forkpoint.core.entries import Entry, Id, Kind, Log, Opaque, Result, Use
from forkpoint.core.rendering import Preservation
from strategies import logs
from strategies_rendering import preservations

SIDES = (Kind.ATTACHMENT, Kind.SYSTEM, Kind.USER)
SAID = st.sampled_from(["main", "main", "main", "main", "main", "agent", None])


@st.composite
def hooked(draw: st.DrawFn, most: int = 9) -> Log:
    """A prompt, calls of one or two messages, results, and what hangs below: chains mostly, and now and then what blocks one."""
    found = [Entry("p")]
    calls: list[tuple[Id, Id]] = []
    for number in range(draw(st.integers(2, most))):
        uuid = f"e{number}"
        what = draw(st.sampled_from(["call", "result", "side", "side", "side", "progress", "prompt", "answer", "other"]))
        above = draw(st.sampled_from(found[-3:] if draw(st.booleans()) else found)).uuid
        if what == "call":
            tool = f"t{number}"
            calls.append((uuid, tool))
            found.append(
                Entry(uuid, above, kind=Kind.ASSISTANT, message=draw(st.sampled_from(["m", "n", None])), blocks=(Use(tool),))
            )
        elif what == "result" and calls:
            call, tool = draw(st.sampled_from(calls))
            found.append(Entry(uuid, draw(st.sampled_from([call, call, above])), blocks=(Result(tool),)))
        elif what == "answer":
            found.append(Entry(uuid, above, kind=Kind.ASSISTANT, message=draw(st.sampled_from(["m", None])), blocks=(Opaque(),)))
        elif what in ("progress", "other"):
            found.append(Entry(uuid, above, kind=Kind(what) if what == "progress" else Kind.OTHER))
        else:
            found.append(
                Entry(uuid, above, kind=draw(st.sampled_from(SIDES)) if what == "side" else Kind.USER, blocks=(Opaque(),))
            )
    return Log(found)


@st.composite
def sides(draw: st.DrawFn, log: Log) -> Sides:
    """What a reader tells of a log: mostly all that may be side entries are, and all say the same of their side."""
    those = [entry.uuid for entry in log if entry.kind in SIDES]
    aside = frozenset(uuid for uuid in those if draw(st.integers(0, 9)) > 0)
    said = {entry.uuid: draw(SAID) for entry in log} if draw(st.booleans()) else {entry.uuid: "main" for entry in log}
    return Sides(aside | draw(st.sampled_from([frozenset(), frozenset({"elsewhere"})])), {k: v for k, v in said.items() if v})


@st.composite
def hanging(draw: st.DrawFn) -> tuple[Log, Preservation, Sides]:
    """A log, what its boundaries preserve, and what is told of its entries."""
    if draw(st.integers(0, 3)):
        log, preserved = draw(st.one_of(hooked(), logs())), {}
    else:
        log, preserved = draw(preservations())
    return log, preserved, draw(sides(log))


@st.composite
def hanging_points(draw: st.DrawFn) -> tuple[Log, Preservation, Sides, Id]:
    """The same, and an entry, mostly a late one."""
    log, preserved, told = draw(hanging().filter(lambda one: len(one[0]) > 0))
    return log, preserved, told, draw(st.sampled_from([*list(log)[-3:], *log])).uuid
