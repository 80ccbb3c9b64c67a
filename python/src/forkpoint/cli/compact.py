"""``forkpoint compact``."""

from __future__ import annotations

from typing import Unpack

import click

from forkpoint.cli import options
from forkpoint.cli.common import CLIENT_OPTION, FILE_ARGUMENT, JSON_OPTION, Command, complete_step, load
from forkpoint.cli.inplace import conclude
from forkpoint.ops import leaving_out
from forkpoint.ops.appending import How
from forkpoint.ops.texts import read_text


@click.command(cls=Command)
@FILE_ARGUMENT
@click.option(
    "--upto",
    required=True,
    metavar="POINT",
    shell_complete=complete_step,
    help="The last that is replaced: a step, a uuid, a prompt's number, HEAD~3.",
)
@click.option("--summary-file", metavar="FILE", help="The summary, or - for standard input; the default lists the prompts.")
@options.appending
@options.ORACLE
@CLIENT_OPTION
@JSON_OPTION
def compact(file: str, upto: str, summary_file: str | None, as_json: bool, **how: Unpack[How]) -> None:
    """Replace the start of the conversation at the head, up to a point, by one summary. Nothing is deleted.

    The summary is what `forkpoint export` puts in the place of all steps up to the last one that POINT, written as a span is,
    names: of a prompt's number, up to the end of its turn. It is said by a record that is appended to the session's own file;
    `forkpoint undo` takes it back.

    \b
    Example:
      forkpoint compact 5e551000 --upto HEAD~2 --summary-file summary.md
    """
    summary = None if summary_file is None else read_text(summary_file, "the summary")
    conclude(leaving_out.compact(load(file), upto, summary=summary, **how), how, as_json=as_json)
