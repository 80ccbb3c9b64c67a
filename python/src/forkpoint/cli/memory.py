"""``forkpoint memory-fork`` and ``forkpoint memory-merge``."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from forkpoint.answers.refusals import Refusal
from forkpoint.cli.common import JSON_OPTION, Argument, Command
from forkpoint.cli.console import conclude, moment, note, say
from forkpoint.ops import memories
from forkpoint.ops.session import ignore
from forkpoint.view import answers as view

DRY_RUN_OPTION = click.option("--dry-run", is_flag=True, help="Only say what the command would write.")


@click.command("memory-fork", cls=Command)
@click.argument("state", cls=Argument, type=click.Path(), metavar="STATE.json", text="The file of a memory, or of a fork.")
@click.option("--name", required=True, help="The name of the fork.")
@click.option("--agents", metavar="A,B", help="Take these agents along; the default is all.")
@click.option(
    "--history",
    default="none",
    metavar="HISTORY",
    help="Take these messages along: none (the default), recent:N, since:TIME or full.",
)
@click.option(
    "--memory",
    default="working",
    metavar="MEMORY",
    help="Take these blocks and texts along: core, working (the default), full or labels:A,B.",
)
@click.option("--shared", is_flag=True, help="Take along what all agents share, too.")
@click.option("--out", metavar="FORK.json", help="The file to write; only --dry-run needs none.")
@DRY_RUN_OPTION
@JSON_OPTION
def memory_fork(
    state: str,
    name: str,
    agents: str | None,
    history: str,
    memory: str,
    shared: bool,
    out: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Fork what agents remember into a new file. It holds what goes along, as it begins and as it is now.

    The fork's agents change what stands under `now`. `base` stays as it is, and tells a merge what both began with. STATE is a
    memory, or a fork, which you can fork like any other.

    \b
    Example:
      forkpoint memory-fork team.json --name refactor --agents coder --history recent:100 --out refactor.json
    """
    answer = memories.memory_fork(
        state,
        name,
        agents=agents,
        history=history,
        memory=memory,
        shared=shared,
        out=out,
        dry_run=dry_run,
        when=moment,
        tell=note,
    )
    conclude(answer, lambda: view.memory_forked(answer), as_json=as_json)


@click.command("memory-merge", cls=Command)
@click.argument(
    "target", cls=Argument, type=click.Path(), metavar="TARGET.json", text="The file of the memory, or of a fork, to merge into."
)
@click.argument(
    "forks",
    cls=Argument,
    nargs=-1,
    required=True,
    type=click.Path(),
    metavar="FORK.json...",
    text="The files of the forks to merge.",
)
@click.option(
    "--content",
    type=click.Choice(memories.CONTENTS),
    default=memories.CONTENTS[0],
    help="Bring back memories alone (the default), with a summary of the messages, or with all messages.",
)
@click.option("--summary-file", metavar="FILE", help="With --content summary: the summary's file, or - for standard input.")
@click.option(
    "--conflicts",
    type=click.Choice(memories.CONFLICTS),
    default=memories.CONFLICTS[0],
    help="How to decide clashes; the default is fail.",
)
@click.option("--answers", "answers_file", metavar="FILE", help="A JSON object that names the side to take, clash by clash.")
@click.option("--agents", metavar="A,B", help="Merge what these agents remember; the default is all.")
@click.option("--labels", metavar="A,B", help="Merge the blocks and texts with these labels; the default is all.")
@click.option("--out", metavar="NEW.json", help="The file to write; only --dry-run needs none.")
@click.option("--forks-out", metavar="DIR", help="Write the forks there, with what the command merges as their base.")
@DRY_RUN_OPTION
@JSON_OPTION
def memory_merge(
    target: str,
    forks: tuple[str, ...],
    content: str,
    summary_file: str | None,
    conflicts: str,
    answers_file: str | None,
    agents: str | None,
    labels: str | None,
    out: str | None,
    forks_out: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Merge forks of a memory back into it, all at once, into a new file.

    A field that forks changed, and the target did not, becomes what they made of it. A field that two sides changed differently
    clashes, and the command writes nothing until you decide. --conflicts decides all clashes, --answers decides one by one, and
    `--conflicts ask` asks somebody. An answer is the name of a fork, or null for the target. A text becomes all that any side
    wrote.

    \b
    Examples:
      forkpoint memory-merge team.json refactor.json --out merged.json --forks-out forks
      forkpoint memory-merge team.json a.json b.json --conflicts keep-both --out merged.json
    """
    answer = memories.memory_merge(
        target,
        forks,
        content=content,
        summary_file=summary_file,
        conflicts=conflicts,
        answers_file=answers_file,
        agents=agents,
        labels=labels,
        out=out,
        forks_out=forks_out,
        dry_run=dry_run,
        ask=choose_side,
        tell=note,
        clash=ignore if as_json else say,
    )
    conclude(answer, lambda: view.memory_merged(answer, len(forks)), as_json=as_json)


def choose_side(field: str, sides: Sequence[tuple[str, str]]) -> int:
    """The number of the side that somebody chooses."""
    note(f"{field} was changed differently:")
    for number, (side, words) in enumerate(sides):
        note(f"  {number}  {side}: {words}")
    while True:
        note(f"which is taken? 0 to {len(sides) - 1}")
        answer = sys.stdin.readline() if sys.stdin is not None else ""
        if not answer:
            raise Refusal(f"nobody said which side of {field} is taken; nothing was written")
        if answer.strip() in map(str, range(len(sides))):
            return int(answer)
