"""``forkpoint merge``."""

from __future__ import annotations

import click
from msgspec.structs import replace

from forkpoint.cli import options
from forkpoint.cli.common import CLIENT_OPTION, JSON_OPTION, Argument, Command, complete_session, load
from forkpoint.cli.inplace import conclude
from forkpoint.ops import events, merging
from forkpoint.ops.read_text import read_text
from forkpoint.requests import MergeRequest


@click.command(cls=Command)
@click.argument(
    "a",
    cls=Argument,
    shell_complete=complete_session,
    text="The session that goes on: a file, an id or its beginning, or a title.",
)
@click.argument("b", cls=Argument, shell_complete=complete_session, text="The session whose branch the command merges into A.")
@options.takes(MergeRequest)
@click.option("--summary-file", metavar="FILE", help="With --mode summary: the summary's file, or - for standard input.")
@click.option(
    "--insights-file", metavar="FILE", help="With --mode insights: the JSON file of the insights, or - for standard input."
)
@click.option("--memory", "memory_file", metavar="FORK", help="With --mode memories: the file of the memory that B went with.")
@CLIENT_OPTION
@JSON_OPTION
def merge(
    a: str,
    b: str,
    request: MergeRequest,
    summary_file: str | None,
    insights_file: str | None,
    memory_file: str | None,
    as_json: bool,
) -> None:
    """Merge the branch of another session into this one: A goes on, and knows of B.

    A is a fork of B, B is a fork of A, or both are forks of the same session. The command appends what B has of its own to A's
    file, byte for byte, as a branch. Behind it, the command appends one entry below the head of A, the node, which tells what B
    brings. Nothing that stands in either file changes. A client that goes on in A sends A's conversation and the node. --mode
    decides what the node tells. `insights` tells what B's calls gave, each with the hash of its result, and B's last answer as a
    note. `summary` tells B's prompts and its last answer, `full` quotes all its turns, and `memories` tells what it changed in
    its memory. The same merge again changes nothing.

    \b
    Examples:
      forkpoint merge 5e551000 7c21bb3e
      forkpoint merge 5e551000 7c21bb3e --mode full --dry-run
    """
    files = (summary_file, insights_file, memory_file)
    merging.fits(request.mode, *(file is not None for file in files))  # before any of the files is read
    events.book(request.ledger, request.governance, request.now)  # which refuses before anything is read
    request = replace(
        request,
        summary=None if summary_file is None else read_text(summary_file, "the summary"),
        insights=None if insights_file is None else merging.insights(insights_file, read_text(insights_file, "the insights")),
        memories=None if memory_file is None else merging.memories(memory_file),
    )
    other = load(b)
    conclude(merging.merge(load(a), other, request), request, as_json=as_json)
