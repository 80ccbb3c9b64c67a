"""``forkpoint tree``."""

from __future__ import annotations

from collections.abc import Iterable

import click

from forkpoint.answers.refusals import Refusal
from forkpoint.answers.trees import Tree
from forkpoint.cli import options, passing_on
from forkpoint.cli.common import CLIENT_OPTION, FILE_ARGUMENT, JSON_OPTION, Command, Progress, Rare, load
from forkpoint.cli.console import note, say_json, show, tell, width
from forkpoint.ops import views
from forkpoint.ops.session import Session
from forkpoint.view import tree as view
from forkpoint.view.text import damaged
from forkpoint.words import as_is


@click.command(cls=Command)
@FILE_ARGUMENT
@click.option("--tokens", is_flag=True, help="Show how many tokens the conversation has at each prompt, and at each end.")
@click.option("--cost", is_flag=True, help="Show what the messages on each branch cost, in dollars, at its end.")
@click.option("--prices", cls=Rare, metavar="FILE", help="Take the prices of this file: JSON, dollars for a million tokens.")
@click.option("--agents", is_flag=True, help="Open the sub-agents: what each was told, and where it stands.")
@click.option("--all", "every", is_flag=True, help="Fold nothing: show each prompt of a long stretch.")
@click.option("--mermaid", "form", flag_value="mermaid", help="Print it as a Mermaid flowchart.")
@click.option("--dot", "form", flag_value="dot", help="Print it for Graphviz: forkpoint tree S --dot | dot -Tsvg")
@passing_on.page
@passing_on.redacting
@CLIENT_OPTION
@JSON_OPTION
def tree(
    file: str,
    tokens: bool,
    cost: bool,
    prices: str | None,
    agents: bool,
    every: bool,
    form: str | None,
    html: str | None,
    open_page: bool,
    redact: bool,
    patterns: tuple[str, ...],
    as_json: bool,
) -> None:
    """Draw a session: the way to HEAD, and what left it, with the numbers to fork at.

    \b
    Examples:
      forkpoint tree session.jsonl
      forkpoint tree session.jsonl --open
    """
    session = load(file)
    redactor = passing_on.redactor(redact, patterns)
    if html is not None or open_page:
        if as_json or form is not None:
            raise Refusal(f"--html and {'--json' if as_json else f'--{form}'} exclude each other", cure="choose one")
        from forkpoint.ops import pages  # what draws in a terminal needs none of it
        from forkpoint.view import page

        progress = Progress("writing the page")
        passing_on.write_page(page.tree(pages.whole(session, redactor or as_is, progress)), html, open_page=open_page)
        passing_on.tell_redacted(redactor)
        return
    dollars, says = _costs(session, prices) if cost or prices else (None, "")
    found = views.tree(session, dollars)
    if redactor is not None:
        from forkpoint.ops import redaction

        redaction.whole(found, redactor)
    if as_json or form is not None:
        say_json(found.shape()) if as_json else tell(_graph(found, form, tokens=tokens, agents=agents))
        passing_on.tell_redacted(redactor)
        return
    short = views.short(session)
    look = view.Look(width(), short, options.today(), tokens=tokens, agents=agents, every=every)
    show([*view.draw(found, look), *view.summary(found, look)])
    if says:
        note(f"prices: {says}")
    for text in damaged(session.file, views.damage(session)):
        note(text)
    passing_on.tell_redacted(redactor)


def _costs(session: Session, prices: str | None) -> tuple[list[float | None], str]:
    from forkpoint.ops import costing  # the prices take longer to load than a tree to draw

    return costing.of_branches(session, prices)


def _graph(found: Tree, form: str | None, *, tokens: bool, agents: bool) -> Iterable[str]:
    from forkpoint.view import graphs  # few ask for one

    return (graphs.mermaid if form == "mermaid" else graphs.dot)(found, tokens=tokens, agents=agents)
