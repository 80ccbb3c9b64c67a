"""What the commands share: how they end, how they write, how they find a file."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import unicodedata
import uuid as uuids
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from forkpoint.transcript import files, reader
from forkpoint.transcript.reader import Node, Transcript

HEALTHY, UNHEALTHY, WRONG_USE, ILLEGAL, STALE = 0, 1, 2, 3, 4
HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""The categories of characters that are escaped: controls, formats (bidirectional ones too), surrogates, separators."""

EXIT_CODES = """
\b
Exit codes:
  0  healthy, or done
  1  violations or damaged lines
  2  wrong use, unknown uuid, unreadable input, unwritable output
  3  an illegal or damaged fork point
  4  the session changed, or changes right now: nothing was appended
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


def show(lines: Iterable[str]) -> None:
    """Lines of an answer: through a pager on a terminal, as they are otherwise."""
    if sys.stdout is not None and sys.stdout.isatty():
        click.echo_via_pager(clean(line) + "\n" for line in lines)
    else:
        for line in lines:
            say(line)


def width() -> int:
    """The terminal's width in cells; 80 where there is no terminal, unless COLUMNS says otherwise."""
    return max(1, shutil.get_terminal_size((80, 24)).columns)
