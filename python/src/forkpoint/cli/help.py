"""``forkpoint help``."""

from __future__ import annotations

import click

from forkpoint.cli.common import EVERY_OPTION, EXIT_CODES, Argument, Command, say
from forkpoint.ops.refusals import Refusal

TOPIC = "exit-codes"


@click.command("help", cls=Command)
@click.argument("topic", cls=Argument, required=False, text="A command or `exit-codes`; the default is the list of commands.")
@click.pass_context
def help_command(context: click.Context, topic: str | None) -> None:
    """Explain a command with all its options. With `exit-codes`, explain how commands end.

    \b
    Example:
      forkpoint help fork
    """
    root = context.find_root()
    if topic == TOPIC:
        for line in EXIT_CODES.splitlines():
            say(line)
        return
    program = root.command
    assert isinstance(program, click.Group)
    if topic is None:
        click.echo(program.get_help(root))
        return
    command = program.get_command(root, topic)
    if command is None:
        raise Refusal(f"there is no command {topic!r} to explain; `forkpoint --help` lists them, and `{TOPIC}` is a topic")
    inner = click.Context(command, root, topic)
    inner.meta[EVERY_OPTION] = True
    click.echo(command.get_help(inner))
