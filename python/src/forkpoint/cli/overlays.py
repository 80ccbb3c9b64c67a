"""``forkpoint overlays``."""

from __future__ import annotations

import os

import click

from forkpoint.cli.common import (
    CLIENT_OPTION,
    EXIT_CODES,
    FILE_ARGUMENT,
    JSON_OPTION,
    UNHEALTHY,
    Stop,
    find,
    load,
    place,
    say,
    say_json,
)
from forkpoint.cli.records import tell_compacted
from forkpoint.transcript import overlays
from forkpoint.transcript.overlays import BadRecord, Record
from forkpoint.transcript.reader import Transcript
from forkpoint.view.overlays import line


@click.command("overlays", epilog=EXIT_CODES)
@FILE_ARGUMENT
@click.option("--at", metavar="POINT", help="The records of the conversation at a point; the default is HEAD.")
@CLIENT_OPTION
@JSON_OPTION
def overlays_command(file: str, at: str | None, as_json: bool) -> None:
    """List what `drop`, `compact`, `undo` and `redo` recorded in a conversation, and which of it counts.

    \b
    Example:
      forkpoint overlays 5e551000
    """
    transcript = load(file)
    file = os.fspath(transcript.path)
    node = find(transcript, at or "HEAD")
    position = transcript.log.position(node.entry.uuid)
    try:
        found = overlays.unchecked(transcript, overlays.tip(transcript, position) if at in (None, "HEAD") else position)
    except BadRecord as error:
        raise Stop(f"{file}:{error.line}: {error}", UNHEALTHY) from error
    tell_compacted(file, transcript, found.at)
    unfit = overlays.unfit(found)
    if as_json:
        counting = {record.uuid for record in found.active}
        listed = [
            _shape(transcript, record, counts=record.uuid in counting, fits=record.uuid not in unfit) for record in found.records
        ]
        say_json({"file": file, "at": place(node), "records": listed})
        return
    if not found.records:
        say(f"nothing is left out of the conversation at {node.uuid} (line {node.span.number})")
    for record in found.records:
        say(line(record, counts=record in found.active, fits=record.uuid not in unfit))


def _shape(transcript: Transcript, record: Record, *, counts: bool, fits: bool) -> dict[str, object]:
    return {
        **place(transcript.nodes[record.position]),
        "what": record.what,
        "counts": counts,
        "fits": fits,
        "covered": list(record.covered),
        "hash": record.digest,
        "stub": None if record.stub is None else overlays.stub_words(record.stub),
        "supersedes": record.supersedes,
    }
