"""``forkpoint promote``."""

from __future__ import annotations

import os
from typing import Unpack

import click

from forkpoint.cli import drafts
from forkpoint.cli.common import EXIT_CODES, FILE_ARGUMENT, ILLEGAL, JSON_OPTION, Stop, find, load, note
from forkpoint.cli.drafts import Wanted
from forkpoint.cli.inplace import refused
from forkpoint.core import ancestries
from forkpoint.core.entries import Id
from forkpoint.store import projects
from forkpoint.transcript import promotion, select
from forkpoint.transcript.outline import Outline
from forkpoint.transcript.reader import Transcript


@click.command(epilog=EXIT_CODES)
@FILE_ARGUMENT
@click.option("--at", metavar="POINT", help="Where to go on from; the default is the end of the sub-agent's conversation.")
@drafts.new_session_options
@JSON_OPTION
def promote(file: str, at: str | None, **wanted: Unpack[Wanted]) -> None:
    """Make a new session of a sub-agent's conversation, so that a client can go on in it. The original is only read.

    FILE is the sub-agent's file, or a session that holds sub-agents; of several, POINT names an entry of the one that is
    meant. Each line is as it was, but that it no longer says that a sub-agent speaks. Standard output is the new session's id.

    \b
    Example:
      forkpoint promote subagents/agent-7f3c.jsonl
    """
    options, ledger = drafts.check(wanted), drafts.book(wanted)
    transcript = load(file)
    file = os.fspath(transcript.path)
    session = projects.session_of_agent(transcript.path)
    if promotion.is_agents(transcript) and transcript.lost_parents and session != transcript.path and session.is_file():
        beside = load(os.fspath(session))
        begun = promotion.begun_in(transcript, beside)
        if begun is not None:
            line = beside.span(begun).number
            note(f"the sub-agent goes on from the session's conversation at {session}:{line}, which goes along")
            transcript = promotion.with_session(transcript, beside, begun)
    root = _root(file, transcript, at)
    own = promotion.promote(transcript, root, session)
    try:
        choice = select.choose(own, Outline(own), "HEAD" if at is None else at)
    except select.UnknownPoint as error:
        raise Stop(f"{file}: {error}") from error
    except select.Refused as error:
        raise refused(file, own, error) from error
    options["promoted"] = str(root)
    drafts.deliver(drafts.draft(own, choice.position, options), choice, wanted, ledger, promoted=str(root))


def _goes_on(transcript: Transcript) -> bool:
    """Whether a sub-agent's entries stand behind the conversation of a session that they go on from."""
    aside = transcript.sidechains
    first = aside.index(1) if 1 in aside else 0
    return first > 0 and all(aside[first:]) and transcript.log.spine.parent[first] >= 0


def _root(file: str, transcript: Transcript, at: str | None) -> Id:
    """Where the sub-agent begins, or stops."""
    log = transcript.log
    if promotion.is_agents(transcript) or _goes_on(transcript):
        return log.spine.uuids[0]
    found = promotion.roots(transcript)
    if not found:
        raise Stop(f"{file}: no sub-agent begins in it; those of later clients have files of their own, agent-ID.jsonl", ILLEGAL)
    if len(found) == 1:
        return log.spine.uuids[found[0]]
    begins = "; ".join(f"{transcript.nodes[at].uuid}, line {transcript.span(at).number}" for at in found[:5])
    if at is None:
        raise Stop(f"{file}: {len(found)} sub-agents begin in it; --at names an entry of the one that is meant ({begins})")
    node = find(transcript, at)
    root = ancestries.ancestry(log, node.entry.uuid)[0]
    if not root.sidechain:
        raise Stop(f"{file}:{node.span.number}: {node.uuid} is no entry of a sub-agent ({begins})", ILLEGAL)
    return root.uuid
