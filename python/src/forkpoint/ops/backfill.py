"""``backfill``: a new file whose entries have the keys that a later client version requires."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

from forkpoint.answers.new_sessions import Backfilled
from forkpoint.answers.refusals import accessing, translating
from forkpoint.clients.claude import certificate, schemas
from forkpoint.clients.claude.lines import IN_WORKTREE
from forkpoint.clients.claude.written import stamp
from forkpoint.clients.edits import each_line
from forkpoint.disk import files
from forkpoint.ops.new_files import could_be, new, new_name, sunk
from forkpoint.ops.session import Session
from forkpoint.requests import STANDARD_OUTPUT, BackfillRequest
from forkpoint.sessions import companions, forking, plans
from forkpoint.transcript.format.marker import Marker
from forkpoint.transcript.format.plans import Naming
from forkpoint.transcript.repair import backfill as filling


def known(version: str) -> schemas.Schemas:
    """The schemas of a client version; refuses one that is not known."""
    with translating(schemas.UnknownVersion):
        return schemas.for_version(version)


def backfill(session: Session, request: BackfillRequest) -> Backfilled:
    """Writes a new file whose entries have the keys that a client version requires.

    Only keys with a default that means "nothing special", and values that the log holds, are filled in; every old byte stays.
    Refuses an unknown version. O(bytes); P6a, P6b.
    """
    transcript, to, out = session.transcript, request.to, request.out
    held = known(to)
    cost = filling.Cost()
    pieces = _readable(session, filling.backfill(transcript, held, cost))
    path: Path | None = None
    if request.dry_run:
        if out and out != STANDARD_OUTPUT:
            could_be(new_name(out))
        for _ in pieces:
            pass
    elif out == STANDARD_OUTPUT:
        with new(None, session.tell):
            sunk(request.sink)(pieces)
    else:
        path = new_name(out) if out else forking.destination(transcript.path, None, None, forking.left(transcript))
        own = not out and forking.in_projects(path)  # a session beside its source, which shares nothing with it
        naming = _naming(session, path) if own else None
        opening = [_mark(session, path, to, naming)] if own else []
        pieces = each_line(pieces, lambda line: None if _keeps_in_worktree(line) else line) if own else pieces
        pieces = pieces if naming is None else naming.lines(pieces)

        def check(staged: Path) -> None:
            plan = None if naming is None else (naming.was, naming.now)
            source = filling.lines(transcript)
            kept = (line for line in source if not _keeps_in_worktree(line)) if own else source
            certificate.filled(staged, opening, kept, held.required, plan)

        with new(path, session.tell), forking.folder_of(path), files.stage(path) as stage:
            stage.write(files.FILE, chain(opening, pieces))
            check(stage.folder / files.FILE)
            companions.write(stage, companions.plan_as_it_stands(naming), path)
            stage.commit()
    return Backfilled(
        path=None if path is None else os.fspath(path),
        entries=cost.entries,
        changed=cost.changed,
        bytes=cost.bytes,
        added=dict(cost.added),
        missing=dict(cost.missing),
        schema=held.version,
        note=held.note,
        damaged=len(transcript.damage),
    )


def _naming(session: Session, path: Path) -> Naming | None:
    """The name of the new session's own plan: without one it would write its source's."""
    order = sorted(range(len(session.log)), key=session.transcript.numbers.__getitem__)
    with accessing("read", session.file):
        return plans.naming(session.transcript, order, path.stem, None, None)


def _mark(session: Session, path: Path, to: str, naming: Naming | None) -> bytes:
    """The line that says of a new session beside its source that it is that one, with more keys: else both would be counted."""
    transcript = session.transcript
    last = max(range(len(transcript.log)), key=transcript.numbers.__getitem__, default=None)
    point = "" if last is None else transcript.nodes[last].uuid
    plan = None if naming is None else naming.shape()
    return Marker(path.stem, transcript.path.stem, point, stamp(datetime.now(UTC)), backfilled=to, plan=plan).line() + b"\n"


def _keeps_in_worktree(line: bytes) -> bool:
    """Whether a line makes a client work in the source's worktree."""
    if not any(kind.encode() in line for kind in IN_WORKTREE):
        return False
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return False
    kind = value.get("type") if isinstance(value, dict) and value.get("uuid") is None else None
    return isinstance(kind, str) and kind in IN_WORKTREE


def _readable(session: Session, pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The pieces; refuses when the file cannot be read to its end."""
    with accessing("read", session.file):
        yield from pieces
