"""``forkpoint compact``."""

from __future__ import annotations

import click

from forkpoint.cli import inplace as moving
from forkpoint.cli import oracle
from forkpoint.cli.common import CLIENT_OPTION, EXIT_CODES, FILE_ARGUMENT, JSON_OPTION
from forkpoint.cli.records import record
from forkpoint.cli.texts import read_text
from forkpoint.transcript import recording


@click.command(epilog=EXIT_CODES)
@FILE_ARGUMENT
@click.option(
    "--upto", required=True, metavar="POINT", help="The last that is replaced: a step, a uuid, a prompt's number, HEAD~3."
)
@click.option("--summary-file", metavar="FILE", help="The summary, or - for standard input; the default lists the prompts.")
@moving.IF_HEAD_OPTION
@moving.FORCE_OPTION
@moving.OPERATION_OPTION
@moving.DRY_RUN_OPTION
@oracle.OPTION
@CLIENT_OPTION
@JSON_OPTION
def compact(
    file: str,
    upto: str,
    summary_file: str | None,
    if_head: str | None,
    force: bool,
    operation: str | None,
    dry_run: bool,
    with_oracle: bool,
    as_json: bool,
) -> None:
    """Replace the start of the conversation at the head, up to a point, by one summary. Nothing is deleted.

    The summary is what `forkpoint export` puts in the place of all steps up to the last one that POINT, written as a span is,
    names: of a prompt's number, up to the end of its turn. It is said by a record that is appended to the session's own file;
    `forkpoint undo` takes it back.

    \b
    Example:
      forkpoint compact 5e551000 --upto HEAD~2 --summary-file summary.md
    """
    given = None if summary_file is None else read_text(summary_file, "the summary")

    record(
        moving.Asked(file, if_head, force, dry_run, as_json, with_oracle, operation),
        lambda shown, outline: recording.compact(shown, outline, upto, summary=given),
        f"what stands up to {upto}",
    )
