"""What the commands share: how they end, how they write, how they find a file."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

import click
from click.shell_completion import CompletionItem

from forkpoint.cli.console import WARNINGS, note
from forkpoint.ops.completing import complete, complete_points, complete_steps
from forkpoint.ops.session import open as open_session
from forkpoint.ops.session import version
from forkpoint.view.text import clean
from forkpoint.words import count

if TYPE_CHECKING:
    from forkpoint.ops.session import Session


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


CLIENT: Final = "forkpoint.clients.claude"
"""Where the context of a command has the client that was named; a command whose answer depends on HEAD has one, if only None."""
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


class Seconds(click.FloatRange):
    """So many seconds, more than none and at most a year: what is no number of them is refused."""

    def __init__(self) -> None:
        super().__init__(0, 31_536_000, min_open=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        found: float = super().convert(value, param, ctx)
        if found != found:
            self.fail("it is no number of seconds", param, ctx)
        return found


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
