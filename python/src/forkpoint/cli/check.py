"""``forkpoint check``."""

from __future__ import annotations

import sys
from typing import Any, NoReturn

import click

from forkpoint.cli.common import EXIT_CODES, FILE_ARGUMENT, HEALTHY, JSON_OPTION, UNHEALTHY, load, say, say_json
from forkpoint.transcript import check as checking
from forkpoint.transcript import reader


@click.command(epilog=EXIT_CODES)
@FILE_ARGUMENT
@click.option("--as", "version", metavar="VERSION", help="Hold every line against the schemas of a client version, or `own`.")
@JSON_OPTION
def check(file: str, version: str | None, as_json: bool) -> NoReturn:
    """Check every property of a transcript: unique uuids (P1), no dangling parents (P2), tools balanced (P3).

    \b
    Example:
      forkpoint check session.jsonl
      forkpoint check session.jsonl --as 2.1.330
    """
    if version is not None:
        from forkpoint.cli import versions  # it loads the validator

        versions.require(version)
    transcript = load(file)
    report = checking.check(transcript)
    valid = True
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
        )
    else:
        for damage in report.damage:
            say(f"{file}:{damage.line}: damaged line: it {damage.reason}")
        for violation in report.violations:
            name = checking.PROPERTIES[violation.property]
            say(f"{file}:{violation.line}: {violation.property} {name}: entry {violation.uuid}: {violation.message}")
        for violation in report.notes:
            say(f"{file}:{violation.line}: note: entry {violation.uuid}: {violation.message}")
        found = f"{len(report.violations)} violations, {len(report.damage)} damaged lines"
        say(f"{file}: {report.entries} entries, " + ("healthy" if report.healthy else found))
        valid = version is None or versions.tell(file, transcript, version)
    sys.exit(HEALTHY if report.healthy and valid else UNHEALTHY)


def _violation(violation: reader.Violation) -> dict[str, Any]:
    return {
        "line": violation.line,
        "uuid": violation.uuid,
        "property": violation.property,
        "message": violation.message,
    }
