"""``forkpoint points``."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import Any

import click

from forkpoint.cli import records
from forkpoint.cli.common import (
    CLIENT_OPTION,
    EXIT_CODES,
    FILE_ARGUMENT,
    JSON_OPTION,
    Stop,
    load,
    note,
    place,
    say_json,
    show,
    width,
)
from forkpoint.transcript import points as prompts
from forkpoint.transcript import steps
from forkpoint.transcript.head import head, path
from forkpoint.transcript.outline import outline
from forkpoint.transcript.reader import Transcript
from forkpoint.view import overlays
from forkpoint.view import points as view
from forkpoint.view.text import abbreviation, count, fit, wrap


@click.command(epilog=EXIT_CODES)
@FILE_ARGUMENT
@click.option("--all", "every", is_flag=True, help="The prompts of every branch, not only those on the way to HEAD.")
@click.option("--steps", "by_step", is_flag=True, help="The steps of the conversation at HEAD, which `drop` and `compact` take.")
@CLIENT_OPTION
@JSON_OPTION
def points(file: str, every: bool, by_step: bool, as_json: bool) -> None:
    """List the prompts of a session with their numbers, and whether it can be forked there.

    A prompt's number is the same in every answer and stays when the session grows; `forkpoint fork FILE --at 3` forks at
    the end of the third prompt's turn, `--at 3 --before` before the prompt. The two marks say whether the place before
    the prompt (b) and the end of its turn (e) are legal or resumable; tokens are an estimate of the conversation at the
    end of the turn.

    \b
    Example:
      forkpoint points session.jsonl
    """
    if by_step and every:
        raise Stop("--steps and --all contradict each other: steps are those of the conversation at the head; choose one")
    transcript = load(file)
    file = os.fspath(transcript.path)
    if by_step:
        _steps(file, transcript, as_json=as_json)
        return
    found = head(transcript)
    listed = prompts.points(transcript, outline(transcript), found)
    chosen = [point for point in listed if every or point.on_path]
    if as_json:
        say_json(
            {
                "file": file,
                "head": None if found.position is None else place(transcript.nodes[found.position]),
                "why": found.why,
                "total": len(listed),
                "points": [_point(transcript, point) for point in chosen],
            }
        )
        return
    cells = width()
    if transcript.sidechains and all(transcript.sidechains):
        last = transcript.nodes[max(range(len(transcript.nodes)), key=transcript.numbers.__getitem__)]
        show(wrap("", f"a sub-agent's file; last entry {last.uuid}, line {last.span.number}", cells, 2))
        return
    ends = [point.end.position for point in chosen]
    short = abbreviation(transcript, ends if found.position is None else [*ends, found.position])
    hidden = len(listed) - len(chosen)
    others = f"; {hidden} on other branches (--all)" if hidden else ""
    at = "no HEAD" if found.position is None else f"HEAD {transcript.nodes[found.position].uuid[:short]}"
    rows = [f"{count(len(chosen), 'prompt')}{others}", f"{at}: {found.why}", view.LEGEND]
    start = path(transcript.log, found.position)[:1]
    if hidden and start and start[0] > 0:
        rows.insert(
            1, f"the conversation at HEAD begins on line {transcript.span(start[0]).number}: {_start(transcript, start[0])}"
        )
    show([*view.table(transcript, chosen, datetime.now(UTC), cells, short), *(fit(row, cells) for row in rows)])
    broken = len(transcript.violations) + len(transcript.damage)
    if broken:
        note(f"{file}: {count(broken, 'damaged place')}; `forkpoint check` says where")


def _start(transcript: Transcript, position: int) -> str:
    """Why a conversation begins in the middle of a file."""
    logical = transcript.log[position].logical_parent
    if logical is None:
        return "an entry without a parent"
    return f"a compaction of what the file does not hold ({logical})"


def _steps(file: str, transcript: Transcript, *, as_json: bool) -> None:
    """The steps of the conversation at the head."""
    shown = records.show(file, transcript)
    listed = steps.steps(shown, outline(transcript))
    if not as_json:
        show(overlays.table(transcript, listed, width()))
        return
    found = [
        {
            "step": step.name,
            **place(transcript.nodes[step.positions[0]]),
            "entries": len(step.positions),
            "tokens_estimate": steps.tokens(transcript, step),
            "text": step.words,
            "tools": steps.tools(transcript, step),
            "left_out_by": None if step.record is None else step.record.uuid,
        }
        for step in listed
    ]
    say_json({"file": file, "head": place(transcript.nodes[shown.at]), "steps": found})


def _point(transcript: Transcript, point: prompts.Point) -> dict[str, Any]:
    return {
        "number": point.number,
        **place(transcript.nodes[point.position]),
        "timestamp": point.timestamp,
        "text": point.words,
        "on_path": point.on_path,
        "compacted": point.compacted,
        "before": None if point.before is None else _place(transcript, point.before),
        "end": _place(transcript, point.end),
        "tokens_estimate": point.tokens,
    }


def _place(transcript: Transcript, found: prompts.Place) -> dict[str, Any]:
    return {
        **place(transcript.nodes[found.position]),
        "resumable": found.resumable,
        "legal": found.legal,
        "inherited": found.inherited,
    }
