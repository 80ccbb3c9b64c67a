"""``forkpoint``: check, draw, fork and backfill transcripts from the command line."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sys
import unicodedata
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
HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""The categories of characters that are escaped: controls, formats (bidirectional ones too), surrogates, separators."""

EXIT_CODES = """
\b
Exit codes:
  0  healthy, or done
  1  violations or damaged lines
  2  wrong use, unknown uuid, unreadable input, unwritable output
  3  an illegal or damaged fork point
  128 + N  ended by signal N (130: interrupted)
"""


class Stop(Exception):
    """Ends a command with a message and an exit code."""

    def __init__(self, message: str, code: int = WRONG_USE, **shape: object) -> None:
        super().__init__(message)
        self.code = code
        self.shape = shape or {"error": message}


class NoOutput(Stop):
    """Standard output cannot be written, so only standard error can say so."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"cannot write to standard output: {reason}")


def clean(text: str) -> str:
    """The text with control and bidirectional characters escaped: what a file holds must not steer the terminal."""
    return "".join(
        character.encode("unicode_escape").decode("ascii") if unicodedata.category(character) in HIDDEN else character
        for character in text
    )


def say(text: str) -> None:
    """A line on standard output; what the terminal cannot show is replaced, never an error."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    write(clean(text).encode(encoding, "replace"))


def write(line: bytes) -> None:
    """A line of bytes on standard output. A reader that went away is no error; a full disk stops."""
    if sys.stdout is None:
        raise NoOutput("it is closed")
    try:
        click.echo(line)
    except OSError as error:
        with contextlib.suppress(OSError, ValueError):  # what is buffered must not fail again at the end
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise NoOutput(str(error.strerror)) from error


def note(text: str) -> None:
    """A line on standard error, if there is one."""
    with contextlib.suppress(OSError, AttributeError):
        click.echo(clean(text).encode(sys.stderr.encoding or "utf-8", "replace"), err=True)


def say_json(value: object) -> None:
    """One JSON object on standard output, in ASCII."""
    write(json.dumps(value, indent=2).encode("ascii"))


def load(path: str) -> Transcript:
    """Reads a transcript or stops."""
    try:
        return reader.read(path)
    except OSError as error:
        raise Stop(f"cannot read {path}: {error.strerror}") from error


def new_file(out: str | None) -> Path:
    """The file to write: the one asked for, or one named for a fresh session id."""
    if out is None:
        return Path(f"{uuids.uuid4()}.jsonl")
    if not out or out.endswith(os.sep):
        raise Stop(f"--out needs the name of a file, not {out!r}")
    return Path(out)


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
FILE_ARGUMENT = click.argument("file")


@click.group(epilog=EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="forkpoint")
def main() -> None:
    """Go back to a past point of a conversation and grow another future, the original untouched."""


@main.command(epilog=EXIT_CODES)
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


@main.command(epilog=EXIT_CODES)
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
                "tips": [{**place(nodes[at]), "legal": legal[at]} for at in shape.tips],
                "legal": [place(nodes[at]) for at in shape.legal],
            }
        )
        return
    for line in trees.draw(transcript, shape, _width()):
        say(line)
    summary = (
        f"● {len(shape.prompts)} prompts, ◆ {len(shape.forks)} forks, ○ {len(shape.tips)} tips,"
        f" ✓ {len(shape.legal)} legal fork points"
    )
    say(trees.fit(summary, _width()))
    broken = len(transcript.violations) + len(transcript.damage)
    if broken:
        note(f"{file}: {broken} damaged places; `forkpoint check` lists them")


def _width() -> int:
    """The terminal's width; 80 where there is no terminal, unless COLUMNS says otherwise."""
    return max(1, shutil.get_terminal_size((80, 24)).columns)


@main.command("fork", epilog=EXIT_CODES)
@FILE_ARGUMENT
@click.option("--at", required=True, metavar="UUID", help="The fork point: a uuid, or a unique beginning of one.")
@click.option("--out", help="The file to write; the default is ./<new session id>.jsonl.")
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
            f"{file}:{node.span.number}: {node.uuid} is no legal fork point: {refused.reason}; nearest legal points: {nearest}",
            ILLEGAL,
            refused={"reason": refused.reason, "nearest": [place(near) for near in refused.nearest]},
        )
    nodes = fork.kept(transcript, node.entry.uuid)
    path = new_file(out)
    store(path, fork.lines(transcript, nodes))
    if as_json:
        say_json({"path": os.fspath(path), "kept": len(nodes)})
    else:
        note(f"kept {len(nodes)} of {len(transcript.nodes)} entries in {path}")
        write(os.fsencode(path))


@main.command(epilog=EXIT_CODES)
@FILE_ARGUMENT
@click.option("--to", required=True, metavar="VERSION", help="The client version whose keys are filled in, such as 2.1.161.")
@click.option("--out", help="The file to write; the default is ./<new session id>.jsonl.")
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
    path = new_file(out)
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
    note(f"filled {filled.changed} of {len(transcript.nodes)} entries by the schema of {measured}, in {path}")
    write(os.fsencode(path))
    for key, count in sorted(filled.missing.items()):
        note(f"left out, since it must not be made up: {key} ({count} entries)")
    if transcript.damage:
        note(f"{len(transcript.damage)} damaged lines are copied as they are")


def run() -> NoReturn:
    """The program: runs a command and ends with a documented exit code, whatever happens."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda which, _: sys.exit(128 + which))  # so that half-written files are removed
    try:
        code = main.main(standalone_mode=False)
    except NoOutput as stop:
        code = stop.code
        note(f"forkpoint: {stop}")
    except Stop as stop:
        code = end(str(stop), stop.shape, stop.code)
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "forkpoint"
        code = end(f"{error.format_message()} (`{command} --help` shows how)", {"error": error.format_message()}, WRONG_USE)
    except (KeyboardInterrupt, click.Abort):
        code = end("interrupted", {"error": "interrupted"}, 128 + signal.SIGINT)
    except MemoryError:
        code = end("not enough memory for this file", {"error": "not enough memory for this file"}, WRONG_USE)
    sys.exit(code or 0)


def end(message: str, shape: dict[str, object], code: int) -> int:
    """Says why a command ends: on standard error, or as an object on standard output with ``--json``."""
    if "--json" in sys.argv[1:]:
        try:
            say_json(shape)
            return code
        except NoOutput as stop:
            message = f"{message}; {stop}"
    note(f"forkpoint: {message}")
    return code


if __name__ == "__main__":
    run()
