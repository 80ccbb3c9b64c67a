"""``forkpoint diff``."""

from __future__ import annotations

import os
import sys
from typing import Any, NoReturn

import click

from forkpoint.cli.common import (
    CLIENT_OPTION,
    EXIT_CODES,
    HEALTHY,
    JSON_OPTION,
    UNHEALTHY,
    Stop,
    complete_session,
    load,
    place,
    say,
    say_json,
    session_path,
    show,
    width,
)
from forkpoint.transcript import diff as comparing
from forkpoint.transcript import select
from forkpoint.transcript.diff import Diff, Side
from forkpoint.transcript.outline import Outline
from forkpoint.transcript.reader import Transcript
from forkpoint.view import diff as view


@click.command(epilog=EXIT_CODES)
@click.argument("a", shell_complete=complete_session)
@click.argument("b", shell_complete=complete_session)
@click.option("--at-a", metavar="POINT", default="HEAD", help="Where the conversation of A ends; HEAD without it.")
@click.option("--at-b", metavar="POINT", default="HEAD", help="Where the conversation of B ends; HEAD without it.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Answer in Markdown.")
@CLIENT_OPTION
@JSON_OPTION
def diff(a: str, b: str, at_a: str, at_b: str, as_markdown: bool, as_json: bool) -> NoReturn:
    """Show where two conversations part, and what each of them added since, turn by turn.

    A and B are two sessions that share a beginning, or one session named twice with two points on different branches. A turn
    that was begun before they part is marked as one that goes on.

    \b
    Example:
      forkpoint diff session.jsonl 7c21bb3e
      forkpoint diff session.jsonl session.jsonl --at-a 3 --at-b HEAD --markdown
    """
    if as_json and as_markdown:
        raise Stop("--json and --markdown exclude each other")
    one = load(a)
    other = one if session_path(a) == session_path(b) else load(b)
    shape = Outline(one)
    other_shape = shape if other is one else Outline(other)
    found = comparing.diff(
        one, _find(one, shape, at_a, "--at-a"), other, _find(other, other_shape, at_b, "--at-b"), (shape, other_shape)
    )
    if as_json:
        say_json(_shape(found))
    elif as_markdown:
        for line in view.markdown(found):
            say(line)
    else:
        show(view.lines(found, width()))
    sys.exit(HEALTHY if found.shared else UNHEALTHY)


def _find(transcript: Transcript, outline: Outline, at: str, option: str) -> int:
    try:
        return select.resolve(transcript, at, outline)
    except select.UnknownPoint as error:
        raise Stop(f"{option} {at}, {transcript.path}: {error}") from error


def _shape(found: Diff) -> dict[str, Any]:
    def pair(our: int, their: int) -> dict[str, Any]:
        return {"a": place(found.a.transcript.nodes[our]), "b": place(found.b.transcript.nodes[their])}

    return {
        "shared": len(found.shared),
        "fork_point": None if found.fork_point is None else pair(*found.fork_point),
        "changed": [pair(our, found.shared[our]) for our in found.changed],
        "a": _side(found.a),
        "b": _side(found.b),
    }


def _side(side: Side) -> dict[str, Any]:
    nodes = side.transcript.nodes
    return {
        "file": os.fspath(side.transcript.path),
        "point": place(nodes[side.position]),
        "entries": len(side.conversation),
        "added": len(side.added),
        "alone": [place(nodes[position]) for position in side.alone],
        "turns": [
            {
                "number": turn.number,
                "prompt": None if turn.prompt is None else place(nodes[turn.prompt]),
                "text": turn.words,
                "goes_on": turn.goes_on,
                "answers": turn.answers,
                "calls": dict(turn.calls.most_common()),
                "entries": turn.entries,
            }
            for turn in side.turns
        ],
    }
