"""``forkpoint normalize``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import click

from forkpoint.answers.refusals import Refusal
from forkpoint.cli import options
from forkpoint.cli.common import FILE_ARGUMENT, JSON_OPTION, Command, load
from forkpoint.cli.console import conclude, print_bytes, tell
from forkpoint.ops import normalizing
from forkpoint.ops.read_text import text_lines
from forkpoint.requests import NormalizeRequest
from forkpoint.view import normal as view


@click.command(cls=Command)
@FILE_ARGUMENT
@options.takes(NormalizeRequest)
@click.option(
    "--inverse", is_flag=True, help="FILE holds lines in normal form (- is standard input): print what they were made of."
)
@JSON_OPTION
def normalize(file: str, request: NormalizeRequest, inverse: bool, as_json: bool) -> None:
    """Print a session in normal form: one shape for the lines of all clients, one JSON object a line.

    A text is a list of blocks, a result holds a list of blocks, what is missing has its default; calls and results have one form.
    `was` says what the client wrote, so that --inverse gives each line back, as the same JSON value. Shapes that nobody knows go
    along as they are, and standard error names them.

    \b
    Examples:
      forkpoint normalize session.jsonl --at 3
      forkpoint normalize session.jsonl | forkpoint normalize - --inverse
    """
    if inverse:
        if request.at is not None or as_json:
            raise Refusal(f"--inverse and {'--at' if request.at is not None else '--json'} exclude each other", cure="choose one")
        print_bytes(_ended(normalizing.inverse(text_lines(file), file)))
        return
    session = load(file)
    if as_json:
        conclude(normalizing.normalize(session, request), tuple, as_json=True)
        return
    unknown = Counter[str]()
    print_bytes(_ended(normalizing.lines(session, request.at, unknown)))
    tell(view.unknown(unknown))


def _ended(lines: Iterable[bytes]) -> Iterator[bytes]:
    return (line + b"\n" for line in lines)
