"""The checkpoints of a client: which copy of which file it kept at which line. The copies are in a folder of their own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from forkpoint.clients.claude.keys import ADDS, BACKUP_NAME, TRACKED, TRACKING_PATH
from forkpoint.clients.claude.lines import SNAPSHOTS
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query.file_edits import At


class Checkpoint(NamedTuple):
    """What a file was at a line: the name of the copy, None where there was no file."""

    at: At
    where: str
    path: str
    copy: str | None


def checkpoints(transcript: Transcript, folder: str) -> Iterator[Checkpoint]:
    """The checkpoints of a session, in order. ``folder`` is the working folder in which it began. A snapshot at a prompt says it
    of each file; what comes between says it of the files that are new there. Reads the lines of snapshots."""
    seen: set[tuple[str, object]] = set()
    for sidecar in transcript.sidecars:
        if sidecar.type not in SNAPSHOTS:
            continue
        keys = transcript.keys(sidecar.span)
        snapshot = keys.get("snapshot")
        tracked = snapshot.get(TRACKED) if isinstance(snapshot, dict) else None
        those = list(tracked.items()) if isinstance(tracked, dict) else []
        if "backup" in keys:
            those.append((keys.get(TRACKING_PATH), keys.get("backup")))
        whole = keys.get(ADDS) is False
        for name, backup in those:
            if not isinstance(name, str) or not isinstance(backup, dict):
                continue
            path = _path(name, backup.get("realParentDir"), folder)
            copy, version = backup.get(BACKUP_NAME), backup.get("version")
            new = (path, str(version)) not in seen
            seen.add((path, str(version)))
            if (new or whole) and (copy is None or _is_name(copy)):
                number = sidecar.span.number
                yield Checkpoint((number, 0), f"the checkpoint on line {number}", path, copy)


def _is_name(copy: object) -> bool:
    return isinstance(copy, str) and copy not in ("", ".", "..") and "/" not in copy and "\0" not in copy


def _path(name: str, parent: object, folder: str) -> str:
    if os.path.isabs(name):
        return os.path.normpath(name)
    if isinstance(parent, str) and os.path.isabs(parent):
        return os.path.normpath(os.path.join(parent, os.path.basename(name)))
    return os.path.normpath(os.path.join(folder, name))
