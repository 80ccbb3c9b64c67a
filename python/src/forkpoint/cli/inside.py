"""``forkpoint inside``: a command for the session that the client is in, with the words of a slash command."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from typing import Final

import click

from forkpoint.answers.refusals import Refusal
from forkpoint.cli.common import Argument, Command
from forkpoint.cli.console import conclude, say
from forkpoint.ops import constellations, program
from forkpoint.ops.commands import HERE
from forkpoint.view import constellations as view

MOST: Final = 1 << 16
"""Bytes of words that are read."""


_ENDED: Final = ("--legal", "--nearest")
"""At the end of the last turn that has ended: the client may be in the next one."""


def _fork(words: Sequence[str]) -> list[str]:
    """``POINT as NAME``, in words or in quotes; what begins with a dash is an option of `fork`."""
    rest = [*words]
    at = ["--at", rest.pop(0)] if rest and not rest[0].startswith("-") and rest[0] != "as" else [*_ENDED]
    if rest[:1] == ["as"]:
        title = list(takewhile(lambda word: not word.startswith("--"), rest[1:]))
        return ["fork", HERE, *at, "--name", " ".join(title), *rest[1 + len(title) :]]
    return ["fork", HERE, *at, *rest]


def _branch(words: Sequence[str]) -> list[str]:
    """A name, in words or in quotes."""
    name = list(takewhile(lambda word: not word.startswith("--"), words))
    return ["branch", HERE, *([" ".join(name)] if name else []), *_ENDED, *words[len(name) :]]


INSIDE: Final[Mapping[str, Callable[[Sequence[str]], list[str]]]] = {
    "points": lambda words: ["points", HERE, *words],
    "steps": lambda words: ["points", HERE, "--steps", *words],
    "search": lambda words: ["search", *words],
    "diff": lambda words: ["diff", HERE, *words],
    "overlays": lambda words: ["overlays", HERE, *words],
    "fork": _fork,
    "branch": _branch,
    "drop": lambda words: ["drop", HERE, "--defer", *words],
    "undo": lambda words: ["undo", HERE, "--defer", *words],
}
"""Of each name the command line that it stands for."""
DIALECT: Final = {"fork": ("agents", "status", "delete"), "merge": ("",)}
"""What begins words of the dialect of constellations; of ``merge`` all words do."""


@click.command(cls=Command)
@click.argument("name", cls=Argument, type=click.Choice([*INSIDE, "merge"]), text="What to do.")
def inside(name: str) -> None:
    """Run a command for the session that the client is in, as the slash commands of `forkpoint install-commands` do.

    The words of the command stand on standard input. All that it says is on standard output, and the exit code is 0 whatever
    happened, since clients hide what a command said that failed.

    \b
    Example:
      echo '3 as "another way"' | forkpoint inside fork
    """
    if sys.stdin is None or sys.stdin.isatty():
        raise Refusal(
            "a client's slash command runs this, with its words on standard input", cure="`forkpoint install-commands` makes them"
        )
    sys.stderr = sys.stdout
    try:
        typed = sys.stdin.buffer.read(MOST + 1)
        if len(typed) > MOST:
            raise Refusal(f"more than {MOST:,} bytes of words")
        _run(name, _words(typed))
    except (Refusal, click.ClickException) as error:
        say(f"forkpoint: {error.format_message() if isinstance(error, click.ClickException) else error}")
    except SystemExit:
        return  # it has said why


def _run(name: str, words: list[str]) -> None:
    from forkpoint.cli.main import main

    begins = DIALECT.get(name, ())
    if begins == ("",) or (words and words[0] in begins):
        found = constellations.run(shlex.join([f"/{name}", *words]), by=program.who())
        conclude(found, lambda: view.dialect(found), as_json=False)
    else:
        main.main(INSIDE[name](words), standalone_mode=False)


def _words(text: bytes) -> list[str]:
    """The words that somebody typed: as a shell reads them, or, where the quotes do not match, as they are."""
    typed = text.decode("utf-8", "replace").replace("\n", " ")
    try:
        return shlex.split(typed)
    except ValueError:
        return typed.split()
