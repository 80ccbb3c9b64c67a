"""``forkpoint print``."""

from __future__ import annotations

import click

from forkpoint.cli import passing_on
from forkpoint.cli.common import CLIENT_OPTION, FILE_ARGUMENT, JSON_OPTION, Command, Progress, complete_point, load
from forkpoint.cli.console import conclude
from forkpoint.ops import merging, views
from forkpoint.view import reading as view
from forkpoint.words import as_is


@click.command("print", cls=Command)
@FILE_ARGUMENT
@click.option(
    "--at",
    metavar="POINT",
    default="HEAD",
    shell_complete=complete_point,
    help="Where it ends; the default is HEAD.",
)
@click.option("--tools", is_flag=True, help="Print what tools were given, and what they gave.")
@click.option("--thinking", is_flag=True, help="Print what the assistant thought.")
@click.option("--quoted", is_flag=True, help="Print only what the merge node at POINT quotes of its branch, word for word.")
@passing_on.redacting
@CLIENT_OPTION
@JSON_OPTION
def print_command(
    file: str, at: str, tools: bool, thinking: bool, quoted: bool, redact: bool, patterns: tuple[str, ...], as_json: bool
) -> None:
    """Print a conversation to read, as Markdown: prompts, answers, and which tools were called.

    \b
    Example:
      forkpoint print session.jsonl --at 3 > session.md
    """
    redactor = passing_on.redactor(redact, patterns)
    if quoted:
        told = merging.quoted(load(file), at, redactor or as_is)
        conclude(told, lambda: told.text.split("\n"), as_json=as_json)
        passing_on.tell_redacted(redactor)
        return
    session, progress = load(file), Progress(f"reading {file}")
    answer = views.conversation(session, at, redactor or as_is, progress)
    progress.end()
    conclude(answer, lambda: [*view.markdown(answer, tools=tools, thinking=thinking), *view.asides(answer)], as_json=as_json)
    passing_on.tell_redacted(redactor)
