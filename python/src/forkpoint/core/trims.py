"""Chapter 22: trims. The content of single entries is covered, as overlays cover whole ones: the entry stays where it is, and so
do its calls and results; what it says is another, shorter thing.

Mirrors ``dafny/22-Trims.dfy``. What a trim says stands beside the log, as a mapping from the record's uuid; whether the record
counts is said as of any other record (chapter 12).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from forkpoint.core import overlays
from forkpoint.core.entries import Block, Entry, Id, Log, Opaque
from forkpoint.core.forks import fork
from forkpoint.core.overlays import Record, Sayings


class Face(NamedTuple):
    """What an entry holds in the place of its own content."""

    blocks: tuple[Block, ...]
    fields: Mapping[str, object]


Faces: TypeAlias = Mapping[Id, Face]
"""The faces that a trim gives to entries, by their uuids."""

Trims: TypeAlias = Mapping[Id, Faces]
"""The faces of the trims of a log, by the uuids of their records."""


def same_shape(a: Sequence[Block], b: Sequence[Block]) -> bool:
    """Whether there are as many blocks, each the same call or result as the one in its place, or both none. O(blocks)."""
    return len(a) == len(b) and all(
        one == other or (isinstance(one, Opaque) and isinstance(other, Opaque)) for one, other in zip(a, b, strict=True)
    )


def trimmed(entry: Entry, faces: Faces) -> Entry:
    """An entry with its face. A face of another shape is none. O(blocks)."""
    face = faces.get(entry.uuid)
    if face is None or not same_shape(entry.blocks, face.blocks):
        return entry
    return entry._replace(blocks=face.blocks, fields=face.fields)


def trim(log: Log, faces: Faces) -> Log:
    """A log whose entries have their faces. O(n)."""
    return Log(trimmed(entry, faces) for entry in log) if faces else log


def trim_all(log: Log, records: Sequence[Record], trims: Trims) -> Log:
    """A log after what some records say, one after the other; those that are no trims say nothing. O(n) for each trim."""
    for record in records:
        log = trim(log, trims.get(record.id, {}))
    return log


def shown_trimmed(log: Log, sayings: Sayings, trims: Trims) -> Log:
    """A conversation as it is shown: what is left out is not there, and the rest has the faces of the trims that count.

    Raises and costs as :func:`forkpoint.core.overlays.shown`, and O(n) for each trim.
    """
    return trim_all(overlays.shown(log, sayings), overlays.active(log, sayings), trims)


def shown_trimmed_at(log: Log, sayings: Sayings, trims: Trims, uuid: Id) -> Log:
    """The conversation at ``uuid`` as it is shown.

    Raises :class:`~forkpoint.core.entries.UnknownEntry`, and what :func:`shown_trimmed` raises. Costs as that.
    """
    return shown_trimmed(fork(log, uuid), sayings, trims)
