"""What the commands share: how they end, how they write, how they find a file."""

from __future__ import annotations

import contextlib
import difflib
import itertools
import json
import os
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import click
from click.shell_completion import CompletionItem
from msgspec import UNSET

from forkpoint.ops.answers import Answer
from forkpoint.ops.completing import complete, complete_points, complete_steps
from forkpoint.ops.refusals import EXIT, Code, Refusal
from forkpoint.ops.session import open as open_session
from forkpoint.ops.session import version
from forkpoint.ops.writing import Unsaid, done
from forkpoint.view.lines import Aside, Verbatim
from forkpoint.view.text import clean
from forkpoint.words import count

if TYPE_CHECKING:
    from forkpoint.ops.session import Session

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


def _client(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    """Takes the client that is to resume a session; stops when the text is no version."""
    del parameter
    context.meta[CLIENT] = None if value is None else version(value, "--client")


class Argument(click.Argument):
    """An argument with a help text, which click itself takes only since 8.5."""

    def __init__(self, *args: Any, text: str, **attrs: Any) -> None:
        super().__init__(*args, **attrs)
        self.text = text

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        return self.make_metavar(ctx), self.text


class Rare(click.Option):
    """An option that few need: the short help leaves it out."""


CLIENT: Final = "forkpoint.client"
"""Where the context of a command has the client that was named; a command whose answer depends on HEAD has one, if only None."""
WARNINGS: Final = "forkpoint.warnings"
CLIENT_OPTION = click.option(
    "--client",
    cls=Rare,
    metavar="VERSION",
    expose_value=False,
    callback=_client,
    help="The client that will resume the session; its rule says where HEAD is. The default is the newest in the file.",
)


def load(name: str) -> Session:
    """The session that a path, a session id, the beginning of one or a title names.

    Where the command's answer depends on HEAD, and later clients go on elsewhere than the one that wrote the file, it says so.
    """
    context = click.get_current_context(silent=True)
    known = context is not None and CLIENT in context.meta
    client = context.meta[CLIENT] if context is not None and known else None
    return open_session(name, client=client, tell=note, warn=_warn if known else None, progress=Progress)


def _warn(text: str) -> None:
    """Says a warning, once, and keeps it for the answer as JSON."""
    context = click.get_current_context(silent=True)
    warnings = context.meta.setdefault(WARNINGS, []) if context is not None else []
    if text not in warnings:
        warnings.append(text)
        note(f"warning: {text}")


def complete_session(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """For a shell: the ids of this folder's sessions that begin so, with their titles, and files. Never fails."""
    del context, parameter
    found = [CompletionItem(session, help=title or None) for session, title in complete(incomplete)]
    return [*found, CompletionItem(incomplete, type="file")]


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


class Seconds(click.FloatRange):
    """So many seconds, more than none and at most a year: what is no number of them is refused."""

    def __init__(self) -> None:
        super().__init__(0, 31_536_000, min_open=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        found: float = super().convert(value, param, ctx)
        if found != found:
            self.fail("it is no number of seconds", param, ctx)
        return found


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


class Command(click.Command):
    """A command whose short help leaves rare options out; ``forkpoint help COMMAND`` shows them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Where a shell asks how the value of the last option may go on, that option has none yet, and would hide the arguments
        before it."""
        if ctx.resilient_parsing and args and any(args[-1] in option.opts for option in self._with_values()):
            args = args[:-1]
        return super().parse_args(ctx, args)

    def _with_values(self) -> Iterator[click.Option]:
        return (one for one in self.params if isinstance(one, click.Option) and not one.is_flag and not one.count)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        every = ctx.meta.get(EVERY_OPTION, False)
        shown = [option for option in self.get_params(ctx) if every or not isinstance(option, Rare)]
        rows = [row for option in shown if (row := option.get_help_record(ctx)) is not None]
        with formatter.section("Options"):
            formatter.write_dl(rows)
        left = len(self.get_params(ctx)) - len(shown)
        if left:
            path = ctx.command_path.split()[1:]
            formatter.write_paragraph()
            formatter.write_text(f"{count(left, 'more option')}: `forkpoint help {' '.join(path)}`")


EVERY_OPTION: Final = "forkpoint.every-option"
"""Where the context of a command says that its help is to show every option."""


def complete_point(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """For a shell: HEAD and the numbers of the prompts of the session that was named before, each with its words; of two sessions
    the one that the parameter is about. Never fails."""
    given = context.params
    first = next(iter(given.get("sessions") or ()), None)
    two = any(one.name == "other_at" for one in context.command.params)  # a point of each of two sessions
    of_first = "b" not in given or (two and parameter.name != "other_at")
    name = given.get("file") or given.get("a") or first if of_first else given["b"]
    return [CompletionItem(point, help=words) for point, words in complete_points(name, incomplete)]


def complete_step(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """For a shell: the steps of the session that was named before, each with what it is. Never fails."""
    del parameter
    return [CompletionItem(step, help=words) for step, words in complete_steps(context.params.get("file"), incomplete)]


JSON_OPTION = click.option("--json", "as_json", is_flag=True, help="Answer with one JSON object (its shape is in the spec).")


def _no_catalog(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    """Turns the catalog off for this command."""
    del parameter
    if value:
        was = os.environ.get(CATALOG)
        os.environ[CATALOG] = "off"
        context.call_on_close(lambda: os.environ.pop(CATALOG) if was is None else os.environ.__setitem__(CATALOG, was))


CATALOG: Final = "FORKPOINT_CATALOG"
NO_CATALOG = click.option(
    "--no-catalog",
    cls=Rare,
    is_flag=True,
    expose_value=False,
    callback=_no_catalog,
    help="Read every file, and keep nothing for next time. FORKPOINT_CATALOG=off does the same.",
)
_FILE: Final = click.argument(
    "file", cls=Argument, shell_complete=complete_session, text="The session: a file, an id or its beginning, or a title."
)


def FILE_ARGUMENT(command: Callable[..., Any]) -> Callable[..., Any]:  # noqa: N802  (used as the options beside it are)
    """Gives a command the argument that names a session, and what goes with reading it."""
    return _FILE(NO_CATALOG(command))


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


class Progress:
    """Says on a terminal how far a reading got, once it has taken a second; says nothing anywhere else."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._due = time.monotonic() + 1
        context = click.get_current_context(silent=True)
        as_json = context is not None and context.params.get("as_json") is True
        self._shown = sys.stderr is not None and sys.stderr.isatty() and not as_json
        self._written = False

    def called(self, what: str) -> Progress:
        """The same, of something that has a name now."""
        self._what = what
        return self

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
