"""``drop``, ``compact``, ``trim``, ``undo``, ``redo``: one more record below the head of a session, of what is left out."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from msgspec import UNSET

from forkpoint.answers.appends import Record, Recorded, Seen, Standing, Suggested, Superseded, TrimmedPart
from forkpoint.answers.base import Refused
from forkpoint.answers.new_sessions import Forked
from forkpoint.answers.refusals import Code, Refusal, done
from forkpoint.core import rendering
from forkpoint.ops import appending, deferring, oracle
from forkpoint.ops.appending import Attempt
from forkpoint.ops.forking import export as exporting
from forkpoint.ops.forking import not_exported
from forkpoint.ops.session import Session, bad_record
from forkpoint.requests import (
    AppendRequest,
    CompactForkRequest,
    CompactRequest,
    DropRequest,
    ExportRequest,
    RecordRequest,
    RedoRequest,
    TrimRequest,
    UndoRequest,
    new_session,
)
from forkpoint.sessions import forking
from forkpoint.sessions.deferred import Deferred
from forkpoint.transcript.format import commands
from forkpoint.transcript.format.compaction import preserved
from forkpoint.transcript.query import overlays, steps, trimming
from forkpoint.transcript.query.estimates import estimates
from forkpoint.transcript.query.overlays import BadRecord, Shown
from forkpoint.transcript.query.steps import BadSpan, Torn
from forkpoint.transcript.query.trimming import Part
from forkpoint.transcript.repair import api
from forkpoint.transcript.write import inplace, recording
from forkpoint.transcript.write.recording import NewRecord, NoSuchRecord, NothingToTrim, StubNeeded
from forkpoint.words import count

Maker = Callable[[Shown, Session], NewRecord]
"""Makes the change from the session as it is seen, and as it is written; raises what
:mod:`forkpoint.transcript.write.recording` raises."""


def drop(session: Session, request: DropRequest) -> Recorded | Standing:
    """Leaves the steps that a span names out of the conversation at the head, as an export makes a session of it.

    ``stub`` is what stands in their place; without one the rule decides, and ``no_stub`` refuses where it demands one. Appends
    one record to the session's file. Refuses (``ILLEGAL``) what cannot be left out. Near-linear.
    """
    span, stub = request.span, request.stub
    if not span:
        raise Refusal("name the steps to leave out")
    if stub is not None and request.no_stub:
        raise Refusal("--stub and --no-stub contradict each other", cure="choose one")
    if stub is not None and not stub.strip():
        raise Refusal("--stub needs words")
    return _record(
        session,
        "drop",
        lambda shown, session: recording.drop(shown, session.outline, span, stub=stub, bare=request.no_stub),
        request,
        span,
    )


def compact(session: Session, request: CompactRequest) -> Recorded | Standing:
    """Replaces the start of the conversation at the head, up to a point, by a summary; without one the prompts are listed.

    Appends one record to the session's file. Refuses (``ILLEGAL``) what cannot be left out. Near-linear.
    """
    if not request.upto:
        raise Refusal("--upto names the last to replace")
    return _record(
        session,
        "compact",
        lambda shown, session: recording.compact(shown, session.outline, request.upto, summary=request.summary),
        request,
        f"{UPTO}{request.upto}",
    )


UPTO: Final = "what stands up to "


RECENT: Final = 50_000
"""Everything but the last turn is summed up where nobody says how much, and that too but for its last so many tokens."""


def compact_fork(session: Session, request: CompactForkRequest) -> Forked:
    """A new session in which a summary stands for the start of the conversation, up to a point; the original is only read, and
    gets no record. So one can go on from a session that is too full for its client's own compaction.

    Without ``upto`` the last turn stays, and of it the last :data:`RECENT` tokens. Without a ``summary`` the prompts are listed.
    Refuses as :func:`compact` and :func:`forkpoint.ops.forking.export`. Near-linear; holds the file in memory.
    """
    upto = request.upto

    def made_of(shown: Shown, session: Session) -> NewRecord:
        until = upto or steps.before_recent(shown, session.outline, RECENT).name
        return recording.compact(shown, session.outline, until, summary=request.summary)

    after, made = _ahead_by(deferring.ahead(session), made_of, f"what stands up to {upto or 'the last turn'}")
    session.tell(f"{made.words}; {session.file} stays as it is")
    return exporting(after, ExportRequest(**new_session(request)))


def without_refused(session: Session, request: ExportRequest) -> Forked | None:
    """A new session of the conversation at the head without what the API refuses of it (:mod:`forkpoint.transcript.repair.api`):
    a text stands in the place of a block where that is enough, else its step is left out. The original is only read. None
    where the API refuses nothing.

    Refuses as :func:`drop` and :func:`forkpoint.ops.forking.export`. O(bytes) for each step that is left out.
    """
    after = deferring.ahead(session)
    if after.head.position is None:
        return None
    done: list[str] = []
    while found := _places(after):
        first = found[0]
        after, made = _ahead_by(after, _without(found), "what the API refuses")
        done.append(f"{made.words} ({first.wrong.message})")
        if len(_places(after)) >= len(found):
            raise Refusal(
                f"the API would still refuse it: {first.wrong.message}; nothing was written", Code.UNHEALTHY, file=session.file
            )
    if not done:
        return None
    for words in done:
        session.tell(words)
    return exporting(after, request)


def _without(found: Sequence[api.RefusedPart]) -> Maker:
    """Makes the record that covers every block for which a text is enough; where there is none, the step of the first."""
    texts = [(one.uuid, one.block, one.inner, one.words) for one in found if one.trim]
    if texts:
        return lambda shown, session: recording.cover(shown, texts)
    return lambda shown, session: recording.drop(shown, session.outline, found[0].uuid)


def _places(session: Session) -> list[api.RefusedPart]:
    """What the API refuses of what a record at the head can cover."""
    shown = session.seen
    return [one for one in api.places(shown.transcript, shown.position) if not one.aside]


def _ahead_by(session: Session, make: Maker, what: str) -> tuple[Session, NewRecord]:
    """The session as it will be with one more record, and what that does; nothing is appended."""
    former = appending.end_of_records(session, appending.former_head(session, appending.asked_for(AppendRequest())))
    made = _made(session, _shown(session, former, lenient=False), make, what)
    with appending.hanging(session, former, "the head cannot take a record"):
        batch = recording.batch(session.transcript, session.outline, former, made, forking.source_id(session.transcript, former))
    return deferring.beyond(session, batch), made


def trim(session: Session, request: TrimRequest) -> Recorded | Standing:
    """Puts a short text in the place of large or stale parts of messages; the entries stay, with their calls and results.

    ``what`` is the id of a call, a span of steps, or a reason of :func:`suggest_trims`; of steps, the parts of some ``kinds``
    with more than ``over`` characters. ``text`` stands in their place. Appends one record to the session's file. Near-linear;
    P26.
    """
    what, kinds, text = request.what, request.kinds, request.text
    if not what:
        raise Refusal("name what is to be trimmed")
    wrong = sorted({*kinds} - {*trimming.KINDS})
    if wrong or not kinds:
        raise Refusal(f"--kind is one of {', '.join(trimming.KINDS)}, not {', '.join(wrong) or 'nothing'}")
    if text is not None and not text.strip():
        raise Refusal("--text needs words")
    return _record(
        session,
        "trim",
        lambda shown, session: recording.trim(shown, session.outline, what, kinds=kinds, over=request.over, words=text),
        request,
        what,
    )


def suggest_trims(session: Session) -> Suggested:
    """What of the conversation at the head is of no more use: copies of later results, readings of files that were changed or
    read again later, data of images. Reads the conversation. O(bytes)."""
    shown = session.seen
    found = trimming.suggestions(shown)
    parts = [_part(session, one.part, one.reason, one.because) for one in found]
    return _suggested(session, shown, parts, [], sum(one.part.tokens for one in found))


def suggest_drops(session: Session) -> Suggested:
    """The steps of the conversation at the head whose calls only read, and all of whose results are of no more use. O(bytes)."""
    shown = session.seen
    found = trimming.suggestions(shown)
    listed = [step for step in steps.steps(shown, session.outline) if step.record is None]
    chosen = [listed[place] for place in trimming.steps_of_no_use(shown, [step.positions for step in listed], found)]
    inside = {at for step in chosen for at in step.positions}
    parts = [_part(session, one.part, one.reason, one.because) for one in found if one.part.position in inside]
    tokens = sum(steps.tokens(session.transcript, step) for step in chosen)
    return _suggested(session, shown, parts, [step.name for step in chosen], tokens)


def _suggested(session: Session, shown: Shown, parts: list[TrimmedPart], names: list[str], tokens: int) -> Suggested:
    whole = 0 if shown.position is None else estimates(shown.transcript)[shown.position]
    whole += sum(part.tokens for part in trimming.parts(shown) if part.kind == trimming.IMAGES)  # estimates leave images out
    return Suggested(file=session.file, parts=parts, steps=names, tokens_estimate=tokens, of=whole)


def _part(session: Session, part: Part, reason: str | None = None, because: str | None = None) -> TrimmedPart:
    made = TrimmedPart(
        uuid=part.uuid,
        line=session.line(part.position),
        kind=part.kind,
        what=part.what,
        call=None if part.call is None else str(part.call),
        characters=part.characters,
        tokens_estimate=part.tokens,
    )
    if reason is not None and because is not None:
        made.reason, made.because = reason, because
    return made


def undo(session: Session, request: UndoRequest) -> Recorded | Standing:
    """Takes back a drop or a compaction: the last that counts, or the one whose uuid, or its beginning, is given."""
    return _record(
        session,
        "undo",
        lambda shown, session: recording.take_back(shown, "undo", request.which, session.unwritten),
        request,
        request.which or "",
        lenient=True,
    )


def redo(session: Session, request: RedoRequest) -> Recorded | Standing:
    """Takes back an undo: the last that counts, or the one whose uuid, or its beginning, is given."""
    return _record(
        session,
        "redo",
        lambda shown, session: recording.take_back(shown, "redo", request.which, session.unwritten),
        request,
        request.which or "",
    )


def _record(
    session: Session,
    command: str,
    make: Maker,
    request: RecordRequest,
    what: str = "",
    *,
    lenient: bool = False,
) -> Recorded | Standing:
    """Appends a record to a session, or defers it. ``what`` is to be covered, in words; ``lenient`` goes on where a record no
    longer fits."""
    asked = appending.asked_for(request, oracle=request.oracle)
    if asked.oracle:
        oracle.require()
    if request.defer:
        if asked.again:
            raise Refusal("--operation repeats what was appended, and --defer appends nothing", cure="choose one")
        appending.former_head(session, asked)
        before = deferring.kept(session)
        session, asked = deferring.ahead(session, before), replace(asked, if_head=None)
        return _recorded(session, asked, command, make, what, lenient=lenient, before=before)
    cure = "; --defer keeps the record for the next exports"
    return appending.attempt(
        session, asked, command, lambda session: _recorded(session, asked, command, make, what, lenient=lenient), cure
    )


def _recorded(
    session: Session,
    asked: Attempt,
    command: str,
    make: Maker,
    what: str,
    *,
    lenient: bool,
    before: Sequence[Deferred] | None = None,
) -> Recorded:
    """``before`` are the records that are deferred already: then the session is as it will be with them, and the record is kept
    behind them."""
    transcript, outline = session.transcript, session.outline
    former = appending.end_of_records(session, appending.former_head(session, asked))
    shown = _shown(session, former, lenient=lenient)
    made = _made(session, shown, make, what)
    with appending.hanging(session, former, "the head cannot take a record"):
        batch = recording.batch(
            transcript, outline, former, made, forking.source_id(transcript, former), operation=asked.operation
        )
    if before is None:
        appending.must_fit(session)
    assert batch.below is not None
    after = _after(session, batch, lenient=lenient)
    answer = Recorded(
        file=session.file,
        operation=batch.operation,
        words=made.words,
        **_does(session, made),
        record=Record(uuid=batch.below, line=None),
        seen=None if after is None else _seen(after),
        appended=appending.as_text(batch),
        undo=None,
    )
    if after is not None:
        _certify(session, batch, answer, command, what, shown, after)
    if asked.oracle and after is not None:
        answer.oracle = oracle.on_shown(after)
    if asked.dry_run:
        return answer
    command, aim = made.inverse
    back = aim or batch.below
    if before is not None:
        answer.deferred, answer.appended = deferring.keep(session, batch, made, before), []
        answer.undo = commands.command(transcript, command, back, "--defer")
        return answer
    appending.take(session, asked, batch)
    with done(f"the record {batch.below} stands in {session.file}"):
        answer.record.line = session.line(session.log.position(batch.below))
        answer.undo = commands.command(session.transcript, command, back, "--force")
    return answer


def _certify(
    session: Session, batch: inplace.Batch, answer: Recorded, command: str, span: str, before: Shown, after: Shown
) -> None:
    """Holds the record that is to be appended against what was asked for, and what is sent with it against what was sent."""
    from forkpoint.clients.claude.certificate import records, shape  # what appends nothing does without

    superseded = None if answer.superseded is UNSET else answer.superseded.uuid
    if superseded is not None:
        try:
            before = session.seen_from(before.at)
        except Refusal:
            return  # a record that no longer fits is to be taken back: nothing could be seen
    said = records.Said(
        command,
        entries=None if answer.entries is UNSET else answer.entries,
        stub=None if answer.stub is UNSET else answer.stub,
        trimmed=() if answer.trimmed is UNSET else [part.uuid for part in answer.trimmed],
        superseded=superseded,
    )
    there = [_line_of(session, one.uuid) for one in before.records]
    known, at = shape(forking.hangs(session.transcript)), None if preserved(session.transcript) else before.at
    records.check(batch.lines[0], said, _sent(before), _sent(after), there, known, span.removeprefix(UPTO), at)


def _line_of(session: Session, uuid: str) -> bytes:
    if uuid in session.unwritten:
        return os.fsencode(session.unwritten[uuid])
    return session.transcript.line(session.transcript.span(session.log.position(uuid)))


def _sent(shown: Shown) -> list[str]:
    """The uuids of what is sent of a session as it is seen."""
    if shown.position is None:
        return []
    log = shown.transcript.log
    uuids = log.spine.uuids
    return [str(uuids[at]) for at in rendering.rendered_positions(log, preserved(shown.transcript), uuids[shown.position])]


def _made(session: Session, shown: Shown, make: Maker, what: str) -> NewRecord:
    """The change that was asked for."""
    line: int | None
    cure = ""
    try:
        return make(shown, session)
    except Torn as error:
        reason, line = str(error), shown.source.span(error.position).number
        why = f"{what} cannot be left out: {reason}"
    except StubNeeded as error:
        reason, line = str(error), None
        why = f"{what} cannot be left out without a stub: {reason}"
        cure = "leave --no-stub away"
    except (BadSpan, NoSuchRecord, NothingToTrim) as error:
        waiting = isinstance(error, NoSuchRecord) and not session.unwritten and deferring.kept(session)
        hint = f"{count(len(waiting), 'record')} of it deferred: --defer takes one back" if waiting else ""
        raise Refusal(error, file=session.file, cure=hint) from error
    refused = Refused(reason=reason, cure=cure or UNSET)
    raise Refusal(why, Code.ILLEGAL, file=session.file, line=line, cure=cure, refused=refused)


def _does(session: Session, made: NewRecord) -> dict[str, Any]:
    """What a change does."""
    if made.trimmed:
        return {"entries": made.entries, "trimmed": [_part(session, part) for part in made.trimmed]}
    if made.aim is not None:
        line = None if made.aim.uuid in session.unwritten else made.aim.line
        return {"superseded": Superseded(uuid=made.aim.uuid, line=line, what=made.aim.what)}
    return {
        "steps": [step.name for step in made.steps],
        "entries": made.entries,
        "stub": made.stub,
        "stub_because": list(made.because),
    }


def _shown(session: Session, position: int, *, lenient: bool) -> Shown:
    if not lenient:
        return session.seen_from(position)
    session.tell_compacted(position)
    try:
        return overlays.unchecked(session.transcript, position)
    except BadRecord as error:
        raise bad_record(session, error) from error


def _after(session: Session, what: inplace.Batch, *, lenient: bool) -> Shown | None:
    """The session as it will be seen; None when another record still does not fit, and that is to be overlooked."""
    try:
        return overlays.after(session.transcript, what.lines)
    except BadRecord as error:
        if error.uuid == what.below:  # it is the one that would be appended
            why = error.why.split(";")[0]
            raise Refusal(
                f"the record {why}", Code.ILLEGAL, refused=Refused(reason=f"the record {why}"), file=session.file
            ) from error
        if not lenient:
            raise bad_record(session, error) from error
        session.tell(f"{session.file}:{error.line}: {error}")
        return None


def _seen(shown: Shown) -> Seen:
    """How much of a session is seen, and whether one can go on from it, as an export has to. Costs as :func:`select.why_not`."""
    stuck = not_exported(shown)
    if shown.position is None:
        return Seen(entries=0, tokens_estimate=0, stuck=stuck)
    members = overlays.conversation(shown.transcript, shown.position)
    tokens = estimates(shown.transcript)[shown.position]
    return Seen(entries=len(members), tokens_estimate=tokens, stuck=stuck)
