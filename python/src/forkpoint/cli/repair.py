"""``forkpoint repair``."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import click

from forkpoint.cli.common import (
    EXIT_CODES,
    FILE_ARGUMENT,
    JSON_OPTION,
    STANDARD_OUTPUT,
    UNHEALTHY,
    Stop,
    load,
    new_file,
    note,
    say,
    say_json,
    store,
    writing,
    written,
)
from forkpoint.store import forking, repairing
from forkpoint.store.search import search
from forkpoint.transcript import files, links
from forkpoint.transcript.changes import Change, Finder, Line, Repaired, RepairError
from forkpoint.transcript.lines import LONGEST
from forkpoint.transcript.reader import Node, Transcript
from forkpoint.transcript.repair import repair as make_whole
from forkpoint.view.text import count

NO_ENTRY = "no entry can be read in it"
SHOWN = 20
"""So many things that were done are named on standard error; the report names all."""

SEARCH_OPTION = click.option(
    "--search",
    "folder",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False),
    help="Where lost parents are looked for after the file's own project; the default is all projects.",
)


def finder(transcript: Transcript, folder: str | None) -> Finder:
    """The search for lost parents, from a file on."""
    return lambda uuids: search(uuids, transcript.path, Path(folder) if folder else None)


@click.command(epilog=EXIT_CODES)
@FILE_ARGUMENT
@click.option(
    "--out",
    help="The file to write, or - for standard output; the default is beside a session of a client, else "
    "./<new session id>.jsonl.",
)
@click.option(
    "--report",
    "report_file",
    metavar="FILE",
    help="Where the report goes; the default is beside the new file, .repair.json, and nowhere with --out -.",
)
@click.option(
    "--lost-parents",
    type=click.Choice([links.CLIENT, links.ROOT, links.PREVIOUS]),
    default=links.CLIENT,
    show_default=True,
    help="What becomes of an entry whose parent is nowhere: it hangs where clients hang it, or is a root where they do not; "
    "it is a root; it hangs on the entry before it.",
)
@click.option("--allow-unread", is_flag=True, help="Go on where a file cannot be read that may hold a lost parent.")
@click.option("--dry-run", is_flag=True, help="Write nothing, say what would be done.")
@SEARCH_OPTION
@JSON_OPTION
def repair(
    file: str,
    out: str | None,
    report_file: str | None,
    lost_parents: str,
    allow_unread: bool,
    dry_run: bool,
    folder: str | None,
    as_json: bool,
) -> None:
    """Write a healthy copy of a damaged transcript as a new session, and a report of what was done.

    Every branch is kept. Each line of the original is in the new file as it was, or in the report, verbatim. Conversations
    that are sound stay as they are. Of a healthy file nothing is written.

    \b
    Example:
      forkpoint repair session.jsonl
    """
    if out == STANDARD_OUTPUT and as_json and not dry_run:
        raise Stop("--json and --out - both write on standard output; choose one")
    if report_file == STANDARD_OUTPUT:
        raise Stop("--report needs the name of a file; --json prints the report on standard output")
    if out is not None and out != STANDARD_OUTPUT:
        new_file(out)
    transcript = load(file)
    file = os.fspath(transcript.path)
    try:
        repaired = make_whole(transcript, finder(transcript, folder), lost_parents=lost_parents)
    except RepairError as error:
        raise Stop(f"{file}: {error}; nothing was written", UNHEALTHY) from error
    except OSError as error:
        raise Stop(f"cannot read {error.filename or file}: {error.strerror}") from error
    for unread in repaired.unread:
        note(f"warning: cannot read {unread}, which may hold a parent that is lost here")
    if repaired.unread and not allow_unread and not dry_run:
        raise Stop(f"{file}: not all could be searched; nothing was written; --allow-unread goes on without it")
    if not repaired.transcript.nodes:
        raise Stop(f"cannot repair {file}: {NO_ENTRY}; nothing was written")
    summary = report(transcript, repaired)
    if not repaired.changes:
        note(f"{file}: healthy, nothing to repair; nothing was written")
        if as_json:
            say_json({"path": None, "report": None, **summary})
        return
    path = None if out == STANDARD_OUTPUT else forking.destination(transcript.path, None, out, None)
    beside = Path(report_file) if report_file else None if path is None else path.with_suffix(".repair.json")
    places = {"path": path and os.fspath(path), "report": beside and os.fspath(beside)}
    if not dry_run:
        text = json.dumps({**places, **summary}, indent=2).encode("ascii") + b"\n"
        if path is None:
            _print(repaired, beside, text)
        else:
            assert beside is not None
            with writing(path):
                repairing.write(repaired, transcript.path, path, beside, text)
    shape = {**({"path": None, "report": None} if dry_run else places), **summary}
    with written(None if dry_run else path):
        _said(transcript, repaired, path, beside, shape, dry_run=dry_run, as_json=as_json)


def _said(
    transcript: Transcript,
    repaired: Repaired,
    path: Path | None,
    beside: Path | None,
    shape: dict[str, Any],
    *,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Says what was done, or would be."""
    if as_json:
        say_json(shape)
        return
    steps = _summary(repaired)
    for line in islice(steps, SHOWN):
        note(line)
    more = sum(1 for _ in steps)
    if more:
        note(f"and {more} more ({'--json prints all' if dry_run or beside is None else 'in the report'})")
    for origin in sorted({os.fspath(line.origin) for _, line, _ in _brought(repaired) if line.origin is not None}):
        note(f"sub-agents, tool results and replacements of what is from {origin} stay there")
    if dry_run:
        note("nothing was written")
        return
    where = "on standard output" if path is None else f"in {path}"
    note(f"{count(len(repaired.transcript.nodes), 'entry')} {where}" + (f"; what was done is in {beside}" if beside else ""))
    if path is not None:
        say(path.stem)
        return
    left = len(repairing.go_along(transcript.path, transcript.path))
    if left:
        note(f"{count(left, 'file')} of the session did not go along, since there is no place for them")


def _print(repaired: Repaired, report: Path | None, text: bytes) -> None:
    """Writes the new session on standard output, and the report, if one is wanted: it gets its name when the session is out."""
    lines = (line.data + b"\n" for line in repaired.lines)
    if report is None:
        store(None, lines)
        return
    try:
        with writing(report), files.stage(report) as stage:
            stage.write(files.FILE, [text])
            store(None, lines)
            stage.commit()
    except Stop as error:
        if isinstance(error.__cause__, FileExistsError):
            raise Stop(f"cannot write {report}: it exists; choose another name with --report") from error.__cause__
        raise


def _summary(repaired: Repaired) -> Iterator[str]:
    """A line for each thing that was done."""
    for change in repaired.changes:
        for reason in change.reasons:
            yield f"line {change.line}: {reason.cause}: {reason.cure}"


def report(transcript: Transcript, repaired: Repaired) -> dict[str, Any]:
    """What was done, as JSON: every line that is not in the new file as it was, verbatim, and what stands for it."""
    return {
        "source": os.fspath(transcript.path),
        "entries": {"source": len(transcript.nodes), "repaired": len(repaired.transcript.nodes)},
        "searched": repaired.searched,
        "unread": list(map(os.fspath, repaired.unread)),
        "changes": [
            {
                "line": change.line,
                "uuid": change.uuid,
                "reasons": [reason._asdict() for reason in change.reasons],
                **(
                    {"before": _verbatim(transcript, change), "after": [_text(line) for line in change.after]}
                    if change.changed
                    else {}
                ),
            }
            for change in repaired.changes
        ],
        "brought": [
            {"line": number, "file": os.fspath(line.origin or ""), "uuid": node.uuid} for number, line, node in _brought(repaired)
        ],
    }


def _brought(repaired: Repaired) -> Iterator[tuple[int, Line, Node]]:
    """The entries from other files, with their line in the new one."""
    for node in sorted(repaired.transcript.nodes, key=lambda node: node.span.number):
        line = repaired.lines[node.span.number - 1]
        if line.origin is not None:
            yield node.span.number, line, node


def _verbatim(transcript: Transcript, change: Change) -> dict[str, Any]:
    """A line of the source; one that is too long to be read is named by where it stands."""
    if change.end - change.start > LONGEST:
        return {"start": change.start, "end": change.end}
    return _text(transcript.source.read(change.start, change.end))


def _text(line: bytes) -> dict[str, Any]:
    try:
        return {"text": line.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(line).decode("ascii")}
