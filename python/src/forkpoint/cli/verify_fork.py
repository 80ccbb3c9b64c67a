"""``forkpoint verify-fork``."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import click

from forkpoint.cli import records
from forkpoint.cli.common import EXIT_CODES, FILE_ARGUMENT, HEALTHY, JSON_OPTION, UNHEALTHY, Stop, load, note, say, say_json
from forkpoint.store import projects
from forkpoint.store.lineage import lineages
from forkpoint.store.listing import sessions
from forkpoint.transcript import verify
from forkpoint.transcript.marker import find_marker
from forkpoint.transcript.promotion import promote
from forkpoint.transcript.reader import Transcript
from forkpoint.transcript.verify import Verdict

WORDS = {
    "exact": "verified: exactly what was forked",
    "additions": "verified: what was forked, and what grew after it",
    "tampered": "NOT verified: the fork is not as it was made",
    "source-changed": "NOT verified: the source is not as it was forked, the fork is",
    "both-changed": "NOT verified: neither the fork nor the source is as it was",
    "differs": "NOT verified: fork and source differ",
    "unverifiable": "NOT verified: there is nothing to compare it with",
    "unrelated": "NOT verified: the two have no entry in common",
}


@click.command("verify-fork", epilog=EXIT_CODES)
@FILE_ARGUMENT
@click.argument("source", required=False)
@JSON_OPTION
def verify_fork(file: str, source: str | None, as_json: bool) -> NoReturn:
    """Check that a fork still holds what was forked: by its marker, and by the session it was forked from.

    SOURCE is found by what the fork says of itself when it is not given. What a resumed fork grew after its fork point is
    counted and passes. A fork without a marker is compared with its source by the entries that both hold.

    \b
    Example:
      forkpoint verify-fork 7c21bb3e
    """
    forked = load(file)
    file = os.fspath(forked.path)
    named = source or _source(forked)
    original: Transcript | None = None
    if named is not None:
        try:
            original = load(named)
        except Stop as error:
            if source is not None:
                raise
            note(f"the source is not compared: {error}")
    verdict = verify.verify(forked, None if original is None else _as_made(forked, original))
    if as_json:
        say_json(_shape(file, original, verdict))
    else:
        _say(file, original, verdict)
    sys.exit(HEALTHY if verdict.verified else UNHEALTHY)


def _as_made(forked: Transcript, original: Transcript) -> Transcript:
    """The source as it was seen when it was exported, the sub-agent that was promoted; as it is when it was forked."""
    marker = find_marker(forked)
    if marker is not None and marker.promoted is not None:
        return _promoted(original, marker.promoted)
    if marker is None or marker.seen_from is None or marker.seen_from not in original.log:
        return original
    return records.show(os.fspath(original.path), original, original.log.position(marker.seen_from)).transcript


def _promoted(original: Transcript, root: str) -> Transcript:
    """A sub-agent of a session as a session of its own: in the session's file, or in that of the sub-agent; the session as it is
    when it has no such one."""
    files = iter(projects.agent_files(original.path))
    found: Transcript | None = original
    while found is not None and root not in found.log:
        path = next(files, None)
        found = None if path is None else load(os.fspath(path))
    if found is None or found.log.entry(root).parent is not None:
        return original
    return promote(found, root, original.path)


def _source(forked: Transcript) -> str | None:
    """The id of the session that a fork was made from: by its marker, by what ``/branch`` writes on copied lines, or, as the list
    of sessions has it, by what it shares with those beside it."""
    marker = find_marker(forked)
    if marker is not None:
        return marker.source
    for position in range(min(1, len(forked.log))):
        origin = forked.keys(forked.span(position)).get("forkedFrom")
        if isinstance(origin, dict) and isinstance(origin.get("sessionId"), str):
            return str(origin["sessionId"])
    listed = sessions([forked.path.parent])
    families = zip(listed, lineages(listed), strict=True)
    parents = next((family.parents for session, family in families if session.id == forked.path.stem), [])
    return next((parent.session for parent in parents if parent.present), None)


def _shape(file: str, source: Transcript | None, verdict: Verdict) -> dict[str, object]:
    difference = verdict.difference
    return {
        "file": file,
        "source": None if source is None else str(source.path),
        "verified": verdict.verified,
        "verdict": verdict.verdict,
        "entries": verdict.entries,
        "additions": verdict.additions,
        "against": list(verdict.against),
        "difference": difference
        and {
            "uuid": difference.uuid,
            "line": difference.line,
            "source_line": difference.source_line,
            "what": difference.what,
        },
        "notes": list(verdict.notes),
    }


def _say(file: str, source: Transcript | None, verdict: Verdict) -> None:
    say(f"{file}: {WORDS[verdict.verdict]}")
    say(f"  {verdict.entries} entries of the conversation at the fork point, {verdict.additions} more in the fork")
    if verdict.against:
        names = {"marker": "its marker", "source": f"the source {source.path}" if source is not None else "the source"}
        say(f"  compared with {' and '.join(names[name] for name in verdict.against)}")
    difference = verdict.difference
    if difference is not None:
        places = [f"{file}:{difference.line}"] if difference.line is not None else []
        if difference.source_line is not None and source is not None:
            places.append(f"{source.path}:{difference.source_line}")
        say(f"  {', '.join(places)}: entry {difference.uuid} {difference.what}")
    for text in verdict.notes:
        say(f"  note: {text}")
