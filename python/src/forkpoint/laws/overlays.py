"""Chapter 12: overlays, their undo and redo, and the conversation as it is shown."""

from __future__ import annotations

from collections.abc import Sequence

from forkpoint.core import balance, contexts, forks, overlays
from forkpoint.core.entries import Entry, Id, Kind, Log
from forkpoint.core.overlays import CoverChanged, Digest, Overlay, Record, Sayings
from forkpoint.laws import definitions as d
from forkpoint.laws import law
from forkpoint.laws.definitions import Entries

NEW = "a record that is new"


def _note(uuid: str, parent: Id) -> Entry:
    """An entry that may be a record."""
    return Entry(uuid, parent, kind=Kind.SYSTEM)


def _exact(entries: Entries) -> object:
    """A digest that tells entries apart."""
    return entries


def _hides_no_record(log: Log, sayings: Sayings) -> bool:
    """No record covers a record, and the stubs are new."""
    return not any(says.covered & frozenset(sayings) for says in sayings.values()) and _new_stubs(log, sayings)


def _new_stubs(log: Log, sayings: Sayings) -> bool:
    return d.stubs_are_new(tuple(log), d.living(d.records_in(tuple(log), sayings)))


@law(
    "P20.1", "RecordsHideThemselves", overlays.shown,
    quick=lambda log, sayings, result: not any(entry.uuid in sayings and entry.uuid in log for entry in result),
)  # fmt: skip
def records_hide_themselves(log: Log, sayings: Sayings, result: Log) -> bool:
    return not d.uuids(log) & d.uuids(result) & frozenset(sayings)


@law(
    "P20.2", "LatestWins LatestIsShown LatestIsShownWithStub", overlays.living,
    quick=lambda records, result: (
        all(record in records for record in result) and tuple(result[-1:]) == tuple(records[-1:])
    ),
)  # fmt: skip
def latest_wins(records: Sequence[Record], result: Sequence[Record]) -> bool:
    if not records:
        return tuple(result) == ()
    last = records[-1]
    return result[-1] == last and last.says.supersedes not in [record.id for record in result[:-1]]


@law("P20.2", "LatestIsShown LatestIsShownWithStub")
def latest_is_shown(log: Log, sayings: Sayings, covered: frozenset[Id], stub: Entry) -> bool:
    """Whatever it supersedes, with a stub and without one."""
    if not _hides_no_record(log, sayings):
        return True
    longer = forks.append(log, _note(NEW, log[-1].uuid))

    def good(supersedes: Id | None, left: Entry | None) -> bool:
        more = {**sayings, NEW: Overlay(covered, 0, left, supersedes)}
        counts = overlays.active(longer, more)
        if not d.stubs_are_new(tuple(longer), counts):
            return True
        return counts[-1] == Record(NEW, more[NEW]) and not d.uuids(overlays.shown(longer, more)) & covered

    return all(good(name, left) for name in (None, *sayings) for left in (None, stub))


@law("P20.3", "SupersedingIsNeverRecorded")
def superseding_is_never_recorded(records: Sequence[Record]) -> bool:
    def never(name: Id) -> bool:
        last = Record("last", overlays.undo(name, 0))
        without = tuple(record for record in records if record.id != name)
        return overlays.living((*records, last)) == (*d.living(without), last)

    return all(never(record.id) for record in records)


@law("P20.4", "UndoIsNeverRecorded")
def undo_is_never_recorded(log: Log, sayings: Sayings) -> bool:
    if not _hides_no_record(log, sayings):
        return True
    longer = forks.append(log, _note(NEW, log[-1].uuid))

    def never(name: Id) -> bool:
        without = {key: says for key, says in sayings.items() if key != name}
        before = Log(d.drop(tuple(log), frozenset({name})))
        if not _new_stubs(before, without):
            return True
        return overlays.shown(longer, {**sayings, NEW: overlays.undo(name, 0)}) == overlays.shown(before, without)

    return all(never(name) for name in sayings if name in log)


@law("P20.5", "UndoRestoresWhatWasShown")
def undo_restores_what_was_shown(log: Log, sayings: Sayings, covered: frozenset[Id], stub: Entry) -> bool:
    """And the undo of the undo what was shown before it."""
    if not _hides_no_record(log, sayings):
        return True

    def restores(left: Entry | None) -> bool:
        once = forks.append(log, _note("n", log[-1].uuid))
        more = {**sayings, "n": Overlay(covered - frozenset(sayings), 0, left)}
        undone = forks.append(once, _note("m", "n"))
        undo = {**more, "m": overlays.undo("n", 0)}
        redone = forks.append(undone, _note("o", "m"))
        if not _new_stubs(once, more):
            return True
        return overlays.shown(undone, undo) == overlays.shown(log, sayings) and (
            overlays.shown(redone, {**undo, "o": overlays.undo("m", 0)}) == overlays.shown(once, more)
        )

    return restores(None) and restores(stub)


@law("P20.6", "UndoAtHeadRestoresWhatWasShown")
def undo_at_head_restores_what_was_shown(log: Log, sayings: Sayings, covered: frozenset[Id], stub: Entry) -> bool:
    if not _hides_no_record(log, sayings):
        return True

    def restores(uuid: Id) -> bool:
        after = forks.append(forks.append(log, _note("n", uuid)), _note("m", "n"))
        more = {**sayings, "n": Overlay(covered - frozenset(sayings), 0, stub), "m": overlays.undo("n", 0)}
        same = overlays.shown_at(after, more, "m") == overlays.shown_at(log, sayings, uuid)
        return same and tuple(after)[: len(log)] == tuple(log)

    return all(restores(entry.uuid) for entry in log if d.settled(tuple(log), entry.uuid))


@law("P20.7", "RecordingChangesNothingElse")
def recording_changes_nothing_else(log: Log, sayings: Sayings, entry: Entry, covered: frozenset[Id]) -> bool:
    longer = forks.append(log, entry)

    def same(supersedes: Id | None, uuid: Id) -> bool:
        more = {**sayings, entry.uuid: Overlay(covered, 0, None, supersedes)}
        own = d.context(tuple(log), uuid)
        if not d.stubs_are_new(own, d.living(d.records_in(own, sayings))):
            return True
        return tuple(overlays.shown_at(longer, more, uuid)) == d.shown(own, sayings)

    return tuple(longer)[: len(log)] == tuple(log) and all(same(name, old.uuid) for old in log for name in (None, *sayings))


@law("P20.8", "RecordGoesOn")
def record_goes_on(log: Log, uuid: Id) -> bool:
    if not d.settled(tuple(log), uuid):
        return True
    new = _note(NEW, uuid)
    longer = forks.append(log, new)
    nothing: Sayings = {NEW: Overlay(frozenset(), 0)}
    return contexts.context(longer, NEW) == (*d.context(tuple(log), uuid), new) and (
        overlays.shown_at(longer, nothing, NEW) == forks.fork(log, uuid)
    )


@law("P20.9", "ForkInheritsRecords")
def fork_inherits_records(log: Log, sayings: Sayings, uuid: Id) -> bool:
    made = forks.fork(log, uuid)
    inherited = overlays.records_in(made, sayings)
    return (
        inherited == d.records_in(d.context(tuple(log), uuid), sayings)
        and all(log.position(record.id) <= log.position(uuid) for record in inherited)
        and all(
            overlays.shown_at(made, sayings, kept.uuid) == overlays.shown_at(log, sayings, kept.uuid)
            for kept in made
            if _new_stubs(forks.fork(log, kept.uuid), sayings)
        )
    )


@law("P20.10", "ShownDependsOnSayingsThere WithoutRecordsTheContextIsShown", overlays.shown_at)
def shown_depends_on_sayings_there(log: Log, sayings: Sayings, uuid: Id, result: Log) -> bool:
    own = d.members(tuple(log), uuid)
    there = {key: says for key, says in sayings.items() if key in own}
    other = {**sayings, "elsewhere": Overlay(d.uuids(log), 0)}
    return overlays.shown_at(log, there, uuid) == result == overlays.shown_at(log, other, uuid) and (
        bool(there) or tuple(result) == d.context(tuple(log), uuid)
    )


@law("P20.11", "ShownIsWellFormed", overlays.shown)
def shown_is_well_formed(result: Log) -> bool:
    return d.well_formed(tuple(result))


@law("P20.12", "CoveredStaysTheSame")
def covered_stays_the_same(log: Log, covered: frozenset[Id], uuid: Id) -> bool:
    """Wherever the conversation at an entry goes on."""
    own = d.context(tuple(log), uuid)
    longer = forks.append(log, _note(NEW, uuid))
    says = Overlay(covered & d.uuids(own), _exact(d.keep(own, covered & d.uuids(own))))

    def same(one: Id) -> bool:
        context = contexts.context(longer, one)
        if uuid not in d.uuids(context):
            return True
        wrong = overlays.changed(context, {NEW: says._replace(hash="other")}, _exact)
        return (
            d.matches(context, says, _exact)
            and overlays.changed(context, {NEW: says}, _exact) == ()
            and (wrong == ((NEW,) if one == NEW else ()))
        )

    return all(same(entry.uuid) for entry in longer)


@law("P20.13", "RefusedExactly", overlays.changed, quick=lambda entries, result: {*result} <= {entry.uuid for entry in entries})
def refused_exactly(entries: Sequence[Entry], sayings: Sayings, digest: Digest, result: Sequence[Id]) -> bool:
    log = tuple(entries)
    counting = d.living(d.records_in(log, sayings))
    return tuple(result) == tuple(one.id for one in counting if digest(d.keep(log, one.says.covered)) != one.says.hash)


@law("P20.14", "ShownKeepsBalance", overlays.shown)
def shown_keeps_balance(log: Log, sayings: Sayings, result: Log) -> bool:
    """If what every record that counts covers is whole for tools where it is applied, and records and stubs are silent."""
    left, counting = tuple(log), d.living(d.records_in(tuple(log), sayings))
    if not d.paired_by_id_and_order(d.blocks(left)) or any(d.tools_of(e) for e in left if e.uuid in sayings):
        return True
    for record in counting:
        stub = record.says.stub
        if not d.whole_for_tools(left, record.says.covered) or (stub is not None and d.tools_of(stub)):
            return True
        left = d.apply_all(left, (record,))
    return balance.balanced(result)


@law(
    "P20.15",
    "OverlaysFast.FastShown OverlaysFast.FastActive OverlaysFast.FastLiving OverlaysFast.FastRecords OverlaysFast.FastApplyAll"
    " OverlaysFast.FastMatches",
    overlays.shown,
)
def fast_shown(log: Log, sayings: Sayings, result: Log) -> bool:
    entries = tuple(log)
    counting = overlays.active(log, sayings)
    return (
        overlays.records_in(log, sayings) == d.records_in(entries, sayings)
        and counting == d.living(d.records_in(entries, sayings))
        and tuple(overlays.apply_all(log, counting)) == d.apply_all(entries, counting)
        and tuple(result) == d.shown(entries, sayings)
    )


@law("P20.15", "OverlaysFast.FastLiving", overlays.living)
def fast_living(records: Sequence[Record], result: Sequence[Record]) -> bool:
    return tuple(result) == d.living(tuple(records))


@law(
    "P20.15", "OverlaysFast.FastActive", overlays.active,
    quick=lambda sayings, result: all(one.id in sayings and sayings[one.id] == one.says for one in result),
)  # fmt: skip
def fast_active(entries: Sequence[Entry], sayings: Sayings, result: Sequence[Record]) -> bool:
    return tuple(result) == d.living(d.records_in(tuple(entries), sayings))


@law(
    "P20.15", "OverlaysFast.FastShown", overlays.shown_at,
    quick=lambda log, sayings, result: not any(entry.uuid in sayings and entry.uuid in log for entry in result),
)  # fmt: skip
def fast_shown_at(log: Log, sayings: Sayings, uuid: Id, result: Log) -> bool:
    return tuple(result) == d.shown(d.context(tuple(log), uuid), sayings)


@law(
    "P20.13", "RefusedExactly", overlays.checked,
    quick=lambda log, sayings, result: not any(entry.uuid in sayings and entry.uuid in log for entry in result),
)  # fmt: skip
def checked_is_shown(log: Log, sayings: Sayings, digest: Digest, result: Log) -> bool:
    counting = d.living(d.records_in(tuple(log), sayings))
    return tuple(result) == d.shown(tuple(log), sayings) and all(d.matches(tuple(log), one.says, digest) for one in counting)


@law("P20.13", "AppendingIsNeverRefused")
def appending_is_never_refused(log: Log, sayings: Sayings, digest: Digest) -> bool:
    """Each record is made for what stands before it."""
    entries, made = tuple(log), dict[Id, Overlay]()
    for position, entry in enumerate(entries):
        if entry.uuid in sayings:
            covered = sayings[entry.uuid].covered & d.uuids(entries[:position])
            seen = digest(d.keep(entries[:position], covered))
            made[entry.uuid] = sayings[entry.uuid]._replace(covered=covered, hash=seen)
    return overlays.changed(log, made, digest) == ()


@law("P20.13", "RefusedExactly")
def checked_refuses_the_first(conversation: Log, sayings: Sayings, digest: Digest) -> bool:
    changed = overlays.changed(conversation, sayings, digest)
    try:
        overlays.checked(conversation, sayings, digest)
    except CoverChanged as refused:
        return (refused.uuid,) == changed[:1]
    return changed == ()
