"""The files of a working folder as they were at a point of a session: listed, put into a worktree of their own, or put back."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shlex
import uuid as uuids
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from forkpoint.answers.files import BaseCommit, Doing, FilePut, Files, FilesPut, FileState
from forkpoint.answers.refusals import Code, Refusal, translating
from forkpoint.clients.claude.places import SESSION_ID, folder_name
from forkpoint.clients.claude.written import time_said
from forkpoint.disk.files import can_be, open_regular
from forkpoint.ops.session import Session
from forkpoint.sessions import git, projects, worktree_files
from forkpoint.sessions.companions import history_folder
from forkpoint.sessions.forking import in_projects
from forkpoint.sessions.git import EXECUTABLE, PLAIN, Blob, GitError, Repository, Saved
from forkpoint.transcript.format import commands, reader
from forkpoint.transcript.format.marker import find_marker
from forkpoint.transcript.query import checkpoints, file_edits, file_timeline
from forkpoint.transcript.query.file_edits import UNKNOWN, At, Content, Doings, Ran, Touch
from forkpoint.transcript.query.file_timeline import FileThen, Timeline

LARGEST: Final = 1 << 26
"""A file with more bytes is none that a client's tools edit."""
WRITTEN, DELETED, SAME, LEFT = "written", "deleted", "same", "left"
"""What became of a file: ``left`` says that it was not touched, and why."""


@dataclass(slots=True)
class Then:
    """The files at a point, and where they belong."""

    session: Session
    position: int
    folder: str
    """The working folder that the session names."""
    home: Home
    base: BaseCommit | None = None
    files: dict[str, FileThen] = field(default_factory=dict)
    """By the path in the repository."""
    outside: list[FileThen] = field(default_factory=list)
    """Those that are not in it."""
    known: dict[str, list[Content]] = field(default_factory=dict)
    """By path, all that the session knows to have stood there."""
    contradictions: list[str] = field(default_factory=list)
    submodules: list[str] = field(default_factory=list)
    since_commit: list[Ran] = field(default_factory=list)
    """The calls between the commit and the point that may have written files of which nobody knows."""
    since_point: list[Ran] = field(default_factory=list)
    """Those behind the point."""

    @property
    def repository(self) -> Repository | None:
        """The user's, where there is one that git may be asked in."""
        return self.home.repository

    def doubtful(self, *, in_place: bool) -> list[str]:
        """What cannot be known, a sentence each: of the files that are put back in place, or into a worktree."""
        said = [] if in_place or self.base is None or self.base.doubt is None else [self.base.doubt]
        for path, one in self.files.items():
            said += [f"{path}: {doubt}" for doubt in one.doubts]
        those = _ran([one for one in self.files.values() if one.content is not UNKNOWN])
        unseen = [one for one in (self.since_point if in_place else self.since_commit) if one not in those]
        if those:
            said.append(f"calls that may have written these files since they were known: {_named(those)}")
        if unseen:
            said.append(f"calls that may have written other files, which stay as they are: {_named(unseen)}")
        said += [f"{one.path}: it is outside the repository" for one in self.outside]
        if self.outside and not self.files and self.folder and not os.path.isdir(self.folder):
            said.append(f"the session worked in {self.folder}, which is not here; --repository DIR names the folder as it is now")
        return said + self.contradictions


SHOWN: Final = 20
"""So many calls are named in a sentence."""


def _named(ran: Sequence[Ran]) -> str:
    those = ", ".join(f"{one.what} ({one.where})" for one in ran[:SHOWN])
    return (
        f"{those} and {len(ran) - SHOWN} more (`forkpoint files FILE --at POINT --json` has all)" if len(ran) > SHOWN else those
    )


def at_point(session: Session, at: str = "HEAD", *, repository: str | None = None) -> Files:
    """The files that a session read whole or changed, as they were at a point, by its transcript, the client's checkpoints, and
    the commits that it names, in this order of trust; each is held against the others.

    ``repository`` is a folder that stands for the session's working folder where that has moved. Only reads. O(bytes of the
    session); near-linear in what its calls changed.
    """
    found = then(session, session.find(at), repository)
    if found.repository is None and found.home.folder:
        session.tell(f"note: without commits: {found.home.why}; {found.home.cure()}")
    return _listed(found)


def text(session: Session, path: str, at: str = "HEAD", *, repository: str | None = None) -> str:
    """The text of one file at a point; refuses where it is not known, or was not there. ``path`` is as :func:`at_point` lists
    it, or as the session names it."""
    found = then(session, session.find(at), repository)
    every = {**found.files, **{one.path: one for one in [*found.files.values(), *found.outside]}}
    one = every.get(path) or every.get(os.path.normpath(os.path.join(found.folder, path)))
    if one is None:
        cure = f"`{commands.command(session.transcript, 'files')}` lists those that it did"
        raise Refusal(f"the session neither read {path} whole nor changed it", file=session.file, cure=cure)
    if one.content is UNKNOWN:
        raise Refusal(f"{path} is not known there: {'; '.join(one.doubts)}", Code.ILLEGAL, file=session.file)
    if one.content is None:
        raise Refusal(f"there was no {path} there", Code.ILLEGAL, file=session.file)
    for doubt in one.doubts:
        session.tell(f"note: {path}: {doubt}")
    if one.ran:
        session.tell(f"note: {path}: may have been written by {one.ran[0].what} ({one.ran[0].where})")
    return one.content


def then(session: Session, position: int, repository: str | None = None) -> Then:
    """The files at an entry."""
    transcript = session.transcript
    own = file_edits.doings(transcript)
    stamp = session.transcript.keys(session.transcript.span(position)).get("timestamp")
    at: At = (session.line(position), 0)
    every = file_edits.with_agents(own, _agents(session), [(stamp, at[0])] if isinstance(stamp, str) else [])
    first = next((folder for _, folder in own.folders), "")
    folder = own.folders[bisect_right([when for when, _ in own.folders], at) - 1][1] if own.folders else ""
    place = _home(session, repository)
    home = place.repository
    found = Then(session, position, folder or first, place)
    touches = list(every.touches)
    touches += _checkpoints(session, first)
    lines = _Paths(home, first, repository)
    if home is not None:
        with refusing(session):
            touches = _brought(session, home, own, touches)
            touches += _restored(session, home, own)
            found.base = _base(home, every, at, _seconds(stamp) if isinstance(stamp, str) else None)
            touches += _commits(home, every, found.base, own, lines, {touch.path for touch in touches})
            if found.base is not None:
                found.submodules = home.submodules(found.base.commit)
    start = _since(found.base, every, own)
    found.since_commit = [one for one in every.ran if start < one.at <= at or (one.background and one.at <= at)]
    found.since_point = [one for one in every.ran if one.at > at or one.background]
    for path, line in file_timeline.timelines(touches, every.ran).items():
        _add(found, lines.inside(path), path, line, at)
    return found


class Home(NamedTuple):
    """Where the files of a session are: the repository in which git may be asked, or why there is none."""

    repository: Repository | None
    folder: str = ""
    """A folder that `--repository` could name; empty where none is known."""
    why: str = ""

    def cure(self) -> str:
        """How to go on where there is no repository."""
        if self.folder:
            return f"--repository {shlex.quote(self.folder)} has git asked there, which is for a repository that you trust"
        return "--repository DIR names the folder as it is here, and `git init` makes a repository"


def _home(session: Session, repository: str | None = None) -> Home:
    """The repository in which a session works: the one that the user names, or that of the current folder, with its worktrees.

    A transcript names folders, too, and whoever wrote it may have laid a repository there: git is not asked in it. Which one is
    meant is told by the folder for which the session's project stands, as a client finds it; of a file that is in no project, by
    the working folder that its first line names.
    """
    if repository is not None:
        if not os.path.isdir(repository):
            raise Refusal(f"--repository needs a folder, and {repository} is none")
        try:
            return Home(git.find(Path(repository)))
        except GitError as error:
            text = f"--repository needs a folder in a git repository, and {repository} is in none: {error}"
            raise Refusal(text) from error
    here, why = _here()
    try:
        place, known = _place(session, here), _worktrees(here)
    except GitError as error:
        return Home(None, why=str(error))
    if why or place is None:
        return Home(None, why=why)
    root = git.root_of(place)
    if root is None:
        return Home(None, why=f"{place} is in no git repository")
    if root not in known:
        return Home(None, place, f"{root} is not the repository of the current folder")
    return Home(known[root])


def _here() -> tuple[Repository | None, str]:
    """The repository of the current folder, or what keeps git from answering there."""
    try:
        return git.find(Path.cwd()), ""
    except git.NoRepository:
        return None, ""
    except (GitError, OSError) as error:
        return None, str(error)


def _worktrees(here: Repository | None) -> dict[Path, Repository]:
    """A repository and its other worktrees, by the folders of their files."""
    if here is None:
        return {}
    found = {Path(os.path.realpath(here.root)): here}
    for folder in here.worktrees():
        root = Path(os.path.realpath(folder))
        with contextlib.suppress(GitError):
            if root not in found and git.root_of(root) == root and (other := git.find(root)).shared() == here.shared():
                found[root] = other
    return found


def _place(session: Session, here: Repository | None) -> str | None:
    """The working folder of a session as it is here now; None where it is not known."""
    said = list(dict.fromkeys(folder for _, folder in file_edits.doings(session.transcript).folders if os.path.isdir(folder)))
    if not in_projects(session.path):
        return said[0] if said else None
    others = [os.getcwd(), *map(os.fspath, here.worktrees() if here is not None else ())]
    return next(
        (each for each in [*said, *others] if folder_name(each) == session.path.parent.name and os.path.isdir(each)), None
    )


def _brought(session: Session, home: Repository, own: Doings, touches: list[Touch]) -> list[Touch]:
    """What was done before a fork got a worktree of its own was done in another one of the repository: its files were brought
    along, and stand at the same place here."""
    marker = find_marker(session.transcript)
    if marker is None or marker.point not in session.log:
        return touches
    upto = session.line(session.log.position(marker.point))
    named = {git.root_of(folder) for when, folder in own.folders if when[0] <= upto and os.path.isdir(folder)}
    roots = [os.fspath(root) for root in _worktrees(home) if root in named and root != Path(os.path.realpath(home.root))]

    def here(path: str) -> str:
        real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        root = max((each for each in roots if real.startswith(each + "/")), key=len, default=None)
        return path if root is None else os.path.join(home.root, real[len(root) + 1 :])

    return [replace(one, path=here(one.path)) if one.at[0] <= upto else one for one in touches]


def _restored(session: Session, home: Repository, own: Doings) -> Iterator[Touch]:
    """What forkpoint itself put back in this work tree, for this session: at the line that names the operation, or by time."""
    named = {}
    for sidecar in session.transcript.sidecars:
        if sidecar.type == "last-prompt":
            says = session.transcript.keys(sidecar.span).get("forkpoint")
            if isinstance(says, dict) and isinstance(says.get("operation"), str):
                named[says["operation"]] = sidecar.span.number
    times = [(number, seconds) for stamp, number in own.times if (seconds := _seconds(stamp)) is not None]
    with refusing(session):
        for order, (operation, when) in enumerate(home.operations(), FIRST_RESTORE):
            try:
                saved = home.saved(operation)
            except GitError:
                continue  # it is none of forkpoint's
            if saved is None or saved.session != _name(session) or os.path.realpath(saved.root) != os.path.realpath(home.root):
                continue
            line = named.get(operation) or max((number for number, seconds in times if seconds <= when), default=0)
            for path, blob in saved.after.items():
                old = saved.before[path]
                before, after = (None if one is None else _text(one.data) for one in (old, blob))
                where = f"the restore {operation[:8]}"
                yield Touch((line, order), where, os.path.join(home.root, path), RESTORE, before, after)


RESTORE: Final = "restore"
"""The source of what forkpoint itself put back."""
FIRST_RESTORE: Final = 1 << 30
"""Restores come behind what sub-agents did there, in their own order."""


def _name(session: Session) -> str:
    """By what an operation names its session."""
    return session.id or session.path.stem


def _add(found: Then, inside: str | None, path: str, line: Timeline, at: At) -> None:
    """Adds one file, where it was changed at all: what was only read is as it was."""
    if not any(touch.writes for touch in line.touches):
        return
    found.contradictions += [f"{path}: {each}" for each in line.contradictions]
    if found.repository is None or inside is None:
        found.outside.append(line.then(path, at))
        return
    root = found.repository.root
    try:
        blob = worktree_files.read(root, inside)
        now = None if blob is None else _text(blob.data)
    except (worktree_files.NotPlain, OSError):
        now = UNKNOWN
    found.files[inside] = line.then(path, at, now)
    found.known[inside] = list(line.known)


class _Paths:
    """Where the paths that a session names are in a repository."""

    def __init__(self, home: Repository | None, folder: str, moved_to: str | None) -> None:
        self._root = None if home is None else os.path.realpath(home.root)
        moved = moved_to is not None and os.path.realpath(moved_to) != os.path.realpath(folder)
        self._from = folder if moved else None
        self._to = os.path.realpath(moved_to) if moved and moved_to is not None else None

    def inside(self, path: str) -> str | None:
        """The path in the repository; None where it is in none."""
        if self._root is None or not can_be(path):
            return None
        if self._from is not None and self._to is not None:
            if not path.startswith(self._from.rstrip("/") + "/"):
                return None
            path = self._to + path[len(self._from.rstrip("/")) :]
        folder, name = os.path.split(path)
        real = os.path.join(os.path.realpath(folder), name)
        if not real.startswith(self._root.rstrip("/") + "/"):
            return None
        within = real[len(self._root.rstrip("/")) + 1 :]
        return within if git.is_inside(within) else None


def _agents(session: Session) -> dict[str, Doings]:
    """What the sub-agents did that have files of their own."""
    found: dict[str, Doings] = {}
    for path in projects.own_agents(session.path):
        with contextlib.suppress(OSError, ValueError):
            found[path.stem] = file_edits.doings(reader.read(path))
    return found


def _checkpoints(session: Session, folder: str) -> Iterator[Touch]:
    """What the client's checkpoints hold, as far as their copies are there."""
    history = history_folder(session.path)
    copies: dict[str, Content] = {}
    for one in checkpoints.checkpoints(session.transcript, folder):
        content: Content = None
        if one.copy is not None:
            if history is None:
                continue
            if one.copy not in copies:
                copies[one.copy] = _copy(history / one.copy)
            content = copies[one.copy]
        if content is not UNKNOWN:
            yield Touch(one.at, one.where, one.path, file_timeline.CHECKPOINT, content, content)


def _copy(path: Path) -> Content:
    """The text of a copy; unknown where it is no file of its own, or larger than any that a client's tools edit."""
    try:
        if path.is_symlink():
            return UNKNOWN
        with open_regular(path) as file:
            data = file.read(LARGEST + 1)
    except OSError:
        return UNKNOWN
    return UNKNOWN if len(data) > LARGEST else _text(data)


def _text(data: bytes) -> Content:
    """The text of a file, as a client's tools read it."""
    try:
        return data.decode().replace("\r\n", "\n")
    except UnicodeDecodeError:
        return UNKNOWN


def _seconds(stamp: str) -> float | None:
    found = time_said(stamp)
    return None if found is None else found.timestamp()


def _base(home: Repository, every: Doings, at: At, when: float | None) -> BaseCommit | None:
    """The commit that was checked out at a moment: by the log of HEAD, else the last that the session made by then, else HEAD."""
    named = [(commit, home.commit(commit.hash)) for commit in every.commits if commit.at <= at]
    made = next(((commit, whole) for commit, whole in reversed(named) if whole is not None), None)
    log = home.reflog() if when is not None else []
    then_ = next((entry for entry in log if when is not None and entry.since < int(when)), None)
    if then_ is not None:
        doubt = None
        if any(newer.since < older.since for newer, older in pairwise(log)):
            doubt = "the times in the log of HEAD are out of order"
        if when is not None and any(entry.since == int(when) for entry in log):
            doubt = f"HEAD moved in the second of the point; {then_.commit[:12]} is what it was before"
        if made is not None and not home.is_above(made[1], then_.commit):
            doubt = f"{made[0].where} made the commit {made[1][:12]}, and HEAD was {then_.commit[:12]} by its log"
        return BaseCommit(commit=then_.commit, by="reflog", since=then_.since, doubt=doubt)
    if made is not None:
        return BaseCommit(commit=made[1], by="session", since=None, doubt=None)
    head = home.head()
    if head is None:
        return None
    doubt = "which commit was checked out then is not known; HEAD is taken"
    return BaseCommit(commit=head, by="head", since=None, doubt=doubt)


def _commits(
    home: Repository, every: Doings, base: BaseCommit | None, own: Doings, lines: _Paths, paths: Iterable[str]
) -> Iterator[Touch]:
    """What the commits hold that the session made, and the one that was checked out, of the files that it names."""
    inside = {within: path for path in paths if (within := lines.inside(path)) is not None}
    those: list[tuple[At, str, str]] = [(commit.at, commit.where, commit.hash) for commit in every.commits]
    if base is not None and base.since is not None and not any(base.commit.startswith(commit.hash) for commit in every.commits):
        those.append((_since(base, every, own), f"the commit {base.commit[:12]}", base.commit))
    filtered = home.filtered(inside)
    for at, where, commit in those:
        try:
            blobs = home.blobs(commit, [path for path in inside if path not in filtered])
        except GitError:
            continue  # a commit of another repository, or one that is gone
        for within, blob in blobs.items():
            content = _text(blob.data)
            if content is not UNKNOWN:
                yield Touch(at, where, inside[within], file_timeline.COMMIT, content, content)


def _since(base: BaseCommit | None, every: Doings, own: Doings) -> At:
    """From when on a commit was checked out; the beginning where nobody knows."""
    if base is None:
        return (0, 0)
    made = [commit.at for commit in every.commits if base.commit.startswith(commit.hash)]
    if made:
        return made[-1]
    times = [(number, _seconds(stamp)) for stamp, number in own.times] if base.since is not None else []
    return (max((number for number, when in times if when is not None and when < (base.since or 0)), default=0), 0)


@contextlib.contextmanager
def refusing(session: Session) -> Iterator[None]:
    """Refuses what git refuses."""
    with translating(GitError, code=Code.ILLEGAL, file=session.file, before="git: "):
        yield


def _ran(those: Iterable[FileThen]) -> list[Ran]:
    """What may have written any of some files, each once, in order."""
    found = {(one.at, one.where): one for each in those for one in each.ran}
    return [found[key] for key in sorted(found)]


LISTED: Final = 5
"""So many calls are listed with a file; all of them stand in the list of the answer."""


def _listed(found: Then) -> Files:
    return Files(
        file=found.session.file,
        at=found.session.place(found.position),
        repository=None if found.repository is None else os.fspath(found.repository.root),
        name_repository=found.home.folder or None,
        base=found.base,
        files=[_state(path, one) for path, one in sorted(found.files.items())],
        outside=[_state(one.path, one) for one in found.outside],
        ran=[Doing(where=one.where, what=one.what) for one in _ran([*found.files.values(), *found.outside])],
        contradictions=found.contradictions,
        submodules=found.submodules,
    )


def _state(path: str, one: FileThen) -> FileState:
    holds = "unknown" if one.content is UNKNOWN else "nothing" if one.content is None else "text"
    return FileState(
        path=path,
        holds=holds,
        characters=len(one.content) if isinstance(one.content, str) else None,
        source=one.source,
        said=one.said,
        doubts=one.doubts,
        may_have_written=[Doing(where=ran.where, what=ran.what) for ran in one.ran[:LISTED]],
        and_more=max(0, len(one.ran) - LISTED),
    )


# ---- putting files


@dataclass(slots=True)
class Plan:
    """What is to become of each file: what is there, and what is to be; and what is left alone, and why."""

    root: Path
    before: dict[str, Blob | None] = field(default_factory=dict)
    after: dict[str, Blob | None] = field(default_factory=dict)
    same: list[str] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)
    strange: set[str] = field(default_factory=set)
    """The files that hold what no part of the session knows."""

    def put(self) -> list[FilePut]:
        """As an answer says it."""
        made = [FilePut(path=path, what=DELETED if blob is None else WRITTEN) for path, blob in self.after.items()]
        made += [FilePut(path=path, what=SAME) for path in self.same]
        made += [FilePut(path=path, what=LEFT, why=why) for path, why in self.left.items()]
        for one in made:
            if one.path in self.strange:
                one.strange = True
        return sorted(made, key=lambda one: one.path)


TOO_LONG: Final = "its name is longer than a file system takes"
LONGEST_NAME: Final = 255
"""So many bytes has the longest name of a file that most file systems take."""


def plan(found: Then, root: Path, base: Mapping[str, Blob]) -> Plan:
    """What is to become of the files below a folder, so that they are as they were at the point. ``base`` holds those of the
    commit, whose line ends and modes count where no file is there."""
    made = Plan(root)
    for path, one in found.files.items():
        why = _why_left(root, path, one)
        try:
            there = worktree_files.read(root, path) if why is None else None
        except worktree_files.NotPlain as error:
            why = f"{error} is a link, or no file"
        except OSError as error:
            if error.errno != errno.ENAMETOOLONG:
                raise Refusal(
                    f"cannot read {root / path}: {error.strerror or error}; nothing was written", file=root / path
                ) from error
            why = TOO_LONG
        if why is None:
            why = _decide(made, path, one, there, base.get(path), found.known.get(path, []))
        if why is not None:
            made.left[path] = why
    return made


def against(found: Then, held: Mapping[str, Blob]) -> Plan:
    """The same, of a folder that holds just these files."""
    made = Plan(Path())
    for path, one in found.files.items():
        why = "; ".join(one.doubts) if one.content is UNKNOWN else None
        if why is None and any(len(os.fsencode(part)) > LONGEST_NAME for part in path.split("/")):
            why = TOO_LONG
        if why is None:
            why = _decide(made, path, one, held.get(path), None, [])
        if why is not None:
            made.left[path] = why
    made.strange.clear()
    return made


def _why_left(root: Path, path: str, one: FileThen) -> str | None:
    if one.content is UNKNOWN:
        return "; ".join(one.doubts)
    return "it belongs to a submodule or another repository" if worktree_files.another_repository(root, path) else None


def _decide(made: Plan, path: str, one: FileThen, there: Blob | None, base: Blob | None, known: list[Content]) -> str | None:
    """Decides about one file; why it is left, if it is."""
    assert one.content is not UNKNOWN
    held = None if there is None else _text(there.data)
    if held == one.content:
        made.same.append(path)
        return None
    model = there or base
    if model is not None and (model.mode not in (PLAIN, EXECUTABLE)):
        return "it is a link in the commit"
    if model is not None and model.data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "it is UTF-16"
    if one.content is None:
        blob = None
    else:
        try:
            data = one.content.encode()
        except UnicodeEncodeError:
            return "its text is no UTF-8"
        ends = _line_ends(b"\r\n" if model is None and one.crlf else b"\n" if model is None else model.data)
        if ends is None:
            return "its line ends are mixed, which the session does not tell"
        if model is not None and model.data.startswith(MARK) and not data.startswith(MARK):
            data = MARK + data
        blob = Blob(PLAIN if model is None else model.mode, data.replace(b"\n", ends))
    made.before[path], made.after[path] = there, blob
    if held is not None and held not in known:
        made.strange.add(path)
    return None


MARK: Final = b"\xef\xbb\xbf"
"""The byte-order mark of UTF-8."""


def _line_ends(data: bytes) -> bytes | None:
    """How lines end in a file; None where they end in several ways."""
    dos, every = data.count(b"\r\n"), data.count(b"\n")
    return b"\n" if not dos else b"\r\n" if dos == every else None


def refuse_doubts(found: Then, *, in_place: bool, strict: bool) -> None:
    """Says what cannot be known, before anything is written; refuses where nothing may be doubtful."""
    doubtful = found.doubtful(in_place=in_place)
    for doubt in doubtful:
        found.session.tell(f"note: {doubt}")
    if strict and doubtful:
        many = len(doubtful)
        text = f"{found.session.file}: --strict: {many} {'thing' if many == 1 else 'things'} cannot be known; nothing was written"
        raise Refusal(text, Code.ILLEGAL)


def base_blobs(found: Then) -> dict[str, Blob]:
    """The files of the commit that was checked out."""
    if found.repository is None or found.base is None:
        return {}
    with refusing(found.session):
        return found.repository.blobs(found.base.commit, found.files)


def repository_of(found: Then) -> Repository:
    """The user's repository; refuses where there is none."""
    if found.repository is None:
        raise _homeless(found.session, found.folder, found.home)
    return found.repository


def _homeless(session: Session, folder: str, home: Home) -> Refusal:
    name = f"its working folder, {folder}, " if folder else "its working folder "
    reason = f"is in no repository that git may be asked in: {home.why}" if home.why else "is not known here"
    return Refusal(f"{name}{reason}", Code.ILLEGAL, file=session.file, cure=home.cure())


def restore(
    session: Session,
    at: str = "HEAD",
    *,
    repository: str | None = None,
    strict: bool = False,
    dry_run: bool = False,
    operation: str | None = None,
) -> FilesPut:
    """Puts the files back, in place, as they were at a point. What they hold now is saved first, as a commit on a ref of its own;
    neither HEAD nor the index nor a branch is touched.

    Refuses (``ILLEGAL``) where there is no repository, (``STALE``) where a file changes meanwhile. ``operation`` is the id of an
    operation that was begun: what it was to leave is finished. :func:`take_back` undoes it.
    """
    if operation is not None:
        return _finish(session, operation, repository)
    found = then(session, session.find(at), repository)
    return put_back(found, str(uuids.uuid4()), strict=strict, dry_run=dry_run, repository=repository)


def put_back(
    found: Then,
    operation: str,
    *,
    strict: bool = False,
    dry_run: bool = False,
    repository: str | None = None,
    meanwhile: Callable[[], object] = lambda: None,
) -> FilesPut:
    """:func:`restore` of files that are known, as an operation with an id. What is to be done with it is done ``meanwhile``: when
    all that can refuse has not, and before a file is written."""
    home = repository_of(found)
    refuse_doubts(found, in_place=True, strict=strict)
    made = plan(found, home.root, base_blobs(found))
    return _put(found.session, home, made, operation, dry_run=dry_run, repository=repository, meanwhile=meanwhile)


def _put(
    session: Session,
    home: Repository,
    made: Plan,
    operation: str,
    *,
    dry_run: bool,
    repository: str | None,
    meanwhile: Callable[[], object] = lambda: None,
) -> FilesPut:
    """Saves what is there, does what is to be done ``meanwhile``, and writes. Where writing fails, the files are as they were. An
    operation that was begun under the same id goes on with what it saved."""
    if dry_run:
        return _answer(session, home, operation, made)
    with refusing(session), home.lock():
        if _begun(session, home, operation):
            saved = home.saved(operation)
            assert saved is not None
            made = _moves(home, saved.before, saved.after)
        elif made.after:
            home.save(operation, Saved(_name(session), os.fspath(home.root), made.before, made.after))
        answer = _answer(session, home, operation, made)
        if not made.after:
            meanwhile()
            return answer
        written: list[str] = []
        try:
            meanwhile()
            _write(home, made.before, made.after, written)
        except BaseException as error:
            back = {path: made.before[path] for path in written}
            if not _roll_back(home, operation, back, made.after) and isinstance(error, Refusal):
                why = str(error).replace(NOTHING, "some files are restored, and could not be given back what they held")
                raise Refusal(why, Code.UNSURE, cure=_cure(_name(session), operation, repository)) from error
            raise
        _note_the_end(session, home, operation, repository)
    return _told(answer, session, operation, repository)


def _note_the_end(session: Session, home: Repository, operation: str, repository: str | None) -> None:
    """Notes that an operation was done; where that cannot be noted, says so."""
    try:
        home.finish(operation)
    except GitError as error:
        text = f"the files are restored, but git could not note it: {error}; {_cure(_name(session), operation, repository)}"
        raise Refusal(text, Code.UNSURE, file=session.file) from error


def _answer(session: Session, home: Repository, operation: str, made: Plan) -> FilesPut:
    root = os.fspath(home.root)
    return FilesPut(file=session.file, repository=root, operation=operation, saved=None, put=made.put(), undo=None)


def _told(answer: FilesPut, session: Session, operation: str, repository: str | None) -> FilesPut:
    answer.saved = f"{git.SAVED}/{operation}"
    answer.undo = commands.command(session.transcript, "files", "--undo", operation, *_named_again(repository))
    return answer


def _named_again(repository: str | None) -> list[str]:
    return [] if repository is None else ["--repository", repository]


def _begun(session: Session, home: Repository, operation: str) -> bool:
    """Whether this operation was begun and not finished; refuses where another one was, of the same work tree."""
    begun = False
    for left in home.unfinished():
        try:
            saved = home.saved(left)
        except GitError:
            continue  # it is none of forkpoint's
        if saved is None or os.path.realpath(saved.root) != os.path.realpath(home.root):
            continue
        if left != operation:
            text = f"{home.root}: files were being restored, and that was not finished; {_cure(saved.session, left, None)}"
            raise Refusal(text, Code.STALE)
        begun = True
    return begun


def _cure(session: str, operation: str, repository: str | None) -> str:
    more = "".join(f" {shlex.quote(word)}" for word in _named_again(repository))
    finish, undo = (
        f"`forkpoint files {shlex.quote(session)} {option} {operation}{more}`" for option in ("--operation", "--undo")
    )
    return f"{finish} finishes it, {undo} takes it back"


NOTHING: Final = "nothing was restored"


def _write(
    home: Repository, before: Mapping[str, Blob | None], after: Mapping[str, Blob | None], written: list[str] | None = None
) -> None:
    """Writes files, each of which must be as it was found; ``written`` gets the paths of those that it wrote, or may have."""
    with stage(home) as folder:
        for path, blob in after.items():
            try:
                worktree_files.write(home.root, path, blob, before[path], folder)
                if written is not None:
                    written.append(path)
            except worktree_files.OtherThanKnown as error:
                raise Refusal(f"{home.root / path} changed meanwhile; {NOTHING}", Code.STALE) from error
            except worktree_files.NotPlain as error:
                raise Refusal(f"{error} is a link, or no file; {NOTHING}", Code.STALE, file=home.root / path) from error
            except OSError as error:
                if written is not None:
                    written.append(path)  # it may have been replaced before that
                why = error.strerror or str(error)
                raise Refusal(
                    f"cannot write {home.root / path}: {why}; {NOTHING}", Code.WRONG_USE, file=home.root / path
                ) from error


STAGE: Final = "forkpoint-stage"
_STAGED: Final = re.compile(r"new-[0-9a-f]{24}")


@contextlib.contextmanager
def stage(home: Repository) -> Iterator[Path]:
    """A folder for new files, in git's own: what a killed process leaves there is in nobody's way, and goes with the next."""
    folder = home.folder() / STAGE
    folder.mkdir(0o700, exist_ok=True)
    try:
        _sweep(folder)
        yield folder
    finally:
        with contextlib.suppress(OSError):
            _sweep(folder)
            folder.rmdir()


def _sweep(folder: Path) -> None:
    for name in os.listdir(folder):
        if _STAGED.fullmatch(name):
            (folder / name).unlink(missing_ok=True)


def _roll_back(home: Repository, operation: str, before: Mapping[str, Blob | None], after: Mapping[str, Blob | None]) -> bool:
    """Gives files back what they held, and says whether all have it; else what was saved stays, as an operation to be ended."""
    try:
        with stage(home) as folder:
            for path, blob in before.items():
                if worktree_files.read(home.root, path) == after[path] != blob:
                    worktree_files.write(home.root, path, blob, after[path], folder)
        home.forget(operation)
    except (worktree_files.OtherThanKnown, worktree_files.NotPlain, OSError, GitError):
        return False
    return True


def _saved(session: Session, operation: str, repository: str | None) -> tuple[Repository, Saved]:
    """What an operation saved, and the work tree in which it was; refuses where there is none of that id."""
    if not SESSION_ID.fullmatch(operation):
        raise Refusal(f"an operation has a uuid, not {operation!r}")
    place = _home(session, repository)
    if (home := place.repository) is None:
        raise _homeless(session, "", place)
    with refusing(session):
        saved = home.saved(operation)
        if saved is None:
            raise Refusal(f"no operation {operation} restored files there", file=home.root)
        if saved.session != _name(session):
            raise Refusal(f"the operation {operation} was of the session {saved.session}", Code.ILLEGAL, file=home.root)
        if os.path.realpath(saved.root) != os.path.realpath(home.root):
            other = _worktrees(home).get(Path(os.path.realpath(saved.root)))
            if other is None:
                raise Refusal(f"the operation {operation} was in {saved.root}", Code.ILLEGAL, file=home.root)
            home = other
    return home, saved


def take_back(session: Session, operation: str, *, repository: str | None = None, dry_run: bool = False) -> FilesPut:
    """Undoes :func:`restore`: each file that is still as it left it is again as it found it; the others are named, and left. An
    operation that was begun and not finished is taken back in the same way, without a new one."""
    home, saved = _saved(session, operation, repository)
    made = _moves(home, saved.after, saved.before)
    if _is_unfinished(session, home, operation):
        return _ended(session, home, operation, made, dry_run=dry_run, undone=True, repository=repository)
    return _put(session, home, made, str(uuids.uuid4()), dry_run=dry_run, repository=repository)


def finish_if_begun(session: Session, operation: str, repository: str | None = None) -> None:
    """Finishes an operation that was begun and saved something; where there is none of that id, there was nothing to do."""
    home = _home(session, repository).repository
    with refusing(session):
        begun = home is not None and home.saved(operation) is not None
    if begun:
        _finish(session, operation, repository)


def _finish(session: Session, operation: str, repository: str | None) -> FilesPut:
    """Finishes an operation that was begun: files that are still as it found them become what they were to be."""
    home, saved = _saved(session, operation, repository)
    made = _moves(home, saved.before, saved.after)
    if not _is_unfinished(session, home, operation):
        answer = _answer(session, home, operation, made)
        return _told(answer, session, operation, repository)
    return _ended(session, home, operation, made, dry_run=False, undone=False, repository=repository)


def _is_unfinished(session: Session, home: Repository, operation: str) -> bool:
    with refusing(session):
        return operation in home.unfinished()


def _ended(
    session: Session,
    home: Repository,
    operation: str,
    made: Plan,
    *,
    dry_run: bool,
    undone: bool,
    repository: str | None,
) -> FilesPut:
    """Ends an operation that was begun."""
    answer = _answer(session, home, operation, made)
    if dry_run:
        return answer
    with refusing(session), home.lock():
        _write(home, made.before, made.after)
        if undone and not made.left:
            home.forget(operation)
        else:
            _note_the_end(session, home, operation, repository)
    return answer if undone else _told(answer, session, operation, repository)


def _moves(home: Repository, old: Mapping[str, Blob | None], new: Mapping[str, Blob | None]) -> Plan:
    """From one state of files to another; what is in neither is left."""
    made = Plan(home.root)
    for path in old:
        if worktree_files.another_repository(home.root, path):
            made.left[path] = "it belongs to a submodule or another repository"
            continue
        try:
            there = worktree_files.read(home.root, path)
        except worktree_files.NotPlain as error:
            made.left[path] = f"{error} is a link, or no file"
            continue
        except OSError as error:
            raise Refusal(
                f"cannot read {home.root / path}: {error.strerror or error}; nothing was written", file=home.root / path
            ) from error
        if there == new[path]:
            made.same.append(path)
        elif there == old[path]:
            made.before[path], made.after[path] = there, new[path]
        else:
            made.left[path] = "it was changed since"
    return made
