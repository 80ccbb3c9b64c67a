"""``forkpoint print``."""

from __future__ import annotations

import click

from forkpoint.cli import options
from forkpoint.cli.common import CLIENT_OPTION, FILE_ARGUMENT, JSON_OPTION, Command, complete_point, conclude, load
from forkpoint.ops import looking, redaction
from forkpoint.view import reading as view


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
@options.redacting
@CLIENT_OPTION
@JSON_OPTION
def print_command(
    file: str, at: str, tools: bool, thinking: bool, redact: bool, patterns: tuple[str, ...], as_json: bool
) -> None:
    """Print a conversation to read, as Markdown: prompts, answers, and which tools were called.

    \b
    Example:
      forkpoint print session.jsonl --at 3 > session.md
    """
    redactor = options.redactor(redact, patterns)
    answer = looking.conversation(load(file), at)
    if redactor is not None:
        answer = redaction.conversation(answer, redactor)
    conclude(answer, lambda: view.markdown(answer, tools=tools, thinking=thinking), as_json=as_json)
    options.tell_redacted(redactor)
