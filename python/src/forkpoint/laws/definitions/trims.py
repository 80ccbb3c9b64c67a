"""Chapter 22, said plainly over tuples of entries and computed slowly."""

from __future__ import annotations

from forkpoint.core.entries import Block, Entry, Opaque
from forkpoint.core.overlays import Record
from forkpoint.core.trims import Faces, Trims
from forkpoint.laws.definitions.entries import Entries


def same_part(a: Block, b: Block) -> bool:
    """Two blocks that mean the same call, the same result, or no tool at all."""
    return a == b or (isinstance(a, Opaque) and isinstance(b, Opaque))


def same_form(a: tuple[Block, ...], b: tuple[Block, ...]) -> bool:
    """As many blocks, each the same part as the one in its place."""
    return len(a) == len(b) and all(same_part(one, other) for one, other in zip(a, b, strict=True))


def faced(log: Entries, faces: Faces) -> Entries:
    """A log whose entries have their faces; a face of another shape is none."""
    if not log:
        return ()
    last = log[-1]
    if last.uuid in faces and same_form(last.blocks, faces[last.uuid].blocks):
        last = last._replace(blocks=faces[last.uuid].blocks, fields=faces[last.uuid].fields)
    return (*faced(log[:-1], faces), last)


def all_faced(log: Entries, records: tuple[Record, ...], trims: Trims) -> Entries:
    """A log after what some records say, one after the other."""
    for record in records:
        log = faced(log, trims[record.id]) if record.id in trims else log
    return log


def alike(a: Entry, b: Entry) -> bool:
    """Two entries that stand in one place and have the same calls and results: all but their content is the same."""
    return a._replace(blocks=(), fields={}) == b._replace(blocks=(), fields={}) and same_form(a.blocks, b.blocks)


def all_alike(a: Entries, b: Entries) -> bool:
    """Two logs whose entries are alike, one by one."""
    return len(a) == len(b) and all(alike(one, other) for one, other in zip(a, b, strict=True))
