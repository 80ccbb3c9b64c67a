"""``forkpoint``: check, draw, fork and backfill transcripts from the command line."""

from __future__ import annotations

import json
import os
import shutil
import sys
import uuid as uuids
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

import click

from forkpoint.transcript import check as checking
from forkpoint.transcript import files, fork, outline, reader, schemas
from forkpoint.transcript.reader import Node, Transcript
from forkpoint.view import tree as trees

HEALTHY, UNHEALTHY, WRONG_USE, ILLEGAL = 0, 1, 2, 3

EXIT_CODES = """
\b
Exit codes:
  0  healthy, or done
  1  violations or damaged lines
  2  wrong use, unknown uuid, unreadable input, unwritable output
  3  an illegal or damaged fork point
"""


class Stop(Exception):
    """Ends a command with a message and an exit code."""

    def __init__(self, message: str, code: int = WRONG_USE, **shape: object) -> None:
        super().__init__(message)
        self.code = code
        self.shape = shape or {"error": message}


class Command(click.Command):
    """A command whose failures are one line on standard error, or one object on standard output with ``--json``."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except Stop as stop:
            if ctx.params.get("as_json"):
                say_json(stop.shape)
            else:
                note(f"forkpoint: {stop}")
            ctx.exit(stop.code)


def say(text: str) -> None:
    """A line on standard output; what the terminal cannot show is escaped, never an error."""
    encoding = sys.stdout.encoding or "utf-8"
    click.echo(text.encode(encoding, "backslashreplace").decode(encoding))


def note(text: str) -> None:
    """A line on standard error."""
    encoding = sys.stderr.encoding or "utf-8"
    click.echo(text.encode(encoding, "backslashreplace").decode(encoding), err=True)


def say_json(value: object) -> None:
    """One JSON object on standard output, in ASCII."""
    click.echo(json.dumps(value, indent=2))


def load(path: str) -> Transcript:
    """Reads a transcript or stops."""
    try:
        return reader.read(path)
    except OSError as error:
        raise Stop(f"cannot read {path}: {error.strerror}") from error


def store(path: Path, pieces: Iterable[bytes]) -> None:
    """Writes a new file or stops."""
    try:
        files.write_new(path, pieces)
    except FileExistsError as error:
        raise Stop(f"cannot write {path}: it exists; choose another name with --out") from error
    except OSError as error:
        raise Stop(f"cannot write {path}: {error.strerror}; nothing was left there") from error


def place(node: Node) -> dict[str, Any]:
    """An entry as the JSON answers name it."""
    return {"uuid": node.uuid, "line": node.span.number}


def find(transcript: Transcript, at: str) -> Node:
    """The entry that a uuid, or a unique beginning of one, names; stops when there is none."""
    exact = [node for node in transcript.nodes if node.uuid == at]
    found = exact or [node for node in transcript.nodes if at and node.uuid.startswith(at)]
    if not found:
        raise Stop(f"no entry of {transcript.path} has the uuid {at}; `forkpoint tree` shows those of the prompts and tips")
    if len({node.uuid for node in found}) > 1:
        lines = ", ".join(str(node.span.number) for node in found[:4])
        raise Stop(f"{at} is the beginning of {len(found)} uuids in {transcript.path} (lines {lines}); give more of it")
    return found[0]


JSON_OPTION = click.option("--json", "as_json", is_flag=True, help="Answer with one JSON object (its shape is in the spec).")
FILE_ARGUMENT = click.argument("file", type=click.Path())


@click.group(epilog=EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="forkpoint")
def main() -> None:
    """Go back to a past point of a conversation and grow another future, the original untouched."""


@main.command(cls=Command, epilog=EXIT_CODES)
@FILE_ARGUMENT
@JSON_OPTION
def check(file: str, as_json: bool) -> NoReturn:
    """Check every property of a transcript: unique uuids (P1), no dangling parents (P2), tools balanced (P3).

    \b
    Example:
      forkpoint check session.jsonl
    """
    transcript = load(file)
    report = checking.check(transcript)
    if as_json:
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
    sys.exit(HEALTHY if report.healthy else UNHEALTHY)


def _violation(violation: reader.Violation) -> dict[str, Any]:
    return {
        "line": violation.line,
        "uuid": violation.uuid,
        "property": violation.property,
        "message": violation.message,
    }


@main.command(cls=Command, epilog=EXIT_CODES)
@FILE_ARGUMENT
@JSON_OPTION
def tree(file: str, as_json: bool) -> None:
    """Draw the prompts of a conversation, its forks and its tips, each with a legal fork point where there is one.

    \b
    Example:
      forkpoint tree session.jsonl
    """
    transcript = load(file)
    shape = outline.outline(transcript)
    nodes = transcript.nodes
    if as_json:
        legal = shape.survey.legal
        say_json(
            {
                "file": file,
                "prompts": [{**place(nodes[at]), "text": nodes[at].text, "legal": legal[at]} for at in shape.prompts],
                "forks": [place(nodes[at]) for at in shape.forks],
                "tips": [{**place(nodes[at]), "legal": legal[at], "sidechain": nodes[at].entry.sidechain} for at in shape.tips],
                "legal": [place(nodes[at]) for at in shape.legal],
            }
        )
        return
    for line in trees.draw(transcript, shape, _width()):
        say(line)
    say(
        f"{len(shape.prompts)} prompts, {len(shape.forks)} forks, {len(shape.tips)} tips, {len(shape.legal)} legal fork points"
        f"; ● prompt, ◆ fork, ○ tip, ✓ fork point"
    )
    broken = len(transcript.violations) + len(transcript.damage)
    if broken:
        note(f"{file}: {broken} damaged places; `forkpoint check` lists them")


def _width() -> int:
    """The terminal's width; 80 where there is no terminal, unless COLUMNS says otherwise."""
    return max(20, shutil.get_terminal_size((80, 24)).columns)


@main.command("fork", cls=Command, epilog=EXIT_CODES)
@FILE_ARGUMENT
@click.option("--at", required=True, metavar="UUID", help="The fork point: a uuid, or a unique beginning of one.")
@click.option("--out", type=click.Path(), help="The file to write; the default is ./<new session id>.jsonl.")
@JSON_OPTION
def fork_command(file: str, at: str, out: str | None, as_json: bool) -> None:
    """Fork a transcript at a legal point into a new session file.

    The new file has exactly the entries of the conversation at that point, each line byte for byte, in canonical order.
    The original is only read.

    \b
    Example:
      forkpoint fork session.jsonl --at 3f2a9c1e
    """
    transcript = load(file)
    node = find(transcript, at)
    refused = fork.refusal(transcript, outline.outline(transcript), node.entry.uuid)
    if refused is not None:
        nearest = "; ".join(f"{near.uuid} (line {near.span.number})" for near in refused.nearest) or "none"
        raise Stop(
            f"{file}:{node.span.number}: {node.uuid} is no legal fork point: {refused.reason}\nnearest legal points: {nearest}",
            ILLEGAL,
            refused={"reason": refused.reason, "nearest": [place(near) for near in refused.nearest]},
        )
    nodes = fork.kept(transcript, node.entry.uuid)
    path = Path(out) if out is not None else Path(f"{uuids.uuid4()}.jsonl")
    store(path, fork.lines(transcript, nodes))
    if as_json:
        say_json({"path": os.fspath(path), "kept": len(nodes)})
    else:
        say(os.fspath(path))
        note(f"kept {len(nodes)} of {len(transcript.nodes)} entries")


@main.command(cls=Command, epilog=EXIT_CODES)
@FILE_ARGUMENT
@click.option("--to", required=True, metavar="VERSION", help="The client version whose keys are filled in, such as 2.1.161.")
@click.option("--out", type=click.Path(), help="The file to write; the default is ./<new session id>.jsonl.")
@JSON_OPTION
def backfill(file: str, to: str, out: str | None, as_json: bool) -> None:
    """Write a new file whose entries have the keys that a later client version requires.

    Only keys with a default that means "nothing special" are filled in, before the closing brace of the line; every old
    byte stays. Keys that say who, when or where are reported, never made up.

    \b
    Example:
      forkpoint backfill session.jsonl --to 2.1.161
    """
    transcript = load(file)
    try:
        schema, measured = schemas.schema_for(to)
    except schemas.UnknownVersion as error:
        raise Stop(str(error)) from error
    filled = schemas.backfill(transcript, schema)
    path = Path(out) if out is not None else Path(f"{uuids.uuid4()}.jsonl")
    store(path, [filled.data])
    if as_json:
        say_json(
            {
                "path": os.fspath(path),
                "entries": len(transcript.nodes),
                "changed": filled.changed,
                "missing": filled.missing,
                "schema": measured,
            }
        )
        return
    say(os.fspath(path))
    note(f"filled {filled.changed} of {len(transcript.nodes)} entries by the schema of {measured}")
    for key, count in sorted(filled.missing.items()):
        note(f"left out, since it must not be made up: {key} ({count} entries)")
    if transcript.damage:
        note(f"{len(transcript.damage)} damaged lines are copied as they are")


if __name__ == "__main__":
    main()
