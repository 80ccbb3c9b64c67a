"""How the commands end that append to a session's own file."""

from __future__ import annotations

from forkpoint.answers.appends import Merged, Moved, Recorded, Standing
from forkpoint.cli import console
from forkpoint.requests import AppendRequest
from forkpoint.view import answers as view
from forkpoint.view.lines import Lines


def conclude(answer: Moved | Recorded | Merged | Standing, request: AppendRequest, *, as_json: bool) -> None:
    """Says what was appended, or would be."""
    dry_run = request.dry_run

    def lines() -> Lines:
        if isinstance(answer, Standing):
            return view.standing(answer, dry_run=dry_run)
        if isinstance(answer, Moved):
            return view.moved(answer, dry_run=dry_run)
        if isinstance(answer, Recorded):
            return view.recorded(answer, dry_run=dry_run)
        return view.merged(answer, dry_run=dry_run)

    console.conclude(answer, lines, as_json=as_json)
