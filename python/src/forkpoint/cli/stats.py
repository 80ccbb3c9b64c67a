"""``forkpoint stats``."""

from __future__ import annotations

import click

from forkpoint.answers.refusals import Refusal
from forkpoint.cli.common import CLIENT_OPTION, JSON_OPTION, Argument, Command, Progress, Rare, complete_session, load
from forkpoint.cli.console import conclude, note, say_json, show, width
from forkpoint.ops import costing, figures
from forkpoint.view import stats as view
from forkpoint.view import tokens as view_tokens


@click.command(cls=Command)
@click.argument(
    "file",
    cls=Argument,
    required=False,
    shell_complete=complete_session,
    text="A session: a file, an id or its beginning, or a title. The default is all sessions of this folder.",
)
@click.option("--project", metavar="DIR", help="Count the sessions of a working folder, or of a folder that holds session files.")
@click.option("--all", "everywhere", is_flag=True, help="Count the sessions of every project.")
@click.option("--with-forks", is_flag=True, help="Add up what was worked and what stands in forks.")
@click.option("--tokens", is_flag=True, help="Say where the bytes and tokens of one session's conversation at HEAD are.")
@click.option("--cost", is_flag=True, help="Say what the API counted, by model, and what that cost.")
@click.option("--prices", cls=Rare, metavar="FILE", help="Take the prices of this file: JSON, dollars for a million tokens.")
@CLIENT_OPTION
@JSON_OPTION
def stats(
    file: str | None,
    project: str | None,
    everywhere: bool,
    with_forks: bool,
    tokens: bool,
    cost: bool,
    prices: str | None,
    as_json: bool,
) -> None:
    """Count what a session, a project or all projects hold: types of lines, the shape of the tree, tools, versions.

    Without an argument the command counts the sessions of this folder. What stands in forks it counts apart, and what is a copy
    not at all. It counts a fork that you name whole, and --with-forks adds all up.

    --cost adds up what the API counted, each of its messages once, and gives dollars by the prices of a package or of your file.

    --tokens gives bytes and tokens by kind and tool, and the turns and messages that weigh most. A number with ~ is an estimate;
    any other number of tokens is what the API counted.

    \b
    Example:
      forkpoint stats session.jsonl
      forkpoint stats --all
      forkpoint stats session.jsonl --tokens
    """
    if (file is not None) + (project is not None) + everywhere > 1:
        raise Refusal("a session, --project and --all exclude each other", cure="choose one")
    if cost or prices is not None:
        progress = Progress("counting sessions")
        answer = (
            costing.of_session(load(file), prices)
            if file is not None
            else costing.of_project(project, everywhere=everywhere, prices=prices, progress=progress.called)
        )
        progress.end()
        conclude(answer, lambda: view.costs(answer, width()), as_json=as_json)
        return
    if tokens:
        if file is None:
            raise Refusal("--tokens looks at one session: name it")
        _tokens(file, as_json=as_json)
        return
    if file is not None:
        found = figures.stats(load(file), file)
    else:
        progress = Progress("counting sessions")
        found = figures.stats_of_project(project, everywhere=everywhere, with_forks=with_forks, progress=progress.called)
        progress.end()
    if as_json:
        say_json(found.answer().shape())
        return
    show([*view.lines(found.stats, found.agents, width()), *view.in_forks(found, width())])
    for text in view.asides(found):
        note(text)


def _tokens(file: str, *, as_json: bool) -> None:
    """Where the bytes and tokens of the conversation at HEAD are."""
    session = load(file)
    found = figures.tokens(session)
    if as_json:
        say_json(figures.tokens_answer(session, found).shape())
    else:
        lines = view_tokens.lines(session.transcript, found.tokens, session.head, found.names, figures.DEAREST, width())
        show(lines)
