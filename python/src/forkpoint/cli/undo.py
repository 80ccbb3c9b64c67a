"""``forkpoint undo`` and ``forkpoint redo``."""

from __future__ import annotations

from collections.abc import Sequence

import click

from forkpoint.cli import inplace as moving
from forkpoint.cli.common import EXIT_CODES, FILE_ARGUMENT, JSON_OPTION, Stop
from forkpoint.cli.recording import Record, record
from forkpoint.transcript import overlays
from forkpoint.transcript.outline import Outline
from forkpoint.transcript.overlays import Shown, What


@click.command(epilog=EXIT_CODES)
@FILE_ARGUMENT
@click.argument("which", metavar="[RECORD]", required=False)
@moving.IF_HEAD_OPTION
@moving.FORCE_OPTION
@moving.DRY_RUN_OPTION
@JSON_OPTION
def undo(file: str, which: str | None, if_head: str | None, force: bool, dry_run: bool, as_json: bool) -> None:
    """Take back a `drop` or `compact`: by default the last that counts, or the one whose uuid, or its beginning, is given.

    A record is appended that supersedes it, so the session is seen again as if it had never been; `forkpoint redo` takes that
    back in turn. `forkpoint overlays` lists the records.

    \b
    Example:
      forkpoint undo 5e551000
    """
    _supersede(file, which, "undo", ("drop", "compact"), moving.Asked(file, if_head, force, dry_run, as_json))


@click.command(epilog=EXIT_CODES)
@FILE_ARGUMENT
@click.argument("which", metavar="[RECORD]", required=False)
@moving.IF_HEAD_OPTION
@moving.FORCE_OPTION
@moving.DRY_RUN_OPTION
@JSON_OPTION
def redo(file: str, which: str | None, if_head: str | None, force: bool, dry_run: bool, as_json: bool) -> None:
    """Take back an `undo`: by default the last that counts, or the one whose uuid, or its beginning, is given.

    \b
    Example:
      forkpoint redo 5e551000
    """
    _supersede(file, which, "redo", ("undo",), moving.Asked(file, if_head, force, dry_run, as_json))


def _supersede(file: str, which: str | None, what: What, kinds: Sequence[What], asked: moving.Asked) -> None:
    def make(file: str, shown: Shown, outline: Outline) -> Record:
        del outline
        open_ = [found for found in shown.active if found.what in kinds]
        chosen = [found for found in open_ if which is None or (which and found.uuid.startswith(which))]
        if not chosen or (which is not None and len(chosen) > 1):
            raise Stop(f"{file}: {_none(shown, which, what, len(chosen))}")
        aim = chosen[-1]
        named = f"the {aim.what} on line {aim.line}"
        return Record(
            says=overlays.says(what, supersedes=aim.uuid),
            notice=f"forkpoint: {named} is taken back",
            words=f"taken back: {named} ({aim.uuid})",
            shape={"superseded": {"uuid": aim.uuid, "line": aim.line, "what": aim.what}},
            inverse=("redo", None) if what == "undo" else ("undo", aim.supersedes),
        )

    record(asked, make, lenient=what == "undo")


def _none(shown: Shown, which: str | None, what: What, found: int) -> str:
    if which is None:
        return f"there is nothing to {what}; `forkpoint overlays` lists the records of the conversation at the head"
    if found > 1:
        return f"{which} is the beginning of {found} records; give more of it"
    if which and any(one.uuid.startswith(which) for one in shown.records):
        why = f"the record {which} does not count, or is nothing to {what}"
    else:
        why = f"the conversation at the head has no record {which!r}"
    return f"{why}; `forkpoint overlays` lists them"
