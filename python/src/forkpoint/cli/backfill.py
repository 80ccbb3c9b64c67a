"""``forkpoint backfill``."""

from __future__ import annotations

import os

import click

from forkpoint.cli.common import (
    EXIT_CODES,
    FILE_ARGUMENT,
    JSON_OPTION,
    Stop,
    load,
    new_file,
    note,
    say_json,
    store,
    write,
)
from forkpoint.transcript import schemas


@click.command(epilog=EXIT_CODES)
@FILE_ARGUMENT
@click.option("--to", required=True, metavar="VERSION", help="The client version whose keys are filled in, such as 2.1.161.")
@click.option("--out", help="The file to write; the default is ./<new session id>.jsonl.")
@JSON_OPTION
def backfill(file: str, to: str, out: str | None, as_json: bool) -> None:
    """Write a new file whose entries have the keys that a later client version requires.

    Only keys with a default that means "nothing special" are filled in, before the closing brace of the line; every old
    byte stays. Keys that say who, when or where are reported, never made up.

    \b
    Example:
      forkpoint backfill session.jsonl --to 2.1.161
    """
    transcript = load(file)
    try:
        schema, measured = schemas.schema_for(to)
    except schemas.UnknownVersion as error:
        raise Stop(str(error)) from error
    filled = schemas.backfill(transcript, schema)
    path = new_file(out)
    store(path, [filled.data])
    if as_json:
        say_json(
            {
                "path": os.fspath(path),
                "entries": len(transcript.nodes),
                "changed": filled.changed,
                "missing": filled.missing,
                "schema": measured,
            }
        )
        return
    note(f"filled {filled.changed} of {len(transcript.nodes)} entries by the schema of {measured}, in {path}")
    write(os.fsencode(path))
    for key, count in sorted(filled.missing.items()):
        note(f"left out, since it must not be made up: {key} ({count} entries)")
    if transcript.damage:
        note(f"{len(transcript.damage)} damaged lines are copied as they are")
