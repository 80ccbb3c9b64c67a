"""The terminal: what commands print, how they end, and their groups. It loads no more than that needs."""

from __future__ import annotations

import contextlib
import difflib
import itertools
import json
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

import click
from msgspec import UNSET

from forkpoint.answers.base import Answer
from forkpoint.answers.refusals import EXIT, Code, Refusal, Unsaid, done
from forkpoint.view.lines import Aside, Verbatim
from forkpoint.view.text import clean

ROWS: Final = 500
"""So many lines of an answer go to standard output at once."""


BLOCK = 1 << 20
"""About so many bytes go to standard output at once: each write is flushed."""


EXIT_CODES = """\
Exit codes:
  0  healthy, or done
  1  violations or damaged lines; a fork that does not verify, nothing in common, a refuted verdict, a clash
  2  wrong use, an unknown session or point, unreadable input, unwritable output
  3  a point that cannot be forked or be the head; entries that a drop cannot leave out; a branch that does not merge; a taken id
  4  the session changed, or changes right now: the command appended and removed nothing
  5  the command did something, but not all of it, or nothing confirmed it. The message says what stands, and how to go on
  70  an error in forkpoint itself; nothing is half-written
  128 + N  ended by signal N (130: interrupted)
"""


def say(*lines: str) -> None:
    """Lines on standard output, at once; what the terminal cannot show is replaced, never an error."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    write("\n".join(map(clean, lines)).encode(encoding, "replace"))


def write(line: bytes, newline: bool = True) -> None:
    """A line of bytes on standard output, or bytes as they are. A reader that went away is no error; a full disk stops."""
    if sys.stdout is None:
        raise Unsaid("it is closed")
    try:
        click.echo(line, nl=newline)
    except OSError as error:
        with contextlib.suppress(OSError, ValueError):  # what is buffered must not fail again at the end
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise Unsaid(str(error.strerror)) from error


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


WARNINGS: Final = "forkpoint.warnings"


def print_bytes(pieces: Iterable[bytes]) -> None:
    """Bytes on standard output, as they are."""
    block = bytearray()
    for piece in pieces:
        block += piece
        if len(block) >= BLOCK:
            write(bytes(block), newline=False)
            block.clear()
    write(bytes(block), newline=False)


def conclude(answer: Answer, lines: Callable[[], Iterable[str]], *, as_json: bool) -> None:
    """Says an answer, as an object or in words, and ends the command where what was done, or asked about, is not as it should be.

    Where something was done and cannot be said, it says what was done.
    """
    with done(answer.done) if answer.done else contextlib.nullcontext():
        error = getattr(answer, "error", UNSET)
        if error is not UNSET and as_json:
            raise Refusal(error, Code.UNSURE, stands=answer)
        if as_json:
            say_json(answer.shape())
        else:
            tell(lines())
        if error is not UNSET:
            raise Refusal(error, Code.UNSURE)
    if not answer.success:
        sys.exit(EXIT[Code.UNHEALTHY])


def tell(lines: Iterable[str]) -> None:
    """The lines of an answer, each where it belongs."""
    for line in lines:
        if isinstance(line, Aside):
            note(line)
        elif isinstance(line, Verbatim):
            write(os.fsencode(line))
        else:
            say(line)


@contextlib.contextmanager
def needs(extra: str) -> Iterator[None]:
    """Around an import: where something is not installed that an extra brings, it says so."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise Refusal(f"{error.name} is not installed", cure=f"pip install 'forkpoint[{extra}]'") from error


def agreed(lines: Iterable[str], question: str) -> bool:
    """Whether a person agrees to what some lines say; stops where nobody is there to be asked."""
    if sys.stdin is None or not sys.stdin.isatty():
        raise Refusal("nobody is there to be asked", cure="--yes goes on without, and --dry-run says what would be done")
    tell(lines)
    if click.confirm(question, err=True):
        return True
    note("nothing was changed")
    return False


def moment(text: str, what: str) -> datetime:
    """The time that a text gives; stops for one that gives none, and names ``what`` it was given for."""
    try:
        if text.lstrip("-").isdigit():
            return datetime.fromtimestamp(int(text), UTC)
        found = datetime.fromisoformat(text)
        return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise Refusal(f"{what} needs a time, ISO 8601 or seconds of the epoch, not {text!r}") from error


def words_of(text: str, option: str) -> list[str]:
    """The words of a command, as a shell reads them; refuses what is none."""
    try:
        found = shlex.split(text)
    except ValueError as error:
        raise Refusal(f"{option} is no command: {error}: {text}") from error
    if not found:
        raise Refusal(f"{option} is an empty command")
    return found


def close(word: str, known: Iterable[str]) -> str | None:
    """The known word that somebody meant who typed another one; None where none is near."""
    return next(iter(difflib.get_close_matches(word, list(known), 1)), None)


class Group(click.Group):
    """A command with commands below it, each with its whole short help."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        found = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.get_short_help_str(LONGEST_HELP)) for name, command in found if command])

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = close(args[0], self.list_commands(ctx))
            if near is None:
                raise
            raise click.UsageError(f"no such command {args[0]!r}; did you mean `{near}`?", ctx) from error


LONGEST_HELP: Final = 400
"""So many characters of a short help are shown: all of it."""


def terminal() -> bool:
    """Whether a person sits at both ends: what is read and what is printed are a terminal."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def show(lines: Iterable[str]) -> None:
    """Lines of an answer: on a terminal through a pager and, unless NO_COLOR says otherwise, in colour; else as they are."""
    if sys.stdout is None or not sys.stdout.isatty():
        if isinstance(lines, Sequence):  # which are all there: some at a time
            for first in range(0, len(lines), ROWS):
                say(*lines[first : first + ROWS])
        else:
            for line in lines:
                say(line)
        return
    from forkpoint.view.paint import paint

    colour = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    os.environ.setdefault("LESS", "FRX")  # as git does: no pager for what fits, colours, and it stays on the screen
    texts = (paint(clean(line)) if colour else clean(line) for line in lines)
    ends = itertools.chain([""], itertools.repeat("\n"))  # in front of each line, since the pager gets a last one anyway
    click.echo_via_pager((end + text for end, text in zip(ends, texts, strict=False)), color=colour)


def folding() -> int | None:
    """The width to wrap findings to; None where each stays on a line of its own, as programs that search lines want it:
    standard output is no terminal, and COLUMNS does not say how wide it is."""
    columns = os.environ.get("COLUMNS", "")
    asked = columns.isdecimal() and int(columns) > 0
    return width() if asked or (sys.stdout is not None and sys.stdout.isatty()) else None


def width() -> int:
    """The terminal's width in cells; 80 where there is no terminal, unless COLUMNS says otherwise."""
    return max(1, shutil.get_terminal_size((80, 24)).columns)
