"""``forkpoint completion``."""

from __future__ import annotations

from typing import ClassVar

import click
from click.shell_completion import BashComplete, get_completion_class

from forkpoint.answers.refusals import Refusal
from forkpoint.cli.common import Argument, Command
from forkpoint.cli.console import say

SHELLS = ("bash", "zsh", "fish")


class _Bash(BashComplete):
    """What teaches bash: files stand beside other words. In click's own lines a word of the type ``file`` ends all others, so
    that no session would be offered."""

    source_template: ClassVar[str] = """\
%(complete_func)s() {
    local response completion kind value
    local -a lines=()
    response=$(IFS=$'\\n'; env COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD="$COMP_CWORD" %(complete_var)s=bash_complete "$1")
    COMPREPLY=()
    compopt -o filenames
    while IFS= read -r completion; do
        IFS=',' read -r kind value <<< "$completion"
        case $kind in
            plain) COMPREPLY+=("$value") ;;
            file) mapfile -t lines < <(compgen -f -- "$value"); COMPREPLY+=("${lines[@]}") ;;
            dir) mapfile -t lines < <(compgen -d -- "$value"); COMPREPLY+=("${lines[@]}") ;;
        esac
    done <<< "$response"
    return 0
}

complete -o nosort -F %(complete_func)s %(prog_name)s
"""


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
    cls = _Bash if shell == "bash" else get_completion_class(shell)
    assert cls is not None
    for line in cls(root.command, {}, "forkpoint", "_FORKPOINT_COMPLETE").source().splitlines():
        say(line)
