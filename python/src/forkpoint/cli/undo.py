"""``forkpoint undo`` and ``forkpoint redo``."""

from __future__ import annotations

import click

from forkpoint.cli import inplace as moving
from forkpoint.cli import oracle
from forkpoint.cli.common import CLIENT_OPTION, EXIT_CODES, FILE_ARGUMENT, JSON_OPTION
from forkpoint.cli.records import record
from forkpoint.transcript import recording


@click.command(epilog=EXIT_CODES)
@FILE_ARGUMENT
@click.argument("which", metavar="[RECORD]", required=False)
@moving.IF_HEAD_OPTION
@moving.FORCE_OPTION
@moving.OPERATION_OPTION
@moving.DRY_RUN_OPTION
@oracle.OPTION
@CLIENT_OPTION
@JSON_OPTION
def undo(
    file: str,
    which: str | None,
    if_head: str | None,
    force: bool,
    operation: str | None,
    dry_run: bool,
    with_oracle: bool,
    as_json: bool,
) -> None:
    """Take back a `drop` or `compact`: by default the last that counts, or the one whose uuid, or its beginning, is given.

    A record is appended that supersedes it, so the session is seen again as if it had never been; `forkpoint redo` takes that
    back in turn. `forkpoint overlays` lists the records.

    \b
    Example:
      forkpoint undo 5e551000
    """
    asked = moving.Asked(file, if_head, force, dry_run, as_json, with_oracle, operation)
    record(asked, lambda shown, _: recording.take_back(shown, "undo", which), lenient=True)


@click.command(epilog=EXIT_CODES)
@FILE_ARGUMENT
@click.argument("which", metavar="[RECORD]", required=False)
@moving.IF_HEAD_OPTION
@moving.FORCE_OPTION
@moving.OPERATION_OPTION
@moving.DRY_RUN_OPTION
@oracle.OPTION
@CLIENT_OPTION
@JSON_OPTION
def redo(
    file: str,
    which: str | None,
    if_head: str | None,
    force: bool,
    operation: str | None,
    dry_run: bool,
    with_oracle: bool,
    as_json: bool,
) -> None:
    """Take back an `undo`: by default the last that counts, or the one whose uuid, or its beginning, is given.

    \b
    Example:
      forkpoint redo 5e551000
    """
    asked = moving.Asked(file, if_head, force, dry_run, as_json, with_oracle, operation)
    record(asked, lambda shown, _: recording.take_back(shown, "redo", which))
