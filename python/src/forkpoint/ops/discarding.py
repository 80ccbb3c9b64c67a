"""``discard``: a fork that forkpoint made and nobody went on in is removed, with what went along with it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from forkpoint.answers.new_sessions import Removed
from forkpoint.answers.refusals import Code, Refusal, accessing, translating
from forkpoint.clients.claude.certificate import removal
from forkpoint.clients.claude.places import SUFFIX
from forkpoint.ops.session import Session, find
from forkpoint.requests import DiscardRequest
from forkpoint.sessions import archive, companions, projects
from forkpoint.sessions import discard as discarding
from forkpoint.sessions.discard import Discard as Removal
from forkpoint.sessions.locate import locate
from forkpoint.transcript.format.marker import find_marker
from forkpoint.transcript.format.reader import Transcript


def discard(session: Session, request: DiscardRequest) -> Removed:
    """Removes a fork made by forkpoint that was never resumed, with the files that went along with it.

    Refuses anything else: a session without the marker of a fork, (``STALE``) a fork in which somebody went on, and
    (``ILLEGAL``) one that holds what stands nowhere else: neither in the session that it was made of, which ``source`` names
    where it is not found by its id, nor in the archive. O(bytes).
    """
    with (
        accessing("remove", session.file),
        translating(discarding.Used, code=Code.STALE, file=session.file, after="; nothing was removed"),
        translating(discarding.NotOurs, file=session.file, after="; nothing was removed"),
    ):
        what = discarding.discard(session.transcript, gone_on=request.gone_on)
        if not request.gone_on:
            _refuse_only_copy(session, what, request.source)
        if not request.dry_run:
            what.remove()
    paths = [os.fspath(path) for path in what.paths]
    removed, would = ([], paths) if request.dry_run else (paths, [])
    return Removed(file=session.file, removed=removed, would_remove=would)


def _refuse_only_copy(session: Session, what: Removal, source: str | None) -> None:
    """Refuses where something that goes is held by nobody else."""
    path = session.path
    originals = [Path(find(source))] if source is not None else [*_originals(path, session.transcript)]
    why = removal.not_held(path, originals)
    if why is None:
        why = removal.not_beside(_beside(path, originals[0], what.files)) if originals else None
    if why is not None and not _is_archived(path):
        raise Refusal(
            f"{why}, and the archive does not have it either; nothing was removed",
            Code.ILLEGAL,
            file=session.file,
            cure=f"name the session from which it comes by --source, or keep this one: `forkpoint archive keep {path.stem}`",
        )


def _originals(path: Path, transcript: Transcript) -> Iterator[Path]:
    """Where what a fork was made of may stand: the session that its marker names, wherever that is, and its sub-agents; then what
    else stands in the fork's folder."""
    marker = find_marker(transcript)
    found: list[Path] = []
    if marker is not None:
        named = path.with_name(marker.source + SUFFIX)
        with contextlib.suppress(LookupError):
            found = [named if named.is_file() else locate(marker.source)]
    yield from found
    for one in found:
        yield from projects.agent_files(one)
    yield from (other for other in sorted(path.parent.glob(f"*{SUFFIX}")) if other not in (path, *found) and other.is_file())


def _beside(path: Path, original: Path, files: Iterable[Path]) -> Iterator[tuple[Path, Path]]:
    """The files that go, each with the place where the original has it; but for plans, which are made for a fork."""
    folders = [(projects.own_folder(path), projects.own_folder(original))]
    history, theirs = companions.history_folder(path), companions.history_folder(original)
    if history is not None and theirs is not None:
        folders.append((history, theirs))
    for own, other in folders:
        yield from ((file, other / file.relative_to(own)) for file in files if own in file.parents)


def _is_archived(path: Path) -> bool:
    """Whether the archive has all that goes, as it is."""
    try:
        return archive.holds(archive.place(), path)
    except (archive.BadArchive, OSError):
        return False
