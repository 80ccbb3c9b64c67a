"""``forkpoint fork``."""

from __future__ import annotations

import os

import click

from forkpoint.cli.common import (
    EXIT_CODES,
    FILE_ARGUMENT,
    ILLEGAL,
    JSON_OPTION,
    Stop,
    find,
    load,
    new_file,
    note,
    place,
    say_json,
    store,
    write,
)
from forkpoint.transcript import fork, outline


@click.command("fork", epilog=EXIT_CODES)
@FILE_ARGUMENT
@click.option("--at", required=True, metavar="UUID", help="The fork point: a uuid, or a unique beginning of one.")
@click.option("--out", help="The file to write; the default is ./<new session id>.jsonl.")
@JSON_OPTION
def fork_command(file: str, at: str, out: str | None, as_json: bool) -> None:
    """Fork a transcript at a legal point into a new session file.

    The new file has exactly the entries of the conversation at that point, each line byte for byte, in canonical order.
    The original is only read.

    \b
    Example:
      forkpoint fork session.jsonl --at 3f2a9c1e
    """
    transcript = load(file)
    node = find(transcript, at)
    refused = fork.refusal(transcript, outline.outline(transcript), node.entry.uuid)
    if refused is not None:
        nearest = "; ".join(f"{near.uuid} (line {near.span.number})" for near in refused.nearest) or "none"
        raise Stop(
            f"{file}:{node.span.number}: {node.uuid} is no legal fork point: {refused.reason}; nearest legal points: {nearest}",
            ILLEGAL,
            refused={"reason": refused.reason, "nearest": [place(near) for near in refused.nearest]},
        )
    nodes = fork.kept(transcript, node.entry.uuid)
    path = new_file(out)
    store(path, fork.lines(transcript, nodes))
    if as_json:
        say_json({"path": os.fspath(path), "kept": len(nodes)})
    else:
        note(f"kept {len(nodes)} of {len(transcript.nodes)} entries in {path}")
        write(os.fsencode(path))
