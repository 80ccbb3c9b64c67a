"""``forkpoint fork``."""

from __future__ import annotations

import os
from typing import NoReturn, Unpack

import click

from forkpoint.cli import drafts, oracle
from forkpoint.cli.common import CLIENT_OPTION, EXIT_CODES, FILE_ARGUMENT, ILLEGAL, JSON_OPTION, Stop, load, note, place
from forkpoint.cli.drafts import Wanted
from forkpoint.transcript import select
from forkpoint.transcript.outline import outline
from forkpoint.transcript.reader import Transcript
from forkpoint.transcript.select import Choice


@click.command("fork", epilog=EXIT_CODES)
@FILE_ARGUMENT
@click.option(
    "--at", required=True, metavar="POINT", help="A uuid, the beginning of one, a prompt's number, HEAD, HEAD~3 (turns)."
)
@click.option("--before", is_flag=True, help="Fork before the prompt that --at names.")
@click.option("--legal", is_flag=True, help="Only at the end of an assistant's turn.")
@click.option("--nearest", is_flag=True, help="Where the point cannot be resumed, take the nearest one above that can.")
@click.option("--allow-inherited", is_flag=True, help="Take a point that only a break far above holds back.")
@drafts.ALLOW_DAMAGE_OPTION
@drafts.new_session_options
@oracle.OPTION
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
    with_oracle: bool,
    **wanted: Unpack[Wanted],
) -> None:
    """Fork a conversation at a past point into a new session. The original is only read.

    The fork has exactly the entries of the conversation at that point, each line byte for byte, and the files that belong
    to it. It lands beside a session of a client, so that the client finds it, else in the current folder. Standard output is
    its session id.

    \b
    Examples:
      forkpoint fork session.jsonl --at 3f2a9c1e
      forkpoint fork session.jsonl --at 4 --before --name "another way"
      forkpoint fork session.jsonl --at HEAD~2 --dry-run
    """
    options, ledger = drafts.check(wanted), drafts.book(wanted)
    if with_oracle:
        oracle.require()
    transcript = load(file)
    file = os.fspath(transcript.path)
    try:
        choice = _choose(
            file,
            transcript,
            at,
            before=before,
            legal=legal,
            nearest=nearest,
            allow_inherited=allow_inherited,
            allow_damage=allow_damage,
            main_line=True,
        )
    except select.Refused as refused:
        if with_oracle and refused.asked is not None:
            note(oracle.on_refusal(transcript, refused.asked))
        _refuse(file, transcript, refused)
    made = drafts.draft(transcript, choice.position, options)
    if with_oracle:
        note(oracle.on_fork(made))
    drafts.deliver(made, choice, wanted, ledger)


def _choose(file: str, transcript: Transcript, at: str, **how: bool) -> Choice:
    try:
        return select.choose(transcript, outline(transcript), at, **how)
    except select.UnknownPoint as error:
        raise Stop(f"{file}: {error}") from error


def _refuse(file: str, transcript: Transcript, refused: select.Refused) -> NoReturn:
    node = None if refused.asked is None else transcript.nodes[refused.asked]
    where = file if node is None else f"{file}:{node.span.number}: {node.uuid}"
    raise Stop(
        f"{where}: cannot be forked: {refused}",
        ILLEGAL,
        refused={
            "reason": refused.reason,
            "nearest": [place(transcript.nodes[near]) for near in refused.nearest],
            "left_out": len(refused.left_out),
            "cure": refused.cure,
        },
    ) from refused
