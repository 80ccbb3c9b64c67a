"""``forkpoint doctor``."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import asdict
from typing import NoReturn

import click

from forkpoint.cli.common import EXIT_CODES, FILE_ARGUMENT, HEALTHY, JSON_OPTION, UNHEALTHY, load, say, say_json, show, width
from forkpoint.cli.repair import NO_ENTRY, SEARCH_OPTION, finder
from forkpoint.transcript import check as checking
from forkpoint.transcript import doctor as doctoring
from forkpoint.transcript.changes import Repaired, RepairError
from forkpoint.transcript.repair import repair
from forkpoint.view import doctor as view
from forkpoint.view.text import count


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
    file = os.fspath(transcript.path)
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
        elif isinstance(repaired, Repaired) and repaired.transcript.nodes:
            say(f"{file}: {count(wrong, 'finding')}; `{_command(file, folder)}` writes a new file with the cures")
        else:
            why = repaired if isinstance(repaired, str) else NO_ENTRY
            say(f"{file}: {count(wrong, 'finding')}; it cannot be repaired: {why}")
    sys.exit(HEALTHY if report.healthy else UNHEALTHY)


def _command(file: str, folder: str | None) -> str:
    """The repair of the file as a command for a shell, with the file and the folder to search as they were given."""
    search = [] if folder is None else ["--search", folder]
    return shlex.join(["forkpoint", "repair", *search, *(["--"] if file.startswith("-") else []), file])
