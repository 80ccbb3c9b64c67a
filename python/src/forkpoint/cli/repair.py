"""``forkpoint repair``."""

from __future__ import annotations

import click

from forkpoint.cli import options
from forkpoint.cli.common import FILE_ARGUMENT, JSON_OPTION, Command, Rare, conclude, load, print_bytes
from forkpoint.ops import repairing
from forkpoint.ops.answers import Forked
from forkpoint.ops.refusals import Refusal
from forkpoint.ops.writing import STANDARD_OUTPUT
from forkpoint.view import answers as view


@click.command(cls=Command)
@FILE_ARGUMENT
@click.option(
    "--out",
    help="The file to write, or - for standard output. The default is beside a client's session, else ./<new id>.jsonl.",
)
@click.option(
    "--report",
    metavar="FILE",
    help="The file of the report. The default is .repair.json beside the new file, and none with --out -.",
)
@click.option(
    "--lost-parents",
    cls=Rare,
    type=click.Choice(repairing.POLICIES),
    default=repairing.POLICIES[0],
    show_default=True,
    help="What becomes of an entry whose parent is nowhere. `client` hangs it where clients do, else makes it a root. "
    "`root` makes it a root, and `previous` hangs it on the entry before it.",
)
@click.option(
    "--allow-unread",
    cls=Rare,
    is_flag=True,
    help="Go on without a file that may hold a lost parent, if the command cannot read it.",
)
@click.option("--dry-run", is_flag=True, help="Only say what the command would do.")
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
    """Write a healthy copy of a damaged transcript as a new session, and a report of what the command did.

    The copy keeps every branch. Each line of the original stands in the new file as it was, or verbatim in the report. Sound
    conversations stay as they are. For a healthy file the command writes nothing, unless the API refuses something of its
    conversation, as `doctor` says: then the new session lacks just that.

    \b
    Example:
      forkpoint repair session.jsonl
    """
    if out == STANDARD_OUTPUT and as_json and not dry_run:
        raise Refusal("--json and --out - both write on standard output", cure="choose one")
    session = load(file)
    answer = repairing.repair(
        session,
        out=out,
        report=report,
        lost_parents=lost_parents,
        folder=folder,
        allow_unread=allow_unread,
        dry_run=dry_run,
        sink=print_bytes,
    )
    if isinstance(answer, Forked):
        made = answer
        conclude(made, lambda: view.forked(made), as_json=as_json)
    else:
        repaired = answer
        conclude(repaired, lambda: view.repaired(repaired, dry_run=dry_run), as_json=as_json)
