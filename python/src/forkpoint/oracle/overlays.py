"""Chapter 12 by the generated code: records and what they leave of a conversation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import _dafny

from forkpoint.core.entries import DuplicateUuid, Id, Log
from forkpoint.core.overlays import CoverChanged, Digest, Overlay, Record, Sayings
from forkpoint.core.rewriting import Entries
from forkpoint.oracle import contexts, convert
from forkpoint.oracle.generated import Overlays, OverlaysFast

_model = Overlays.default__
_fast = OverlaysFast.default__


def _overlay(says: Overlay) -> Any:
    stub = None if says.stub is None else convert.entry(says.stub)
    return Overlays.Overlay_Overlay(_dafny.Set(says.covered), says.hash, convert.option(stub), convert.option(says.supersedes))


def overlay_of(made: Any) -> Overlay:
    stub = convert.value_of(made.stub)
    return Overlay(
        frozenset(made.covered),
        made.hash_,
        None if stub is None else convert.entry_of(stub),
        convert.value_of(made.supersedes),
    )


def _sayings(sayings: Sayings) -> Any:
    return _dafny.Map({key: _overlay(says) for key, says in sayings.items()})


def records_to(records: Sequence[Record]) -> Any:
    return convert.sequence(Overlays.Record_Record(record.id, _overlay(record.says)) for record in records)


def records_of(made: Any) -> tuple[Record, ...]:
    return tuple(Record(record.id_, overlay_of(record.says)) for record in made)


def records_in(entries: Entries, sayings: Sayings) -> tuple[Record, ...]:
    """The records of a conversation, in order."""
    return records_of(_fast.FastRecords(convert.prepared_entries(entries), _sayings(sayings)))


def living(records: Sequence[Record]) -> tuple[Record, ...]:
    """The records that live, in order."""
    return records_of(_fast.FastLiving(records_to(records)))


def active(entries: Entries, sayings: Sayings) -> tuple[Record, ...]:
    """The records that count in a conversation."""
    return records_of(_fast.FastActive(convert.prepared_entries(entries), _sayings(sayings)))


def apply_all(log: Log, records: Sequence[Record]) -> Log:
    """A conversation after what several records say; raises :class:`DuplicateUuid` where a stub is not new."""
    made, said = convert.prepared_entries(log), records_to(records)
    applied, good = _fast.FastApplyAll(made, said)
    if good < len(said):
        raise DuplicateUuid(said[good].says.stub.value.uuid)
    return Log(convert.entries_of(applied))


def shown(log: Log, sayings: Sayings) -> Log:
    """A conversation as it is shown; raises :class:`DuplicateUuid` where a stub is not new."""
    found = _fast.FastShown(convert.prepared_entries(log), _sayings(sayings))
    if found.is_None:
        apply_all(log, active(log, sayings))
    return Log(convert.entries_of(found.value))


def shown_at(log: Log, sayings: Sayings, uuid: Id) -> Log:
    """The conversation at ``uuid`` as it is shown."""
    return shown(Log(contexts.context(log, uuid)), sayings)


def undo(uuid: Id, digest: object) -> Overlay:
    """What a record says that only supersedes another one."""
    return overlay_of(_model.Undo(uuid, digest))


def changed(entries: Entries, sayings: Sayings, digest: Digest) -> tuple[Id, ...]:
    """The records that count and cover other entries than they were made for."""
    made, said = convert.prepared_entries(entries), _sayings(sayings)
    return tuple(
        record.id_
        for record in _fast.FastActive(made, said)
        if not _fast.FastMatches(made, record.says, lambda held: digest(convert.entries_of(held)))
    )


def checked(log: Log, sayings: Sayings, digest: Digest) -> Log:
    """The conversation as it is shown; raises :class:`CoverChanged` where the model refuses."""
    for uuid in changed(log, sayings, digest):
        raise CoverChanged(uuid)
    return shown(log, sayings)
