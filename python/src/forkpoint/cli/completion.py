"""``forkpoint completion``."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from forkpoint.cli.common import say

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the lines that teach a shell to complete commands, options and session ids.

    \b
    Example, for bash, in ~/.bashrc:
      eval "$(forkpoint completion bash)"
    """
    root = context.find_root()
    cls = get_completion_class(shell)
    assert cls is not None
    for line in cls(root.command, {}, "forkpoint", "_FORKPOINT_COMPLETE").source().splitlines():
        say(line)
