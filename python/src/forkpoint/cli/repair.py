"""``forkpoint repair``."""

from __future__ import annotations

import click

from forkpoint.cli import options
from forkpoint.cli.common import FILE_ARGUMENT, JSON_OPTION, Command, Rare, conclude, load, print_bytes
from forkpoint.ops import repairing
from forkpoint.ops.refusals import Refusal
from forkpoint.ops.writing import STANDARD_OUTPUT
from forkpoint.view import answers as view


@click.command(cls=Command)
@FILE_ARGUMENT
@click.option(
    "--out",
    help="The file to write, or - for standard output; the default is beside a session of a client, else "
    "./<new session id>.jsonl.",
)
@click.option(
    "--report",
    metavar="FILE",
    help="Where the report goes; the default is beside the new file, .repair.json, and nowhere with --out -.",
)
@click.option(
    "--lost-parents",
    cls=Rare,
    type=click.Choice(repairing.POLICIES),
    default=repairing.POLICIES[0],
    show_default=True,
    help="What becomes of an entry whose parent is nowhere: it hangs where clients hang it, or is a root where they do not; "
    "it is a root; it hangs on the entry before it.",
)
@click.option("--allow-unread", cls=Rare, is_flag=True, help="Go on where a file cannot be read that may hold a lost parent.")
@click.option("--dry-run", is_flag=True, help="Write nothing, say what would be done.")
@options.SEARCH
@JSON_OPTION
def repair(
    file: str,
    out: str | None,
    report: str | None,
    lost_parents: str,
    allow_unread: bool,
    dry_run: bool,
    folder: str | None,
    as_json: bool,
) -> None:
    """Write a healthy copy of a damaged transcript as a new session, and a report of what was done.

    Every branch is kept. Each line of the original is in the new file as it was, or in the report, verbatim. Conversations
    that are sound stay as they are. Of a healthy file nothing is written.

    \b
    Example:
      forkpoint repair session.jsonl
    """
    if out == STANDARD_OUTPUT and as_json and not dry_run:
        raise Refusal("--json and --out - both write on standard output; choose one")
    answer = repairing.repair(
        load(file),
        out=out,
        report=report,
        lost_parents=lost_parents,
        folder=folder,
        allow_unread=allow_unread,
        dry_run=dry_run,
        sink=print_bytes,
    )
    conclude(answer, lambda: view.repaired(answer, dry_run=dry_run), as_json=as_json)
