"""What the commands share: how they end, how they write, how they find a file."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import shutil
import stat
import sys
import time
import unicodedata
import uuid as uuids
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import click
from click.shell_completion import CompletionItem

from forkpoint.transcript import files, reader
from forkpoint.transcript.reader import Node, Transcript

HEALTHY, UNHEALTHY, WRONG_USE, ILLEGAL, STALE, UNSURE, BROKEN = 0, 1, 2, 3, 4, 5, 70
STANDARD_OUTPUT = "-"
"""What ``--out`` takes for standard output."""
BLOCK = 1 << 20
"""About so many bytes go to standard output at once: each write is flushed."""
HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""The categories of characters that are escaped: controls, formats (bidirectional ones too), surrogates, separators."""

EXIT_CODES = """
\b
Exit codes:
  0  healthy, or done
  1  violations or damaged lines; what does not verify, has nothing in common, is refuted or clashes
  2  wrong use, an unknown session or point, unreadable input, unwritable output
  3  a point that cannot be forked, or cannot be the head; what cannot be left out, or merged
  4  the session changed, or changes right now: nothing was appended or removed
  5  something was done, but not all of it, or nobody confirmed it: the message says what stands, and how to go on
  70  an error in forkpoint itself; nothing is half-written
  128 + N  ended by signal N (130: interrupted)
"""


class Stop(Exception):
    """Ends a command with a message and an exit code."""

    def __init__(self, message: str, code: int = WRONG_USE, **shape: object) -> None:
        super().__init__(message)
        self.code = code
        self.shape = shape or {"error": message}


@contextlib.contextmanager
def done(what: str) -> Iterator[None]:
    """What is left to say when something was written: where that cannot be said, it stops with what was done."""
    try:
        yield
    except NoOutput as error:
        raise NoOutput(error.reason, f"; {what} all the same") from error
    except OSError as error:
        name = f"{os.fsdecode(error.filename)}: " if error.filename else ""
        raise Stop(f"{what}, but not all could be said of it: {name}{error.strerror or error}", UNSURE) from error


def written(path: Path | None) -> contextlib.AbstractContextManager[None]:
    """What is left to say of a new file, as :func:`done`; where none was written nothing is done."""
    return contextlib.nullcontext() if path is None else done(f"{path} is written")


class NoOutput(Stop):
    """Standard output cannot be written, so only standard error can say so."""

    def __init__(self, reason: str, done: str = "") -> None:
        super().__init__(f"cannot write to standard output: {reason}{done}", UNSURE if done else WRONG_USE)
        self.reason = reason


def clean(text: str) -> str:
    """The text with control and bidirectional characters escaped: what a file holds must not steer the terminal."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character.encode("unicode_escape").decode("ascii") if unicodedata.category(character) in HIDDEN else character
        for character in text
    )


def say(text: str) -> None:
    """A line on standard output; what the terminal cannot show is replaced, never an error."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    write(clean(text).encode(encoding, "replace"))


def write(line: bytes, newline: bool = True) -> None:
    """A line of bytes on standard output, or bytes as they are. A reader that went away is no error; a full disk stops."""
    if sys.stdout is None:
        raise NoOutput("it is closed")
    try:
        click.echo(line, nl=newline)
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
    """One JSON object on standard output, in ASCII; with the command's warnings, if there are any."""
    context = click.get_current_context(silent=True)
    if isinstance(value, dict) and context is not None and context.meta.get(WARNINGS):
        value = {**value, "warnings": context.meta[WARNINGS]}
    write(json.dumps(value, indent=2).encode("ascii"))


def _client(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    """Takes the client that is to resume a session; stops when the text is no version."""
    del parameter
    if value is not None and len(reader.parse_version(value)) != value.count(".") + 1:
        raise Stop(f"--client needs the version of a client, such as 2.1.330, not {value!r}")
    context.meta[CLIENT] = None if value is None else reader.parse_version(value)


CLIENT: Final = "forkpoint.client"
"""Where the context of a command has the client that was named; a command whose answer depends on HEAD has one, if only None."""
WARNINGS: Final = "forkpoint.warnings"
CLIENT_OPTION = click.option(
    "--client",
    metavar="VERSION",
    expose_value=False,
    callback=_client,
    help="The client that is to resume the session: its rule says where HEAD is. The default is the newest that wrote into it.",
)


def load(name: str) -> Transcript:
    """Reads the transcript that a path, a session id, the beginning of one or a title names, or stops.

    Where the command's answer depends on HEAD, and later clients go on elsewhere than the one that wrote the file, it says so.
    """
    transcript = _load(name)
    context = click.get_current_context(silent=True)
    if context is not None and CLIENT in context.meta:
        transcript.client = context.meta[CLIENT]
        _warn(context, transcript)
    return transcript


def _warn(context: click.Context, transcript: Transcript) -> None:
    """Says where later clients go on, once for each file."""
    from forkpoint.transcript.head import elsewhere, head

    other = elsewhere(transcript)
    if other is None:
        return
    here, there = (
        "nowhere" if found.position is None else f"at line {transcript.span(found.position).number}"
        for found in (head(transcript), other)
    )
    later = ".".join(map(str, other.version))
    text = f"{transcript.path}: the client that wrote it goes on {here}, clients from {later} on {there} ({other.why})"
    text += f"; --client {later} decides as they do"
    warnings = context.meta.setdefault(WARNINGS, [])
    if text not in warnings:
        warnings.append(text)
        note(f"warning: {text}")


def _load(name: str) -> Transcript:
    """Reads the transcript that a name names, or stops."""
    path = session_path(name)
    try:
        transcript = reader.read(path, Progress(f"reading {path}"))
    except OSError as error:
        raise Stop(f"cannot read {path}: {error.strerror}") from error
    if transcript.changed:
        less = f": line {transcript.unfinished.line} is not whole yet and is left out" if transcript.unfinished else ""
        note(f"{path}: the session changed while it was read{less}; what was written meanwhile may be missing")
    return transcript


def session_path(name: str) -> str:
    """The file that a path, a session id, the beginning of one or a title names; stops when there is none, or more."""
    if os.path.lexists(name) and not os.path.isdir(name):
        return name
    from forkpoint.store import locate  # only where no file has that name

    try:
        return os.fspath(locate.locate(name))
    except LookupError as error:
        raise Stop(str(error)) from error


def complete_session(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """For a shell: the ids of this folder's sessions that begin so, with their titles, and files. Never fails."""
    del context, parameter
    try:
        from forkpoint.store import locate

        found = [CompletionItem(session, help=title or None) for session, title in locate.complete(incomplete)]
    except Exception:  # a shell that waits for suggestions must not get a traceback
        found = []
    return [*found, CompletionItem(incomplete, type="file")]


def new_file(out: str | None) -> Path:
    """The file to write: the one asked for, or one named for a fresh session id."""
    if out is None:
        return Path(f"{uuids.uuid4()}.jsonl")
    if not out or out.endswith(os.sep):
        raise Stop(f"--out needs the name of a file, not {out!r}")
    return Path(out)


@contextlib.contextmanager
def writing(path: Path | None) -> Iterator[None]:
    """Stops when what is new cannot be written at ``path``, or on standard output when that is None."""
    try:
        yield
        for stage in files.strangers(path.parent) if path is not None else []:
            note(f"note: {stage} is a leftover of another user or machine, and stays; if nobody needs it, `rm -r` removes it")
    except FileExistsError as error:
        taken = error.filename or path
        raise Stop(
            f"cannot write {path}: {'it' if str(taken) == str(path) else taken} exists; choose another name with --out"
        ) from error
    except OSError as error:
        culprit = str(error.filename or path)
        own = culprit == str(path) or files.STAGE.search(culprit) is not None
        reason = f"{error.strerror}" if own else f"{culprit}: {error.strerror}"
        raise Stop(f"cannot write {path or 'to standard output'}: {reason}; nothing was left there") from error


def store(path: Path | None, pieces: Iterable[bytes]) -> None:
    """Writes a new file, or on standard output when ``path`` is None; or stops."""
    with writing(path):
        if path is not None:
            files.write_new(path, pieces)
            return
        block = bytearray()
        for piece in pieces:
            block += piece
            if len(block) >= BLOCK:
                write(bytes(block), newline=False)
                block.clear()
        write(bytes(block), newline=False)


def holds(path: Path, text: bytes) -> bool:
    """Whether a regular file of our own holds just these bytes."""
    with contextlib.suppress(OSError):
        status = path.lstat()
        return stat.S_ISREG(status.st_mode) and status.st_size == len(text) and path.read_bytes() == text
    return False


def place(node: Node) -> dict[str, Any]:
    """An entry as the JSON answers name it."""
    return {"uuid": node.uuid, "line": node.span.number}


def moment(text: str, what: str) -> datetime:
    """The time that a text gives; stops for one that gives none, and names ``what`` it was given for."""
    try:
        if text.lstrip("-").isdigit():
            return datetime.fromtimestamp(int(text), UTC)
        found = datetime.fromisoformat(text)
        return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise Stop(f"{what} needs a time, ISO 8601 or seconds of the epoch, not {text!r}") from error


def find(transcript: Transcript, at: str) -> Node:
    """The entry that an expression names (a uuid, a unique beginning of one, a prompt's number, ``HEAD~1``); stops when there
    is none."""
    from forkpoint.transcript import select

    try:
        return transcript.nodes[select.resolve(transcript, at)]
    except select.UnknownPoint as error:
        raise Stop(str(error)) from error


JSON_OPTION = click.option("--json", "as_json", is_flag=True, help="Answer with one JSON object (its shape is in the spec).")
FILE_ARGUMENT = click.argument("file", shell_complete=complete_session)


def show(lines: Iterable[str]) -> None:
    """Lines of an answer: on a terminal through a pager and, unless NO_COLOR says otherwise, in colour; else as they are."""
    if sys.stdout is None or not sys.stdout.isatty():
        for line in lines:
            say(line)
        return
    from forkpoint.view.paint import paint

    colour = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    os.environ.setdefault("LESS", "FRX")  # as git does: no pager for what fits, colours, and it stays on the screen
    texts = (paint(clean(line)) if colour else clean(line) for line in lines)
    ends = itertools.chain([""], itertools.repeat("\n"))  # in front of each line, since the pager gets a last one anyway
    click.echo_via_pager((end + text for end, text in zip(ends, texts, strict=False)), color=colour)


class Progress:
    """Says on a terminal how far a reading got, once it has taken a second; says nothing anywhere else."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._due = time.monotonic() + 1
        context = click.get_current_context(silent=True)
        as_json = context is not None and context.params.get("as_json") is True
        self._shown = sys.stderr is not None and sys.stderr.isatty() and not as_json
        self._written = False

    def __call__(self, done: int, whole: int) -> None:
        if self._shown and whole and time.monotonic() > self._due:
            self._due += 0.1
            self._written = True
            click.echo(f"\r{clean(self._what)}: {100 * done // whole} %", nl=False, err=True)
            if done >= whole:
                self.end()

    def end(self) -> None:
        """Takes the line away."""
        if self._written:
            click.echo("\r\x1b[K", nl=False, err=True)
            self._written = False


def folding() -> int | None:
    """The width to wrap findings to; None where each stays on a line of its own, as programs that search lines want it:
    standard output is no terminal, and COLUMNS does not say how wide it is."""
    columns = os.environ.get("COLUMNS", "")
    asked = columns.isdecimal() and int(columns) > 0
    return width() if asked or (sys.stdout is not None and sys.stdout.isatty()) else None


def width() -> int:
    """The terminal's width in cells; 80 where there is no terminal, unless COLUMNS says otherwise."""
    return max(1, shutil.get_terminal_size((80, 24)).columns)
