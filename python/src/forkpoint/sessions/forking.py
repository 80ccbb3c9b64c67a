"""Forking a session on disk: where the fork lands, what it is called, what goes along, and the writing of it all.

The files that go along are written and named first, the session file last: its name is the commit.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
import uuid as uuids
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from forkpoint import runtime_checks
from forkpoint.clients.claude import certificate, programs
from forkpoint.clients.claude.certificate import PARENT, Hangs, Original, Request
from forkpoint.clients.claude.certificate.asked import Asked, Stated
from forkpoint.clients.claude.certificate.beside import Places
from forkpoint.clients.claude.keys import AGENT_ID, CUSTOM_TITLE, LEAF, WORKTREE_SESSION
from forkpoint.clients.claude.lines import REMINDER_KEYS, SESSION_KEY, SIDE, SLUG, SUMMARY_LINE, TITLES, WORKTREE
from forkpoint.clients.claude.places import SESSION_ID, SUFFIX
from forkpoint.clients.claude.schemas import Schemas
from forkpoint.clients.claude.words import no_error
from forkpoint.clients.claude.written import stamp
from forkpoint.clients.jsontext import dump
from forkpoint.core import rendering
from forkpoint.core.entries import Id, Log
from forkpoint.disk import files
from forkpoint.disk.state import make_folders
from forkpoint.requests import FULL, NewSession
from forkpoint.sessions import companions, plans, projects
from forkpoint.sessions.companions import Companion
from forkpoint.transcript.format import reader
from forkpoint.transcript.format.below import below_positions, kept
from forkpoint.transcript.format.compaction import preserved
from forkpoint.transcript.format.marker import Marker
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.format.titles import is_own
from forkpoint.transcript.query import sent, witness
from forkpoint.transcript.query.merges import Behind, left_behind
from forkpoint.transcript.query.prompts import prompt_words
from forkpoint.transcript.write import fork
from forkpoint.transcript.write.fork import Plan
from forkpoint.words import as_is

if TYPE_CHECKING:
    from forkpoint.core.stores import Session

TITLE_LENGTH: Final = 200
PROMPT_LENGTH: Final = 60
"""How much of a prompt makes a title."""
UNTITLED: Final = "session"
FORK: Final = "fork"
BRANCH: Final = "Branch"
"""The word behind the title of a copy without a name of its own: ours, and the one of the client's ``/branch``."""
_NUMBERED: Final = {FORK: re.compile(r" \(fork(?: \d+)?\)$"), BRANCH: re.compile(r" \(Branch(?: \d+)?\)$")}
EDITED: Final = frozenset({SIDE, AGENT_ID})
"""The keys that a line has otherwise whose sub-agent was promoted; its parent, too, where it goes on from a session."""
NAMED: Final = (SLUG, *REMINDER_KEYS)
"""The keys of entries that hold the name of a plan."""
PIECE: Final = 1 << 20
"""So much of a file is looked at at once."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A fork that is ready to be written. ``path`` is None when its bytes go elsewhere; then nothing goes along."""

    plan: Plan
    point: str
    """The entry at which it was asked for."""
    upto: str
    """The last entry that may be kept: the point, or the last of the file where a client goes on at the point."""
    path: Path | None
    name: str
    companions: Sequence[Companion]
    folder: str | None = None
    """The working folder that was asked for."""
    origins: Sequence[Transcript] = ()
    """The files that the source was made of, where it is held in memory."""
    edited: frozenset[str] = frozenset()
    """The keys whose values it has otherwise."""
    seen_from: str | None = None
    """The entry from which it is seen, where records leave something out."""
    filled: Schemas | None = None
    """The schemas by which its entries got keys, where they did."""
    full: bool = False
    """Whether the plain reader reads those files however large they are."""
    behind: Sequence[Behind] = ()
    """The branches that were merged into what is kept, and are not kept themselves."""
    told: Mapping[str, str] = field(default_factory=dict)
    """What else its marker says, as it was given."""
    untold: int | None = None
    """The first line whose title may tell of what records leave out."""
    begun: int = 0
    """When it was begun, in nanoseconds of the system's clock."""

    @property
    def session(self) -> str:
        """The fork's session id."""
        return self.plan.session

    def request(self, asked: Asked | None = None, stated: Stated | None = None) -> Request:
        """What the file must hold, for its certificate: what was asked for, and what the answer says of it, go before what stands
        here."""
        plan, transcript = self.plan, self.plan.transcript
        uuids, span = transcript.log.spine.uuids, transcript.span

        def run(turn: int) -> tuple[int, bytes]:
            first = span(plan.lines[turn])
            end, behind = first.end, turn + 1
            while behind < len(plan.lines) and end - first.start < PIECE:
                following = span(plan.lines[behind])
                if following.start != end + 1:
                    break
                end, behind = following.end, behind + 1
            return behind - turn, transcript.source.read(first.start, end)

        return Request(
            session=plan.session if stated is None else stated.session,
            source=plan.source,
            point=self.point if stated is None else stated.point,
            upto=self.upto,
            entries=[str(uuids[position]) for position in plan.lines],
            line=lambda turn: transcript.line(span(plan.lines[turn])),
            run=run,
            sidecars=lambda: beside(transcript),
            title=self.name if stated is None else stated.title,
            restamped=plan.restamped if stated is None else stated.restamped,
            plan=None if plan.naming is None else (plan.naming.was, plan.naming.now),
            marker=self._marker(asked),
            hangs=lambda: hangs(transcript),
            original=self._original(),
            asked=asked,
            stated=stated,
        )

    def _marker(self, asked: Asked | None) -> Mapping[str, str] | None:
        """What the marker must say because it was given; None where there must be none."""
        if asked is None:
            return self.told if self.plan.opening else None
        said = {**self.told, **asked.told}
        return {key: value for key, value in said.items() if value is not None} if asked.marker else None

    def _original(self) -> Original:
        """The file that the fork is made of, as it stands, and what its reader took for the kept entries."""
        transcript, positions = self.plan.transcript, self.plan.positions
        origins = self.origins or (transcript,)
        as_read = not self.origins and not transcript.violations
        return Original(
            data=lambda: b"\n".join(one.source.read(0, one.size) for one in origins),
            size=sum(one.size for one in origins),
            full=self.full,
            required=None if self.filled is None else self.filled.required,
            edited=self.edited,
            entries=(lambda: (transcript.log[position] for position in positions)) if as_read else None,
            hangs=lambda: (hangs(one) for one in origins if not one.violations),
        )

    def write(self, asked: Asked | None = None, stated: Stated | None = None) -> None:
        """Writes the fork: what goes along, then the session file. ``asked`` and ``stated`` as :meth:`request` has them.

        Raises :class:`FileExistsError` when something has one of the names, or another :class:`OSError`, or
        :class:`~forkpoint.BrokenPromise` when the file is not what was asked for; then nothing of the fork is there.
        """
        if self.path is None:
            raise ValueError("the draft has no place")
        with folder_of(self.path), files.stage(self.path) as stage:
            stage.write(files.FILE, self.plan.pieces())
            certificate.check(stage.folder / files.FILE, self.request(asked, stated))
            self._promise(stage.folder / files.FILE)
            if self.seen_from is not None and (self.full or self.origins[0].size <= certificate.SMALL):
                self._is_the_export(stage.folder / files.FILE, self.seen_from)
            companions.write(stage, self.companions, self.path, self.working_folder())
            certificate.stands_beside(stage.folder / files.FILE, self.places)
            stage.commit()

    @property
    def places(self) -> Places:
        """Where files stand that belong to the source and to the fork."""
        if self.path is None:
            raise ValueError("the draft has no place")
        source, folder = self.plan.transcript.path, self.path.parent
        own = projects.own_folder(self.path)
        other = self.folder is not None and folder.resolve() != source.parent.resolve()
        return Places(
            own=None if own == self.path else (projects.own_folder(source), own),
            project=(source.parent, folder) if other else None,
            history=companions.backups(source, self.path),
            since=self.begun,
        )

    def _promise(self, staged: Path) -> None:
        """Asks what chapter 14 promises of the session that stands in the file: it is the fork of the one that it was made of,
        but for the name of the plan. Of small sessions, in full only: it reads both."""
        transcript, uuid = self.plan.transcript, self.plan.uuid
        if runtime_checks.LEVEL == runtime_checks.FULL and len(transcript.log) <= runtime_checks.SMALL:
            from forkpoint.core import stores
            from forkpoint.transcript.query.overlays import BadRecord
            from forkpoint.transcript.query.state import state

            with contextlib.suppress(BadRecord):
                source, made = self._named(state(transcript, uuid)), _beside_below(reader.read(staged), uuid, state)
                runtime_checks.ask(stores.fork_session, (source, uuid), lambda: made, dear=True)

    def _named(self, source: Session) -> Session:
        """The session that it was made of, stamped (P5.17) with what the name of its plan is here."""
        from forkpoint.core import stores

        naming, transcript = self.plan.naming, self.plan.transcript
        if naming is None:
            return source
        stamps = dict[Id, Mapping[str, object]]()
        for position in self.plan.positions:
            line = transcript.line(transcript.span(position))
            if (named := naming.entry(line)) != line:
                (entry,) = reader.parse(named + b"\n", transcript.path).log
                stamps[transcript.log.spine.uuids[position]] = {key: entry.fields[key] for key in NAMED if key in entry.fields}
        return source._replace(log=stores.stamp_log(source.log, stamps))

    def _is_the_export(self, staged: Path, uuid: Id) -> None:
        """Holds the file against chapter 14's export of the session from which it was made: the same entries, each below the same
        parent, and the same head (P5.13). What showed the session has no part in this. Near-linear; reads the file."""
        from forkpoint.core import stores
        from forkpoint.transcript.query.state import bare_state

        origin = self.origins[0]
        session = bare_state(origin, uuid)
        if origin.violations or not stores.enabled(stores.Store({"session": session}), stores.DoExport("session", uuid, "made")):
            return  # the file is no log as chapter 14 has it
        wanted, made = stores.export_session(session, uuid), _beside_below(reader.read(staged), self.plan.uuid, bare_state)
        bare = [entry._replace(fields={}) for entry in wanted.log]  # a stub comes with its keys
        if bare != list(made.log) or wanted.head != made.head:
            raise runtime_checks.BrokenPromise(
                "what was written is not what was asked for: it is not the export of the session by P5.13; nothing was left there"
            )

    def working_folder(self) -> str | None:
        """The working folder in whose project folder the fork stands: the one asked for, the one that the first or the last
        kept entry names, or the current one; None when it is none of these, or when no client takes the file's name for a
        session's."""
        if self.path is None or not SESSION_ID.fullmatch(self.path.stem) or self.path.suffix != SUFFIX:
            return None
        if self.folder is not None:
            return self.folder
        if not self._in_projects():
            return None
        transcript, positions = self.plan.transcript, self.plan.positions
        said = [transcript.keys(transcript.span(position)).get("cwd") for position in (positions[0], positions[-1])]
        return projects.working_folder(self.path, said)

    def _in_projects(self) -> bool:
        return self.path is not None and in_projects(self.path)


def hangs(transcript: Transcript) -> Hangs:
    """How the entries of a transcript hang together, and what its boundaries preserve, as its reader has it."""
    spine, numbers = transcript.log.spine, transcript.numbers
    opens, joins = spine.opens.__getitem__, spine.joiners.__getitem__

    def line(position: int) -> bytes:
        return transcript.line(transcript.span(position))

    blocks = spine.blocks.__getitem__
    kept_again = preserved(transcript)
    return Hangs(
        spine.uuids,
        spine.parent,
        opens,
        joins,
        spine.at,
        kept_again,
        numbers,
        transcript.kinds,
        line,
        blocks,
        lambda: transcript.versions,
        bool(transcript.damage),
    )


def beside(transcript: Transcript) -> Iterator[tuple[int, bytes]]:
    """The lines of a transcript that hold no entry, each with its number."""
    return ((sidecar.span.number, transcript.line(sidecar.span)) for sidecar in transcript.sidecars)


@dataclass(frozen=True, slots=True)
class MadeOf:
    """What an operation says of a new session beside the request: of what it is made, and what stands in its marker for it."""

    word: str = FORK
    """What stands behind the title of a session without a name, as :func:`free_name` takes it."""
    files: Sequence[Transcript] = ()
    """The files that the transcript was made of, where it is held in memory."""
    filled: Schemas | None = None
    """The schemas by which its entries got keys."""
    seen_from: str | None = None
    record: str | None = None
    promoted: str | None = None
    agent: str | None = None
    """The id of the sub-agent whose conversation becomes the session."""
    untold: int | None = None
    """The first line of what records leave out: a title that was given behind it may tell of that."""
    goes_on: bool | None = None
    """Whether a client goes on at the position, where the records at the head are taken out of the transcript."""


NOTHING: Final = MadeOf()
"""That the session is made of the transcript as it stands."""
PLAIN: Final = NewSession()
"""A new session of which nothing is asked."""


def draft(transcript: Transcript, position: int, request: NewSession = PLAIN, origin: MadeOf = NOTHING) -> Draft:
    """A fork of a transcript at a position of its log. Nothing is written.

    The request says where it lands and what it is called. Its id is that of the file's name when that is one, else a fresh one;
    its title is by default that of the source and "(fork)". ``restamp`` as in :func:`forkpoint.transcript.write.fork.plan`.
    Whether the point may be forked is for the caller to ask. Raises :class:`ValueError` when the file and ``session_id`` name two
    ids.
    """
    out, cwd, session = request.out, request.cwd, request.session_id
    home = cwd or (left(transcript) if out is None else None)
    path = None if out == "-" else destination(transcript.path, session, out, home)
    stem = path.stem if path is not None and SESSION_ID.fullmatch(path.stem) else None
    if session is not None and stem is not None and session != stem:
        raise ValueError(f"the file is named for the session {stem}, not for {session}")
    source = source_id(transcript, position)
    own = session or stem or _new_id(source)
    uuid = transcript.log.spine.uuids[position]
    upto = sent.upto(transcript, position, origin.goes_on)
    found_there = kept(transcript, uuid, upto)
    _promise(transcript, uuid, found_there.conversation)
    positions = found_there.positions
    last = str(transcript.log.spine.uuids[max(positions, default=position)])
    title = None if request.name is None else " ".join(request.name.split())
    if title is None:
        base = session_title(transcript, positions, origin.untold)
        title = free_name(base, None if path is None else path.parent, origin.word)
    begun = time.time_ns()
    if path is not None:
        files.sweep(path.parent)  # first: what a killed writer had named goes, and is no companion or plan that is there already
    said_folder = transcript.keys(transcript.span(positions[-1])).get("cwd")
    there = said_folder if isinstance(said_folder, str) and os.path.isabs(said_folder) and "\0" not in said_folder else None
    naming = plans.naming(transcript, positions, own, there, origin.agent)
    created, filled = stamp(request.now or datetime.now(UTC)), origin.filled

    def mark(positions: Sequence[int], sidecars: int) -> Marker:
        return Marker(
            session=own,
            source=source,
            point=str(uuid),
            created=created,
            actor=request.actor or None,
            governance=request.governance or None,
            note=request.note,
            seen_from=origin.seen_from,
            record=origin.record,
            promoted=origin.promoted,
            upto=None if last == str(uuid) else last,
            filled=None if filled is None else filled.version,
            plan=None if naming is None else naming.shape(),
            witness=witness.of(transcript, positions, change=None if naming is None else naming.entry).shape(),
            kept={"entries": len(positions), "sidecars": sidecars},
        )

    plan = fork.plan(
        transcript,
        position,
        session=own,
        source=source,
        name=title,
        restamp=request.restamp,
        marker=mark if request.marker else None,
        kept=positions,
        naming=naming,
    )
    found = companions.companions(plan, path, beside=home is not None, cwd=there) if path is not None else []
    behind = left_behind(transcript, plan.positions)
    origins, edited = origin.files, frozenset[str]()
    if origins and filled is None:
        edited = frozenset({PARENT}) if origin.promoted is None else EDITED
        edited |= {PARENT} if len(origins) > 1 else frozenset()
    folder = None if home is None else os.path.realpath(home)
    point = str(uuid)
    seen_from = origin.seen_from if origins else None
    return Draft(
        plan,
        point,
        str(upto),
        path,
        title,
        found,
        folder,
        origins=origins,
        edited=edited,
        filled=filled,
        seen_from=seen_from,
        full=request.certify == FULL,
        behind=behind,
        told=_told(request, origin, created),
        untold=origin.untold,
        begun=begun,
    )


def _told(request: NewSession, origin: MadeOf, created: str) -> dict[str, str]:
    """What a marker says because it was given, by its keys."""
    filled = origin.filled
    given = {
        "created": created,
        "actor": request.actor or None,
        "governance": request.governance or None,
        "note": request.note,
        "seenFrom": origin.seen_from,
        "record": origin.record,
        "promoted": origin.promoted,
        "filled": None if filled is None else filled.version,
    }
    return {key: said for key, said in given.items() if said is not None}


def _promise(transcript: Transcript, uuid: Id, positions: Sequence[int]) -> None:
    """Asks what chapter 10 promises of a fork of the conversation: exactly that, each entry unchanged, the point last."""
    log = transcript.log
    chosen = runtime_checks.Chosen(log, positions)
    runtime_checks.ask(
        rendering.fork_kept,
        (log, preserved(transcript), uuid),
        lambda: chosen if len(chosen) > runtime_checks.SMALL else Log(chosen),
    )


def _beside_below(transcript: Transcript, uuid: Id, state: Callable[[Transcript, Id], Session]) -> Session:
    """The session that a file is, without what hangs below the conversation at an entry, which chapters 10 and 14 do not know."""
    from forkpoint.core import stores

    found, aside = state(transcript, uuid), {*below_positions(transcript, uuid, transcript.log.spine.uuids[-1])}
    if not aside:
        return found
    return stores.part_of(found, Log(entry for position, entry in enumerate(found.log) if position not in aside), uuid)


def destination(
    source: Path, session: str | None, out: str | os.PathLike[str] | None, cwd: str | os.PathLike[str] | None
) -> Path:
    """Where a fork lands; see :func:`draft`."""
    if out is not None:
        return Path(out)
    own = f"{session or uuids.uuid4()}{SUFFIX}"
    if cwd is not None:
        return projects.project_folder(cwd) / own
    return source.parent / own if in_projects(source) else Path(own)


def left(transcript: Transcript) -> str | None:
    """The folder that a session left for a worktree of its own, in whose project folder it stands now: a fork goes back there,
    or it would work in its original's worktree. None where it left none, or that is gone."""
    if not any(aside.type == WORKTREE for aside in transcript.sidecars) or not in_projects(transcript.path):
        return None
    for aside in reversed(transcript.sidecars):
        says = transcript.keys(aside.span).get(WORKTREE_SESSION) if aside.type == WORKTREE else None
        folder, tree = (says.get("originalCwd"), says.get("worktreePath")) if isinstance(says, dict) else (None, None)
        if isinstance(folder, str) and isinstance(tree, str) and os.path.isabs(folder) and "\0" not in folder + tree:
            stands = projects.project_folder(tree).name == transcript.path.absolute().parent.name
            return folder if stands and os.path.isdir(folder) else None
    return None


def _new_id(source: str) -> str:
    """A fresh session id. A client calls a team by the first 8 digits of one, so they are others than the source's."""
    while (made := str(uuids.uuid4()))[:8] == source[:8]:
        pass
    return made


def in_projects(session: Path) -> bool:
    """Whether a file stands where a client looks for sessions."""
    return session.parent.resolve().parent == projects.projects_dir().resolve()


def source_id(transcript: Transcript, position: int) -> str:
    """The id of the session that a file is: that of its name, or else the one that the entry at a position says."""
    stem = transcript.path.stem
    if SESSION_ID.fullmatch(stem):
        return stem
    said = transcript.keys(transcript.span(position)).get(SESSION_KEY)
    return said if isinstance(said, str) else stem


def session_title(
    transcript: Transcript, kept: Sequence[int], untold: int | None = None, shown: Callable[[str], str] = as_is
) -> str:
    """What a session is called as far as the entries at some positions justify it: its last custom or generated title, or its
    name, that was given behind one of them and no other; the last summary of one of them; or how the first prompt of them begins.
    The same order as in the list of sessions. What was given at the line ``untold`` or behind it may tell of what is left out,
    and counts for nothing. The text that it is cut from is taken as ``shown`` gives it."""
    every, inside = fork.rows(transcript), set(kept)

    def justified(line: int) -> bool:
        if untold is not None and line >= untold:
            return False
        before = every.before(line)
        return before is None or before in inside

    for kind, key in TITLES.items():
        named = (each for each in reversed(transcript.sidecars) if each.type == kind and is_own(transcript, each))
        span = next((sidecar.span for sidecar in named if justified(sidecar.span.number)), None)
        title = transcript.keys(span).get(key) if span is not None else None
        if isinstance(title, str) and no_error(title).strip():
            return _one_line(shown(title))
    for sidecar in reversed(transcript.sidecars):
        if sidecar.type == SUMMARY_LINE and (untold is None or sidecar.span.number < untold):
            says = transcript.keys(sidecar.span)
            leaf, text = says.get(LEAF), says.get("summary")
            of_kept = isinstance(leaf, str) and leaf in transcript.log and transcript.log.position(leaf) in inside
            if of_kept and isinstance(text, str) and no_error(text).strip():
                return _one_line(shown(no_error(text)))
    words = (prompt_words(transcript, transcript.nodes[position]) for position in kept)
    title = _one_line(shown(next((text for text in words if text), ""))) or UNTITLED
    return title if len(title) <= PROMPT_LENGTH else title[:PROMPT_LENGTH].rstrip() + "…"


def free_name(title: str, folder: Path | None, word: str = FORK) -> str:
    """``TITLE (fork)``, or ``TITLE (fork 2)`` and so on: the first that no session in the folder has as a title. ``word`` is what
    stands in the parentheses: :data:`FORK` or :data:`BRANCH`."""
    base = _NUMBERED[word].sub("", title)
    taken = set(_titles(folder, base)) if folder is not None else set()
    number = 1
    while (name := f"{base} ({word})" if number == 1 else f"{base} ({word} {number})") in taken:
        number += 1
    return name


def _titles(folder: Path, base: str) -> Iterator[str]:
    """The titles of the sessions in a folder that begin with a text, found by their bytes as clients and forks write them."""
    start = dump({CUSTOM_TITLE: base})[1:-2]
    pattern = re.compile(re.escape(start) + rb'(?: \((?:fork|Branch)(?: \d{1,20})?\))"')
    most = len(start) + 32
    for session in projects.session_files(folder):
        with contextlib.suppress(OSError), files.open_regular(Path(session.path)) as file:  # which may be gone by now
            before = b""
            while piece := file.read(PIECE):
                here = before + piece
                for match in pattern.finditer(here):
                    yield base + match[0][len(start) : -1].decode()
                before = here[-most:]


def _one_line(text: str) -> str:
    return " ".join(text[: 4 * TITLE_LENGTH].split())[:TITLE_LENGTH]


def resume_command(made: Draft) -> str | None:
    """The command that resumes a fork, as a shell reads it; None when no client finds it where it is."""
    folder = made.working_folder()
    return None if folder is None else programs.shell(programs.resume(made.session), folder)


@contextlib.contextmanager
def folder_of(path: Path) -> Iterator[None]:
    """The folder of a new session, made where clients look for sessions and there is none, and removed where the block fails."""
    made = make_folders(path.parent) if in_projects(path) else []
    try:
        yield
    except BaseException:
        for folder in made:
            with contextlib.suppress(OSError):  # somebody has put something there
                folder.rmdir()
        raise
