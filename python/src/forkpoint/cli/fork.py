"""``forkpoint fork``."""

from __future__ import annotations

from typing import Unpack

import click

from forkpoint.cli import going_on, options
from forkpoint.cli.common import CLIENT_OPTION, FILE_ARGUMENT, JSON_OPTION, Command, Rare, conclude, load
from forkpoint.cli.options import Wanted
from forkpoint.ops import forking, worktrees
from forkpoint.ops.refusals import Refusal
from forkpoint.view import answers as view


@click.command("fork", cls=Command)
@FILE_ARGUMENT
@options.POINT
@click.option("--before", is_flag=True, help="Fork before the prompt that --at names.")
@click.option("--legal", is_flag=True, help="Fork only at the end of an assistant's turn.")
@click.option("--nearest", is_flag=True, help="If you cannot fork at the point, take the nearest one above where you can.")
@click.option("--allow-inherited", cls=Rare, is_flag=True, help="Take a point that only a break far above holds back.")
@options.ALLOW_DAMAGE
@click.option("--backfill", cls=Rare, metavar="VERSION", help="Give the entries the keys that this client version needs.")
@click.option("--worktree", metavar="DIR", help="Make a git worktree there with the files as they were, and fork into it.")
@click.option("--strict", cls=Rare, is_flag=True, help="With --worktree: stop when anything about the files cannot be known.")
@click.option(
    "--commit", cls=Rare, metavar="COMMIT", help="With --worktree: the commit to begin with; the default is the one of that time."
)
@options.REPOSITORY
@click.option("--manifest", is_flag=True, help="Say what a continuation of the fork depends on.")
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
    worktree: str | None,
    strict: bool,
    commit: str | None,
    repository: str | None,
    manifest: bool,
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
      forkpoint fork session.jsonl --at 4 --worktree ../another-way --resume
    """
    going_on.ready(go_on, dry_run=wanted["dry_run"], as_json=as_json)
    new = options.new(wanted, as_json=as_json)
    point = worktrees.Point(
        before=before,
        legal=legal,
        nearest=nearest,
        allow_inherited=allow_inherited,
        allow_damage=allow_damage,
        backfill=backfill,
        manifest=manifest,
        oracle=oracle,
    )
    session = load(file)
    if worktree is None:
        if strict or commit is not None or repository is not None:
            raise Refusal("--strict, --commit and --repository need --worktree")
        answer = forking.fork(session, at, **point, **new)
    else:
        answer = worktrees.fork(session, at, worktree, point, strict=strict, repository=repository, commit=commit, **new)
    conclude(answer, lambda: view.forked(answer), as_json=as_json)
    if go_on:
        going_on.onward(answer)
