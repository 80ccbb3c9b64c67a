"""``forkpoint help``."""

from __future__ import annotations

import click

from forkpoint.answers.refusals import Refusal
from forkpoint.cli.common import EVERY_OPTION, Argument, Command
from forkpoint.cli.console import EXIT_CODES, close, say

TOPIC = "exit-codes"


@click.command("help", cls=Command)
@click.argument("topics", cls=Argument, nargs=-1, text="A command, or `exit-codes`; the default is the list of commands.")
@click.pass_context
def help_command(context: click.Context, topics: tuple[str, ...]) -> None:
    """Explain a command with all its options. With `exit-codes`, explain how commands end.

    \b
    Example:
      forkpoint help fork
    """
    root = context.find_root()
    if topics == (TOPIC,):
        for line in EXIT_CODES.splitlines():
            say(line)
        return
    inner, command = root, root.command
    for topic in topics:
        found = command.get_command(inner, topic) if isinstance(command, click.Group) else None
        if found is None:
            name, known = " ".join(topics), command.list_commands(inner) if isinstance(command, click.Group) else ()
            near = close(topic, [*known, TOPIC])
            cure = f"did you mean {near!r}?" if near is not None else "`forkpoint --help` lists them"
            raise Refusal(f"there is no command {name!r} to explain", cure=f"{cure}; `{TOPIC}` is a topic, too")
        inner, command = click.Context(found, inner, topic), found
        inner.meta[EVERY_OPTION] = True
    click.echo(command.get_help(inner))
