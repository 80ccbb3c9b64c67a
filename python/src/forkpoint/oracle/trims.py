"""Chapter 22 by the generated code: entries with their faces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import _dafny

from forkpoint.core.entries import Block, Entry, Id, Log
from forkpoint.core.overlays import Record, Sayings
from forkpoint.core.trims import Face, Faces, Trims
from forkpoint.oracle import contexts, convert, overlays
from forkpoint.oracle.generated import Trims as Generated

_model = Generated.default__


def faces_to(faces: Faces) -> Any:
    """Faces of the generated code."""
    made = {
        uuid: Generated.Face_Face(convert.sequence(map(convert.block, face.blocks)), face.fields) for uuid, face in faces.items()
    }
    return _dafny.Map(made)


def faces_of(made: Any) -> Faces:
    """Faces of the core."""
    return {uuid: Face(tuple(map(convert.block_of, face.blocks)), dict(face.fields)) for uuid, face in dict(made).items()}


def trims_to(trims: Trims) -> Any:
    """Trims of the generated code."""
    return _dafny.Map({uuid: faces_to(faces) for uuid, faces in trims.items()})


def same_shape(a: Sequence[Block], b: Sequence[Block]) -> bool:
    """Whether two sequences of blocks have one shape."""
    one, other = (convert.sequence(map(convert.block, blocks)) for blocks in (a, b))
    return bool(_model.SameShape(one, other))


def trimmed(entry: Entry, faces: Faces) -> Entry:
    """An entry with its face."""
    return convert.entry_of(_model.Trimmed(convert.entry(entry), faces_to(faces)))


def trim(log: Log, faces: Faces) -> Log:
    """A log whose entries have their faces."""
    return Log(convert.entries_of(_model.Trim(convert.prepared_entries(log), faces_to(faces))))


def trim_all(log: Log, records: Sequence[Record], trims: Trims) -> Log:
    """A log after what some records say, one after the other."""
    return Log(convert.entries_of(_model.TrimAll(convert.prepared_entries(log), overlays.records_to(records), trims_to(trims))))


def shown_trimmed(log: Log, sayings: Sayings, trims: Trims) -> Log:
    """A conversation as it is shown, with the faces of the trims that count."""
    return trim_all(overlays.shown(log, sayings), overlays.active(log, sayings), trims)


def shown_trimmed_at(log: Log, sayings: Sayings, trims: Trims, uuid: Id) -> Log:
    """The conversation at ``uuid`` as it is shown."""
    return shown_trimmed(Log(contexts.context(log, uuid)), sayings, trims)
