"""``forkpoint rename`` and ``forkpoint ref``."""

from __future__ import annotations

import click

from forkpoint.cli import options
from forkpoint.cli.common import FILE_ARGUMENT, JSON_OPTION, Argument, Command, complete_point, load
from forkpoint.cli.console import Group, conclude
from forkpoint.ops import naming
from forkpoint.requests import RenameRequest
from forkpoint.view import answers as view


@click.command(cls=Command)
@FILE_ARGUMENT
@options.takes(RenameRequest)
@JSON_OPTION
def rename(file: str, request: RenameRequest, as_json: bool) -> None:
    """Give a session a title.

    The command appends the line that the client's /rename writes. Nothing gets lost, and the last title counts. It prints the
    command that gives the session its former title again.

    \b
    Example:
      forkpoint rename 5e551000 "Herbs for the balcony"
    """
    answer = naming.rename(load(file), request)
    conclude(answer, lambda: view.renamed(answer, dry_run=request.dry_run), as_json=as_json)


@click.group(cls=Group)
def ref() -> None:
    """Give names to points of sessions. A name stands wherever a command takes a point of its session.

    The names are in forkpoint's own folder; no session changes.

    \b
    Examples:
      forkpoint ref add before-the-rewrite 5e551000 --at 7
      forkpoint fork 5e551000 --at before-the-rewrite
      forkpoint ref list
    """


_NAME = click.argument("name", cls=Argument, text="The name: letters, digits, dots, dashes and underscores.")


@ref.command(cls=Command)
@_NAME
@FILE_ARGUMENT
@click.option("--at", default="HEAD", metavar="POINT", shell_complete=complete_point, help="The point; the default is HEAD.")
@click.option("--dry-run", is_flag=True, help="Only say which point it would name.")
@JSON_OPTION
def add(name: str, file: str, at: str, dry_run: bool, as_json: bool) -> None:
    """Name a point of a session."""
    answer = naming.add_ref(load(file), name, at, now=options.when(), dry_run=dry_run)
    conclude(answer, lambda: view.refs(answer), as_json=as_json)


@ref.command("list", cls=Command)
@click.argument("file", cls=Argument, required=False, text="The session; without one, every session that has refs.")
@JSON_OPTION
def list_refs(file: str | None, as_json: bool) -> None:
    """List the refs of a session, or all of them."""
    answer = naming.list_refs(None if file is None else load(file))
    conclude(answer, lambda: view.refs(answer), as_json=as_json)


@ref.command(cls=Command)
@_NAME
@FILE_ARGUMENT
@click.option("--dry-run", is_flag=True, help="Only say which ref it would remove.")
@JSON_OPTION
def rm(name: str, file: str, dry_run: bool, as_json: bool) -> None:
    """Remove a ref. The session stays as it is."""
    answer = naming.remove_ref(file if naming.is_gone(file) else load(file), name, dry_run=dry_run)
    conclude(answer, lambda: view.refs(answer) if dry_run else view.removed_refs(answer), as_json=as_json)
