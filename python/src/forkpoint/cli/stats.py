"""``forkpoint stats``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import click

from forkpoint.cli.common import (
    CLIENT_OPTION,
    EXIT_CODES,
    JSON_OPTION,
    Progress,
    Stop,
    complete_session,
    load,
    note,
    place,
    say_json,
    show,
    width,
)
from forkpoint.store import listing
from forkpoint.store.projects import agent_files, agents_beside, project_folders, session_files
from forkpoint.transcript import overlays, reader, steps
from forkpoint.transcript import stats as figures
from forkpoint.transcript.head import Head, head
from forkpoint.transcript.outline import outline
from forkpoint.transcript.reader import Transcript
from forkpoint.transcript.said import Usage
from forkpoint.transcript.tokens import Tokens
from forkpoint.transcript.tokens import tokens as count_tokens
from forkpoint.view import stats as view
from forkpoint.view import tokens as view_tokens
from forkpoint.view.text import count

DEAREST: Final = 10
"""So many turns and steps that weigh most are listed."""


@click.command(epilog=EXIT_CODES)
@click.argument("file", required=False, shell_complete=complete_session)
@click.option("--project", metavar="DIR", help="The sessions of a working folder, or of a folder that holds session files.")
@click.option("--all", "everywhere", is_flag=True, help="The sessions of every project.")
@click.option("--with-forks", is_flag=True, help="Count the forks that forkpoint made, too.")
@click.option("--tokens", is_flag=True, help="Of one session: where the bytes and tokens of its conversation at HEAD are.")
@CLIENT_OPTION
@JSON_OPTION
def stats(file: str | None, project: str | None, everywhere: bool, with_forks: bool, tokens: bool, as_json: bool) -> None:
    """Count what a session, a project or all of them hold: types of lines, the shape of the tree, tools, versions.

    Without an argument it counts the sessions of this folder. The forks that forkpoint made are left out, for they repeat
    what they were made from, unless one is named or asked for.

    With --tokens: bytes and tokens by kind and tool, and the turns and messages that weigh most. A number with ~ is an
    estimate, any other number of tokens is what the API counted.

    \b
    Example:
      forkpoint stats session.jsonl
      forkpoint stats --all
      forkpoint stats session.jsonl --tokens
    """
    if (file is not None) + (project is not None) + everywhere > 1:
        raise Stop("a session, --project and --all exclude each other")
    if tokens:
        if file is None:
            raise Stop("--tokens looks at one session: name it")
        _tokens(load(file), as_json=as_json)
        return
    unreadable: list[str] = []
    forks = agents = 0
    found = figures.Stats()
    if file is not None:
        transcript = load(file)
        found = figures.stats(transcript)
        agents = len(agent_files(transcript.path))
        where = file
    else:
        folders, where = _folders(project, everywhere=everywhere)
        paths = sorted(path for folder in folders for path in _paths(folder))
        beside = {folder: agents_beside(folder) for folder in folders}
        progress = Progress(f"counting {count(len(paths), 'session')}")
        for done, path in enumerate(paths):
            progress(done, len(paths))
            try:
                transcript = reader.read(path)
            except OSError as error:
                unreadable.append(f"{path}: {error.strerror}")
                continue
            if not with_forks and figures.is_fork(transcript):
                forks += 1
            else:
                found.add(figures.stats(transcript))
                agents += len(agent_files(path, beside[path.parent]))
        progress.end()
    if as_json:
        say_json({"where": where, "forks_left_out": forks, "unreadable": unreadable, "agent_files": agents, **found.figures()})
        return
    show(view.lines(found, agents, width()))
    for line in unreadable:
        note(f"cannot read {line}")
    if forks:
        verb, them = ("is", "it") if forks == 1 else ("are", "them")
        note(f"{count(forks, 'fork')} made by forkpoint {verb} left out; --with-forks counts {them}")


def _tokens(transcript: Transcript, *, as_json: bool) -> None:
    """Where the bytes and tokens of the conversation at HEAD are."""
    here = head(transcript)
    found = count_tokens(transcript, outline(transcript), here)
    names: Mapping[int, str] = {}
    try:
        names = {} if here.position is None else steps.names(overlays.unchecked(transcript, here.position))
    except overlays.BadRecord as error:
        note(f"note: {transcript.path}, line {error.line}: {error}; what it leaves out is counted")
    if as_json:
        say_json(_shape(transcript, found, here, names))
    else:
        show(view_tokens.lines(transcript, found, here, names, DEAREST, width()))


def _shape(transcript: Transcript, found: Tokens, here: Head, names: Mapping[int, str]) -> dict[str, object]:
    nodes, estimate = transcript.nodes, found.rate.tokens
    last = found.last
    return {
        "file": os.fspath(transcript.path),
        "head": None if here.position is None else place(nodes[here.position]),
        "why": here.why,
        "entries": len(found.positions),
        "bytes": found.lines,
        "tokens_estimate": found.estimate,
        "bytes_per_token": round(found.rate.bytes_per_token, 3),
        "rate_from": "session" if found.rate.stretches else "transcripts",
        "stretches": found.rate.stretches,
        "media": found.media,
        "kinds": [
            {
                "kind": share.kind,
                "name": share.name or None,
                "count": share.count,
                "bytes": share.bytes,
                "tokens_estimate": estimate(share.weight),
            }
            for share in found.shares
        ],
        "measured": last
        and {
            "requests": found.requests,
            **_usage(found.spent),
            "last": {**place(nodes[last.position]), **_usage(last.usage), "tokens_estimate": estimate(last.weight)},
        },
        "turns": [
            {
                "number": turn.number,
                **place(nodes[turn.position]),
                "text": turn.words,
                "entries": turn.entries,
                "tokens_estimate": estimate(turn.weight),
                "requests": turn.requests,
                "sent": turn.sent,
                "output": turn.output,
            }
            for turn in found.dearest_turns(DEAREST)
        ],
        "messages": [
            {
                **place(nodes[message.position]),
                "step": names.get(message.position),
                "turn": None if message.turn is None else found.turns[message.turn].number,
                "calls": dict(message.tools.most_common()),
                "entries": message.entries,
                "tokens_estimate": estimate(message.weight),
                "grown": message.grown,
                "measured": message.usage and _usage(message.usage),
            }
            for message in found.dearest_messages(DEAREST)
        ],
    }


def _usage(usage: Usage) -> dict[str, int]:
    """What the API counted, as the JSON answers name it."""
    return {"sent": usage.sent, "cache_read": usage.read, "cache_written": usage.written, "output": usage.output}


def _folders(project: str | None, *, everywhere: bool) -> tuple[list[Path], str]:
    """The folders of sessions that were asked for, and what to call them."""
    if everywhere:
        return project_folders(), "all projects"
    if project is None:
        return listing.folders_here(), os.getcwd()
    if not os.path.isdir(project):
        raise Stop(f"--project: {project} is no folder")
    return listing.folders_of(Path(project)), project


def _paths(folder: Path) -> Iterator[Path]:
    return (Path(entry.path) for entry in session_files(folder))
