"""Chapter 22: what a trim keeps, and with what it commutes."""

from __future__ import annotations

from collections.abc import Sequence

from forkpoint.core import balance, contexts, forks, overlays, rewriting
from forkpoint.core import trims as port
from forkpoint.core.entries import Entry, Id, Kind, Log
from forkpoint.core.overlays import Overlay, Record, Sayings
from forkpoint.core.trims import Faces, Trims
from forkpoint.laws import definitions as d
from forkpoint.laws import law


@law("P26.1", "TrimKeepsTheRest", port.trim, quick=lambda log, result: len(log) == len(result))
def trim_keeps_the_rest(log: Log, faces: Faces, result: Log) -> bool:
    return (
        tuple(result) == d.faced(tuple(log), faces)
        and d.all_alike(tuple(log), tuple(result))
        and all(one == other for one, other in zip(log, result, strict=True) if one.uuid not in faces)
    )


@law("P26.2", "AlikeAreWellFormedTogether", port.trim, quick=lambda log, result: len(log) == len(result))
def alike_are_well_formed_together(log: Log, faces: Faces, result: Log) -> bool:
    """Of the log, and of entries in another order, without the first, and each twice."""
    entries = tuple(log)
    files = (entries, entries[::-1], entries[1:], entries + entries)
    return d.well_formed(tuple(result)) and all(d.well_formed(one) == d.well_formed(d.faced(one, faces)) for one in files)


@law("P26.3", "AlikeHaveTheSameMembers")
def alike_have_the_same_members(log: Log, faces: Faces) -> bool:
    short = port.trim(log, faces)
    return all(
        contexts.members(short, entry.uuid) == d.members(tuple(log), entry.uuid)
        and d.settled(tuple(short), entry.uuid) == d.settled(tuple(log), entry.uuid)
        for entry in log
    )


@law("P26.4", "AlikeHaveTheSameBooks")
def alike_have_the_same_books(log: Log, faces: Faces) -> bool:
    short = port.trim(log, faces)
    return balance.balanced(tuple(short)) == balance.balanced(tuple(log))


@law("P26.5", "AlikeAreLegalTogether")
def alike_are_legal_together(log: Log, faces: Faces) -> bool:
    one, other = balance.survey(log), balance.survey(port.trim(log, faces))
    return (one.legal, one.settled, one.balanced) == (other.legal, other.settled, other.balanced)


@law("P26.6", "TrimCommutesWithFork")
def trim_commutes_with_fork(log: Log, faces: Faces) -> bool:
    short = port.trim(log, faces)
    return all(forks.fork(short, entry.uuid) == port.trim(forks.fork(log, entry.uuid), faces) for entry in log)


@law("P26.7", "TrimCommutesWithDrop")
def trim_commutes_with_drop(log: Log, faces: Faces, covered: frozenset[Id]) -> bool:
    return port.trim(rewriting.drop(log, covered), faces) == rewriting.drop(port.trim(log, faces), covered)


@law("P26.8", "TrimCommutesWithStub")
def trim_commutes_with_stub(log: Log, faces: Faces, covered: frozenset[Id], stub: Entry) -> bool:
    if stub.uuid in faces:
        return True
    left = rewriting.drop_with_stub(log, covered, stub)
    return port.trim(left, faces) == rewriting.drop_with_stub(port.trim(log, faces), covered, stub)


@law("P26.9", "DisjointTrimsCommute")
def disjoint_trims_commute(log: Log, faces: Faces, others: Faces) -> bool:
    apart = {uuid: face for uuid, face in others.items() if uuid not in faces}
    return port.trim(port.trim(log, faces), apart) == port.trim(port.trim(log, apart), faces)


@law("P26.10", "LatestTrimWins")
def latest_trim_wins(log: Log, faces: Faces, others: Faces) -> bool:
    fits = all(e.uuid in others and d.same_form(e.blocks, others[e.uuid].blocks) for e in log if e.uuid in faces)
    return not fits or port.trim(port.trim(log, faces), others) == port.trim(log, others)


@law("P26.11", "TrimsKeepTheRest", port.trim_all, quick=lambda log, result: len(log) == len(result))
def trims_keep_the_rest(log: Log, records: Sequence[Record], trims: Trims, result: Log) -> bool:
    return d.all_alike(tuple(log), tuple(result)) and tuple(result) == d.all_faced(tuple(log), tuple(records), trims)


@law("P26.12", "UndoRestoresWhatWasTrimmed")
def undo_restores_what_was_trimmed(log: Log, sayings: Sayings, faces: Faces) -> bool:
    """Whatever the record trims, and whatever those before it do, if they cover no record."""
    if any(says.covered & frozenset(sayings) for says in sayings.values()):
        return True
    said: Trims = {**dict.fromkeys(sayings, faces), "n": faces}
    trimmed = forks.append(log, Entry("n", log[-1].uuid, kind=Kind.SYSTEM))
    undone = forks.append(trimmed, Entry("m", "n", kind=Kind.SYSTEM))
    more = {**sayings, "n": Overlay(frozenset(), 0), "m": overlays.undo("n", 0)}
    return port.shown_trimmed(undone, more, said) == port.shown_trimmed(log, sayings, said)


@law("P26.13", "ForkInheritsTrims", port.shown_trimmed_at)
def fork_inherits_trims(log: Log, sayings: Sayings, trims: Trims, uuid: Id, result: Log) -> bool:
    own = d.context(tuple(log), uuid)
    counting = d.living(d.records_in(own, sayings))
    there = port.shown_trimmed_at(forks.fork(log, uuid), sayings, trims, uuid)
    return tuple(result) == d.all_faced(d.shown(own, sayings), counting, trims) and there == result


@law("P26.14", "WithoutTrimsTheRestIsShown WithoutTrimsTheRestIsShownThere", port.shown_trimmed)
def without_trims_the_rest_is_shown(log: Log, sayings: Sayings, trims: Trims, result: Log) -> bool:
    counting = d.living(d.records_in(tuple(log), sayings))
    rest = d.shown(tuple(log), sayings)
    return tuple(result) == (d.all_faced(rest, counting, trims) if trims else rest)


@law("P26.15", "LastTrimGivesTheFace", port.trim_all)
def last_trim_gives_the_face(log: Log, records: Sequence[Record], trims: Trims, result: Log) -> bool:
    def shape_of(entry: Entry) -> list[Faces]:
        """The trims that give an entry a face of its shape, in order."""
        given = [trims[record.id] for record in records if record.id in trims]
        return [faces for faces in given if entry.uuid in faces and d.same_form(entry.blocks, faces[entry.uuid].blocks)]

    return all(
        (shown.blocks, shown.fields) == tuple(shape_of(entry)[-1][entry.uuid]) if shape_of(entry) else shown == entry
        for entry, shown in zip(log, result, strict=True)
    )
