"""``forkpoint doctor``."""

from __future__ import annotations

import click

from forkpoint.cli import options
from forkpoint.cli.common import FILE_ARGUMENT, JSON_OPTION, Command, load
from forkpoint.cli.console import conclude, show, width
from forkpoint.ops import checking
from forkpoint.requests import DoctorRequest
from forkpoint.view import doctor as view


@click.command(cls=Command)
@FILE_ARGUMENT
@options.takes(DoctorRequest)
@JSON_OPTION
def doctor(file: str, request: DoctorRequest, as_json: bool) -> None:
    """Say what is wrong with a transcript: each violation, its cause, what a client loses by it, and the cure.

    The command writes nothing; `forkpoint repair` applies the cures to a new file. The command looks for a parent that the file
    lacks in the other sessions of its project, then in all projects.

    \b
    Example:
      forkpoint doctor session.jsonl
    """
    found = checking.doctor(load(file), request)
    if not as_json:
        show(view.lines(found.findings, found.file, width()))
    conclude(found, lambda: view.sums(found), as_json=as_json)
