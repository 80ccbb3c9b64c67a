"""``checkout`` and ``rewind``: another entry becomes the head of a session, by what is appended to its own file."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from forkpoint.answers.appends import Moved, SaidPrompt, Standing
from forkpoint.answers.base import Refused
from forkpoint.answers.files import FilesPut
from forkpoint.answers.refusals import Code, Refusal, done
from forkpoint.clients.claude import certificate
from forkpoint.clients.claude.certificate.asked import Asked as Words
from forkpoint.clients.claude.certificate.asked import Stated
from forkpoint.ops import appending, stale_files
from forkpoint.ops.appending import Attempt
from forkpoint.ops.session import Session
from forkpoint.requests import CheckoutRequest, ForkPoint, MoveRequest, RewindRequest
from forkpoint.sessions import forking
from forkpoint.transcript.format import commands
from forkpoint.transcript.query import select
from forkpoint.transcript.query.head import path
from forkpoint.transcript.query.outline import Outline
from forkpoint.transcript.write import inplace


@dataclass(frozen=True, slots=True)
class Target:
    """The entry that is to be the head, that which was asked for, and the request in its words; ``tip`` says that it is the end
    of the branch there."""

    position: int
    asked: int
    words: Words
    tip: bool = False


Chooser = Callable[[Session], Target]
"""Gives the entry that is to be the head; refuses, or raises what :mod:`forkpoint.transcript.query.select` raises."""


def checkout(session: Session, request: CheckoutRequest) -> Moved | Standing:
    """Makes the end of another branch the head: there a client that resumes the session goes on. With ``files`` the files are
    put back as they were there, too (:func:`forkpoint.ops.files.restore`).

    Appends to the session's own file, in one write. Refuses (``ILLEGAL``) what is not the end of a branch, and (``STALE``) when
    the session changed. O(entries).
    """

    def choose(session: Session) -> Target:
        position = select.resolve(session.transcript, request.at, session.outline)
        end = inplace.tip(session.outline, session.transcript, position)
        if end is not None:
            return Target(end, position, Words(str(request.at), refs=session.transcript.refs), tip=True)
        tips = session.outline.tips
        named = ", ".join(f"{session.place(tip).uuid} (line {session.line(tip)})" for tip in tips[-4:])
        raise Refusal(
            f"{session.place(position).uuid} is not the end of a branch: the conversation goes on below it",
            Code.ILLEGAL,
            refused=Refused(reason="it is not the end of a branch", nearest=[session.place(tip) for tip in tips]),
            file=session.file,
            line=session.line(position),
            cure=f"`forkpoint rewind` makes it the head. The last ends of branches: {named}",
        )

    return _move(session, choose, request)


def rewind(
    session: Session,
    request: RewindRequest,
) -> Moved | Standing:
    """Makes an earlier point the head: a client that resumes the session goes on there, and what follows is left behind.

    ``at`` is the point, ``HEAD~1`` without one, or ``before`` the prompt before which it is. ``nearest`` takes the nearest point
    above where the place itself is none; ``allow_inherited`` and ``allow_damage`` take a point that only a break far above, or a
    damaged line, holds back; ``files`` puts the files back as they were there. Refuses as :func:`checkout`. O(entries).
    """
    if request.at is not None and request.before is not None:
        raise Refusal("--at and --before name two places", cure="choose one")
    place, before = request.before or request.at or "HEAD~1", request.before is not None

    def choose(session: Session) -> Target:
        chosen = select.choose(
            session.transcript,
            session.outline,
            ForkPoint(
                at=place,
                before=before,
                nearest=request.nearest,
                allow_inherited=request.allow_inherited,
                allow_damage=request.allow_damage,
            ),
        )
        if chosen.position != chosen.asked:
            line, taken = session.line(chosen.asked), session.line(chosen.position)
            left = f"{len(chosen.left_out)} entries are left out"
            session.tell(f"line {line} is no point to go on from: {chosen.reason}; line {taken} is taken, {left}")
        words = Words(
            str(place),
            before=before,
            nearest=request.nearest,
            inherited=request.allow_inherited,
            refs=session.transcript.refs,
        )
        return Target(chosen.position, chosen.asked, words)

    return _move(session, choose, request)


def _move(session: Session, choose: Chooser, request: MoveRequest) -> Moved | Standing:
    if not request.files and (request.strict or request.repository is not None):
        raise Refusal("--strict and --repository need --files")
    asked = appending.asked_for(request)
    answer = appending.attempt(session, asked, inplace.MOVE, lambda session: _moved(session, choose, asked, request))
    if isinstance(answer, Standing) and request.files and not asked.dry_run:
        from forkpoint.ops.files import finish_if_begun

        finish_if_begun(session, answer.operation, request.repository)
    return answer


def _moved(session: Session, choose: Chooser, asked: Attempt, request: MoveRequest) -> Moved:
    transcript = session.transcript
    former = appending.former_head(session, asked)
    names = transcript.log.spine.uuids
    target = former
    try:
        chosen = choose(session)
        target = chosen.position
        what = inplace.batch(
            transcript, session.outline, target, forking.source_id(transcript, target), operation=asked.operation
        )
    except select.UnknownPoint as error:
        raise Refusal(error, file=session.file) from error
    except select.Refused as error:
        raise session.refused(error) from error
    except inplace.CannotBeHead as error:
        message = f"{names[target]} cannot be the head: {error}; fork there"
        raise Refusal(message, Code.ILLEGAL, file=session.file, line=session.line(target)) from error
    answer = Moved(
        file=session.file,
        former=session.place(former),
        operation=what.operation,
        head=session.place(target),
        **_prompts(session, former, target),
        appended=[],
        undo=None,
    )
    words, stated = replace(chosen.words, client=transcript.client), _stated(session, chosen, answer, former)
    certificate.goes_to(forking.hangs(transcript), forking.beside(transcript), words, stated, tip=chosen.tip)
    stays = inplace.reached(transcript, session.head, str(names[target]))
    if not stays:
        answer.appended = appending.as_text(what)
        if asked.dry_run:
            appending.must_fit(session)

    def append() -> None:
        if not stays:
            now = appending.take(session, asked, what)
            answer.head = session.place(now)
            with done(f"the head of {session.file} was moved to {answer.head.uuid}"):
                answer.undo = _undo(session, str(names[former]), answer.head.uuid)

    if request.files:
        answer.files = _put_files(session, target, answer, request, append)
    else:
        if not asked.dry_run:
            append()
        if not stays:
            with contextlib.nullcontext() if asked.dry_run else done(answer.done):
                stale_files.tell(session, session.log.position(names[target]), "--files puts those of the repository back")
    return answer


def _stated(session: Session, chosen: Target, answer: Moved, former: int) -> Stated:
    """What the answer says of the entry that is to be the head."""
    names = session.log.spine.uuids
    return Stated(
        session="",
        path=answer.file,
        point=answer.head.uuid,
        asked=str(names[chosen.asked]),
        head=str(names[former]),
        title="",
        restamped=False,
        kept=0,
    )


def _prompts(session: Session, former: int, target: int) -> dict[str, Any]:
    """The prompts that stay, that are left behind, and that are taken up, where the head moves from one entry to another."""
    outline = session.outline
    before, after = (set(path(session.log, position)) for position in (former, target))

    def those(wanted: set[int]) -> list[SaidPrompt]:
        return [SaidPrompt(number=number, text=outline.words[at]) for number, at in enumerate(outline.prompts, 1) if at in wanted]

    return {"stay": len(those(before & after)), "left_behind": those(before - after), "taken_up": those(after - before)}


def _put_files(session: Session, target: int, answer: Moved, request: MoveRequest, append: Callable[[], None]) -> FilesPut:
    """Moves the head and puts the files back: what they hold is saved, then the head is moved, then they are written."""
    from forkpoint.ops.files import put_back, then

    found = then(session, target, request.repository)
    moved = False

    def move() -> None:
        nonlocal moved
        append()
        moved = True

    try:
        return put_back(
            found,
            answer.operation,
            strict=request.strict,
            dry_run=request.dry_run,
            repository=request.repository,
            meanwhile=move,
        )
    except Refusal as error:
        if not moved:
            raise
        back = "" if answer.undo is None else f"; `{answer.undo}` moves the head back"
        text = f"the head of {session.file} was moved, but its files were not put back: {error}{back}"
        raise Refusal(text, Code.UNSURE) from error


def _undo(session: Session, former: str, now: str) -> str | None:
    """The command that makes the former head the head again, as a shell reads it."""
    transcript = session.transcript
    outline, position = Outline(transcript), transcript.log.position(former)
    if any(former in names for names in transcript.copies.values()):
        return None  # its uuid stands on several lines: no command can name it
    if inplace.tip(outline, transcript, position) is not None:
        command = "checkout"
    elif outline.resumable[position]:
        command = "rewind"
    else:
        return None
    return commands.command(transcript, command, "--at", former, "--if-head", now, "--force")
