"""``forkpoint check``."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, Final, NoReturn

import click

from forkpoint.cli import oracle
from forkpoint.cli.common import EXIT_CODES, FILE_ARGUMENT, HEALTHY, JSON_OPTION, UNHEALTHY, clean, folding, load, say_json, show
from forkpoint.transcript import check as checking
from forkpoint.transcript import reader
from forkpoint.view.text import count, wrap

INDENT: Final = 4
"""How far the further lines of a finding are indented."""


@click.command(epilog=EXIT_CODES)
@FILE_ARGUMENT
@click.option("--as", "version", metavar="VERSION", help="Hold every line against the schemas of a client version, or `own`.")
@oracle.OPTION
@JSON_OPTION
def check(file: str, version: str | None, with_oracle: bool, as_json: bool) -> NoReturn:
    """Check every property of a transcript: unique uuids (P1), no dangling parents (P2), tools balanced (P3).

    \b
    Example:
      forkpoint check session.jsonl
      forkpoint check session.jsonl --as 2.1.330
    """
    if version is not None:
        from forkpoint.cli import versions  # it loads the validator

        versions.require(version)
    if with_oracle:
        oracle.require()
    transcript = load(file)
    file = os.fspath(transcript.path)
    report = checking.check(transcript)
    agreed = oracle.on_check(transcript, report) if with_oracle else None
    if as_json:
        judged = None if version is None else versions.shape(transcript, version)
        valid = judged is None or judged["valid"]
        say_json(
            {
                "file": file,
                "healthy": report.healthy,
                "entries": report.entries,
                "sidecars": report.sidecars,
                "violations": [_violation(violation) for violation in report.violations],
                "damaged": [{"line": damage.line, "reason": damage.reason} for damage in report.damage],
                "notes": [_violation(violation) for violation in report.notes],
            }
            | ({"schemas": judged} if judged else {})
            | ({"oracle": agreed} if agreed else {})
        )
    else:
        found = chain(_findings(file, report), [(f"{file}: ", agreed)] if agreed else [])
        judgement = None
        if version is not None:
            judgement, rejected = versions.judge(file, transcript, version)
            found = chain(found, rejected)
        show(_lines(found))
        for _ in found:  # a pager may have been left before the last one
            pass
        valid = judgement is None or judgement.valid
    sys.exit(HEALTHY if report.healthy and valid else UNHEALTHY)


def _findings(file: str, report: checking.Report) -> Iterator[tuple[str, str]]:
    """A place and what was found there, damage first, then the sum."""
    for damage in report.damage:
        yield f"{file}:{damage.line}: ", f"damaged line: it {damage.reason}"
    for violation in report.violations:
        name = checking.PROPERTIES[violation.property]
        yield f"{file}:{violation.line}: ", f"{violation.property} {name}: entry {violation.uuid}: {violation.message}"
    for violation in report.notes:
        yield f"{file}:{violation.line}: ", f"note: entry {violation.uuid}: {violation.message}"
    wrong = f"{count(len(report.violations), 'violation')}, {count(len(report.damage), 'damaged line')}"
    yield f"{file}: ", f"{count(report.entries, 'entry')}, " + ("healthy" if report.healthy else wrong)


def _lines(findings: Iterable[tuple[str, str]]) -> Iterator[str]:
    """A finding as one line, or wrapped behind its place where there is a width to wrap to."""
    cells = folding()
    for place, text in findings:
        if cells is None:
            yield place + text
        else:
            yield from wrap(clean(place), clean(text), cells, INDENT)


def _violation(violation: reader.Violation) -> dict[str, Any]:
    return {
        "line": violation.line,
        "uuid": violation.uuid,
        "property": violation.property,
        "message": violation.message,
    }
