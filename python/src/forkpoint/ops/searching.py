"""Searching in what was said, in all sessions, and going on from what was found. Nothing is written but the catalog."""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
import unicodedata
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, TypeAlias

from forkpoint.answers.new_sessions import Forked
from forkpoint.answers.refusals import Code, Refusal
from forkpoint.answers.sessions import Catalogued, Hit, Hits
from forkpoint.ops import forking
from forkpoint.ops.session import Progress, Session, ignore, is_project, read
from forkpoint.ops.views import turn_ends
from forkpoint.requests import ForkPoint, ForkRequest, NewSession, SearchRequest, new_session
from forkpoint.sessions import catalog, full_text, listing
from forkpoint.sessions.projects import project_folders, session_of_agent

_Opened: TypeAlias = dict[Path, tuple[Session, dict[int, int]] | None]
"""The sessions that were read, with the ends of their turns; None for one that cannot be read."""
PATIENCE: Final = 5.0
"""For so many seconds a search waits for another process that brings the catalog up to date."""
AROUND: Final = 160
"""So many characters are given on each side of what was searched for."""
UNITS: Final = {"min": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_AGE: Final = re.compile(r"(\d{1,6}+)(min|h|d|w)")


def search(request: SearchRequest, progress: Callable[[str], Progress] | None = None) -> Hits:
    """What was said in sessions, the newest first, each entry once however many forks hold it.

    Each of the words is a word, a phrase, or the beginning of a word with a star behind. Without a project every project and the
    current folder are searched. Linear in what is new since the last search; then some milliseconds, and O(bytes) of each session
    in which something is found.
    """
    wanted, project, role, tool, file = request.words, request.project, request.role, request.tool, request.file
    limit = request.limit
    for word in wanted:
        if not full_text.WORD.search(word):
            raise Refusal(f"{word!r} holds no word to search for")
    for text in (*wanted, tool, file):
        if text is not None and not text.isascii() and text != text.encode("utf-8", "replace").decode():
            raise Refusal(f"{text!r} is not UTF-8, which is what sessions are written in")
    if not wanted and tool is None and file is None:
        raise Refusal("say what to search for: words, --tool or --file", Code.WRONG_USE)
    if role is not None and role not in full_text.ROLES:
        raise Refusal(f"role is {', '.join(full_text.ROLES)}, not {role!r}")
    if project is not None and not is_project(project):
        raise Refusal(f"--project: {project} is no folder")
    here = listing.folders_here() if project is None else listing.folders_of(Path(project))
    folders = list(dict.fromkeys([*here, *(project_folders() if project is None else ())]))
    query = full_text.Query(wanted, role, tool, file, None if request.since is None else _since(request.since, request.now))
    found = _found(folders, query, limit + 1, progress)
    opened: _Opened = {}
    hits = [_hit(number, each, wanted, opened) for number, each in enumerate(found[:limit], 1)]
    titles = listing.titles({session_of_agent(Path(hit.file)) for hit in hits})
    for hit in hits:
        hit.title = titles.get(session_of_agent(Path(hit.file))) or None
    return Hits(words=list(wanted), hits=hits, more=len(found) > limit)


def _found(
    folders: Sequence[Path], query: full_text.Query, limit: int, progress: Callable[[str], Progress] | None
) -> list[full_text.Found]:
    for in_memory in (False, True):
        try:
            with catalog.somewhere(patience=PATIENCE, in_memory=in_memory) as connection:
                full_text.refresh(connection, folders, progress and progress("reading sessions"))
                return full_text.find(connection, folders, query, limit)
        except sqlite3.Error as error:  # odd, held by another process, or not to be written: it is done without
            if in_memory:
                raise Refusal(f"cannot search: {error}") from error
    raise AssertionError


def _since(text: str, now: datetime | None) -> str:
    age, now = _AGE.fullmatch(text), now or datetime.now(UTC)
    try:
        ago = None if age is None else timedelta(**{UNITS[age[2]]: int(age[1])})
        found = datetime.fromisoformat(text) if ago is None else now - ago
        return full_text.utc(found)
    except (ValueError, OverflowError) as error:
        raise Refusal(f"--since needs a time in ISO 8601, or an age such as 90min, 12h, 7d or 2w, not {text!r}") from error


def _hit(number: int, found: full_text.Found, wanted: Sequence[str], opened: _Opened) -> Hit:
    before, text, after = around(_text(found), wanted)
    prompt, session, end = _where(found, opened)
    entry = None if session is None else _entry(session, found)
    return Hit(
        number=number,
        file=os.fspath(found.path),
        session=session_of_agent(found.path).stem,
        title=None,
        uuid=found.uuid if session is None or entry is None else session.place(entry).uuid,
        line=found.line,
        role=found.role,
        timestamp=found.time or None,
        before=before,
        text=text,
        after=after,
        prompt=prompt,
        point=None if session is None or end is None else session.place(end),
        command=[] if session is None or end is None else ["fork", session.name, "--at", session.short(end)],
    )


def _where(found: full_text.Found, opened: _Opened) -> tuple[int | None, Session | None, int | None]:
    """The number of the prompt whose turn an entry is in, its session, and where one can go on: at the end of the turn, or else
    at the last entry up to this one at which one can."""
    if session_of_agent(found.path) != found.path:
        return None, None, None  # what is forked is a session
    if found.path not in opened:
        opened[found.path] = None
        with contextlib.suppress(Refusal):
            session = read(found.path, ignore)
            opened[found.path] = session, turn_ends(session)
    known = opened[found.path]
    above = None if known is None else _entry(known[0], found)
    if known is None or above is None:
        return None, None, None
    session, ends = known
    outline = session.outline
    turn = outline.turns[above]
    aside = session.transcript.sidechains  # what a sub-agent said is no session's
    end = ends.get(turn)
    end = None if end is not None and aside[end] else end
    while end is None and above >= 0:
        end = above if outline.resumable[above] and not aside[above] else None
        above = session.log.spine.parent[above]
    return outline.prompts.index(turn) + 1 if turn >= 0 else None, session, end


def _entry(session: Session, found: full_text.Found) -> int | None:
    """The entry of a hit; of a row about the queue the one behind which the prompt stands."""
    if found.uuid in session.log:
        return session.log.position(found.uuid)
    joined = (one for several in session.outline.joined.values() for _, one in several)
    return next((one.position for one in joined if one.line == found.line), None)


def _text(found: full_text.Found) -> str:
    """What the line of a hit says; nothing where it is not what it was."""
    try:
        with open(found.path, "rb") as file:
            file.seek(found.first)
            says = full_text.says(file.read(found.last - found.first), {})
    except OSError:
        return ""
    return next((piece.text for piece in says[2] if piece.role == found.role), "") if says is not None else ""


def around(text: str, wanted: Sequence[str]) -> tuple[str, str, str]:
    """A stretch of a text on one line, around the first of what was searched for; around its start where nothing of it stands
    there as it was written. O(length)."""
    text = unicodedata.normalize("NFC", " ".join(text.split()))
    there = [(_folded(word[0]), word.start(), word.end()) for word in full_text.WORD.finditer(text)]
    places = [place for each in wanted if (place := _first(there, each)) is not None]
    start, end = min(places, default=(0, 0))
    return text[max(0, start - AROUND) : start], text[start:end], text[end : end + AROUND]


def _first(there: Sequence[tuple[str, int, int]], wanted: str) -> tuple[int, int] | None:
    """Where a word or a phrase stands first, from and up to; None where it does not. O(words)."""
    parts = [_folded(word) for word in full_text.WORD.findall(unicodedata.normalize("NFC", wanted))]
    star = wanted.endswith("*")
    for at in range(len(there) - len(parts) + 1):
        if all(word == there[at + step][0] for step, word in enumerate(parts[:-1])):
            last, _, end = there[at + len(parts) - 1]
            if last == parts[-1] or (star and last.startswith(parts[-1])):
                return there[at][1], end
    return None


def _folded(word: str) -> str:
    """A word without letter case and accents, as the search takes it."""
    if word.isascii():
        return word.lower()
    plain = unicodedata.normalize("NFD", word.casefold())
    return unicodedata.normalize("NFC", "".join(letter for letter in plain if not unicodedata.combining(letter)))


def fork(found: Hits, number: int, request: NewSession) -> Forked:
    """Forks at the point of a hit. Refuses a number that no hit has, and a hit at which nobody can go on."""
    if not 1 <= number <= len(found.hits):
        raise Refusal(f"there is no hit {number}: the search found {len(found.hits)}")
    hit = found.hits[number - 1]
    if hit.point is None:
        why = "it stands in a sub-agent's file, which `forkpoint promote` makes a session of"
        if session_of_agent(Path(hit.file)) == Path(hit.file):
            why = "no entry up to it can be resumed; `forkpoint points` lists those that can"
        raise Refusal(f"nobody can go on at hit {number}: {why}", Code.ILLEGAL, file=hit.file, line=hit.line)
    return forking.fork(read(hit.file), ForkRequest(point=ForkPoint(at=hit.point.uuid), **new_session(request)))


def kept() -> Catalogued:
    """What is kept of sessions, so that they need not be read again."""
    size, (listed, parsed, searched) = catalog.sizes()
    return Catalogued(file=os.fspath(catalog.place()), bytes=size, listed=listed, parsed=parsed, searched=searched)


def drop() -> Catalogued:
    """Removes what is kept of sessions; it comes again as sessions are read."""
    was = kept()
    was.dropped = catalog.drop()
    return was
