"""``forkpoint diff``."""

from __future__ import annotations

import click

from forkpoint.answers.refusals import Refusal
from forkpoint.cli import options, passing_on
from forkpoint.cli.common import CLIENT_OPTION, JSON_OPTION, NO_CATALOG, Argument, Command, complete_session, load
from forkpoint.cli.console import conclude, say, show, width
from forkpoint.ops import checking
from forkpoint.ops.session import find
from forkpoint.requests import DiffRequest
from forkpoint.view import diff as view
from forkpoint.view import page
from forkpoint.words import as_is


@click.command(cls=Command)
@click.argument("a", cls=Argument, shell_complete=complete_session, text="A session: a file, an id or its beginning, or a title.")
@click.argument("b", cls=Argument, shell_complete=complete_session, text="Another session, or the same one.")
@options.takes(DiffRequest)
@click.option("--context", is_flag=True, help="Compare what a client would send at the two points.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Answer in Markdown.")
@passing_on.page
@passing_on.redacting
@NO_CATALOG
@CLIENT_OPTION
@JSON_OPTION
def diff(
    a: str,
    b: str,
    request: DiffRequest,
    context: bool,
    as_markdown: bool,
    html: str | None,
    open_page: bool,
    redact: bool,
    patterns: tuple[str, ...],
    as_json: bool,
) -> None:
    """Show where two conversations part, and what each of them added since, turn by turn.

    A and B are two sessions that share a beginning, or one session named twice with two points on different branches. A mark
    shows a turn that began before they part and goes on.

    \b
    Example:
      forkpoint diff session.jsonl 7c21bb3e
      forkpoint diff session.jsonl session.jsonl --at-a 3 --at-b HEAD --markdown
    """
    if as_markdown and (as_json or context):
        raise Refusal(f"{'--json' if as_json else '--context'} and --markdown exclude each other", cure="choose one")
    shown = html is not None or open_page
    if shown and (as_json or context or as_markdown):
        raise Refusal(
            f"{'--json' if as_json else '--context' if context else '--markdown'} and --html exclude each other",
            cure="choose one",
        )
    if (redact or patterns) and not shown:
        raise Refusal("--redact goes with --html or --open")
    redactor = passing_on.redactor(redact, patterns)
    one = load(a)
    other = one if find(a) == find(b) else load(b)
    if context:
        answer = checking.diff_context(one, other, request)
        conclude(answer, lambda: view.contexts(answer, width()), as_json=as_json)
        return
    found = checking.diff(one, other, request)
    if shown:
        passing_on.write_page(page.diff(found, redactor or as_is), html, open_page=open_page)
        passing_on.tell_redacted(redactor)
    elif as_markdown:
        for line in view.markdown(found):
            say(line)
    elif not as_json:
        show(view.lines(found, width()))
    conclude(checking.diff_answer(found), lambda: (), as_json=as_json)
