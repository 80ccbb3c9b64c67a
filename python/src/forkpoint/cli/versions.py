"""What ``check --as VERSION`` says."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from forkpoint.cli.common import Stop
from forkpoint.transcript import schemas
from forkpoint.transcript import validate as validating
from forkpoint.transcript.reader import Transcript
from forkpoint.transcript.validate import Failure, Judgement
from forkpoint.view.text import count


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


def judge(file: str, transcript: Transcript, version: str) -> tuple[Judgement, Iterator[tuple[str, str]]]:
    """The judgement, and a place with what is wrong there for each line that was rejected, then the sum. The judgement is
    complete when the last of them was asked for."""
    judgement = Judgement()
    return judgement, _findings(file, transcript, version, judgement)


def _findings(file: str, transcript: Transcript, version: str, judgement: Judgement) -> Iterator[tuple[str, str]]:
    for line, failures in groupby(validating.validate(transcript, version, judgement), lambda failure: failure.line):
        yield f"{file}:{line}: ", _wrong(list(failures))
    for note in judgement.notes:
        yield f"{file}: ", f"note: {note}"
    for kind, number in sorted(judgement.unknown.items()):
        yield f"{file}: ", f"note: no schema for entries of type {kind} ({count(number, 'line')})"
    by = "their own versions" if version == validating.OWN else version
    passed = judgement.judged - judgement.rejected
    yield f"{file}: ", f"{passed} of {count(judgement.judged, 'line')} pass by the schemas of {by}"
    if judgement.reserved:
        lack = "lacks" if judgement.reserved == 1 else "lack"
        yield f"{file}: ", f"{judgement.reserved} of the others {lack} only what must not be made up"


def _wrong(failures: list[Failure]) -> str:
    """What is wrong with one line: what backfill fills, what must not be made up, what is no missing key."""
    missing = [failure for failure in failures if failure.wrong == validating.MISSING]
    fillable = ", ".join(failure.key for failure in missing if failure.cure)
    reserved = ", ".join(failure.key for failure in missing if not failure.cure)
    parts = [f"lacks {fillable}, which backfill fills"] if fillable else []
    parts += [f"lacks {reserved}, which must not be made up"] if reserved else []
    parts += [f"{failure.key or 'the entry'} {failure.wrong}" for failure in failures if failure.wrong != validating.MISSING]
    return f"{failures[0].type}: " + "; ".join(parts)
