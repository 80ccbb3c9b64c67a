"""Discarding a fork made here that nobody ever resumed: its session file and what went along with it."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from forkpoint.store import companions, projects
from forkpoint.transcript.marker import find_marker
from forkpoint.transcript.reader import File, Transcript


class NotOurs(Exception):
    """The file is no fork made here, as far as it says itself."""


class Used(Exception):
    """The fork is not as it was made: somebody goes on in it, or changed it."""


@dataclass(frozen=True, slots=True)
class Discard:
    """What is to be removed: the session file first, so that no session is left without its companions."""

    transcript: Transcript
    paths: list[Path]

    def remove(self) -> None:
        """Removes the paths. Raises :class:`Used` when the file changed meanwhile, or :class:`OSError`."""
        session, *others = self.paths
        now = os.stat(session, follow_symlinks=False)
        read = self.transcript.source.status() if isinstance(self.transcript.source, File) else None
        seen = (self.transcript.size, self.transcript.modified)
        if read is None or (now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns) != (read.st_dev, read.st_ino, *seen):
            raise Used("it was written to since it was read")
        session.unlink()
        for path in others:
            shutil.rmtree(path)


def discard(transcript: Transcript) -> Discard:
    """What discarding a fork removes. Raises :class:`NotOurs` or :class:`Used`; nothing is removed yet. O(size).

    A fork is as it was made when it holds the entries that its marker counts, and ends with the ``last-prompt`` that it was
    made with, the only one, at its fork point: a client that resumes a session writes behind that.
    """
    marker = find_marker(transcript)
    if marker is None:
        raise NotOurs("it is no fork made by forkpoint: it has no marker")
    if transcript.path.is_symlink() or transcript.path.stem != marker.session:
        raise NotOurs(f"its marker names the session {marker.session}: this is a copy or another name of it")
    entries = marker.kept.get("entries")
    if entries is None:
        raise NotOurs("its marker does not say how many entries were kept")
    if transcript.changed or transcript.damage or not transcript.complete:
        raise Used("it was damaged or cut off since it was made")
    if len(transcript.log) != entries:
        raise Used(f"it holds {len(transcript.log)} entries, and was made with {entries}: somebody goes on in it")
    prompts = [sidecar.span for sidecar in transcript.sidecars if sidecar.type == "last-prompt"]
    behind = transcript.size - prompts[-1].end if prompts else 0
    keys = transcript.keys(prompts[-1]) if prompts else {}
    if len(prompts) != 1 or behind != 1 or keys.get("leafUuid") != marker.point or keys.get("explicit") is True:
        raise Used("a client wrote to it, or its head was moved, since it was made")
    folders = [projects.own_folder(transcript.path), companions.history_folder(transcript.path)]
    return Discard(transcript, [transcript.path, *(folder for folder in folders if folder is not None and folder.is_dir())])
