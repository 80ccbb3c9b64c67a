"""``forkpoint backfill``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

import click

from forkpoint.cli.common import (
    EXIT_CODES,
    FILE_ARGUMENT,
    JSON_OPTION,
    STANDARD_OUTPUT,
    Stop,
    load,
    new_file,
    note,
    say,
    say_json,
    store,
    written,
)
from forkpoint.store import forking
from forkpoint.transcript import backfill as filling
from forkpoint.transcript import schemas
from forkpoint.transcript.marker import Marker
from forkpoint.transcript.reader import Transcript
from forkpoint.transcript.written import stamp


@click.command(epilog=EXIT_CODES)
@FILE_ARGUMENT
@click.option("--to", required=True, metavar="VERSION", help="The client version whose keys are filled in, such as 2.1.161.")
@click.option(
    "--out",
    help="The file to write, or - for standard output; the default is beside a client's session, else ./<new session id>.jsonl.",
)
@click.option("--dry-run", is_flag=True, help="Only say what would be added; nothing is written.")
@JSON_OPTION
def backfill(file: str, to: str, out: str | None, dry_run: bool, as_json: bool) -> None:
    """Write a new file whose entries have the keys that a later client version requires.

    Only keys with a default that means "nothing special" and values that the log holds (the session id) are filled in, before
    the closing brace of the line; every old byte stays. Keys that say who, when or where are reported, never made up.

    \b
    Example:
      forkpoint backfill session.jsonl --to 2.1.161
      forkpoint backfill session.jsonl --to 2.1.161 --dry-run
    """
    if out == STANDARD_OUTPUT and as_json and not dry_run:
        raise Stop("--json and --out - both write on standard output; choose one")
    transcript = load(file)
    try:
        held = schemas.for_version(to)
    except schemas.UnknownVersion as error:
        raise Stop(str(error)) from error
    cost = filling.Cost()
    pieces = _readable(transcript, filling.backfill(transcript, held, cost))
    path: Path | None = None
    if dry_run:
        for _ in pieces:
            pass
    else:
        path = (
            None if out == STANDARD_OUTPUT else new_file(out) if out else forking.destination(transcript.path, None, None, None)
        )
        if path is not None and not out and forking.in_projects(path):
            pieces = chain([_mark(transcript, path, to)], pieces)
        store(path, pieces)
    with written(path):
        _said(transcript, cost, held, path, dry_run=dry_run, as_json=as_json)


def _mark(transcript: Transcript, path: Path, to: str) -> bytes:
    """The line that says of a new session beside its source that it is that one, with more keys: else both would be counted."""
    last = max(range(len(transcript.log)), key=transcript.numbers.__getitem__, default=None)
    point = "" if last is None else transcript.nodes[last].uuid
    source = transcript.path.stem
    return Marker(path.stem, source, point, stamp(datetime.now(UTC)), backfilled=to).line() + b"\n"


def _said(
    transcript: Transcript, cost: filling.Cost, held: schemas.Schemas, path: Path | None, *, dry_run: bool, as_json: bool
) -> None:
    """Says what was filled in."""
    if as_json:
        say_json(
            {
                "path": os.fspath(path) if path is not None else None,
                "entries": cost.entries,
                "changed": cost.changed,
                "bytes": cost.bytes,
                "added": cost.added,
                "missing": cost.missing,
                "schema": held.version,
                "note": held.note,
            }
        )
        return
    tell = say if dry_run else note
    tell(f"{'would fill' if dry_run else 'filled'} {cost.changed} of {cost.entries} entries, {cost.bytes} bytes more")
    tell(f"by the schemas of {held.version}" + (f": {held.note}" if held.note else ""))
    if path is not None:
        tell(f"in {path}")
        say(path.stem)
    for key, count in sorted(cost.added.items()):
        tell(f"added: {key} ({count} entries)")
    for key, count in sorted(cost.missing.items()):
        tell(f"left out, since it must not be made up: {key} ({count} entries)")
    if transcript.damage:
        tell(f"{len(transcript.damage)} damaged lines are copied as they are")


def _readable(transcript: Transcript, pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The pieces; stops when the file cannot be read to its end."""
    try:
        yield from pieces
    except OSError as error:
        raise Stop(f"cannot read {transcript.path}: {error.strerror}") from error
