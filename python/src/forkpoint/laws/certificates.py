"""Chapter 18: P25, what a certificate accepts."""

from __future__ import annotations

from collections.abc import Sequence

from forkpoint.core import appends, certificates, rendering, stores
from forkpoint.core.certificates import Reading, Request
from forkpoint.core.entries import Entry, Id, Kind, Log
from forkpoint.core.stores import Operation, Session, Store
from forkpoint.laws import definitions as d
from forkpoint.laws import law


@law(
    "P25.1", "AcceptsExactly HoldingTakesTwoLines", certificates.accepts,
    quick=lambda reading, request, lines, result: not result or reading.head(lines[-1]) == request.kept[-1],
)  # fmt: skip
def accepts_exactly(reading: Reading[bytes], request: Request[bytes, bytes], lines: Sequence[bytes], result: bool) -> bool:
    return result == d.holds(reading, request, tuple(lines))


@law("P25.2", "AcceptedFilesHoldTheSame")
def accepted_files_hold_the_same(reading: Reading[bytes], request: Request[bytes, bytes], lines: Sequence[bytes]) -> bool:
    """What is accepted, and each file that lacks a line of it, doubles one, exchanges two or holds another line in its place."""
    if not certificates.accepts(reading, request, lines):
        return True
    own = d.entry_lines(reading, lines)
    return all(
        d.entry_lines(reading, other) == own and other[-1] == lines[-1]
        for other in d.near(lines)
        if certificates.accepts(reading, request._replace(stands_for=bytes.__eq__), other)
    )


@law("P25.3", "AcceptedFileNamesOneHead")
def accepted_file_names_one_head(reading: Reading[bytes], request: Request[bytes, bytes], lines: Sequence[bytes]) -> bool:
    if not certificates.accepts(reading, request, lines):
        return True
    named = [at for at, line in enumerate(lines) if reading.uuid(line) is None and reading.head(line) is not None]
    return named == [len(lines) - 1]


@law("P25.4", "AcceptedFileIsReadAsWhatWasAsked AcceptedFileIsTheFork AcceptedFileIsTheForkButForEnvelopes")
def accepted_file_is_the_fork(session: Session, uuid: Id) -> bool:
    """Of each file near the one that was asked for; its lines are numbers of entries."""
    log = session.log
    kept = rendering.fork_kept(log, session.preserved, uuid)
    names = {str(at).encode(): entry for at, entry in enumerate(log)}
    lines = {entry.uuid: name for name, entry in names.items()}
    reading: Reading[bytes] = Reading(
        lambda line: names[line].uuid if line in names else None,
        lambda line: next((entry.uuid for name, entry in names.items() if line == b"head " + name), None),
    )
    request: Request[bytes, bytes] = Request([entry.uuid for entry in kept], lines, bytes.__eq__, lambda *_: False)
    right = [*(lines[entry.uuid] for entry in kept), b"head " + lines[uuid]]

    def is_the_fork(file: Sequence[bytes]) -> bool:
        entries = [names[line] for line in d.entry_lines(reading, file)]
        return entries == list(kept) and stores.part_of(session, Log(entries), uuid) == stores.fork_session(session, uuid)

    return certificates.accepts(reading, request, right) and all(
        is_the_fork(file) for file in d.near(right) if certificates.accepts(reading, request, file)
    )


@law("P25.5", "KeptLinesAreAccepted")
def kept_lines_are_accepted(reading: Reading[bytes], request: Request[bytes, bytes], lines: Sequence[bytes]) -> bool:
    kept = [request.lines[one] for one in request.kept]
    own = all(reading.uuid(line) == one and request.stands_for(line, line) for line, one in zip(kept, request.kept, strict=True))
    closes = lines and reading.uuid(lines[-1]) is None and reading.head(lines[-1]) == request.kept[-1]
    return not (own and closes) or certificates.accepts(reading, request, [*kept, lines[-1]])


@law(
    "P25.6",
    "ForkDependsOnTheContextAlone ForkDependsOnTheContextsAlone ForkDependsOnWhatIsKeptAlone",
    stores.fork_session,
)
def fork_depends_on_the_context_alone(session: Session, uuid: Id, result: Session) -> bool:
    """Of the session without what its fork leaves out; with that changed; with nothing said of it; with one entry more, and with
    another head."""
    own = {entry.uuid for entry in result.log}
    kept = stores.part_of(session, rendering.fork_kept(session.log, session.preserved, uuid), uuid)
    changed = Log([entry if entry.uuid in own else entry._replace(fields={"left": "out"}) for entry in session.log])
    silent = {one: said for one, said in session.sayings.items() if one in own}
    more = Entry("left out", kind=Kind.USER)
    others = [
        kept,
        session._replace(log=changed, sayings=silent, head=None),
        *([session._replace(log=Log([*session.log, more]), head=more.uuid)] if more.uuid not in session.log else []),
    ]
    return all(stores.fork_session(other, uuid) == result for other in others)


@law("P25.6", "AcceptsDependsOnWhatIsKeptAlone", certificates.accepts)
def accepts_depends_on_what_is_kept_alone(
    reading: Reading[bytes], request: Request[bytes, bytes], lines: Sequence[bytes], result: bool
) -> bool:
    """Of a source with a line more, and of one that has no other lines than those of what is kept."""
    more, less = {**request.lines, object(): b"?"}, {one: request.lines[one] for one in request.kept if one in request.lines}
    return all(certificates.accepts(reading, request._replace(lines=other), lines) == result for other in (more, less))


@law("P25.7", "AcceptedFileIsPartOfTheSession")
def accepted_file_is_part_of_the_session(session: Session, uuid: Id) -> bool:
    """Of the fork at an entry, by lines of the session's own file, and of each file near the one that was asked for."""
    form = d.Format()
    lines = {entry.uuid: form.entry_line(d.told_of(session, entry)) for entry in session.log}
    fork = rendering.fork_kept(session.log, session.preserved, uuid)
    reading: Reading[bytes] = Reading(lambda line: None if (told := form.told(line)) is None else told.entry.uuid, form.head)
    request: Request[bytes, bytes] = Request([entry.uuid for entry in fork], lines, bytes.__eq__, lambda *_: False)
    right = [*(lines[entry.uuid] for entry in fork), form.head_line(uuid)]
    accepted = [file for file in d.near(right) if all(map(form.reader, file)) and certificates.accepts(reading, request, file)]
    wanted = stores.part_of(session, fork, uuid)
    read = [d.session_of(form, b"".join(line + b"\n" for line in file)) for file in accepted]
    return right in accepted and all(made == wanted for made in read)


@law("P5.18", "HistoryKeepsEveryByte NewFileReadsAsItsSession", stores.apply_all)
def history_keeps_every_byte(store: Store, operations: Sequence[Operation], result: Store) -> bool:
    """Of files in which each session of the store stands, and goes on operation by operation; up to where a session has entries
    and no head, which no line can say."""
    form = d.Format()
    files, now = d.files_after(form, {}, Store(), store), store
    for number in range(len(operations)):
        if any(len(session.log) and session.head is None for session in now.values()):
            return True
        if any(d.session_of(form, files[key]) != session for key, session in now.items()):
            return False
        after = stores.apply_all(now, operations[number : number + 1])
        grown = d.files_after(form, files, now, after)
        if grown.keys() != after.keys() or not all(grown[key].startswith(old) for key, old in files.items()):
            return False
        files, now = grown, after
    headless = any(len(session.log) and session.head is None for session in now.values())
    return now == result and (headless or all(d.session_of(form, files[key]) == session for key, session in now.items()))


@law("P5.19", "TornOperationIsBetween")
def torn_operation_is_between(store: Store, operation: Operation) -> bool:
    """Of the write cut at every byte, into the file of each session that the operation changes, or makes."""
    form, result = d.Format(), stores.apply(store, operation)
    files = d.files_after(form, {}, Store(), store)

    def between(before: Session, after: Session, file: bytes) -> bool:
        had = len(before.log)
        write = appends.written(file, d.new_lines(form, after, had))
        read = [d.session_of(form, file + write[:size]) for size in range(len(write) + 1)]
        return read[-1] == after and all(
            d.continues(one, before)
            and d.continues(after, one)
            and (one == after or one.head == (one.log[-1].uuid if len(one.log) > had else before.head))
            for one in read
        )

    return all(
        between(store.get(key, Session(Log())), after, files.get(key, b""))
        for key, after in result.items()
        if store.get(key) != after and not any(len(one.log) and one.head is None for one in (after, store.get(key, after)))
    )
