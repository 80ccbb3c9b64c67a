"""``forkpoint judge``."""

from __future__ import annotations

import click

from forkpoint.answers.refusals import Refusal
from forkpoint.cli import options
from forkpoint.cli.common import JSON_OPTION, Argument, Command
from forkpoint.cli.console import conclude
from forkpoint.ops import events, evidence
from forkpoint.view import answers as view


@click.command(cls=Command)
@click.argument(
    "branches",
    cls=Argument,
    nargs=-1,
    required=True,
    metavar="BRANCH.json...",
    type=click.Path(),
    text="The file of each branch: its artifacts and its notes.",
)
@click.option(
    "--gate", "gates", multiple=True, metavar="COMMAND", help="Ask this command as a gate, too; you may repeat the option."
)
@click.option(
    "--seconds",
    type=float,
    default=evidence.SECONDS,
    metavar="N",
    help=f"The seconds that each command may take; the default is {evidence.SECONDS:g}.",
)
@options.LEDGER
@options.GOVERNANCE
@click.option("--id", "identity", metavar="ID", help="With --ledger: the event's id. The ledger records an id once.")
@click.option("--join", metavar="VERSION", help="With --ledger: the version that the merge gives.")
@click.option("--reviewer", metavar="WHO", help="With --ledger: the reviewer of the merge.")
@JSON_OPTION
def judge(
    branches: tuple[str, ...],
    gates: tuple[str, ...],
    seconds: float,
    ledger: str | None,
    governance: str | None,
    identity: str | None,
    join: str | None,
    reviewer: str | None,
    as_json: bool,
) -> None:
    """Merge what branches bring home, and say whether the whole stands together.

    The command prunes a branch with an artifact that does not hold by itself, and says why. What the others bring becomes one
    set, and each gate judges it once. The first gates ask: is it made in one environment, does one id stand for one artifact, is
    there what each rests on? Then each --gate judges. A command gets {"artifacts": [...]} on its standard input; it passes with
    exit code 0. Notes go along, and nobody judges them.

    \b
    Example:
      forkpoint judge ours.json theirs.json --gate "python -m checks"
    """
    given = {"--id": identity, "--join": join, "--reviewer": reviewer}
    wrong = [name for name, value in given.items() if bool(value) != (ledger is not None)]
    if wrong:
        raise Refusal(f"--ledger needs {' and '.join(wrong)}" if ledger is not None else f"{wrong[0]} goes with --ledger")
    book = events.book(ledger, governance)
    answer = evidence.judge(branches, gates=gates, seconds=seconds, book=book, identity=identity, join=join, reviewer=reviewer)
    conclude(answer, lambda: view.judged(answer), as_json=as_json)
