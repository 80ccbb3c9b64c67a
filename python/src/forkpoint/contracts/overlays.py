"""Chapter 13 behind contracts: what records leave of a conversation when it is shown."""

from __future__ import annotations

from collections.abc import Sequence

from icontract import ensure, require

from forkpoint.contracts import FULL, called
from forkpoint.core import overlays
from forkpoint.core.entries import Entry, Id, Log, Opaque, UnknownEntry
from forkpoint.core.overlays import Digest, Record, Sayings
from forkpoint.core.rewriting import Entries
from forkpoint.laws import definitions


@called
@ensure(lambda records, result: all(record in records for record in result) and result[-1:] == tuple(records)[-1:])
@ensure(lambda records, result: result == definitions.living(tuple(records)), enabled=FULL)
def living(records: Sequence[Record]) -> tuple[Record, ...]:
    """The records that live, :func:`forkpoint.core.overlays.living`. For records with names of their own."""
    return overlays.living(records)


@called
@ensure(lambda entries, sayings, result: all(sayings[record.id] == record.says for record in result))
@ensure(
    lambda entries, sayings, result: result == definitions.living(definitions.records_in(tuple(entries), sayings)), enabled=FULL
)
def active(entries: Entries, sayings: Sayings) -> tuple[Record, ...]:
    """The records that count in a conversation, :func:`forkpoint.core.overlays.active`."""
    return overlays.active(entries, sayings)


def _hides_records(log: Log, sayings: Sayings, result: Log) -> bool:
    return not any(entry.uuid in sayings and entry.uuid in log for entry in result)


def _balances(entries: Entries) -> bool:
    return definitions.paired_by_id_and_order(definitions.blocks(entries))


def _silent(entry: Entry) -> bool:
    return all(isinstance(block, Opaque) for block in entry.blocks)


def _keeps_balance(log: Log, sayings: Sayings, result: Log) -> bool:
    """If every record that counts covers no call without its answer, and records and stubs are silent."""
    counting = [record.says for record in definitions.living(definitions.records_in(tuple(log), sayings))]
    spared = all(definitions.whole_for_tools(tuple(log), frozenset(says.covered)) for says in counting)
    silent = all(says.stub is None or _silent(says.stub) for says in counting) and all(
        _silent(entry) for entry in log if entry.uuid in sayings
    )
    return not (_balances(log) and spared and silent) or _balances(result)


@called
@ensure(_hides_records)
@ensure(lambda log, sayings, result: tuple(result) == definitions.shown(tuple(log), sayings), enabled=FULL)
@ensure(_keeps_balance, enabled=FULL)
def shown(log: Log, sayings: Sayings) -> Log:
    """A conversation as it is shown, :func:`forkpoint.core.overlays.shown`; raises
    :class:`~forkpoint.core.entries.DuplicateUuid` where a stub is not new."""
    return overlays.shown(log, sayings)


@called
@require(lambda log, uuid: uuid in log, error=lambda uuid: UnknownEntry(uuid))
@ensure(_hides_records)
@ensure(
    lambda log, sayings, uuid, result: (
        tuple(result) == definitions.shown(definitions.context(tuple(log), uuid), sayings)
        and tuple(result)
        == definitions.shown(
            definitions.context(tuple(log), uuid),
            {key: says for key, says in sayings.items() if key in definitions.members(tuple(log), uuid)},
        )
    ),
    enabled=FULL,
)
def shown_at(log: Log, sayings: Sayings, uuid: Id) -> Log:
    """The conversation at ``uuid`` as it is shown, :func:`forkpoint.core.overlays.shown_at`; raises :class:`UnknownEntry`, and
    :class:`~forkpoint.core.entries.DuplicateUuid` where a stub is not new."""
    return overlays.shown_at(log, sayings, uuid)


@called
@ensure(_hides_records)
@ensure(
    lambda log, sayings, digest, result: (
        tuple(result) == definitions.shown(tuple(log), sayings)
        and all(
            definitions.matches(tuple(log), record.says, digest)
            for record in definitions.living(definitions.records_in(tuple(log), sayings))
        )
    ),
    enabled=FULL,
)
def checked(log: Log, sayings: Sayings, digest: Digest) -> Log:
    """The conversation as it is shown, :func:`forkpoint.core.overlays.checked`; raises
    :class:`~forkpoint.core.overlays.CoverChanged` where what a record covers is not what it covered, and
    :class:`~forkpoint.core.entries.DuplicateUuid` where a stub is not new."""
    return overlays.checked(log, sayings, digest)
