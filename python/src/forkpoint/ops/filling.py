"""``backfill``: a new file whose entries have the keys that a later client version requires."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

from forkpoint import certificate
from forkpoint.disk import files
from forkpoint.ops.answers import Backfilled
from forkpoint.ops.refusals import Refusal
from forkpoint.ops.session import Session
from forkpoint.ops.writing import STANDARD_OUTPUT, Sink, could_be, new, new_name, sunk
from forkpoint.store import companions, forking, plans
from forkpoint.transcript.format import schemas
from forkpoint.transcript.format.marker import Marker
from forkpoint.transcript.format.plans import Naming
from forkpoint.transcript.format.written import stamp
from forkpoint.transcript.heal import backfill as filling


def known(version: str) -> schemas.Schemas:
    """The schemas of a client version; refuses one that is not known."""
    try:
        return schemas.for_version(version)
    except schemas.UnknownVersion as error:
        raise Refusal(error) from error


def backfill(session: Session, to: str, *, out: str | None = None, dry_run: bool = False, sink: Sink | None = None) -> Backfilled:
    """Writes a new file whose entries have the keys that a client version requires.

    Only keys with a default that means "nothing special", and values that the log holds, are filled in; every old byte stays.
    ``out`` is the file, ``-`` none (then ``sink`` takes the bytes); without it the new session lands beside a client's session,
    else in the current folder. Refuses an unknown version. O(bytes); P6a, P6b.
    """
    transcript = session.transcript
    held = known(to)
    cost = filling.Cost()
    pieces = _readable(session, filling.backfill(transcript, held, cost))
    path: Path | None = None
    if dry_run:
        if out and out != STANDARD_OUTPUT:
            could_be(new_name(out))
        for _ in pieces:
            pass
    elif out == STANDARD_OUTPUT:
        with new(None, session.tell):
            sunk(sink)(pieces)
    else:
        path = new_name(out) if out else forking.destination(transcript.path, None, None, None)
        own = not out and forking.in_projects(path)  # a session beside its source
        naming = _naming(session, path) if own else None
        opening = [_mark(session, path, to, naming)] if own else []
        pieces = pieces if naming is None else naming.lines(pieces)

        def check(staged: Path) -> None:
            plan = None if naming is None else (naming.was, naming.now)
            certificate.filled(staged, opening, filling.lines(transcript), held.required, plan)

        with new(path, session.tell), files.stage(path) as stage:
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
    try:
        return plans.naming(session.transcript, order, path.stem, None, None)
    except OSError as error:
        raise Refusal(f"cannot read {session.file}: {error.strerror}", file=session.file) from error


def _mark(session: Session, path: Path, to: str, naming: Naming | None) -> bytes:
    """The line that says of a new session beside its source that it is that one, with more keys: else both would be counted."""
    transcript = session.transcript
    last = max(range(len(transcript.log)), key=transcript.numbers.__getitem__, default=None)
    point = "" if last is None else transcript.nodes[last].uuid
    plan = None if naming is None else naming.shape()
    return Marker(path.stem, transcript.path.stem, point, stamp(datetime.now(UTC)), backfilled=to, plan=plan).line() + b"\n"


def _readable(session: Session, pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The pieces; refuses when the file cannot be read to its end."""
    try:
        yield from pieces
    except OSError as error:
        raise Refusal(f"cannot read {session.file}: {error.strerror}", file=session.file) from error
