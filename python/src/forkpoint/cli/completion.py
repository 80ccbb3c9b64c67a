"""``forkpoint completion``."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from forkpoint.cli.common import Argument, Command, say
from forkpoint.ops.refusals import Refusal

SHELLS = ("bash", "zsh", "fish")


@click.command(cls=Command)
@click.argument("shell", cls=Argument, required=False, text="The shell: bash, zsh or fish.")
@click.pass_context
def completion(context: click.Context, shell: str | None) -> None:
    """Print the lines that teach a shell to complete commands, options and session ids.

    \b
    Example, for bash, in ~/.bashrc:
      eval "$(forkpoint completion bash)"
    """
    if shell not in SHELLS:
        raise Refusal(f"name a shell: {', '.join(SHELLS)}" + (f", not {shell}" if shell else ""))
    root = context.find_root()
    cls = get_completion_class(shell)
    assert cls is not None
    for line in cls(root.command, {}, "forkpoint", "_FORKPOINT_COMPLETE").source().splitlines():
        say(line)
