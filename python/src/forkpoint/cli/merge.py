"""``forkpoint merge``."""

from __future__ import annotations

from typing import Unpack

import click

from forkpoint.cli import options
from forkpoint.cli.common import CLIENT_OPTION, JSON_OPTION, Command, complete_session, load
from forkpoint.cli.inplace import conclude
from forkpoint.ops import events, merging
from forkpoint.ops.appending import How
from forkpoint.ops.texts import read_text


@click.command(cls=Command)
@click.argument("a", shell_complete=complete_session)
@click.argument("b", shell_complete=complete_session)
@click.option("--mode", type=click.Choice(merging.MODES), default="insights", help="What A is told of B; the default: insights.")
@click.option("--at", default="HEAD", metavar="POINT", help="Where the branch of B ends that is merged; the default is its HEAD.")
@click.option("--summary-file", metavar="FILE", help="With --mode summary: the summary, or - for standard input.")
@click.option("--insights-file", metavar="FILE", help="With --mode insights: the insights as JSON, or - for standard input.")
@click.option("--memory", "memory_file", metavar="FORK", help="With --mode memories: the file of the memory that B went with.")
@options.LEDGER
@options.GOVERNANCE
@options.appending
@options.ORACLE
@CLIENT_OPTION
@JSON_OPTION
def merge(
    a: str,
    b: str,
    mode: str,
    at: str,
    summary_file: str | None,
    insights_file: str | None,
    memory_file: str | None,
    ledger: str | None,
    governance: str | None,
    as_json: bool,
    **how: Unpack[How],
) -> None:
    """Merge the branch that another session went into this one: A goes on, and knows of B.

    A and B are sessions that were forked from one another, or from the same one. What B has of its own is appended to A's file,
    byte for byte, as a branch of it, and behind it one entry below the head of A, which tells what B brings. Nothing that stands
    in either file changes, and a client that goes on in A sends A's conversation and that entry. What it tells goes by --mode:
    `insights` (what B's calls gave, each with the hash of its result, and its last answer as a note), `summary` (its prompts and
    its last answer), `full` (all its turns, quoted), `memories` (what it changed in its memory). Merging the same again changes
    nothing.

    \b
    Examples:
      forkpoint merge 5e551000 7c21bb3e
      forkpoint merge 5e551000 7c21bb3e --mode full --dry-run
    """
    given = {"summary": summary_file is not None, "insights": insights_file is not None, "memories": memory_file is not None}
    merging.fits(mode, **given)  # before any of the files is read
    book = events.book(ledger, governance, options.when(None))
    summary = None if summary_file is None else read_text(summary_file, "the summary")
    told = None if insights_file is None else merging.insights(insights_file, read_text(insights_file, "the insights"))
    memories = None if memory_file is None else merging.memories(memory_file)
    other = load(b)
    answer = merging.merge(load(a), other, at=at, mode=mode, summary=summary, insights=told, memories=memories, book=book, **how)
    conclude(answer, how, as_json=as_json)
