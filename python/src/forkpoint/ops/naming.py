"""``rename`` gives a session a title; ``ref`` gives a point of one a name."""

from __future__ import annotations

import functools
import os
from datetime import UTC, datetime
from typing import Final

from msgspec import UNSET

from forkpoint.answers import client as answers
from forkpoint.answers.client import Refs, Renamed
from forkpoint.answers.refusals import Code, Refusal, done
from forkpoint.clients.claude.written import custom_title, stamp
from forkpoint.ops import appending
from forkpoint.ops.appending import Attempt
from forkpoint.ops.session import Session, find, read
from forkpoint.requests import RenameRequest
from forkpoint.sessions import refs
from forkpoint.sessions.forking import TITLE_LENGTH
from forkpoint.sessions.summaries import GIVEN, entitled, given_title, summarize
from forkpoint.transcript.format import commands
from forkpoint.transcript.write import inplace

TITLE: Final = "a title"
"""What ``rename`` gives."""


def rename(session: Session, request: RenameRequest) -> Renamed:
    """Gives a session a title, by the line that the client's ``/rename`` appends. The head stays where it is.

    Where the session has the title already, nothing is appended, so a second try does no harm. Refuses an empty title, and
    (``STALE``) when the session changed. O(bytes).
    """
    wanted = " ".join(request.title.split())
    if not wanted:
        raise Refusal("a session needs a title of at least one word")
    if not _fits(wanted):
        raise Refusal(f"a title has at most {TITLE_LENGTH} characters, and none that steers a terminal")
    asked = appending.asked_for(request)
    found = appending.attempt(session, asked, TITLE, lambda session: _renamed(session, wanted, asked))
    assert isinstance(found, Renamed)  # no operation that stands is a title: given again, it finds that the title is there
    return found


def _renamed(session: Session, title: str, asked: Attempt) -> Renamed:
    head = appending.former_head(session, asked)
    former = entitled(session.path, summarize(session.path))
    given = given_title(session.path)
    if given and given != title:
        raise Refusal(
            f"the client keeps its title, {given!r}, in {GIVEN} in the session's folder, which counts before a line here",
            file=session.file,
            cure="/rename in the client gives another",
        )
    answer = Renamed(
        file=session.file,
        former=former.title,
        title=title,
        appended=[],
        undo=commands.command(session.transcript, "rename", "--force", "--", former.title) if _fits(former.title) else None,
    )
    if former.title == title and former.title_from == "custom-title":
        return answer
    line = custom_title(title, appending.session_id(session))
    what = inplace.Batch(head, [line], None, asked.operation)
    answer.appended = appending.as_text(what)
    if asked.dry_run:
        appending.must_fit(session)
        return answer
    appending.take(session, asked, what)
    with done(answer.done):
        stands = entitled(session.path, summarize(session.path)).title
    if stands != title:
        raise Refusal(
            f"the title was appended, and {stands!r} is the title: somebody gave another", Code.UNSURE, file=session.file
        )
    return answer


def _fits(title: str) -> bool:
    """Whether a text can be given as a title."""
    return 0 < len(title) <= TITLE_LENGTH and title.isprintable()


def add_ref(session: Session, name: str, at: str = "HEAD", *, now: datetime | None = None, dry_run: bool = False) -> Refs:
    """Names a point of a session. The name is in forkpoint's own folder, and can stand wherever a point of the session is named.

    ``at`` is the point; ``dry_run`` sets nothing. Refuses a name that means something else, and one that is taken:
    :func:`remove_ref` frees it. O(entries).
    """
    if (why := refs.wrong(name)) is not None:
        raise Refusal(f"{name!r} is no name for a ref: {why}")
    own = _id(session)
    position = session.find(at)
    ref = refs.Stored(uuid=session.place(position).uuid, created=stamp(now or datetime.now(UTC)))
    taken = functools.partial(
        Refusal,
        f"there is a ref {name} in it already",
        file=session.file,
        cure=f"`forkpoint ref rm {name} {session.name}` removes it",
    )
    if dry_run:
        if name in refs.of(own):
            raise taken()
        return Refs(refs=[_ref(own, name, ref, session)])
    try:
        refs.add(own, name, ref)
    except FileExistsError as error:
        raise taken() from error
    except OSError as error:
        raise Refusal(f"cannot set the ref {name}: {error.strerror or error}") from error
    stored = refs.of(own).get(name)
    if stored != ref:
        raise Refusal(f"the ref {name} is not what was written: somebody else set or removed it", Code.UNSURE)
    return Refs(refs=[_ref(own, name, ref, session)], was="set")


def remove_ref(session: Session | str, name: str, *, dry_run: bool = False) -> Refs:
    """Removes a ref of a session; the session stays as it is. Of a session that is gone its whole id is enough. Refuses where
    there is none. A dry run says which it would be."""
    own = session.lower() if isinstance(session, str) else _id(session)
    stored = refs.of(own).get(name)
    held = None if isinstance(session, str) else session
    try:
        if refs.wrong(name) is not None:
            raise FileNotFoundError(name)
        if dry_run and stored is None:
            raise FileNotFoundError(name)
        if not dry_run:
            refs.remove(own, name)  # also one that cannot be read
    except FileNotFoundError as error:
        named = session if isinstance(session, str) else session.file
        raise Refusal(f"there is no ref {name} in {named}", cure="`forkpoint ref list` lists those there are") from error
    except OSError as error:
        raise Refusal(f"cannot remove the ref {name}: {error.strerror}") from error
    return Refs(refs=[] if stored is None else [_ref(own, name, stored, held)], was=UNSET if dry_run else "removed")


def list_refs(session: Session | None = None) -> Refs:
    """The refs of a session, or of all sessions, by session and name. O(refs), and O(bytes) of each session that has some."""
    found: list[answers.Ref] = []
    for own in [_id(session)] if session is not None else refs.sessions():
        held = session
        if held is None:
            try:
                held = read(find(own))
            except Refusal:
                held = None  # it is gone, or cannot be read
        found += [_ref(own, name, ref, held) for name, ref in sorted(refs.of(own).items())]
    return Refs(refs=found)


def _ref(own: str, name: str, ref: refs.Stored, session: Session | None) -> answers.Ref:
    there = session is not None and ref.uuid in session.log
    return answers.Ref(
        name=name,
        session=own,
        uuid=ref.uuid,
        created=ref.created,
        file=os.fspath(session.path) if session is not None else None,
        line=session.line(session.log.position(ref.uuid)) if session is not None and there else None,
    )


def _id(session: Session) -> str:
    if session.id is None:
        raise Refusal("neither its name nor its entries give it a session id, so that no ref can name it", file=session.file)
    return session.id


def is_gone(session: str) -> bool:
    """Whether a text is the id of a session that has refs and no file."""
    if session.lower() not in refs.sessions():
        return False
    try:
        find(session)
    except Refusal:
        return True
    return False
