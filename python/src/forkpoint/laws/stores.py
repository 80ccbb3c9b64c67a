"""Chapter 14: P5 append-only, over sessions with all that stands beside their logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from forkpoint.core import ancestries, backfill, balance, contexts, forks, merging, overlays, rendering, stores
from forkpoint.core.entries import Entry, Id, Kind, Log
from forkpoint.core.merging import History
from forkpoint.core.overlays import Overlay, Record
from forkpoint.core.stores import (
    DoAppend,
    DoBackfill,
    DoCheckout,
    DoCompaction,
    DoExport,
    DoFork,
    DoForkPrefix,
    DoMerge,
    DoRecord,
    DoRestamp,
    Operation,
    Session,
    Stamp,
    Store,
)
from forkpoint.laws import definitions as d
from forkpoint.laws import law
from forkpoint.laws.definitions import Entries


def _keeps(before: Store, after: Store) -> bool:
    """Every session is still there, and continued."""
    return all(key in after and d.continues(after[key], session) for key, session in before.items())


def _changed(operation: Operation) -> object:
    """The session that an operation changes or makes."""
    makes = isinstance(operation, DoFork | DoForkPrefix | DoExport | DoBackfill | DoRestamp)
    return operation.target if makes else operation.session  # type: ignore[union-attr]


@law("P5.1", "ApplyIsAppendOnly", stores.apply)
def apply_is_append_only(store: Store, result: Store) -> bool:
    return _keeps(store, result) and stores.append_only(store, result)


def _appended(session: Session, operation: Operation) -> Session | None:
    """What an operation that appends an entry, or moves the head, makes of a session, said in full."""

    def with_entry(entry: Entry) -> Session:
        return session._replace(log=Log([*session.log, entry]), head=entry.uuid)

    match operation:
        case DoAppend(_, entry):
            return with_entry(entry)
        case DoCompaction(_, boundary, preserves):
            return with_entry(boundary)._replace(preserved={**session.preserved, boundary.uuid: preserves})
        case DoRecord(_, record, says, faces):
            given = session.trims if faces is None else {**session.trims, record.uuid: faces}
            return with_entry(record)._replace(sayings={**session.sayings, record.uuid: says}, trims=given)
        case DoMerge(_, node, end):
            return with_entry(node)._replace(merges={**session.merges, node.uuid: end})
        case DoCheckout(_, at):
            return session._replace(head=at)
        case _:
            return None


@law(
    "P5.2",
    "AppendExtendsOneLogByOneEntry NewEntriesAreUnsaid CheckoutMovesTheHeadAlone EveryOtherSessionStaysAsItWas MergeIsMerge",
    stores.apply,
    quick=lambda store, operation, result: all(
        result[key] == session for key, session in store.items() if key != _changed(operation)
    ),
)  # fmt: skip
def append_extends_one_log_by_one_entry(store: Store, operation: Operation, result: Store) -> bool:
    key = _changed(operation)
    if not all(result[one] == session for one, session in store.items() if one != key):
        return False
    if key not in store:
        return True
    made = _appended(store[key], operation)
    if made is None:
        return result.keys() == store.keys()
    if isinstance(operation, DoAppend) and operation.entry.uuid in {*made.preserved, *made.sayings, *made.merges, *made.trims}:
        return False
    if isinstance(operation, DoMerge) and operation.node.parent is not None:
        history = History(store[key].log, store[key].merges)
        if operation.end not in d.reach(tuple(history.log), history.merges, operation.node.parent):
            merged = merging.merge(history, operation.node, operation.end)
            if merged != History(made.log, made.merges) or made.head != merging.head(history, operation.node, operation.end):
                return False
    return result.keys() == store.keys() and result[key] == made


@law("P5.2", "AppendIsEnabledExactlyWhen")
def append_is_enabled_exactly_when(store: Store, operation: Operation) -> bool:
    """Of the entry of an operation that appends one, and of two that do not fit: one that is there, one below nothing."""
    if not isinstance(operation, DoAppend):
        return True
    log, entry = tuple(store[operation.session].log), operation.entry
    nowhere = object()
    return not stores.enabled(store, DoAppend(nowhere, entry)) and all(
        stores.enabled(store, DoAppend(operation.session, one)) == d.well_formed((*log, one))
        for one in (entry, *log[:1], entry._replace(parent=nowhere))
    )


def _made(session: Session, operation: Operation) -> Log | None:
    """The log that an operation makes that makes one."""
    match operation:
        case DoFork(_, at, _):
            return Log(d.keep(tuple(session.log), d.kept(tuple(session.log), session.preserved, at)))
        case DoForkPrefix(_, at, _):
            return forks.fork_prefix(session.log, at)
        case DoBackfill(_, schema, _):
            return backfill.backfill_log(session.log, schema)
        case DoRestamp(_, stamp, _):
            return stores.stamp_log(session.log, stamp)
        case DoExport(_, at, _):
            seen, end = stores.faced(session, at, stores.seen(session, at)), stores.end_shown(session, at)
            assert end is not None
            return Log(d.keep(tuple(seen), d.kept(tuple(seen), session.preserved, end)))
        case _:
            return None


@law(
    "P5.3", "ForkAddsOneLog ForkPrefixAddsOneLog ExportAddsOneLog BackfillAddsOneLog ExistingLogsAreNeverTargets", stores.apply,
    quick=lambda store, operation, result: result.keys() == {*store.keys(), _changed(operation)},
)  # fmt: skip
def fork_adds_one_log(store: Store, operation: Operation, result: Store) -> bool:
    if not isinstance(operation, DoFork | DoForkPrefix | DoExport | DoBackfill | DoRestamp):
        return True
    old = all(result[key] == session for key, session in store.items())
    return old and operation.target not in store and result[operation.target].log == _made(store[operation.source], operation)


@law("P5.4", "AppendOnlyMeansNothingIsLost NothingIsDeletedOrRewritten", stores.append_only)
def append_only_means_nothing_is_lost(before: Store, after: Store, result: bool) -> bool:
    entry_by_entry = all(
        key in after
        and len(session.log) <= len(after[key].log)
        and all(
            after[key].log[place] == entry and d.said_alike(after[key], session, entry.uuid)
            for place, entry in enumerate(session.log)
        )
        for key, session in before.items()
    )
    return result == entry_by_entry == _keeps(before, after)


def _valid(session: Session) -> bool:
    log = tuple(session.log)
    heads = [] if session.head is None else [session.head]
    beside = {*session.preserved, *session.sayings, *session.merges, *session.trims, *heads}
    return d.well_formed(log) and d.no_dangling_parents(log) and d.acyclic(log) and beside <= d.uuids(log)


@law("P5.5", "ApplyKeepsStoresValid HistoryKeepsStoresValid ValidStoresAreSound HeadsCanBeForked", stores.apply_all)
def apply_keeps_stores_valid(result: Store) -> bool:
    """And where a session goes on it can be forked."""
    heads = [(key, session.head) for key, session in result.items() if session.head is not None]
    return all(map(_valid, result.values())) and all(stores.enabled(result, DoFork(key, head, object())) for key, head in heads)


@law("P5.6", "HistoryIsAppendOnly HistoriesCompose AppendOnlyIsTransitive", stores.apply_all)
def history_is_append_only(store: Store, operations: Sequence[Operation], result: Store) -> bool:
    def parts(place: int) -> Store:
        return stores.apply_all(stores.apply_all(store, operations[:place]), operations[place:])

    return _keeps(store, result) and all(parts(place) == result for place in range(len(operations) + 1))


@law("P5.7", "HistoryKeepsOldContexts", stores.apply_all)
def history_keeps_old_contexts(store: Store, result: Store) -> bool:
    def stays(now: Session, then: Session, uuid: Id) -> bool:
        old = tuple(then.log)
        return (
            ancestries.ancestry(now.log, uuid) == d.ancestry(old, uuid)
            and ancestries.lineage(now.log, uuid) == ancestries.lineage(then.log, uuid)
            and contexts.context(now.log, uuid) == d.context(old, uuid)
            and rendering.rendered(now.log, now.preserved, uuid) == d.rendered(old, then.preserved, uuid)
            and tuple(stores.shown_in(now, uuid)) == d.shown_in(then, uuid)
            and merging.held(History(now.log, now.merges), uuid) == d.held(old, then.merges, uuid)
        )

    return all(stays(result[key], session, entry.uuid) for key, session in store.items() for entry in session.log)


@law("P5.8", "HistoryKeepsLegalExactly", stores.apply_all)
def history_keeps_legal_exactly(store: Store, result: Store) -> bool:
    def survives(key: object, log: Log, uuid: object) -> bool:
        new, own = tuple(result[key].log)[len(log) :], d.context(tuple(log), uuid)
        return d.legal(tuple(log), uuid) and not any(d.needs(member, entry) for member in own for entry in new)

    return all(
        balance.legal(result[key].log, entry.uuid) == survives(key, session.log, entry.uuid)
        for key, session in store.items()
        for entry in session.log
    )


@law("P5.9", "ForkKeepsConversations ForkingASessionAgainChangesNothing", stores.fork_session)
def fork_keeps_conversations(session: Session, uuid: Id, result: Session) -> bool:
    entries, fork = tuple(session.log), tuple(result.log)
    at = d.crossed(entries, session.preserved, uuid)

    def alike(kept: Id) -> bool:
        own, here = d.context(entries, kept), d.crossed(entries, session.preserved, kept)
        no_other = here is None or (at is not None and here.boundary == at.boundary)
        sent = kept in d.members(entries, uuid) and no_other
        return (
            d.ancestry(fork, kept) == d.ancestry(entries, kept)
            and d.context(fork, kept) == own
            and d.shown_in(result, kept) == d.shown_in(session, kept)
            and (not sent or d.rendered(fork, result.preserved, kept) == d.rendered(entries, session.preserved, kept))
        )

    kept = d.kept(entries, session.preserved, uuid)
    whole = _valid(result) and result.head == uuid and d.uuids(fork) == kept and all(map(alike, kept))
    return whole and stores.fork_session(result, uuid) == result


@law("P10.1", "ContextOfAForkIsTheContext", stores.apply_all)
def context_of_a_fork_is_the_context(store: Store, operations: Sequence[Operation], result: Store) -> bool:
    """Of each fork that is made on the way, at the end."""
    now = store
    for number, operation in enumerate(operations):
        if isinstance(operation, DoFork) and not _sent_the_same(now[operation.source], result[operation.target], operation.at):
            return False
        now = stores.apply_all(now, operations[number : number + 1])
    return True


def _sent_the_same(source: Session, fork: Session, uuid: Id) -> bool:
    there, here = tuple(source.log), tuple(fork.log)
    return (
        d.context(here, uuid) == d.context(there, uuid)
        and d.rendered(here, fork.preserved, uuid) == d.rendered(there, source.preserved, uuid)
        and d.shown_in(fork, uuid) == d.shown_in(source, uuid)
    )


@law("P5.10", "ForkHoldsWhatIsNotLeftBehind", stores.left_behind)
def fork_holds_what_is_not_left_behind(session: Session, uuid: Id, result: frozenset[Id]) -> bool:
    fork = stores.fork_session(session, uuid)
    there, here = (d.held(tuple(one.log), one.merges, uuid) for one in (session, fork))
    return result == there - d.uuids(fork.log) and here <= there - result and (here == there) == (not result)


@law("P5.11", "UnionBringsExactlyWhatIsNew", stores.union_session)
def union_brings_exactly_what_is_new(session: Session, other: Session, result: Session) -> bool:
    new = d.uuids(other.log) - d.uuids(session.log)

    def brought(whole: Mapping[Id, object], own: Mapping[Id, object]) -> bool:
        return all((uuid in whole) == (uuid in own) and whole.get(uuid) == own.get(uuid) for uuid in new)

    return (
        tuple(result.log) == (*session.log, *d.keep(tuple(other.log), new))
        and _valid(result)
        and d.continues(result, session)
        and result.head == session.head
        and brought(result.preserved, other.preserved)
        and brought(result.sayings, other.sayings)
        and brought(result.merges, other.merges)
        and brought(result.trims, other.trims)
    )


@law("P5.12", "SourceComesBackIntoTheForkOnce")
def source_comes_back_into_the_fork_once(session: Session, uuid: Id) -> bool:
    fork = stores.fork_session(session, uuid)
    back = stores.union_session(fork, session)
    once = len(back.log) == len(session.log) and d.uuids(back.log) == d.uuids(session.log)
    return once and all(entry == session.log.entry(entry.uuid) for entry in back.log) and d.continues(back, fork)


def _left_out(session: Session, uuid: Id) -> tuple[tuple[Record, ...], frozenset[Id]]:
    """The records that count at an entry, and what they leave out there, themselves included."""
    own = d.context(tuple(session.log), uuid)
    records = d.living(d.records_in(own, session.sayings))
    return records, frozenset().union(*(record.says.covered for record in records)) | (d.uuids(own) & session.sayings.keys())


def _stubs_cover_their_own(log: Entries, part: Entries, records: tuple[Record, ...]) -> bool:
    """The records that leave a stub cover, of what is there when their turn comes, only what is there in the part, too."""
    return all(
        record.says.stub is None
        or record.says.covered & d.uuids(d.apply_all(log, records[:at])) <= d.uuids(d.apply_all(part, records[:at]))
        for at, record in enumerate(records)
    )


@law(
    "P5.13",
    "ExportIsWhatIsShownExactly DropsExportWhatIsShownExactly StubsExportWhatIsShownExactly WithoutRecordsExportIsFork",
    stores.export_session,
)
def export_is_what_is_shown_exactly(session: Session, uuid: Id, result: Session) -> bool:
    entries, shown = tuple(session.log), d.shown(d.context(tuple(session.log), uuid), session.sayings)
    records, out = _left_out(session, uuid)
    end, seen = shown[-1].uuid, tuple(stores.seen(session, uuid))
    if result.head != end or not _valid(result):
        return False
    if d.context(tuple(result.log), end) != d.all_faced(d.context(seen, end), records, session.trims):
        return False
    if not session.sayings.keys() & d.members(entries, uuid):
        return result == stores.fork_session(session, uuid) and end == uuid
    if not _stubs_cover_their_own(entries, d.context(entries, uuid), records):
        return True
    is_shown = d.context(tuple(result.log), end) == d.shown_in(session, uuid)
    if is_shown != (d.members(seen, end) == d.uuids(shown)) or d.keep(seen, d.uuids(shown)) != shown:
        return False
    if any(record.says.stub is not None for record in records):
        return True
    exact = (d.context(seen, end) == shown) == (d.members(seen, end) == d.members(entries, uuid) - out)
    return exact and seen == d.drop(entries, out)


@law("P5.14", "ForkThenExportIsExport")
def fork_then_export_is_export(session: Session, uuid: Id) -> bool:
    """Of records that leave no stub."""
    plain = session._replace(sayings={key: says._replace(stub=None) for key, says in session.sayings.items()})
    shown = d.shown(d.context(tuple(plain.log), uuid), plain.sayings)
    if not shown or d.context(tuple(stores.seen(plain, uuid)), shown[-1].uuid) != shown:
        return True
    made = [stores.export_session(one, uuid) for one in (plain, stores.fork_session(plain, uuid))]
    faced = d.shown_in(plain, uuid)
    return all(one.head == shown[-1].uuid and d.context(tuple(one.log), one.head) == faced for one in made)


def _names(entries: Sequence[Entry]) -> object:
    """A digest that tells covers apart."""
    return tuple(entry.uuid for entry in entries)


@law("P5.15", "RecordsThatFitAreAccepted")
def records_that_fit_are_accepted(session: Session, uuid: Id, covered: frozenset[Id]) -> bool:
    """A drop and at once its undo, behind records that fit."""
    own = d.context(tuple(session.log), uuid)
    if not d.settled(tuple(session.log), uuid):
        return True
    fit = {key: says._replace(hash=_names(d.keep(own, says.covered))) for key, says in session.sayings.items()}
    drop, undo = Entry("the drop", uuid, kind=Kind.SYSTEM), Entry("the undo", "the drop", kind=Kind.SYSTEM)
    says = Overlay(covered & d.uuids(own), _names(d.keep(own, covered & d.uuids(own))))

    def changed(*more: tuple[Entry, Overlay]) -> tuple[Id, ...]:
        now = session._replace(sayings=fit)
        for entry, said in more:
            now = stores.apply(Store({"a": now}), DoRecord("a", entry, said))["a"]
        return overlays.changed(contexts.context(now.log, now.log[len(now.log) - 1].uuid), now.sayings, _names)

    return (
        changed((drop, says)) == ()
        and changed((drop, says), (undo, overlays.undo("the drop", _names(())))) == ()
        and changed((drop, says), (undo, overlays.undo("the drop", "another hash"))) == ("the undo",)
    )


@law(
    "P5.16",
    "UnionLosesNothingButEnvelopesExactly UnionButForEnvelopes ContextsButForEnvelopes RestampedBranchComesWhole",
)
def union_loses_nothing_but_envelopes_exactly(a: Log, b: Log, envelope: frozenset[str]) -> bool:
    bare_a, bare_b, both = (stores.bare_log(log, envelope) for log in (a, b, merging.union(a, b)))
    agree = d.agree(tuple(bare_a), tuple(bare_b))
    whole = merging.union(a, b)
    return (
        merging.union(bare_a, bare_b) == both
        and all(entry in tuple(both) for entry in bare_b) == agree
        and all(contexts.context(bare_b, one.uuid) == tuple(stores.bare_log(forks.fork(b, one.uuid), envelope)) for one in b)
        and (
            not agree or all(contexts.members(b, one.uuid) <= contexts.members(whole, one.uuid) for one in b if one.uuid not in a)
        )
    )


@law(
    "P5.17",
    "RestampChangesTheEnvelopeAlone RestampedForkAgreesWithItsSource",
    stores.stamp_log,
    quick=lambda log, result: len(result) == len(log),
)  # fmt: skip
def restamp_changes_the_envelope_alone(log: Log, stamp: Stamp, result: Log) -> bool:
    envelope = frozenset(key for keys in stamp.values() for key in keys)
    set_right = all(now.fields == {**was.fields, **stamp.get(was.uuid, {})} for was, now in zip(log, result, strict=True))
    same = all(now == was._replace(fields=now.fields) for was, now in zip(log, result, strict=True))
    bare = stores.bare_log(result, envelope) == stores.bare_log(log, envelope)
    branches = all(contexts.members(result, entry.uuid) == contexts.members(log, entry.uuid) for entry in log)
    return (
        set_right
        and same
        and bare
        and branches
        and d.agree(
            tuple(stores.bare_log(log, envelope)),
            tuple(stores.bare_log(stores.stamp_log(forks.fork(log, log[-1].uuid), stamp), envelope)),
        )
    )


@law("P5.20", "UndoIsOfItsOwnConversation")
def undo_is_of_its_own_conversation(store: Store, operation: Operation) -> bool:
    """Of the operation, and of a record that supersedes each record of a session in turn, below its last entries."""
    for key, session in store.items():
        for uuid in (entry.uuid for entry in tuple(session.log)[-3:]):
            own = d.context(tuple(session.log), uuid)
            for record in session.sayings:
                undo = Entry("an undo that is new", uuid, kind=Kind.SYSTEM)
                asked = DoRecord(key, undo, Overlay(frozenset(), None, None, record))
                if stores.enabled(store, asked) != (record in d.uuids(own)):
                    return False
    if not isinstance(operation, DoRecord) or operation.says.supersedes is None:
        return True
    after, undone = stores.apply(store, operation)[operation.session], operation.says.supersedes
    there = d.records_in(d.context(tuple(after.log), operation.record.uuid), after.sayings)
    return undone in store[operation.session].sayings and undone in {record.id for record in there} - {operation.record.uuid}


@law("P5.21", "AnyTwoEntriesCanBeMerged")
def any_two_entries_can_be_merged(store: Store) -> bool:
    """Below each entry, with each as the end of the branch, whatever the head is."""
    return all(
        stores.enabled(store, merge)
        and stores.apply(stores.apply(store, DoCheckout(key, at)), merge) == stores.apply(store, merge)
        for key, session in store.items()
        for at in (entry.uuid for entry in session.log)
        for end in (entry.uuid for entry in session.log)
        for merge in (DoMerge(key, Entry("a node that is new", at, kind=Kind.USER), end),)
    )


@law("P5.22", "MergeIsSentBehindItsTarget")
def merge_is_sent_behind_its_target(store: Store) -> bool:
    """Of a node of the user's without calls, below each settled entry that no boundary preserves; the first entry is merged."""
    for key, session in store.items():
        log, preserved = tuple(session.log), session.preserved
        listed = {one for what in preserved.values() for one in (*what.uuids, what.anchor)}
        for at in (entry.uuid for entry in log if entry.uuid not in listed and d.settled(log, entry.uuid)):
            node = Entry("a node that is new", at, kind=Kind.USER)
            after = stores.apply(store, DoMerge(key, node, log[0].uuid))[key]
            there, sent = d.rendered(log, preserved, at), d.rendered(tuple(after.log), after.preserved, node.uuid)
            alike = balance.balanced(there) == balance.balanced(sent) and balance.sound(there) == balance.sound(sent)
            if sent != (*there, node) or not alike or after.head != node.uuid:
                return False
    return True
