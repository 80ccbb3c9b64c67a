"""``forkpoint fork``."""

from __future__ import annotations

from typing import Unpack

import click

from forkpoint.cli import going_on, options
from forkpoint.cli.common import CLIENT_OPTION, FILE_ARGUMENT, JSON_OPTION, Command, Rare, complete_point, conclude, load
from forkpoint.cli.options import Wanted
from forkpoint.ops import forking
from forkpoint.view import answers as view


@click.command("fork", cls=Command)
@FILE_ARGUMENT
@click.option(
    "--at",
    default="HEAD",
    metavar="POINT",
    shell_complete=complete_point,
    help="A uuid, the beginning of one, a prompt's number, HEAD (the default), or HEAD~3 (turns).",
)
@click.option("--before", is_flag=True, help="Fork before the prompt that --at names.")
@click.option("--legal", is_flag=True, help="Fork only at the end of an assistant's turn.")
@click.option("--nearest", is_flag=True, help="If you cannot fork at the point, take the nearest one above where you can.")
@click.option("--allow-inherited", cls=Rare, is_flag=True, help="Take a point that only a break far above holds back.")
@options.ALLOW_DAMAGE
@click.option("--backfill", cls=Rare, metavar="VERSION", help="Give the entries the keys that this client version needs.")
@going_on.RESUME
@options.new_session
@options.ORACLE
@CLIENT_OPTION
@JSON_OPTION
def fork_command(
    file: str,
    at: str,
    before: bool,
    legal: bool,
    nearest: bool,
    allow_inherited: bool,
    allow_damage: bool,
    backfill: str | None,
    go_on: bool,
    oracle: bool,
    as_json: bool,
    **wanted: Unpack[Wanted],
) -> None:
    """Fork a conversation at a past point into a new session. This only reads the original.

    The fork holds exactly the entries of the conversation at that point, each line byte for byte, and the files that belong to
    it. It lands beside a client's session, so that the client finds it, else in the current folder. Standard output is its
    session id.

    \b
    Examples:
      forkpoint fork session.jsonl --at 3f2a9c1e
      forkpoint fork session.jsonl --at 4 --before --name "another way"
      forkpoint fork session.jsonl --at HEAD~2 --dry-run
    """
    going_on.ready(go_on, dry_run=wanted["dry_run"], as_json=as_json)
    new = options.new(wanted, as_json=as_json)
    answer = forking.fork(
        load(file),
        at,
        before=before,
        legal=legal,
        nearest=nearest,
        allow_inherited=allow_inherited,
        allow_damage=allow_damage,
        backfill=backfill,
        oracle=oracle,
        **new,
    )
    conclude(answer, lambda: view.forked(answer), as_json=as_json)
    if go_on:
        going_on.onward(answer)
