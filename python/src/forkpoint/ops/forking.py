"""``fork``, ``export``, ``promote``: a new session that goes on from a point. The original is only read."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, cast
from unicodedata import category

from msgspec import structs

from forkpoint import runtime_checks
from forkpoint.answers.base import Place, Refused
from forkpoint.answers.new_sessions import Forked, GoesAlong, MergedLeftOut
from forkpoint.answers.refusals import Code, Refusal, accessing, done, translating
from forkpoint.clients.claude import certificate
from forkpoint.clients.claude.certificate.asked import Asked, Stated
from forkpoint.clients.claude.places import SESSION_ID
from forkpoint.clients.claude.versions import LAST_LINE
from forkpoint.core import ancestries, balance, holes, rendering
from forkpoint.ops import deferring, events, stale_files
from forkpoint.ops import oracle as model
from forkpoint.ops.begun import begun
from forkpoint.ops.events import Book
from forkpoint.ops.new_files import could_be, new, new_name, sunk
from forkpoint.ops.session import Session
from forkpoint.requests import (
    FULL,
    STANDARD_OUTPUT,
    BranchRequest,
    ExportRequest,
    ForkPoint,
    ForkRequest,
    NewSession,
    PromoteRequest,
)
from forkpoint.sessions import forking, projects
from forkpoint.sessions.forking import NOTHING, Draft, MadeOf
from forkpoint.transcript.format import commands, reader
from forkpoint.transcript.format.compaction import cut, goes_on_at_forgotten, preserved
from forkpoint.transcript.query import select, witness
from forkpoint.transcript.query.blockers import HOLE
from forkpoint.transcript.query.head import head
from forkpoint.transcript.query.outline import Outline
from forkpoint.transcript.query.select import Choice
from forkpoint.transcript.write import inplace, promotion

if TYPE_CHECKING:  # most forks record nothing
    from forkpoint.core.entries import Id
    from forkpoint.core.evidence import Event
    from forkpoint.transcript.query.overlays import Shown


def check(request: NewSession) -> None:
    """Refuses what contradicts itself in a request for a new session."""
    out, cwd, name, session = request.out, request.cwd, request.name, request.session_id
    if out is not None and cwd is not None:
        raise Refusal("--out and --cwd both say where the fork goes", cure="choose one")
    if name is not None and not name.strip():
        raise Refusal("--name needs a title")
    if name is not None and any(category(character) in ("Cc", "Cs") for character in " ".join(name.split())):
        raise Refusal("--name needs words that are UTF-8, and none that steer a terminal")
    if session is not None and not SESSION_ID.fullmatch(session):
        raise Refusal(f"--session-id needs a uuid, not {session!r}")
    if cwd is not None and not os.path.isdir(cwd):
        raise Refusal(f"--cwd needs a folder, and {cwd} is none")
    if request.certify not in (None, "quick", FULL):
        raise Refusal(f"--certify is quick or full, not {request.certify}")
    if out is not None and out != STANDARD_OUTPUT:
        new_name(out)
    _book(request)


def _book(request: NewSession) -> Book | None:
    """The ledger in which a new session is recorded."""
    return events.book(request.ledger, request.governance, request.now)


_P = ParamSpec("_P")
_T = TypeVar("_T")


def believing_nothing(operation: Callable[Concatenate[Session, _P], _T]) -> Callable[Concatenate[Session, _P], _T]:
    """An operation that is done once more with a session that is read anew, where it broke a promise, or refused, with what was
    kept of the file from last time: that may be damaged."""

    @wraps(operation)
    def once_more(session: Session, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        try:
            return operation(session, *args, **kwargs)
        except (runtime_checks.BrokenPromise, Refusal) as error:
            fresh = session.anew() if isinstance(error, runtime_checks.BrokenPromise) or error.code is Code.ILLEGAL else None
            if fresh is None:
                raise
            if isinstance(error, runtime_checks.BrokenPromise):
                session.tell(f"note: what was kept of {session.file} from last time was wrong, and it is read anew: {error}")
            return operation(fresh, *args, **kwargs)

    return cast("Callable[Concatenate[Session, _P], _T]", once_more)


@believing_nothing
def fork(session: Session, request: ForkRequest, *, word: str = forking.FORK, with_files: bool = False) -> Forked:
    """Forks a conversation at a past point into a new session, which has exactly the entries of the conversation there, each line
    byte for byte, and the files that belong to it.

    Refuses (``ILLEGAL``) a place that is no point to go on from, with the nearest points. With ``backfill`` the entries get the
    keys of that client version where they lack them (P6b.5, P6b.9); then the file is held in memory. With ``manifest`` the answer
    says on what a continuation depends. Near-linear; P4.16 to P4.20, P4.36 to P4.39.
    """
    # `word` stands behind the title of a nameless fork; `with_files` says that the files go along: then nothing is said of those
    # that changed behind the point.
    check(request)
    origin = MadeOf(word=word)
    point = request.point
    at, legal = point.at, point.legal
    if request.oracle:
        model.require()
    where = at if point.before or legal else session.with_records(at)
    try:
        choice = select.choose(session.transcript, session.outline, structs.replace(point, at=where), main_line=True)
    except select.UnknownPoint as error:
        raise Refusal(error, file=session.file) from error
    except select.Refused as error:
        if request.oracle and error.asked is not None:
            session.tell(model.on_refusal(session.transcript, error.asked))
        raise _cannot_be_forked(session, error) from error
    if not point.allow_inherited and not point.allow_damage:
        _promise(session, choice.position, legal=legal)
    source, position = session, choice.position
    if request.backfill is not None:
        from forkpoint.ops.backfill import known  # most forks fill nothing
        from forkpoint.transcript.repair import backfill as filling

        held = known(request.backfill)
        source = Session(filling.filled(session.transcript, held), session.tell)
        position = source.log.position(session.log.spine.uuids[position])
        origin = replace(origin, files=(session.transcript,), filled=held)
    made = draft(source, position, request, origin)
    if request.oracle:
        session.tell(model.on_fork(made))
    deferring.tell(session)
    _tell_preserved(session, choice.position)
    if not with_files:
        copied = [os.fspath(item.source) for item in made.companions if item.text is not None]
        cure = "`forkpoint fork --worktree DIR` brings those of the repository as they were"
        stale_files.tell(session, choice.position, cure, copied)
    more: dict[str, Any] = {}
    if request.manifest:
        from forkpoint.ops.dependencies import dependencies  # most forks do without

        more["manifest"] = dependencies(session, choice.position, [item.source for item in made.companions])
    asked = Asked(str(at), point.before, legal, point.nearest, point.allow_inherited, session.transcript.refs)
    return deliver(session, made, choice, request, asked, head=where if at == "HEAD" != where else None, **more)


def branch(session: Session, request: BranchRequest) -> Forked:
    """Forks as the client's ``/branch`` does: each line gets the new session's id, each entry says where it comes from, and
    without a name the title is that of the session and "(Branch)", "(Branch 2)" and so on. It is :func:`fork` with that."""
    return fork(session, request, word=forking.BRANCH)


def _promise(session: Session, position: int, *, legal: bool) -> None:
    """Asks in full, of a small session, what chapters 10 and 19 promise of a point: that what is sent there is balanced (P3.11,
    P4.45). What the obstacles decide by rules of their own is held against that."""
    log, uuid = session.log, session.log.spine.uuids[position]
    kept = preserved(session.transcript)
    if legal:
        runtime_checks.ask(holes.legal_to_send, (log, kept, uuid), lambda: True, dear=True)
    elif (
        runtime_checks.LEVEL == runtime_checks.FULL
        and len(log) <= runtime_checks.SMALL
        and not balance.balanced(rendering.rendered(log, kept, uuid))
    ):
        raise runtime_checks.BrokenPromise(f"P4.45 what is sent at {uuid} would not be balanced; nothing was written")


def _tell_preserved(session: Session, position: int) -> None:
    """Says when the last compaction preserves the fork point: a client that goes back to it there sends the summary first, and a
    fork is of the conversation before the compaction."""
    cutting = cut(session.transcript)
    if cutting is not None and session.log.spine.uuids[position] in cutting.again:
        boundary, line = session.line(cutting.boundary), session.line(position)
        session.tell(
            f"note: the compaction on line {boundary} preserves line {line}; the fork holds the conversation before the "
            "compaction, without its summary"
        )
    strange = goes_on_at_forgotten(session.transcript, position)
    if strange is not None:
        below, above = map(session.line, strange)
        session.tell(
            f"note: line {below} goes on at line {above}, which the last compaction makes a client forget. In this file a client "
            "sends the summary in its place, and what is preserved; the fork sends what stands there"
        )


def _cannot_be_forked(session: Session, error: select.Refused) -> Refusal:
    node = None if error.asked is None else session.transcript.nodes[error.asked]
    what, refusal = "" if node is None else f"{node.uuid}: ", session.refused(error)
    message = f"{what}cannot be forked: {error}"
    return Refusal(message, Code.ILLEGAL, file=refusal.file, line=refusal.line, refused=refusal.refused)


@believing_nothing
def export(session: Session, request: ExportRequest) -> Forked:
    """Makes a new session of a conversation as its records let it be seen: what was left out is not in it, the stubs are.

    ``at`` is where to go on from, the head without one; only the records of the conversation there count, with those that are
    deferred. The marker holds the lines of records that stand in no file. Refuses (``ILLEGAL``) where what is left
    is no point to go on from. Near-linear.
    """
    check(request)
    if request.oracle:
        model.require()
    session = deferring.ahead(session)
    at_head = request.at in (None, "HEAD")
    origin = MadeOf(goes_on=at_head, record="\n".join(session.unwritten.values()) or None)
    shown = session.seen if at_head else session.seen_from(session.find(request.at or "HEAD"))
    if request.oracle:
        session.tell(model.on_shown(shown))
    asked = session.place(shown.at)
    if shown.position is None:
        message = f"{asked.uuid}: nothing of its conversation is left; `forkpoint undo` takes a record back"
        raise Refusal(message, Code.ILLEGAL, file=session.file, line=session.line(shown.at))
    try:
        select.refuse_sub_agent(shown.transcript, shown.position)
    except select.Refused as error:
        raise session.refused(error) from error
    reason = not_exported(shown, overlooked=HOLE if request.allow_damage else 0)
    if reason is not None:
        near = [position for position, good in enumerate(Outline(shown.transcript).resumable) if good][-1:]
        nearest = [Place(uuid=shown.transcript.nodes[position].uuid) for position in near]
        hint = "".join(f"; the last resumable point: {place.uuid}" for place in nearest)
        message, refused = f"{asked.uuid}: cannot be exported: {reason}{hint}", Refused(reason=reason, nearest=nearest)
        raise Refusal(message, Code.ILLEGAL, file=session.file, line=session.line(shown.at), refused=refused)
    if shown.records:
        origin = replace(origin, seen_from=asked.uuid)
    seen = session if shown.transcript is session.transcript else Session(shown.transcript, session.tell)
    if seen is not session:
        left_out = [session.line(session.log.position(uuid)) for uuid in shown.covered if uuid in session.log]
        origin = replace(origin, files=(session.transcript,), untold=min(left_out, default=None))
    made = draft(seen, shown.position, request, origin)
    records = [record.uuid for record in shown.active if record.touched]
    head = str(seen.log.spine.uuids[shown.position]) if at_head else None
    return deliver(seen, made, Choice(shown.position, shown.position), request, Asked(None), head=head, records=records)


def not_exported(shown: Shown, *, overlooked: int = 0) -> str | None:
    """Why nobody can go on from what records leave of a conversation; None where one can. Where they leave nothing out, the place
    below which they hang has to be one, too. Costs as :func:`select.why_not`."""
    if shown.position is None:
        return "nothing of the conversation is left"
    reason, untouched = select.why_not(shown.transcript, shown.position, overlooked=overlooked), shown.untouched
    if reason is not None or untouched in (None, shown.at):
        return reason
    return select.why_not(shown.source, untouched, overlooked=overlooked)


@believing_nothing
def promote(session: Session, request: PromoteRequest) -> Forked:
    """Makes a new session of a sub-agent's conversation, so that a client can go on in it.

    The session is the sub-agent's file, or one that holds sub-agents; of several, ``at`` names an entry of the one that is meant.
    Refuses (``ILLEGAL``) where no sub-agent begins, and a place that is none to go on from. Near-linear; P12.21.
    """
    check(request)
    at, transcript = request.at, session.transcript
    origins = [transcript]
    beside = projects.session_of_agent(session.path)
    found = begun(session)
    if found is not None:
        session.tell(f"the sub-agent goes on from the session's conversation at {found.place}, which goes along")
        session = Session(promotion.with_session(transcript, found.session.transcript, found.position), session.tell)
        origins.append(found.session.transcript)
    root = _root(session, at)
    own = Session(promotion.promote(session.transcript, root, beside), session.tell)
    try:
        choice = select.choose(own.transcript, own.outline, ForkPoint(at="HEAD" if at is None else at))
    except select.UnknownPoint as error:
        raise Refusal(error, file=session.file) from error
    except select.Refused as error:
        raise own.refused(error, session.file) from error
    begins = root if root in transcript.log else transcript.log.spine.uuids[0]  # it may go on from the session's conversation
    origin = MadeOf(files=origins, promoted=str(root), agent=promotion.agent_of(transcript, begins))
    asked = Asked("HEAD" if at is None else at, refs=own.transcript.refs)
    return deliver(own, draft(own, choice.position, request, origin), choice, request, asked, promoted=str(root))


def _goes_on(session: Session) -> bool:
    """Whether a sub-agent's entries stand behind the conversation of a session that they go on from."""
    aside = session.transcript.sidechains
    first = aside.index(1) if 1 in aside else 0
    return first > 0 and all(aside[first:]) and session.log.spine.parent[first] >= 0


def _root(session: Session, at: str | None) -> Id:
    """Where the sub-agent begins."""
    log, file = session.log, session.file
    if promotion.is_agents(session.transcript) or _goes_on(session):
        return log.spine.uuids[0]
    found = promotion.roots(session.transcript)
    if not found:
        message = f"{file}: no sub-agent begins in it; those of later clients have files of their own, agent-ID.jsonl"
        raise Refusal(message, Code.ILLEGAL)
    if len(found) == 1:
        return log.spine.uuids[found[0]]
    begins = "; ".join(f"{session.place(at).uuid}, line {session.line(at)}" for at in found[:5])
    if at is None:
        raise Refusal(
            f"{len(found)} sub-agents begin in it", file=file, cure=f"--at names an entry of the one that is meant ({begins})"
        )
    position = session.find(at)
    root = ancestries.ancestry(log, log.spine.uuids[position])[0]
    if not root.sidechain:
        message = f"{session.place(position).uuid} is no entry of a sub-agent ({begins})"
        raise Refusal(message, Code.ILLEGAL, file=file, line=session.line(position))
    return root.uuid


# ---- what all three share


def draft(session: Session, position: int, request: NewSession, origin: MadeOf = NOTHING) -> Draft:
    """A new session that goes on from a position; refuses when it cannot be made."""
    with accessing("read", session.file), translating(ValueError):
        return forking.draft(session.transcript, position, request, origin)


def deliver(
    session: Session, made: Draft, choice: Choice, request: NewSession, asked: Asked, *, head: str | None = None, **more: Any
) -> Forked:
    """Writes a new session, unless that is not wanted, and records it. ``asked`` is the request in its words; what becomes of the
    session is added to it here. ``head`` is where a client goes on in the source, if that is known."""
    answer = _answer(session, made, choice, **more)
    book = _book(request)
    if request.dry_run:
        from forkpoint.transcript.query.estimates import estimates  # needed for nothing else

        could_be(made.path)
        answer.destination, answer.path, answer.event = answer.path, None, None
        answer.bytes = made.plan.size
        answer.companion_bytes = sum(item.size for item in made.companions)
        answer.goes_along = [GoesAlong(source=os.fspath(item.source), bytes=item.size) for item in made.companions]
        answer.tokens_estimate = estimates(session.transcript)[choice.position]
        return answer
    event = None if book is None else _event(made, book, request.note)
    judged = _judged(session, made, choice, request, asked, answer, head)
    if made.path is None:
        with new(None, session.tell):
            certificate.decide(made.request(*judged))
            sunk(request.sink)(made.plan.pieces())
    else:
        with new(made.path, session.tell):
            made.write(*judged)
    with done(answer.done):
        events.record(answer, book, event)
        elsewhere = _resumed_elsewhere(made)
        if elsewhere is not None:
            session.tell(elsewhere)
    return answer


def _judged(
    session: Session, made: Draft, choice: Choice, request: NewSession, asked: Asked, answer: Forked, head: str | None
) -> tuple[Asked, Stated]:
    """What the certificate judges by: the request in its words, and what the answer says."""
    name, log = request.name, session.log

    def uuid(place: Place, position: int) -> str:
        own = log.spine.uuids[position]
        return str(own) if own in session.transcript.copies.get(place.uuid, ()) else place.uuid

    if head is None and (made.upto != made.point or (asked.at is not None and asked.at not in log)):
        at = session.head.position
        head = None if at is None else str(log.spine.uuids[at])
    told = {"actor": request.actor, "governance": request.governance, "note": request.note}
    more = replace(
        asked,
        client=session.transcript.client,
        name=None if name is None else " ".join(name.split()),
        untold=made.untold,
        restamp=request.restamp,
        session=request.session_id,
        out=request.out,
        marker=request.marker,
        told={key: said or None for key, said in told.items()} | {"note": request.note},
    )
    return more, Stated(
        session=answer.id,
        path=answer.path,
        point=uuid(answer.point, choice.position),
        asked=uuid(answer.asked, choice.asked),
        head=head,
        title=answer.name,
        restamped=answer.restamped,
        kept=answer.kept,
    )


def _answer(session: Session, made: Draft, choice: Choice, **more: Any) -> Forked:
    plan = made.plan
    path = None if made.path is None else os.fspath(made.path)
    return Forked(
        id=made.session,
        path=path,
        name=made.name,
        point=session.place(choice.position),
        asked=session.place(choice.asked),
        reason=choice.reason,
        note=choice.note,
        kept=len(plan.positions),
        of=len(plan.transcript.log),
        entries_left_out=len(choice.left_out),
        sidecars=len(plan.sidecars),
        sidecars_left_out=dict(plan.left_out),
        companions=[os.fspath(Path(item.where) / item.name) for item in made.companions],
        merged_left_out=[
            MergedLeftOut(node=session.place(behind.node), end=str(behind.end), entries=behind.entries) for behind in made.behind
        ],
        restamped=plan.restamped,
        resume=forking.resume_command(made),
        folder=made.working_folder(),
        **more,
    )


def _event(made: Draft, book: Book, note: str | None) -> Event:
    """That a session left its source: it is the branch, and what it was forked at is the version that it left. Reads what it
    keeps; refuses when that cannot be read."""
    from forkpoint.core.evidence import Forked as Left

    with accessing("read", made.plan.transcript.path):
        found = witness.of(made.plan.transcript, made.plan.positions)
    prefix = found.content or found.ids
    return Left(made.session, book.at, book.who, made.plan.uuid, made.session, prefix, note or "")


def _resumed_elsewhere(made: Draft) -> str | None:
    """A note when the client that wrote the session will not go on at the fork point: those before 2.1.101 take the entry with
    the newest timestamp, and timestamps are never changed."""
    version = max(made.plan.transcript.versions, default=())
    if made.path is None or not version or version >= LAST_LINE:
        return None
    forked = reader.read(made.path)
    found = head(forked, version)
    point = forked.log.position(made.plan.uuid)
    if found.position is None or inplace.reached(forked, found, made.plan.uuid):
        return None
    name = ".".join(map(str, version))
    where = f"line {forked.span(found.position).number} of the fork, {found.why}, and not at line {forked.span(point).number}"
    cure = f"`{commands.command(forked, 'checkout', '--at', str(made.plan.uuid))}` makes it go on at the fork point"
    return f"note: client {name} goes on at {where}; a later client goes on at the fork point; {cure}"
