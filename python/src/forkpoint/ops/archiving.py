"""``archive`` and ``gc``: sessions kept for good, and what could go."""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

from forkpoint.answers.keeping import Archived, ArchivedSession, ArchiveListed, Garbage, GarbageSession, Restored
from forkpoint.answers.refusals import Code, Refusal, accessing, done, translating
from forkpoint.clients.claude.certificate import removal
from forkpoint.disk import running
from forkpoint.ops import program
from forkpoint.ops.session import Progress, find, is_project, refuse_others_file
from forkpoint.sessions import archive, catalog, companions, discard, listing, projects
from forkpoint.sessions.archive import BadArchive, Changed, Kept, Manifest
from forkpoint.sessions.summaries import entitled, summarize
from forkpoint.transcript.format.reader import Transcript
from forkpoint.words import count

TRIES: Final = 3
"""How often a file is read that changes meanwhile."""
DAYS: Final = 30
"""After so many days a fork in which nobody went on is stale."""
STAMP: Final = "%Y%m%dT%H%M%SZ"


def keep(
    names: Sequence[str] = (),
    *,
    project: str | None = None,
    everywhere: bool = False,
    now: datetime | None = None,
    progress: Callable[[str], Progress] | None = None,
    place: Path | None = None,
    dry_run: bool = False,
) -> Archived:
    """Keeps sessions, and what belongs to them, in the archive: those that are named, those of a folder, or of every project.

    A file that is there already takes no room again, and a session that is as it was gets no new version. What is written is read
    again. ``place`` is another archive; ``dry_run`` writes nothing. Refuses names that are no sessions; files that cannot be read
    are named in the answer. O(bytes).
    """
    place = archive.place() if place is None else place
    paths = [Path(find(name)) for name in names] or _all(project, everywhere=everywhere)
    for path in paths if names else ():
        with contextlib.suppress(OSError):  # it is named below
            refuse_others_file(path)
    when = (now or datetime.now(UTC)).astimezone(UTC).strftime(STAMP)
    told = progress(f"archiving {count(len(paths), 'session')}") if progress is not None else None
    answer = Archived(archive=os.fspath(place), kept=[], unchanged=0, bytes=0, unreadable=[])
    for number, path in enumerate(paths, 1):
        try:
            found = _would_keep(place, path, when) if dry_run else _keep(place, path, when)
        except BadArchive as error:
            raise Refusal(error, Code.UNHEALTHY, file=place) from error
        except OSError as error:
            answer.unreadable.append(f"{error.filename or path}: {error.strerror}")
        else:
            if found is None:
                answer.unchanged += 1
            else:
                answer.kept.append(found[0])
                answer.bytes += found[1]
        if told is not None:
            told(number, len(paths))
    return answer


def _would_keep(place: Path, path: Path, when: str) -> tuple[ArchivedSession, int] | None:
    """What :func:`_keep` would make of a session; it writes nothing."""
    if not projects.is_session(path):
        raise OSError(0, NO_SESSION, os.fspath(path))
    before, every = archive.versions(place, path.stem.lower()), archive.belonging(path)
    if before and len(before[-1][1].files) == len(every) and archive.lacking(place, path) is None:
        return None
    summary, size = entitled(path, summarize(path)), sum(file.stat().st_size for *_, file in every)
    made = ArchivedSession(
        session=path.stem.lower(),
        title=summary.title or None,
        folder=summary.cwd or None,
        archived=archive.following([time for time, _ in before], when),
        versions=len(before) + 1,
        files=len(every),
        bytes=size,
        present=True,
    )
    return made, 0


NO_SESSION: Final = "it is no session file: its name is no session id"


def _keep(place: Path, path: Path, when: str) -> tuple[ArchivedSession, int] | None:
    """Keeps a session; None where it is there as it is."""
    if not projects.is_session(path):
        raise OSError(0, NO_SESSION, os.fspath(path))
    kept: list[Kept] = []
    new: list[str] = []
    took = 0
    session = path.stem.lower()
    with archive.alone(place):
        try:
            for where, name, file in archive.belonging(path):
                digest, length, size = _put(place, file)
                new += [digest] * (size > 0)
                took += size
                kept.append(Kept(where=where, name=name, hash=digest, bytes=length, modified=file.stat().st_mtime_ns))
            summary = entitled(path, summarize(path))
            made = Manifest(
                session=session, project=path.absolute().parent.name, cwd=summary.cwd, title=summary.title, files=kept
            )
            before = archive.versions(place, session)
            if before and [_same(one) for one in before[-1][1].files] == [_same(one) for one in kept]:
                return None
            stamp = archive.following([time for time, _ in before], when)
            archive.enter(place, made, stamp)
        except BaseException:
            archive.drop(place, new)
            raise
    with done(f"the version {stamp} of {session} stands in {place}"):
        (again,) = [manifest for time, manifest in archive.versions(place, session) if time == stamp]
        line = _line(session, stamp, made, len(before) + 1)
    if again != made:
        raise BadArchive(f"the manifest of {session} is not what was written")
    return line, took


def _same(kept: Kept) -> tuple[str, str, str]:
    return kept.where, kept.name, kept.hash


def _put(place: Path, file: Path) -> tuple[str, int, int]:
    for left in reversed(range(TRIES)):
        try:
            return archive.put(place, file)
        except Changed:
            if not left:
                raise
    raise AssertionError


def _all(project: str | None, *, everywhere: bool) -> list[Path]:
    from forkpoint.ops.figures import choose

    if project is not None and not is_project(project):
        raise Refusal(f"--project: {project} is no folder")
    return [path for path in choose(project, everywhere=everywhere).paths if projects.is_session(path)]


def listed() -> ArchiveListed:
    """The sessions in the archive, each with its newest version, the one that was kept last first."""
    place = archive.place()
    found: list[ArchivedSession] = []
    bad: list[str] = []
    for session in archive.sessions(place):
        try:
            every = archive.versions(place, session)
        except (BadArchive, OSError) as error:
            bad.append(str(error))
            continue
        if every:
            found.append(_line(session, *every[-1], len(every)))
    found.sort(key=lambda one: archive.order(one.archived), reverse=True)
    return ArchiveListed(archive=os.fspath(place), sessions=found, unreadable=bad)


def _line(session: str, stamp: str, manifest: Manifest, versions: int) -> ArchivedSession:
    there = projects.projects_dir() / manifest.project / f"{session}.jsonl"
    return ArchivedSession(
        session=session,
        title=manifest.title or None,
        folder=manifest.cwd or None,
        archived=stamp,
        versions=versions,
        files=len(manifest.files),
        bytes=manifest.size,
        present=there.is_file(),
    )


def refuse_elsewhere(target: Path, manifest: Manifest) -> None:
    """Refuses to bring a session back whose id stands in another project of this machine, unless the folder of that is gone: no
    client goes on there."""
    other = projects.elsewhere(target)
    gone = other is not None and not os.path.isdir(manifest.cwd) and other.parent == projects.project_folder(manifest.cwd)
    if other is not None and not gone:
        cure = f"`forkpoint fork {shlex.quote(os.fspath(other))}` makes a session of its own"
        message = f"{other} is the same session, and both would write its files; nothing was written"
        raise Refusal(message, Code.ILLEGAL, cure=cure)


def restore(name: str, *, cwd: str | None = None, as_of: str | None = None, dry_run: bool = False) -> Restored:
    """Writes a session from the archive where it was, or into the project folder of another working folder.

    ``name`` is its id, the beginning of it, or its title; ``as_of`` the time of a version, or the beginning of it, of which the
    newest counts; without one the newest. Refuses what is not there, and where a session of that id stands. O(bytes).
    """
    place = archive.place()
    session = _one(place, name)
    target = place
    try:
        every = archive.versions(place, session)
        chosen = [(stamp, one) for stamp, one in every if as_of is None or stamp.startswith(as_of)]
        chosen = [(stamp, one) for stamp, one in chosen if stamp == as_of] or chosen  # a version by its own name
        if not chosen:
            times = ", ".join(stamp for stamp, _ in every[-5:])
            raise Refusal(f"{session} has no version of {as_of}; the last ones: {times or 'none'}", Code.UNKNOWN)
        stamp, manifest = chosen[-1]
        if cwd is not None and not os.path.isdir(cwd):
            raise Refusal(f"--cwd needs a folder, and {cwd} is none")
        folder = projects.project_folder(cwd) if cwd is not None else projects.projects_dir() / _folder(manifest)
        target = folder / f"{session}.jsonl"
        if dry_run and os.path.lexists(target):
            raise FileExistsError(0, "it is there", os.fspath(target))
        refuse_elsewhere(target, manifest)
        if dry_run:
            archive.check_room(place, [manifest], target.parent)
        written = [] if dry_run else archive.restore(place, manifest, target)
    except FileExistsError as error:
        raise Refusal(
            f"cannot restore {session}: {error.filename or target} exists; nothing was written", Code.ILLEGAL
        ) from error
    except BadArchive as error:
        raise Refusal(f"{error}; nothing was written", Code.UNHEALTHY, file=place) from error
    except OSError as error:
        raise Refusal(
            f"cannot restore {session}: {error.filename or target}: {error.strerror}; nothing was written",
            file=error.filename or target,
        ) from error
    return Restored(session=session, archived=stamp, file=os.fspath(target), written=[os.fspath(path) for path in written])


def _folder(manifest: Manifest) -> str:
    """The project folder of a version; refuses a name that leads elsewhere."""
    name = manifest.project
    if not name or name in (".", "..") or "/" in name or "\0" in name:
        raise BadArchive(f"{name!r} is no name of a project folder", "--cwd DIR restores for another one")
    return name


def _one(place: Path, name: str) -> str:
    """The id of the session in the archive that a name names."""
    every = archive.sessions(place)
    found = [session for session in every if len(name) >= 4 and session.startswith(name.lower())]
    if not found:
        titles = {one.session: one.title for one in listed().sessions}
        found = [session for session, title in titles.items() if title is not None and title.casefold() == name.casefold()]
    if len(found) != 1:
        why = f"names {len(found)} sessions: {', '.join(found[:5])}" if found else "is not there"
        raise Refusal(f"{name} {why}", Code.UNKNOWN, file=place, cure="`forkpoint archive list` lists what is")
    return found[0]


def timer() -> str:
    """The line of a crontab that archives every session at night."""
    return f"17 3 * * * {program.command('archive', 'keep', '--all')}"


# ---- what could go


def garbage(
    project: str | None = None,
    *,
    everywhere: bool = False,
    days: int = DAYS,
    now: datetime | None = None,
    progress: Callable[[str], Progress] | None = None,
) -> Garbage:
    """The sessions of a folder, or of every project, that could go, and how many bytes each would free. Nothing is removed.

    A *copy* holds no entry that another session does not hold. A *stale* fork was made by forkpoint, nobody went on in it, and it
    is older than some days. An *empty* one holds no conversation. O(bytes).
    """
    from forkpoint.ops.figures import choose

    chosen = choose(project, everywhere=everywhere)
    when = (now or datetime.now(UTC)).timestamp()
    told = progress(f"reading {count(len(chosen.paths), 'session')}") if progress is not None else None
    uuids: dict[Path, frozenset[object]] = {}
    stale: set[Path] = set()
    for number, path in enumerate(chosen.paths, 1):
        with contextlib.suppress(OSError):
            transcript = catalog.read(path)
            uuids[path] = frozenset(transcript.log.spine.uuids)
            if when - path.stat().st_mtime > days * 86_400 and _is_unused(transcript):
                stale.add(path)
        if told is not None:
            told(number, len(chosen.paths))
    listed_ = {one.path: one for one in listing.sessions(chosen.folders)}
    found: list[GarbageSession] = []
    for path in chosen.paths:
        if path not in uuids or path not in listed_:
            continue
        other = _holder(path, uuids)
        why = "empty" if listed_[path].empty else "copy" if other is not None else "stale" if path in stale else None
        if why is not None:
            size = sum(file.stat().st_size for _, _, file in archive.belonging(path))
            of = None if other is None or why != "copy" else other.stem
            title = listed_[path].title or None
            found.append(GarbageSession(session=path.stem, file=os.fspath(path), title=title, why=why, of=of, bytes=size))
    return Garbage(where=chosen.where, sessions=found, bytes=sum(one.bytes for one in found), archived=[], removed=[])


def _holder(path: Path, uuids: Mapping[Path, frozenset[object]]) -> Path | None:
    """Another session that holds every entry of a session, and more; of two with the same entries the one that comes first keeps
    them."""
    mine = uuids[path]
    if not mine:
        return None
    order = list(uuids)
    for other, theirs in uuids.items():
        if other != path and mine <= theirs and (len(mine) < len(theirs) or order.index(other) < order.index(path)):
            return other
    return None


def _is_unused(transcript: Transcript) -> bool:
    """Whether it is a fork of ours in which nobody went on."""
    try:
        discard.discard(transcript)
    except (discard.NotOurs, discard.Used, OSError):
        return False
    return True


def collect(
    names: Sequence[str],
    *,
    project: str | None = None,
    everywhere: bool = False,
    days: int = DAYS,
    now: datetime | None = None,
    progress: Callable[[str], Progress] | None = None,
    dry_run: bool = False,
) -> Garbage:
    """Removes sessions that :func:`garbage` lists, each after it, and what belongs to it, stands in the archive.

    Refuses, before anything is removed, a name that it does not list, and a session in which somebody may be at work (``STALE``).
    Two copies of each other never go both: what holds the entries of one that goes must stay.
    """
    found = garbage(project, everywhere=everywhere, days=days, now=now, progress=progress)
    by_name = {one.session: one for one in found.sessions}
    chosen: list[GarbageSession] = []
    for name in names:
        alike = [one for session, one in by_name.items() if len(name) >= 4 and session.startswith(name.lower())]
        if len(alike) != 1:
            raise Refusal(f"{name} names {len(alike)} of the sessions that `forkpoint gc` lists; nothing was removed")
        if alike[0] not in chosen:
            chosen.append(alike[0])
    going = {one.session for one in chosen}
    for one in chosen:
        if one.of in going:
            raise Refusal(f"{one.session} is a copy of {one.of}, which is to go, too; leave one of them; nothing was removed")
        if (why := running.at_work(Path(one.file))) is not None:
            raise Refusal(f"{why}; nothing was removed", Code.STALE, file=one.file)
    if dry_run:
        found.sessions, found.bytes = chosen, sum(one.bytes for one in chosen)
        return found
    place = archive.place()
    # what an earlier try removed of a session stands in the archive: a version without it would take the place of that one
    with (
        translating(
            BadArchive, OSError, code=Code.UNHEALTHY, before=f"cannot read the archive {place}: ", after="; nothing was removed"
        ),
        archive.alone(place),
    ):  # what a try that failed left there half-written goes
        new = [one.file for one in chosen if not archive.holds(place, Path(one.file))]
    kept = keep(new, now=now) if new else None
    if kept is not None and kept.unreadable:
        raise Refusal(f"cannot archive {'; '.join(kept.unreadable)}; nothing was removed", Code.STALE)
    for one in chosen:
        path = Path(one.file)
        with (
            accessing("remove", one.file, code=Code.UNSURE),
            translating(BadArchive, code=Code.STALE, file=one.file, after="; it stays"),
        ):
            _remove(place, path)
        found.removed.append(one.file)
        found.archived.append(one.session)
    return found


def _remove(place: Path, path: Path) -> None:
    """Removes a session and what belongs to it, each file only while it is what stands in the archive; the session last."""
    if (lacking := archive.lacking(place, path)) is not None:
        raise BadArchive(f"{lacking} is not what was archived: somebody writes to it")
    kept = archive.pairs(place, path)
    removal.archived((file, None if one is None else partial(archive.get, place, one)) for file, one in kept)
    for file, _ in kept[1:]:
        file.unlink()
    for folder in (projects.own_folder(path), companions.history_folder(path)):
        if folder is not None and folder.is_dir():
            for below in sorted((one for one in folder.rglob("*") if one.is_dir()), reverse=True):
                below.rmdir()
            folder.rmdir()
    path.unlink()
