"""Chapter 13 by the generated code: records and what they leave of a conversation. By the definitions, so for small logs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import _dafny

from forkpoint.core.entries import DuplicateUuid, Id, Log
from forkpoint.core.overlays import CoverChanged, Digest, Overlay, Record, Sayings
from forkpoint.core.rewriting import Entries
from forkpoint.oracle import contexts, convert
from forkpoint.oracle.generated import Overlays

_model = Overlays.default__


def _made(entries: Entries) -> Any:
    return convert.sequence(map(convert.with_fields, entries))


def _overlay(says: Overlay) -> Any:
    stub = None if says.stub is None else convert.with_fields(says.stub)
    return Overlays.Overlay_Overlay(_dafny.Set(says.covered), says.hash, convert.option(stub), convert.option(says.supersedes))


def _overlay_of(made: Any) -> Overlay:
    stub = convert.value_of(made.stub)
    return Overlay(
        frozenset(made.covered),
        made.hash_,
        None if stub is None else convert.entry_of(stub),
        convert.value_of(made.supersedes),
    )


def _sayings(sayings: Sayings) -> Any:
    return _dafny.Map({key: _overlay(says) for key, says in sayings.items()})


def _records(records: Sequence[Record]) -> Any:
    return convert.sequence(Overlays.Record_Record(record.id, _overlay(record.says)) for record in records)


def _records_of(made: Any) -> tuple[Record, ...]:
    return tuple(Record(record.id_, _overlay_of(record.says)) for record in made)


def _demand_new_stubs(entries: Any, records: Any) -> None:
    """Raises :class:`DuplicateUuid` where the model says that a stub is not new."""
    for count in range(len(records) + 1):
        if not _model.StubsAreNew(entries, records[:count]):
            raise DuplicateUuid(records[count - 1].says.stub.value.uuid)


def records_in(entries: Entries, sayings: Sayings) -> tuple[Record, ...]:
    """The records of a conversation, in order."""
    return _records_of(_model.RecordsIn(_made(entries), _sayings(sayings)))


def living(records: Sequence[Record]) -> tuple[Record, ...]:
    """The records that live, in order."""
    return _records_of(_model.Living(_records(records), _dafny.Set({})))


def active(entries: Entries, sayings: Sayings) -> tuple[Record, ...]:
    """The records that count in a conversation."""
    return _records_of(_model.Active(_made(entries), _sayings(sayings)))


def apply_all(log: Log, records: Sequence[Record]) -> Log:
    """A conversation after what several records say; raises :class:`DuplicateUuid` where a stub is not new."""
    made, said = _made(log), _records(records)
    _demand_new_stubs(made, said)
    return Log(convert.entries_of(_model.ApplyAll(made, said)))


def shown(log: Log, sayings: Sayings) -> Log:
    """A conversation as it is shown; raises :class:`DuplicateUuid` where a stub is not new."""
    made, said = _made(log), _sayings(sayings)
    _demand_new_stubs(made, _model.Active(made, said))
    return Log(convert.entries_of(_model.Shown(made, said)))


def shown_at(log: Log, sayings: Sayings, uuid: Id) -> Log:
    """The conversation at ``uuid`` as it is shown."""
    return shown(Log(contexts.context(log, uuid)), sayings)


def undo(uuid: Id, digest: object) -> Overlay:
    """What a record says that only supersedes another one."""
    return _overlay_of(_model.Undo(uuid, digest))


def changed(entries: Entries, sayings: Sayings, digest: Digest) -> tuple[Id, ...]:
    """The records that count and cover other entries than they were made for."""
    made, said = _made(entries), _sayings(sayings)
    return tuple(
        record.id_
        for record in _model.Active(made, said)
        if not _model.Matches(made, record.says, lambda held: digest(convert.entries_of(held)))
    )


def checked(log: Log, sayings: Sayings, digest: Digest) -> Log:
    """The conversation as it is shown; raises :class:`CoverChanged` where the model refuses."""
    made, said = _made(log), _sayings(sayings)
    found = _model.Checked(made, said, lambda held: digest(convert.entries_of(held)))
    if found.is_None:
        raise CoverChanged(changed(log, sayings, digest)[0])
    _demand_new_stubs(made, _model.Active(made, said))
    return Log(convert.entries_of(found.value))
