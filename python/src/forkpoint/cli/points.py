"""``forkpoint points``."""

from __future__ import annotations

import click

from forkpoint.answers.refusals import Refusal
from forkpoint.cli import options
from forkpoint.cli.common import CLIENT_OPTION, FILE_ARGUMENT, JSON_OPTION, Command, load
from forkpoint.cli.console import note, say_json, show, width
from forkpoint.ops import views
from forkpoint.requests import PointsRequest, StepsRequest
from forkpoint.view import overlays
from forkpoint.view import points as view
from forkpoint.view.text import damaged


@click.command(cls=Command)
@FILE_ARGUMENT
@options.takes(PointsRequest)
@click.option(
    "--steps", "by_step", is_flag=True, help="List the steps of the conversation at HEAD, which `drop` and `compact` take."
)
@CLIENT_OPTION
@JSON_OPTION
def points(file: str, request: PointsRequest, by_step: bool, as_json: bool) -> None:
    """List the prompts of a session with their numbers, and say whether you can fork it there.

    A prompt's number is the same in every answer, and stays when the session grows. `forkpoint fork FILE --at 3` forks at the end
    of the third prompt's turn, and `--at 3 --before` forks before the prompt. The two marks say whether the place before the
    prompt (b) and the end of its turn (e) are legal or resumable. Tokens are an estimate of the conversation at the end of the
    turn.

    \b
    Example:
      forkpoint points session.jsonl
    """
    if by_step and request.every:
        raise Refusal(
            "--steps and --all contradict each other: steps are those of the conversation at the head", cure="choose one"
        )
    session = load(file)
    if by_step:
        steps = views.step_list(session, StepsRequest(last=request.last))
        if as_json:
            say_json(views.steps_answer(session, steps).shape())
        else:
            show(overlays.table(session.transcript, steps, width()))
        return
    listing = views.listing(session, request)
    if as_json:
        say_json(listing.points.shape())
        return
    show([*view.lines(listing, options.today(), width())])
    if listing.aside is None:
        for text in damaged(session.file, views.damage(session)):
            note(text)
