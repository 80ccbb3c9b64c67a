"""``forkpoint doctor``."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import NoReturn

import click

from forkpoint.cli.common import EXIT_CODES, FILE_ARGUMENT, HEALTHY, JSON_OPTION, UNHEALTHY, load, say, say_json, show, width
from forkpoint.cli.repair import SEARCH_OPTION, finder
from forkpoint.transcript import check as checking
from forkpoint.transcript import doctor as doctoring
from forkpoint.transcript.changes import Repaired, RepairError
from forkpoint.transcript.repair import repair
from forkpoint.view import doctor as view


@click.command(epilog=EXIT_CODES)
@FILE_ARGUMENT
@SEARCH_OPTION
@JSON_OPTION
def doctor(file: str, folder: str | None, as_json: bool) -> NoReturn:
    """Say what is wrong with a transcript: each violation, its cause, what a client loses by it, and the cure.

    Nothing is written; `forkpoint repair` applies the cures to a new file. A parent that is not in the file is looked for in
    the other sessions of its project, then in all projects.

    \b
    Example:
      forkpoint doctor session.jsonl
    """
    transcript = load(file)
    report = checking.check(transcript)
    repaired: Repaired | str
    try:
        repaired = repair(transcript, finder(transcript, folder))
    except (RepairError, OSError) as error:
        repaired = str(error)
    findings = doctoring.diagnose(transcript, report, repaired)
    searched = 0 if isinstance(repaired, str) else repaired.searched
    if as_json:
        say_json(
            {
                "file": file,
                "healthy": report.healthy,
                "searched": searched,
                "findings": [asdict(finding) for finding in findings],
            }
        )
    else:
        show(view.lines(findings, file, width()))
        wrong = sum(finding.property != "note" for finding in findings)
        if report.healthy:
            say(f"{file}: healthy, nothing to repair")
        else:
            say(f"{file}: {wrong} findings; `forkpoint repair {Path(file).name}` writes a new file with the cures")
    sys.exit(HEALTHY if report.healthy else UNHEALTHY)
