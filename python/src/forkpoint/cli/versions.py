"""What ``check --as VERSION`` says."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from forkpoint.cli.common import Stop, say
from forkpoint.transcript import schemas
from forkpoint.transcript import validate as validating
from forkpoint.transcript.reader import Transcript
from forkpoint.transcript.validate import Failure, Judgement


def require(version: str) -> None:
    """Stops unless ``version`` is one, or ``own``."""
    if version != validating.OWN:
        try:
            schemas.for_version(version)
        except schemas.UnknownVersion as error:
            raise Stop(f"--as: {error}, or `{validating.OWN}`") from error


def shape(transcript: Transcript, version: str) -> dict[str, Any]:
    """The answer as an object; its ``valid`` says whether no line was rejected."""
    judgement = Judgement()
    failures = [
        {"line": one.line, "type": one.type, "key": one.key, "wrong": one.wrong, "cure": one.cure}
        for one in validating.validate(transcript, version, judgement)
    ]
    return {
        "version": version,
        "valid": judgement.valid,
        "judged": judgement.judged,
        "rejected": judgement.rejected,
        "reserved": judgement.reserved,
        "unknown": judgement.unknown,
        "failures": failures,
        "notes": judgement.notes,
    }


def tell(file: str, transcript: Transcript, version: str) -> bool:
    """Says a line for each line that was rejected, and the sum; whether none was."""
    judgement = Judgement()
    for line, failures in groupby(validating.validate(transcript, version, judgement), lambda failure: failure.line):
        say(f"{file}:{line}: {_wrong(list(failures))}")
    for note in judgement.notes:
        say(f"{file}: note: {note}")
    for kind, count in sorted(judgement.unknown.items()):
        say(f"{file}: note: no schema for entries of type {kind} ({count} lines)")
    by = "their own versions" if version == validating.OWN else version
    passed = judgement.judged - judgement.rejected
    say(f"{file}: {passed} of {judgement.judged} lines pass by the schemas of {by}")
    if judgement.reserved:
        say(f"{file}: {judgement.reserved} of the others lack only what must not be made up")
    return judgement.valid


def _wrong(failures: list[Failure]) -> str:
    """What is wrong with one line: what backfill fills, what must not be made up, what is no missing key."""
    missing = [failure for failure in failures if failure.wrong == validating.MISSING]
    fillable = ", ".join(failure.key for failure in missing if failure.cure)
    reserved = ", ".join(failure.key for failure in missing if not failure.cure)
    parts = [f"lacks {fillable}, which backfill fills"] if fillable else []
    parts += [f"lacks {reserved}, which must not be made up"] if reserved else []
    parts += [f"{failure.key or 'the entry'} {failure.wrong}" for failure in failures if failure.wrong != validating.MISSING]
    return f"{failures[0].type}: " + "; ".join(parts)
