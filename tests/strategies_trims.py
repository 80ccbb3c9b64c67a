"""Faces for entries, most of them of the entry's shape; and records that give them."""

from __future__ import annotations

from hypothesis import strategies as st

from forkpoint.core.entries import Block, Entry, Id, Log, Opaque, Result, Use
from forkpoint.core.overlays import Overlay
from forkpoint.core.trims import Face
from strategies import logs
from strategies_rewriting import recorded

Given = dict[Id, Face]


def face(entry: Entry) -> st.SearchStrategy[Face]:
    """A face of an entry: of its shape mostly, with another content; else with a block more, less, or another one."""
    shape = tuple(Opaque("short") if isinstance(block, Opaque) else block for block in entry.blocks)
    others: list[tuple[Block, ...]] = [(*shape, Opaque("more")), shape[:-1], (Use("another"), *shape[1:]), (Result("t"),)]
    return st.builds(Face, st.sampled_from([shape, shape, shape, entry.blocks, *others]), st.just({"said": "short"}))


@st.composite
def faces(draw: st.DrawFn, log: Log) -> Given:
    """Faces of some entries of a log, and perhaps of one that is not there."""
    chosen = draw(st.lists(st.sampled_from(list(log)), max_size=3, unique_by=lambda entry: entry.uuid)) if len(log) else []
    made = {entry.uuid: draw(face(entry)) for entry in chosen}
    return {**made, "elsewhere": Face((), {})} if draw(st.booleans()) else made


@st.composite
def faced_logs(draw: st.DrawFn) -> tuple[Log, Given]:
    """A log, and faces of some of its entries."""
    log = draw(logs())
    return log, draw(faces(log))


@st.composite
def trimmed_logs(draw: st.DrawFn) -> tuple[Log, dict[Id, Overlay], dict[Id, Given]]:
    """A log with records, some of which give faces."""
    log, sayings = draw(recorded(stubs_are_new=True))
    return log, sayings, {uuid: draw(faces(log)) for uuid in sayings if draw(st.booleans())}
