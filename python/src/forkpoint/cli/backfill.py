"""``forkpoint backfill``."""

from __future__ import annotations

import click

from forkpoint.cli.common import FILE_ARGUMENT, JSON_OPTION, Command, conclude, load, print_bytes
from forkpoint.ops import filling
from forkpoint.ops.refusals import Refusal
from forkpoint.ops.writing import STANDARD_OUTPUT
from forkpoint.view import answers as view


@click.command(cls=Command)
@FILE_ARGUMENT
@click.option("--to", required=True, metavar="VERSION", help="Fill in the keys of this client version, such as 2.1.161.")
@click.option(
    "--out",
    help="The file to write, or - for standard output. The default is beside a client's session, else ./<new id>.jsonl.",
)
@click.option("--dry-run", is_flag=True, help="Only say what the command would add.")
@JSON_OPTION
def backfill(file: str, to: str, out: str | None, dry_run: bool, as_json: bool) -> None:
    """Write a new file whose entries have the keys that a later client version requires.

    The command fills in only keys with a default that means "nothing special", and values that the log holds (the session id). It
    puts them before the closing brace of the line; every old byte stays. It reports keys that say who, when or where, and never
    makes them up.

    \b
    Example:
      forkpoint backfill session.jsonl --to 2.1.161
      forkpoint backfill session.jsonl --to 2.1.161 --dry-run
    """
    if out == STANDARD_OUTPUT and as_json and not dry_run:
        raise Refusal("--json and --out - both write on standard output", cure="choose one")
    answer = filling.backfill(load(file), to, out=out, dry_run=dry_run, sink=print_bytes)
    conclude(answer, lambda: view.backfilled(answer, dry_run=dry_run), as_json=as_json)
