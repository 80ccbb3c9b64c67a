"""Discarding a fork made here that nobody ever resumed: its session file and what went along with it.

What went along is removed first and the session file last, so that a fork that is removed in part can still be named, and
discarded again. Files are removed one by one, by the names that a fork gives them; a folder goes when it is empty.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from forkpoint.clients.claude.keys import LEAF
from forkpoint.clients.claude.places import AGENTS, RESULTS, SESSION_ID, WORKFLOWS
from forkpoint.clients.claude.written import KEY, SCHEME
from forkpoint.disk import running
from forkpoint.sessions import companions, plans, projects
from forkpoint.transcript.format.marker import Marker, find_marker
from forkpoint.transcript.format.reader import File, Transcript

PLACES: Final = (RESULTS, AGENTS, WORKFLOWS)
"""The folders in a session's own one in which files go along with a fork."""


class NotOurs(Exception):
    """The file is no fork made here, as far as it says itself."""


class Used(Exception):
    """The fork is not as it was made: somebody goes on in it, or changed it."""


@dataclass(frozen=True, slots=True)
class Discard:
    """What is to be removed: the files that went along, the folders that they stand in, the session file last."""

    transcript: Transcript
    files: list[Path]
    folders: list[Path]

    @property
    def paths(self) -> list[Path]:
        """All of it, in the order in which it goes; a folder stands for what is in it."""
        whole = [path for path in self.folders if path.parent not in self.folders]
        alone = [path for path in self.files if path.parent not in self.folders]
        return [*alone, *whole, self.transcript.path]

    def remove(self) -> None:
        """Removes it. Raises :class:`Used` when the session changed meanwhile: before anything was removed, or, when that comes
        later, with the session file in its place. Raises :class:`OSError`; what is left can be discarded again."""
        self._compare()
        for path in self.files:
            path.unlink(missing_ok=True)
        for path in self.folders:
            path.rmdir()
        self._compare()
        self.transcript.path.unlink()

    def _compare(self) -> None:
        now = os.stat(self.transcript.path, follow_symlinks=False)
        read = self.transcript.source.status() if isinstance(self.transcript.source, File) else None
        seen = (self.transcript.size, self.transcript.modified)
        if read is None or (now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns) != (read.st_dev, read.st_ino, *seen):
            raise Used("it was written to since it was read")


def discard(transcript: Transcript, *, gone_on: bool = False) -> Discard:
    """What discarding a fork removes. Raises :class:`NotOurs` or :class:`Used`; nothing is removed yet. O(size).

    A fork is as it was made when it holds the entries that its marker counts, and the ``last-prompt`` that it was made with at
    its fork point, and behind that at most what forkpoint itself appended: records, and what moves the head. A client that
    resumes a session writes other lines. A fork into which another branch was merged is not as it was made. With ``gone_on`` it
    need not be as it was made.
    """
    marker = find_marker(transcript)
    if marker is None:
        raise NotOurs("it is no fork made by forkpoint: it has no marker")
    named = SESSION_ID.fullmatch(transcript.path.stem)  # another name was given with --out
    if transcript.path.is_symlink() or (named and transcript.path.stem != marker.session):
        raise NotOurs(f"its marker names the session {marker.session}: this is a copy or another name of it")
    if marker.kept.get("entries") is None:
        raise NotOurs("its marker does not say how many entries were kept")
    if not gone_on and (transcript.changed or transcript.damage or not transcript.complete):
        raise Used("it was damaged or cut off since it was made")
    if (why := running.at_work(transcript.path)) is not None:
        raise Used(why)
    if not gone_on:
        _refuse_use(transcript, marker)
    found: list[Path] = []
    folders: list[Path] = []
    own, history = projects.own_folder(transcript.path), companions.history_folder(transcript.path)
    for folder in (own, history):
        if folder is not None and folder != transcript.path and folder.is_dir() and not folder.is_symlink():
            for path in _below(folder):
                where = path.relative_to(folder).parts
                expected = where[0] in PLACES if folder == own else len(where) == 1
                status = path.lstat()
                if stat.S_ISDIR(status.st_mode):
                    folders.append(path)
                elif expected and stat.S_ISREG(status.st_mode):
                    found.append(path)
                else:
                    raise NotOurs(f"{path} stands in its folder, and is nothing that goes along with a fork")
            folders.append(folder)
    found += plans.own(marker, _folder(transcript))
    return Discard(transcript, found, folders)


def _folder(transcript: Transcript) -> str | None:
    """The working folder that a fork's last entry names, if a session of it stands where this one does."""
    said = [transcript.keys(node.span).get("cwd") for node in transcript.nodes[-1:]]
    return projects.working_folder(transcript.path, said)


def _refuse_use(transcript: Transcript, marker: Marker) -> None:
    """Raises :class:`Used` when somebody else wrote behind what the fork was made of."""
    prompts = [sidecar.span for sidecar in transcript.sidecars if sidecar.type == "last-prompt"]
    made = [span for span in prompts if _appended(transcript.keys(span)) is None]
    kept = marker.kept["entries"]
    if len(made) != 1 or transcript.keys(made[0]).get(LEAF) != marker.point or transcript.keys(made[0]).get("explicit") is True:
        raise Used("a client wrote to it, or its head was moved, since it was made")
    behind = [position for position in range(len(transcript.log)) if transcript.span(position).start > made[0].start]
    if len(transcript.log) - len(behind) != kept:
        raise Used(f"it holds {len(transcript.log) - len(behind)} entries, and was made with {kept}: somebody changed it")
    spans = [transcript.span(position) for position in behind]
    spans += [sidecar.span for sidecar in transcript.sidecars if sidecar.span.start > made[0].start]
    for span in spans:
        says = _appended(transcript.keys(span))
        if says is None:
            raise Used(f"somebody goes on in it: line {span.number} was written since it was made")
        if "merge" in says:
            raise Used(f"another branch was merged into it, on line {span.number}")


def _appended(keys: Mapping[str, object]) -> dict[str, object] | None:
    """What a line says of itself that forkpoint appended to a session; None for any other line."""
    says = keys.get(KEY)
    return says if isinstance(says, dict) and says.get("scheme") == SCHEME else None


def _below(folder: Path) -> Iterator[Path]:
    """What stands in a folder, what is inside of something before it; a link is not followed."""
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not path.is_symlink():
            yield from _below(path)
        yield path
