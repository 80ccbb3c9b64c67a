"""``forkpoint btw``."""

from __future__ import annotations

import click

from forkpoint.answers.refusals import Refusal
from forkpoint.cli.common import FILE_ARGUMENT, JSON_OPTION, Argument, Command, Rare, load
from forkpoint.cli.console import conclude, tell
from forkpoint.ops import side_question
from forkpoint.view import answers as view


@click.command(cls=Command)
@FILE_ARGUMENT
@click.argument("question", cls=Argument, text="The question.")
@click.option("--keep", is_flag=True, help="Keep the fork in which it is asked, so that you can go on there.")
@click.option("--seconds", type=float, default=side_question.SECONDS, show_default=True, help="How long to wait for the answer.")
@click.option("--prices", cls=Rare, metavar="FILE", help="Take the prices of this file: JSON, dollars for a million tokens.")
@click.option("--dry-run", is_flag=True, help="Only say what it would send, and what that costs.")
@JSON_OPTION
def btw(file: str, question: str, keep: bool, seconds: float, prices: str | None, dry_run: bool, as_json: bool) -> None:
    """Ask a side question at HEAD of a session, without leaving a trace in it.

    The client that is installed asks it in a fork, with the same model, and calls no tool. The command says what the context
    costs before it asks, and what the question did cost after. It removes the fork again, unless you --keep it.

    \b
    Example:
      forkpoint btw 5e551000 "Which of these herbs needs least water?"
    """
    if not seconds > 0:
        raise Refusal("--seconds needs a number above 0")
    session = load(file)
    if dry_run:
        answer = side_question.cost_of(session, prices)
        conclude(answer, lambda: view.side_cost(answer), as_json=as_json)
        return
    answer = side_question.btw(
        session,
        question,
        keep=keep,
        seconds=seconds,
        prices=prices,
        before=None if as_json else lambda said: tell(view.side_cost(said)),
    )
    conclude(answer, lambda: view.side_answer(answer), as_json=as_json)
