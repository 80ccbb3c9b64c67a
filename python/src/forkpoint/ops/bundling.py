"""``bundle`` and ``unbundle``: sessions in one file, and out of it again, elsewhere."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from forkpoint.answers.keeping import Bundled, Unbundled
from forkpoint.answers.refusals import Code, Refusal, accessing, translating
from forkpoint.clients.claude import places
from forkpoint.disk import files
from forkpoint.ops import archiving
from forkpoint.ops.new_files import new, scratch, sunk
from forkpoint.ops.session import Progress, Tell, ignore
from forkpoint.requests import STANDARD_OUTPUT, Sink
from forkpoint.sessions import archive, projects
from forkpoint.sessions.archive import BadArchive, Manifest


def bundle(
    out: str,
    names: Sequence[str] = (),
    *,
    project: str | None = None,
    everywhere: bool = False,
    now: datetime | None = None,
    sink: Sink | None = None,
    tell: Tell = ignore,
    progress: Callable[[str], Progress] | None = None,
    dry_run: bool = False,
) -> Bundled:
    """Writes sessions, and what belongs to them, into one new file: those that are named, those of a folder, or of every project.

    A bundle is an archive in a tar, with one version of each session. Refuses what cannot be read whole. O(bytes).
    """
    with scratch(tell) as made:
        place = made / "archive"
        try:
            kept = archiving.keep(
                names, project=project, everywhere=everywhere, now=now, progress=progress, place=place, dry_run=dry_run
            )
        except Refusal as error:
            if error.code is not Code.UNSURE:
                raise
            why = error.__cause__ if error.__cause__ is not None else error  # what stands in the archive here goes with it
            raise Refusal(f"cannot bundle: {getattr(why, 'strerror', None) or why}; nothing was written") from error
        if kept.unreadable:
            raise Refusal(f"cannot bundle {'; '.join(kept.unreadable)}; nothing was written")
        if not kept.kept:
            raise Refusal("there are no sessions to bundle")
        if dry_run:
            with new(None if out == STANDARD_OUTPUT else Path(out), lambda text: None):
                return Bundled(file=None, sessions=kept.kept, bytes=0)
        whole = made / "bundle"
        with whole.open("wb") as file:
            archive.pack(place, file)
        size = whole.stat().st_size
        path = None if out == STANDARD_OUTPUT else Path(out)
        with new(path, lambda text: None):
            if path is None:
                sunk(sink)(_pieces(whole))
            else:
                files.write_new(path, _pieces(whole), functools.partial(_check, tell))
    return Bundled(file=None if path is None else os.fspath(path), sessions=kept.kept, bytes=size)


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(archive.CHUNK):
            yield piece


def _check(tell: Tell, path: Path) -> None:
    """Takes a bundle apart again, before it has its name: every version in it must be there whole."""
    with scratch(tell) as made:
        try:
            for manifest in _taken(path, made):
                for kept in manifest.files:
                    for _ in archive.get(made, kept):
                        pass
        except BadArchive as error:
            raise OSError(0, f"it cannot be read as a bundle: {error}", os.fspath(path)) from error


def _taken(path: Path, place: Path) -> list[Manifest]:
    """The versions in a bundle, one of each session, whose members are in an archive then."""
    with files.open_regular(path) as file:
        archive.unpack(file, place)
    found: list[Manifest] = []
    for session in archive.sessions(place):
        every = archive.versions(place, session)
        if len(every) > 1:
            raise BadArchive(f"it holds {len(every)} versions of {session}, and a bundle has one")
        found += [manifest for _, manifest in every]
    return found


def unbundle(
    path: str, *, cwd: str | None = None, maps: Sequence[str] = (), dry_run: bool = False, tell: Tell = ignore
) -> Unbundled:
    """Writes the sessions of a bundle where a client finds them: in the project folder of the working folder that each names.

    ``cwd`` takes all to one working folder; of ``maps`` each is ``OLD=NEW``, and takes those below OLD to the same place below
    NEW, the longest OLD first. Lines stay byte for byte: what said the old folder still says it. Each session is written whole
    or not at all, and replaces nothing. Refuses what is no bundle, a folder that is not there, and, before anything is written, a
    session that is there already, and more bytes than the bundle can hold or there is room for. O(bytes).
    """
    changes = _changes(maps)
    with scratch(tell) as place:
        with accessing("read", path), translating(BadArchive, code=Code.UNHEALTHY, file=path, after="; nothing was written"):
            found = _taken(Path(path), place)
            total = archive.check_room(place, found, projects.projects_dir())
        if not found:
            raise Refusal("it holds no session", Code.UNHEALTHY, file=path)
        targets = [_target(manifest, cwd, changes) for manifest in found]
        for manifest, target in zip(found, targets, strict=True):
            if os.path.lexists(target):
                raise Refusal(f"{target} is there; nothing was written", Code.ILLEGAL)
            archiving.refuse_elsewhere(target, manifest)
        written: list[str] = []
        for manifest, target in zip(found, targets, strict=True):
            if dry_run:
                continue
            try:
                written += map(os.fspath, archive.restore(place, manifest, target))
            except (BadArchive, OSError) as error:
                stands = f"; {len(written)} files of sessions before it stand" if written else "; nothing was written"
                why = error.strerror if isinstance(error, OSError) else error
                where = (error.filename if isinstance(error, OSError) else None) or target
                raise Refusal(
                    f"cannot write {where}: {why}{stands}", Code.UNSURE if written else Code.ILLEGAL, file=where
                ) from error
    return Unbundled(file=path, sessions=[os.fspath(target) for target in targets], written=written, bytes=total)


def _changes(maps: Sequence[str]) -> list[tuple[str, str]]:
    found = [_change(text) for text in maps]
    return sorted(found, key=lambda change: -len(places.parts_of(change[0])))


def _change(text: str) -> tuple[str, str]:
    """OLD and NEW of a map. A folder's name may hold the sign between them: the first one counts behind which an absolute path
    stands, or else the first."""
    cuts = [at for at, sign in enumerate(text) if sign == "="]
    at = next((at for at in cuts if places.is_absolute(text[at + 1 :])), min(cuts, default=len(text)))
    old, after = text[:at], text[at + 1 :]
    if not places.is_absolute(old) or not after:
        raise Refusal(rf"--map needs OLD=NEW, where OLD is an absolute path, such as /home/ada or C:\Users\ada, not {text!r}")
    return old, after if places.is_windows(after) else os.path.abspath(after)


def _mapped(folder: str, changes: Sequence[tuple[str, str]]) -> str:
    """A working folder, taken to where the first of some maps takes it that is of a folder above it, or of it."""
    there = places.parts_of(folder) if places.is_absolute(folder) else []
    for old, after in changes:
        above = places.parts_of(old)
        if places.is_windows(old) == places.is_windows(folder) and there[: len(above)] == above:
            rest = places.names_of(folder)[len(above) :]
            return os.path.join(after, *rest) if not places.is_windows(after) else "\\".join([after.rstrip("\\/"), *rest])
    return folder


def _target(manifest: Manifest, cwd: str | None, changes: Sequence[tuple[str, str]]) -> Path:
    """Where a session goes; refuses a working folder that is not there."""
    folder = cwd if cwd is not None else _mapped(manifest.cwd, changes)
    if not folder or "\0" in folder or not os.path.isdir(folder):
        cure = "--cwd DIR takes it to another folder, --map OLD=NEW those below one"
        raise Refusal(f"{manifest.session} was worked on in {folder or 'no folder'}, which is not there", cure=cure)
    return projects.project_folder(folder) / f"{manifest.session}.jsonl"
