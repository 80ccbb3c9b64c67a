"""Options that several commands have."""

from __future__ import annotations

import os
import webbrowser
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any, Final, TypedDict

import click
from click.core import ParameterSource

from forkpoint.cli.common import Rare, moment, note, print_bytes, say
from forkpoint.ops import events, pages
from forkpoint.ops.forking import New
from forkpoint.ops.redaction import Redactor
from forkpoint.ops.refusals import Refusal
from forkpoint.ops.writing import STANDARD_OUTPUT, done
from forkpoint.view.sessions import size

Command = Callable[..., Any]

ORACLE = click.option(
    "--oracle", cls=Rare, is_flag=True, help="Decide once more with the slow code generated from the proved model."
)
LEDGER = click.option("--ledger", cls=Rare, metavar="FILE", help="Record the event in this ledger; this needs --governance.")
GOVERNANCE = click.option(
    "--governance",
    cls=Rare,
    envvar="FORKPOINT_GOVERNANCE",
    help="The governance tuple, under which it is done.  [env: FORKPOINT_GOVERNANCE]",
)
SEARCH = click.option(
    "--search",
    "folder",
    cls=Rare,
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False),
    help="Search this folder for lost parents after the file's own project; the default is all projects.",
)
ALLOW_DAMAGE = click.option(
    "--allow-damage", cls=Rare, is_flag=True, help="Take a point even if a damaged line may have belonged to its conversation."
)

_PAGE: Final = (
    click.option("--html", metavar="FILE", help="Write it as a page in one new file, for any browser; - for standard output."),
    click.option("--open", "open_page", is_flag=True, help="Show the page in the browser; without --html in a file of its own."),
)


def page(command: Command) -> Command:
    """Gives a command the options ``--html`` and ``--open``."""
    return _with(command, _PAGE)


_REDACT: Final = (
    click.option("--redact", is_flag=True, help="Take out keys, tokens, addresses and home folders; say how many."),
    click.option("--redact-pattern", "patterns", cls=Rare, multiple=True, metavar="REGEX", help="Take this out, too."),
)


def redacting(command: Command) -> Command:
    """Gives a command the options ``--redact`` and ``--redact-pattern``."""
    return _with(command, _REDACT)


def redactor(redact: bool, patterns: tuple[str, ...]) -> Redactor | None:
    """What takes out what is asked for; None where nothing is."""
    return Redactor(patterns) if redact or patterns else None


def tell_redacted(redact: Redactor | None) -> None:
    """Says what was taken out."""
    if redact is not None:
        found = ", ".join(f"{many} {kind}" for kind, many in redact.found.most_common())
        note(f"redacted: {found or 'nothing was found'}")


def write_page(pieces: Iterable[bytes], html: str | None, *, open_page: bool) -> None:
    """Writes a page, says where it is, and shows it if that is asked for."""
    if open_page and html == STANDARD_OUTPUT:
        raise Refusal("--open needs a file, not --html -")
    place = pages.write(html, pieces, note, print_bytes)
    if place is None:
        return
    with done(f"wrote {place}"):
        say(f"{place}, {size(place.stat().st_size)}")
    if open_page and not webbrowser.open(place.absolute().as_uri()):
        note("no browser was found; open the file with yours")


_APPENDING: Final = (
    click.option("--if-head", cls=Rare, metavar="UUID", help="Append only if the head is this entry (a uuid or its beginning)."),
    click.option("--force", is_flag=True, help="Append even if the session changed a moment ago, when a client may be using it."),
    click.option(
        "--operation",
        cls=Rare,
        metavar="UUID",
        help="Repeat an operation whose end is unknown, by the id in its message. Append only what the file lacks.",
    ),
    click.option("--dry-run", is_flag=True, help="Only say what the command would append."),
)


def appending(command: Command) -> Command:
    """Gives a command the options of :class:`forkpoint.ops.appending.How`, but for ``--oracle``."""
    return _with(command, _APPENDING)


class Wanted(TypedDict):
    """The values of the options for a new session, by the names of the parameters."""

    out: str | None
    cwd: str | None
    session_id: str | None
    name: str | None
    restamp: bool | None
    marker: bool
    actor: str | None
    governance: str | None
    remark: str | None
    ledger: str | None
    now: str | None
    certify: str | None
    dry_run: bool


_NEW: Final = (
    click.option(
        "--out",
        help="The file to write, or - for standard output. The default is beside a client's session, else ./<new id>.jsonl.",
    ),
    click.option("--cwd", metavar="DIR", help="Put the new session into the project of this working folder."),
    click.option("--session-id", cls=Rare, metavar="UUID", help="The new session's id; the default is a fresh one."),
    click.option("--name", help="The new session's title; the default is the source's and \"(fork)\"."),
    click.option(
        "--restamp/--no-restamp",
        cls=Rare,
        default=None,
        help="Rewrite sessionId and add forkedFrom, or not; the default goes by version.",
    ),
    click.option(
        "--marker/--no-marker",
        cls=Rare,
        default=True,
        help="Say in the new session where it comes from (the default).",
    ),
    click.option(
        "--actor", cls=Rare, envvar="FORKPOINT_ACTOR", help="Say in the marker who asked for it.  [env: FORKPOINT_ACTOR]"
    ),
    click.option(
        "--governance",
        cls=Rare,
        envvar="FORKPOINT_GOVERNANCE",
        help="The governance tuple for the marker and the ledger.  [env: FORKPOINT_GOVERNANCE]",
    ),
    click.option("--note", "remark", cls=Rare, help="A remark for the marker and the ledger."),
    LEDGER,
    click.option(
        "--now",
        cls=Rare,
        metavar="TIME",
        help="The marker's time, in ISO 8601 or seconds since the epoch; the default is now.  [env: SOURCE_DATE_EPOCH]",
    ),
    click.option(
        "--certify",
        cls=Rare,
        type=click.Choice(["quick", "full"]),
        envvar="FORKPOINT_CERTIFY",
        help="Whether a second reader checks the source up to 2 MB (quick, the default) or any (full).  [env: FORKPOINT_CERTIFY]",
    ),
    click.option("--dry-run", is_flag=True, help="Only say what the command would keep."),
)


def new_session(command: Command) -> Command:
    """Gives a command the options of :class:`Wanted`."""
    return _with(command, _NEW)


def new(wanted: Wanted, *, as_json: bool) -> New:
    """What becomes of a new session, by the options; refuses what they cannot both have."""
    if wanted["out"] == STANDARD_OUTPUT and as_json and not wanted["dry_run"]:
        raise Refusal("--json and --out - both write on standard output; choose one")
    now = when(wanted["now"])
    return New(
        out=wanted["out"],
        cwd=wanted["cwd"],
        session_id=wanted["session_id"],
        name=wanted["name"],
        restamp=wanted["restamp"],
        marker=wanted["marker"],
        actor=wanted["actor"],
        governance=wanted["governance"],
        remark=wanted["remark"],
        book=events.book(wanted["ledger"], wanted["governance"], now),
        now=now,
        certify=wanted["certify"],
        dry_run=wanted["dry_run"],
        sink=print_bytes,
    )


def given() -> str | None:
    """The first of the options for a new session that the command line has."""
    context = click.get_current_context()
    for parameter in context.command.params:
        if (
            parameter.name in Wanted.__annotations__
            and context.get_parameter_source(parameter.name) is ParameterSource.COMMANDLINE
        ):
            return parameter.opts[0]
    return None


def when(now: str | None) -> datetime | None:
    """The time that was given, by the option or by the environment."""
    text = os.environ.get("SOURCE_DATE_EPOCH") if now is None else now
    return moment(text, "SOURCE_DATE_EPOCH" if now is None else "--now") if text else None


def today() -> datetime:
    """The time that ages are counted from: that of the environment, or now."""
    return when(None) or datetime.now(UTC)


def _with(command: Command, options: tuple[Callable[[Command], Command], ...]) -> Command:
    for option in reversed(options):
        command = option(command)
    return command
