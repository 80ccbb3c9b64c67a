"""A session: a transcript and what is known of it, each part computed once, when it is first asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from forkpoint.answers.base import Place, Refused
from forkpoint.answers.refusals import Code, Refusal, accessing, translating
from forkpoint.clients.claude.others import HEAD, MOST, client_of
from forkpoint.clients.claude.places import HERE
from forkpoint.clients.codec import parse_version
from forkpoint.disk.files import can_be, open_regular
from forkpoint.ops import cached
from forkpoint.requests import ForkPoint
from forkpoint.sessions import catalog
from forkpoint.sessions.projects import project_folder
from forkpoint.transcript.format import commands
from forkpoint.transcript.format.reader import Transcript
from forkpoint.words import count

if TYPE_CHECKING:  # each is loaded when it is needed
    from forkpoint.core.entries import Log, Version
    from forkpoint.transcript.query import select
    from forkpoint.transcript.query.head import Head
    from forkpoint.transcript.query.outline import Outline
    from forkpoint.transcript.query.overlays import BadRecord, Shown

Progress = Callable[[int, int], object]
"""Is told how many bytes were read, and of how many."""
Tell = Callable[[str], None]
"""Takes a line that is to be said on the way, as a note to a person."""


def ignore(text: str) -> None:
    """Tells nobody."""
    del text


class Session:
    """A transcript, and what is known of it.

    ``tell`` takes what is to be said on the way, such as that the file changed while it was read. What stands in the file is what
    it was when it was read: an operation that appends to it leaves the session as it is then.
    """

    def __init__(self, transcript: Transcript, tell: Tell = ignore) -> None:
        self.transcript = transcript
        self.tell = tell
        self.unwritten: Mapping[str, str] = {}
        """The lines of records that stand in no file, by uuid, where the session is looked at as it will be with them."""

    def __repr__(self) -> str:
        size = len(self.transcript.log)
        return f"<Session {self.file}: {size} {'entry' if size == 1 else 'entries'}>"

    def anew(self) -> Session | None:
        """The session, read without what was kept of its file from last time, which is forgotten; None where nothing was."""
        if not self.transcript.recalled:
            return None
        catalog.forget(self.path)
        return read(self.path, self.tell)

    @property
    def path(self) -> Path:
        """The file."""
        return self.transcript.path

    @property
    def file(self) -> str:
        """The file's name, as it was given."""
        return os.fspath(self.transcript.path)

    @property
    def id(self) -> str | None:
        """The session's id: that of the file's name, or of its marker, which a fork has under any name, or else the one that its
        first entry says; None where that is none."""
        from forkpoint.clients.claude.places import SESSION_ID
        from forkpoint.sessions.forking import source_id
        from forkpoint.transcript.format.marker import find_marker

        if SESSION_ID.fullmatch(self.path.stem):
            return self.path.stem.lower()
        marker = find_marker(self.transcript)
        said = marker.session if marker is not None else source_id(self.transcript, 0) if len(self.log) else ""
        return said.lower() if SESSION_ID.fullmatch(said) else None

    @property
    def log(self) -> Log:
        """The entries, in canonical order."""
        return self.transcript.log

    @cached_property
    def outline(self) -> Outline:
        """Prompts, forks, tips, and where it can be forked."""
        from forkpoint.transcript.query.outline import Outline

        return Outline(self.transcript)

    @cached_property
    def head(self) -> Head:
        """Where a client goes on."""
        from forkpoint.transcript.query.head import head

        return head(self.transcript)

    @cached_property
    def seen(self) -> Shown:
        """The session as it is seen from its head, by the records that count there; refuses where one no longer fits."""
        return self.seen_from(None)

    def seen_from(self, position: int | None) -> Shown:
        """The same from an entry. Near-linear."""
        from forkpoint.transcript.query import overlays

        try:
            shown = overlays.show(self.transcript, position)
        except overlays.BadRecord as error:
            raise bad_record(self, error) from error
        except ValueError as error:
            raise Refusal(error, file=self.file) from error
        self.tell_compacted(shown.at)
        return shown

    def tell_compacted(self, position: int) -> None:
        """Says when the conversation at an entry starts with a compaction before which records counted."""
        from forkpoint.transcript.query import overlays

        found = overlays.compacted(self.transcript, position)
        if found is not None:
            many = f"{count(found.records, 'record')} that left something out"
            why = "the client made its summary of all that stood there"
            self.tell(
                f"note: {self.file}:{found.line}: since the client's compaction there, {many} before it no longer counts: {why}"
            )

    @cached_property
    def name(self) -> str:
        """What a command takes for it, as short as can be: the beginning of its id, its id, or the path of its file."""
        from forkpoint.sessions.locate import called

        return called(self.path)

    def short(self, position: int) -> str:
        """As much of an entry's uuid as tells it from all others."""
        from forkpoint.transcript.query.abbreviations import abbreviation

        return self.place(position).uuid[: abbreviation(self.transcript, [position])]

    def place(self, position: int) -> Place:
        """An entry, as answers name it."""
        node = self.transcript.nodes[position]
        return Place(uuid=node.uuid, line=node.span.number)

    def line(self, position: int) -> int:
        """The number of an entry's line."""
        return self.transcript.span(position).number

    def find(self, point: str) -> int:
        """The entry that an expression names: a uuid or its beginning, a prompt's number, ``HEAD``, ``HEAD~3``. Refuses where
        there is none."""
        from forkpoint.transcript.query import select

        with translating(select.UnknownPoint, file=self.file):
            return select.resolve(self.transcript, point, self.outline)

    def with_records(self, point: str) -> str:
        """An expression; in the place of ``HEAD`` the uuid of the last record that hangs below it, if one does. Clients before
        2.1.121 take for the head what was said last, so that a fork there would lose what was recorded. O(entries)."""
        from forkpoint.transcript.query import overlays

        if point != "HEAD" or self.head.position is None:
            return point
        try:
            end = overlays.end_of_records(self.transcript, self.head.position)
        except overlays.BadRecord:
            return point  # an export of it says so
        return point if end == self.head.position else str(self.log.spine.uuids[end])

    def fork_point(self, point: str) -> int:
        """The entry at which a fork at a point goes on; refuses where there is none, and what cannot be taken."""
        from forkpoint.transcript.query import select

        try:
            return select.choose(self.transcript, self.outline, ForkPoint(at=self.with_records(point))).position
        except select.UnknownPoint as error:
            raise Refusal(error, file=self.file) from error
        except select.Refused as error:
            raise self.refused(error) from error

    def refused(self, error: select.Refused, file: str | None = None) -> Refusal:
        """The refusal of a place that cannot be taken."""
        line = None if error.asked is None else self.line(error.asked)
        refused = Refused(
            reason=error.reason,
            nearest=[self.place(position) for position in error.nearest],
            left_out=len(error.left_out),
            cure=error.cure,
        )
        return Refusal(error, Code.ILLEGAL, file=file or self.file, line=line, refused=refused)

    # ---- the file as it is now

    def become(self, transcript: Transcript) -> None:
        """Takes the session as it is now; what was known of it before is forgotten."""
        transcript.client, transcript.refs = self.transcript.client, self.transcript.refs
        self.transcript = transcript
        for known in ("outline", "head", "seen"):
            self.__dict__.pop(known, None)

    def read_again(self) -> Session:
        """The session as it is now."""
        found = read(self.path, self.tell)
        found.transcript.client = self.transcript.client
        return found


def open(  # noqa: A001  (as one opens a file)
    name: str | os.PathLike[str],
    *,
    client: Version | None = None,
    tell: Tell = ignore,
    warn: Tell | None = None,
    progress: Callable[[str], Progress] | None = None,
) -> Session:
    """The session that a path, a session id, the beginning of one, or a title names.

    ``client`` is the version of the client that is to resume it, whose rule says where HEAD is; without one, the newest that
    wrote into it. ``warn`` is told where later clients go on elsewhere. ``progress`` makes, from what is done, what is told how
    far the reading got. Refuses where there is no such session, or more than one, and where it cannot be read. O(bytes).
    """
    found = read(find(name), tell, progress)
    found.transcript.client = client
    if warn is not None:
        _warn(found, warn)
    return found


def opened(other: Session | str | os.PathLike[str]) -> Session:
    """Another session, by itself or by what names it."""
    return other if isinstance(other, Session) else open(other)


def find(name: str | os.PathLike[str]) -> str:
    """The file that a path, a session id, the beginning of one or a title names."""
    if name != HERE and os.path.lexists(name) and not os.path.isdir(name):
        return os.path.abspath(name) if os.path.normpath(name) == HERE else os.fspath(name)
    from forkpoint.sessions import locate  # only where no file has that name

    with translating(LookupError):
        return os.fspath(locate.locate(os.fspath(name)))


def is_project(folder: str) -> bool:
    """Whether a folder is one that sessions can be in: it is there, or it was a working folder, and its sessions are."""
    return os.path.isdir(folder) or (bool(folder) and "\0" not in folder and project_folder(folder).is_dir())


def read(path: str | os.PathLike[str], tell: Tell = ignore, progress: Callable[[str], Progress] | None = None) -> Session:
    """The session in a file. Refuses where it cannot be read. O(bytes)."""
    if os.fspath(path) and not can_be(os.fspath(path)):
        raise Refusal(f"no file has the name {os.fspath(path)!r}")
    with accessing("read", path):
        transcript = catalog.read(path, progress and progress(f"reading {os.fspath(path)}"))
    refuse_other(path, lambda most: transcript.source.read(0, min(transcript.size, most)))
    if transcript.changed:
        less = f": line {transcript.unfinished.line} is not whole yet and is left out" if transcript.unfinished else ""
        tell(f"{os.fspath(path)}: the session changed while it was read{less}; what was written meanwhile may be missing")
    return _with_refs(Session(transcript, tell))


def refuse_other(path: str | os.PathLike[str], read: Callable[[int], bytes]) -> None:
    """Refuses the session of another client, of which the reader would see no entry. ``read`` gives so many bytes of its
    beginning."""
    head = read(HEAD)
    if len(head) == HEAD and b"\n" not in head:
        head = read(MOST)
    other = client_of(head)
    if other is not None:
        why = f"this is a session of {other}, and forkpoint reads those of Claude Code"
        raise Refusal(why, file=path, cure="`forkpoint sessions` lists what there is")


def refuse_others_file(path: str | os.PathLike[str]) -> None:
    """The same of a file that nobody reads as a session; raises :class:`OSError`."""
    with open_regular(Path(path)) as file:

        def read(most: int) -> bytes:
            file.seek(0)
            return file.read(most)

        refuse_other(path, read)


def _with_refs(session: Session) -> Session:
    """The session, with the refs that people set in it."""

    def refs() -> Mapping[str, str]:
        from forkpoint.sessions import refs as stored  # few expressions name one

        return {name: ref.uuid for name, ref in stored.of(session.id).items()} if session.id is not None else {}

    session.transcript.refs = refs
    return session


def version(text: str, what: str) -> Version:
    """A client's version from its text; refuses one that is none, and names ``what`` it was given for."""
    found = parse_version(text)
    if len(found) != text.count(".") + 1:
        raise Refusal(f"{what} needs the version of a client, such as 2.1.330, not {text!r}")
    return found


def bad_record(session: Session, error: BadRecord) -> Refusal:
    """The refusal of a record that cannot be read, or no longer fits."""
    if error.uuid in session.unwritten:  # it can be read, and fits no longer
        cure = f"`{commands.command(session.transcript, 'undo', error.uuid, '--defer')}` takes it back"
        return Refusal(
            f"the deferred record {error.uuid} {error.why.split(';')[0]}", Code.UNHEALTHY, file=session.file, cure=cure
        )
    return Refusal(error, Code.UNHEALTHY, file=session.file, line=error.line)


def _warn(session: Session, warn: Tell) -> None:
    """Says where later clients go on."""
    if text := cached.answer(session.transcript, "elsewhere", str, lambda: _elsewhere(session)):
        warn(text)


def _elsewhere(session: Session) -> str:
    """Where later clients go on, if it is elsewhere."""
    from forkpoint.transcript.query.head import elsewhere

    differs = elsewhere(session.transcript)
    if differs is None:
        return ""
    other, again = differs
    here, there = (
        "nowhere" if found.position is None else f"at line {session.line(found.position)}" for found in (session.head, other)
    )
    later = ".".join(map(str, other.version))
    until = "on" if again is None else f"to before {'.'.join(map(str, again))}"
    text = f"{session.file}: the client that wrote it goes on {here}, clients from {later} {until} {there} ({other.why})"
    return f"{text}; --client {later} decides as they do"
