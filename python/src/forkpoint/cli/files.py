"""``forkpoint files``."""

from __future__ import annotations

import click

from forkpoint.answers.refusals import Refusal
from forkpoint.cli import options
from forkpoint.cli.common import FILE_ARGUMENT, JSON_OPTION, Command, load
from forkpoint.cli.console import conclude, print_bytes
from forkpoint.ops import files
from forkpoint.view import files as view


@click.command("files", cls=Command)
@FILE_ARGUMENT
@options.POINT
@click.option("--show", metavar="PATH", help="Print the text of one file as it was there.")
@click.option("--restore", is_flag=True, help="Put the files back in place. What they hold now is saved first.")
@click.option("--undo", metavar="ID", help="Take back what a --restore or a --files did, by its id.")
@click.option("--operation", metavar="ID", help="Finish what a --restore or a --files began, by its id.")
@click.option("--strict", is_flag=True, help="With --restore: stop when anything about the files cannot be known.")
@options.REPOSITORY
@click.option("--dry-run", is_flag=True, help="Only say what the command would write.")
@JSON_OPTION
def files_command(
    file: str,
    at: str,
    show: str | None,
    restore: bool,
    undo: str | None,
    operation: str | None,
    strict: bool,
    repository: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Say what the files were at a past point that the session changed.

    The session's own results tell it, then the client's checkpoints, then the commits that the session names. Each file is listed
    with who says so, and with what speaks against it.

    \b
    Examples:
      forkpoint files 5e551000 --at 4
      forkpoint files 5e551000 --at 4 --show src/main.py
      forkpoint files 5e551000 --at 4 --restore
    """
    acts = {"--show": show, "--restore": restore, "--undo": undo, "--operation": operation}
    given = [name for name, value in acts.items() if value]
    if len(given) > 1:
        raise Refusal(f"{' and '.join(given)} exclude each other", cure="choose one")
    if (strict or dry_run) and not (restore or undo):
        raise Refusal("--strict and --dry-run need --restore or --undo")
    session = load(file)
    if show is not None:
        if as_json:
            raise Refusal("--show and --json exclude each other", cure="without --show the list is an object")
        print_bytes([files.text(session, show, at, repository=repository).encode("utf-8", "surrogatepass")])
    elif undo is not None:
        answer = files.take_back(session, undo, repository=repository, dry_run=dry_run)
        conclude(answer, lambda: view.put(answer, dry_run=dry_run), as_json=as_json)
    elif restore or operation is not None:
        made = files.restore(session, at, repository=repository, strict=strict, dry_run=dry_run, operation=operation)
        conclude(made, lambda: view.put(made, dry_run=dry_run), as_json=as_json)
    else:
        found = files.at_point(session, at, repository=repository)
        conclude(found, lambda: view.listed(found), as_json=as_json)
